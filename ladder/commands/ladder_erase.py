"""`referee ladder erase`: takes what names an author out of a ladder, for ever."""

from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Where, clear_bots, opened
from ladder.standings import cache
from ladder.store.erasure import Erased
from ladder.store.record_sweep import removed_now
from ladder.store.store import Store
from ladder.submissions.clearing import erased_left
from ladder.web.uploads import Upload, forget, uploads_of
from referee.commands.shared import Json
from referee.errors import HostError, RefereeError
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural


class ErasedJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder erase --json` prints.

    Attributes:
        bots: the numbers by which the ladder knows them from now on.
        versions: how many they had.
        tokens: how many were deleted; of accounts to sign in by, `bindings`.
        uploads: of how many the site knew.
        records: how many records of their matches were removed.
    """

    bots: tuple[int, ...]
    versions: int
    tokens: int
    bindings: int
    uploads: int
    records: int


def erase(
    author: Annotated[str, typer.Argument(metavar="AUTHOR", help="As `ladder bots` lists it.")],
    reason: Annotated[
        str, typer.Option(help="Why, for all to read.")
    ] = "erased at its author's wish",
    yes: Annotated[bool, typer.Option("--yes", help="Do it: nothing brings it back.")] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Erases an author for ever: name, bots, tokens, and the records of their matches.

    Results stay, and so does their proof: a bot is called by its number then. What was copied
    elsewhere stays there: exports, backups, records that people have fetched.
    """
    if not reason.isprintable():
        raise RefereeError("--reason: control characters have no place in it")
    with opened(where) as store:
        found, uploads = store.erasure.of(author), uploads_of(store.files, author)
        if not (found.bots or found.tokens or found.bindings or uploads):
            raise RefereeError(f"no author {author!r}: `referee ladder bots --all` lists them")
        if not yes:
            raise RefereeError(f"this erases {_in_words(found)} of {author} for ever: say --yes")
        if found.tokens or found.bindings:
            store.tokens.revoke(author)
            uploads = uploads_of(store.files, author)  # no more come
        _check_over(author, uploads)
        forget(store.files, uploads)
        wiped = store.erasure.erase(author, reason)
        records = _without_files(store, author)
        if as_json:
            told = ErasedJson(
                bots=found.bots,
                versions=found.versions,
                tokens=found.tokens,
                bindings=found.bindings,
                uploads=len(uploads),
                records=records,
            )
            print(json_text(told, indent=None))
            return
        console().print(f"erased: {_in_words(found)}; and {plural(records, 'record')}")
        if found.bots:
            numbers = ", ".join(f"#{bot}" for bot in found.bots)
            console().print(f"results stay, of: {numbers}")
        if not wiped:
            console(stderr=True).print(
                "another process reads the database: traces stay in its log until the last one ends"
            )


def _check_over(author: str, uploads: list[Upload]) -> None:
    """Have no trial of an author's bots under way.

    Raises:
        RefereeError: one waits for its trial, or has it just now.
    """
    if waiting := sum(not one.is_over for one in uploads):
        raise RefereeError(
            f"{plural(waiting, 'upload')} of {author} had no trial yet: try again when that is "
            "over; no more come, since the author's tokens are revoked"
        )


def _without_files(store: Store, author: str) -> int:
    """Removes files and records of bots that were erased; returns how many records.

    Raises:
        HostError: some stay for now.
    """
    later = "`referee ladder records --apply` removes what is left once that is over"
    cache.clear(store.files)
    store.refresh()
    clear_bots(store)
    try:
        records = removed_now(store, store.records.gone().horizon, lambda *_: None)
    except HostError as error:
        told = str(error).partition(":")[0]
        raise HostError(f"{author} is erased, but not all records: {told}: {later}") from error
    if left := erased_left(store.files, store.roster):
        raise HostError(
            f"{author} is erased but for the files of {plural(len(left), 'version')}, which are "
            f"played or handed in just now: {later}"
        )
    return records


def _in_words(found: Erased) -> str:
    bots, versions = plural(len(found.bots), "bot"), plural(found.versions, "version")
    tokens = plural(found.tokens, "token")
    if found.bindings:
        return f"{bots} ({versions}), {tokens} and {plural(found.bindings, 'binding')}"
    return f"{bots} ({versions}) and {tokens}"
