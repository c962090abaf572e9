"""`referee ladder records`: which records a ladder keeps, and which may go."""

import os
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.progress import counted
from ladder.commands.shared import Where, clear_bots, opened
from ladder.core.facts import Keep
from ladder.core.retention import in_words
from ladder.files import record_store, shared_records
from ladder.store.record_sweep import removed_now
from referee.commands.shared import Json
from referee.errors import HostError
from referee.record import stderr_log
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural


class _Lying(Struct, frozen=True):
    """How many records lie in a folder, their bytes, and those of what bots wrote to stderr."""

    records: int
    size: int
    stderr: int


class RecordsJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder records --json` prints.

    Attributes:
        last: how many matches keep theirs, where `keep` is `last`.
        may_go: records of matches up to this number may be removed; `removed` were now.
    """

    keep: Keep
    last: int | None
    matches: int
    may_go: int
    records: int
    bytes: int
    stderr_bytes: int
    removed: int


def records(
    apply: Annotated[
        bool,
        typer.Option(
            "--apply",
            help="Remove all records that the policy lets go, and what is left of erased bots.",
        ),
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Shows which records a ladder keeps, and how much they take; removes others with --apply.

    The policy is `records` in the file of games: see `referee ladder open --help`. `referee ladder
    run` follows it match by match. A record that is gone can be played again from a copy only; the
    facts stay, with its hash, which shows that a copy is one.
    """
    with opened(where) as store:
        horizon, matches = store.records.gone().horizon, store.counts().matches
        removed, shared = 0, shared_records.by_hash(store.files)
        if apply:
            clear_bots(store)
            with counted(console(stderr=True), "removing records of", "matches") as say:
                removed = removed_now(store, horizon, say)
            before, shared = len(shared or ()), shared_records.by_hash(store.files)
            removed = max(removed, before - len(shared or ()))
        lying = _lying(store.files / record_store.RECORDS)
        policy = store.roster.retention
        if as_json:
            told = RecordsJson(
                keep=policy.keep,
                last=policy.last or None,
                matches=matches,
                may_go=horizon,
                records=lying.records,
                bytes=lying.size,
                stderr_bytes=lying.stderr,
                removed=removed,
            )
            print(json_text(told, indent=None))
            return
        to = console()
        to.print(f"records kept: {in_words(policy)}; of {plural(matches, 'match', 'matches')}")
        to.print(
            f"there are {plural(lying.records, 'record')}, {lying.size / 2**20:,.1f} MiB; "
            f"and {lying.stderr / 2**20:,.1f} MiB of what bots wrote to stderr"
        )
        if shared is not None:
            size = sum(shared.values()) / 2**20
            to.print(f"the store has {plural(len(shared), 'record')}, {size:,.1f} MiB")
        if horizon:
            to.print(f"those of matches 1 to {horizon:,} may go; removed now: {removed:,}")


def _lying(folder: Path) -> _Lying:
    """How much lies in the folder of records.

    Raises:
        HostError: it cannot be read.
    """
    count = size = stderr = 0
    try:
        for path in folder.glob("??/*"):
            if path.name.endswith(stderr_log.ENDING):
                stderr += os.stat(path).st_size
            elif path.name.endswith(record_store.ENDING):
                count += 1
                size += os.stat(path).st_size
    except FileNotFoundError:
        pass  # a runner has just removed it
    except OSError as error:
        raise HostError(f"records {str(folder)!r}: {error.strerror}") from error
    return _Lying(count, size, stderr)
