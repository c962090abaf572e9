"""`referee clean`: removes copies of bots, and builds, that no process uses."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from msgspec import Struct

from referee.bots.settings import CopyLimits, read_settings
from referee.commands.shared import Json
from referee.errors import HostError, RefereeError
from referee.sandbox.build_cache import cache_folder
from referee.sandbox.copy_choice import Copy, unused_since
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.folders import store_folder
from referee.terminal.console import console, print_table
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural

_DAY_S: Final = 24 * 60 * 60
_USUAL_DAYS: Final = 7


class Cleaned(Struct, frozen=True):
    """A folder of copies, and what came of it.

    Attributes:
        holds: what lies in it, in words.
        folder: where it is.
        removed: what went, or would go.
        kept: what stays.
    """

    holds: str
    folder: str
    removed: tuple[Copy, ...]
    kept: tuple[Copy, ...]


class CopyJson(Struct, frozen=True):
    """A copy of a bot, or a build."""

    name: str
    bytes: int
    files: int
    last_used: str
    in_use: bool
    unfinished: bool


class FolderJson(Struct, frozen=True):
    """A folder that was cleaned."""

    holds: str
    folder: str
    removed_bytes: int
    kept_bytes: int
    removed: tuple[CopyJson, ...]
    kept: tuple[CopyJson, ...]


class LimitsJson(Struct, frozen=True):
    """What each folder keeps within, whether it is cleaned or not."""

    bytes: int
    copies: int


class CleanJson(Struct, frozen=True):
    """What `referee clean --json` prints; with `dry_run` nothing was removed."""

    dry_run: bool
    limits: LimitsJson
    folders: tuple[FolderJson, ...]


def clean(
    older_than: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS", min=0, help=f"Not used for so long.  [default: {_USUAL_DAYS}]"
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="However lately it was used.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be removed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Removes copies of bots and builds that are not used any more.

    Each is made again when it is needed. What a running referee uses stays, so this is safe while
    matches run. What killed referees have left unfinished goes in any case. How much is kept
    without this command says [copies] in settings.toml.
    """
    if older_than is not None and everything:
        raise RefereeError("say --older-than or --all, not both")
    days = 0 if everything else _USUAL_DAYS if older_than is None else older_than
    limits = read_settings().copies
    stores = {
        "copies of bots": CopyStore(store_folder(), limits),
        "builds for bare": CopyStore(cache_folder(), limits),
    }
    cleaned = [
        _cleaned(holds, store, days * _DAY_S, dry_run=dry_run) for holds, store in stores.items()
    ]
    if as_json:
        print(json_text(_as_json(cleaned, limits, dry_run=dry_run)))
    else:
        _print(cleaned, limits, dry_run=dry_run)


def _cleaned(holds: str, store: CopyStore, seconds: float, *, dry_run: bool) -> Cleaned:
    """Remove from a store what was not used for so many seconds, or find out what that is.

    Raises:
        HostError: the disk does not let us.
    """
    try:
        copies = store.copies()
        chosen = unused_since(copies, time.time() - seconds)
        removed = tuple(copy for copy in chosen if dry_run or store.remove(copy))
    except OSError as error:
        raise HostError(f"cannot clean {str(store.folder)!r}: {error.strerror}") from error
    names = {copy.name for copy in removed}
    kept = tuple(copy for copy in copies if copy.name not in names)
    return Cleaned(holds, str(store.folder), removed, kept)


def _print(cleaned: Sequence[Cleaned], limits: CopyLimits, *, dry_run: bool) -> None:
    to = console()
    went = "would be removed" if dry_run else "removed"
    rows = [
        (in_bytes(copy.size), f"{copy.files:,}", _used(copy), one.holds, copy.name)
        for one in cleaned
        for copy in one.removed
    ]
    if rows:
        print_table(to, ("#size", "#files", "last used", went, "name"), rows)
    for one in cleaned:
        in_use = sum(copy.in_use for copy in one.kept)
        to.print(
            f"{one.holds} in {one.folder}: {went} {_counted(one.removed)}; "
            f"{'would stay' if dry_run else 'left'} {_counted(one.kept)}, {in_use:,} in use"
        )
    to.print(
        f"kept without this command, in each: {in_bytes(limits.size << 20)} and "
        f"{plural(limits.number, 'copy', 'copies')} at most",
        style="dim",
    )


def _counted(copies: Sequence[Copy]) -> str:
    size = in_bytes(sum(copy.size for copy in copies))
    return f"{plural(len(copies), 'copy', 'copies')} ({size})"


def _used(copy: Copy) -> str:
    if copy.unfinished:
        return "never: unfinished"
    days = int((time.time() - copy.used_at) // _DAY_S)
    return "today" if days <= 0 else f"{plural(days, 'day')} ago"


def _as_json(cleaned: Sequence[Cleaned], limits: CopyLimits, *, dry_run: bool) -> CleanJson:
    return CleanJson(
        dry_run=dry_run,
        limits=LimitsJson(limits.size << 20, limits.number),
        folders=tuple(
            FolderJson(
                holds=one.holds,
                folder=one.folder,
                removed_bytes=sum(copy.size for copy in one.removed),
                kept_bytes=sum(copy.size for copy in one.kept),
                removed=tuple(map(_copy, one.removed)),
                kept=tuple(map(_copy, one.kept)),
            )
            for one in cleaned
        ),
    )


def _copy(copy: Copy) -> CopyJson:
    used = datetime.fromtimestamp(copy.used_at, UTC).isoformat(timespec="seconds")
    return CopyJson(copy.name, copy.size, copy.files, used, copy.in_use, copy.unfinished)
