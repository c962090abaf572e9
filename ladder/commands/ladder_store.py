"""`referee ladder store`: records and bots in a store by URL, for a ladder of many machines."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened
from ladder.files import object_store, shared_records
from ladder.files.object_store import ObjectStore
from ladder.files.signing import now_ms
from ladder.runner.runner import lives
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.clearing import erased_hashes
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural

_AT_ONCE: Final = 1000


class StoreJson(Struct, frozen=True):
    """What `referee ladder store --json` prints.

    Attributes:
        url: of the store; null where records and bots are in the folder alone.
        folder: that of the ladder's files on this machine.
        records: how many the store has; `record_bytes` is what they take, compressed.
        bots: how many frozen bots it has; `bot_bytes` is what they take, packed.
        moved: how many of both were moved now.
    """

    url: str | None
    folder: str
    records: int
    record_bytes: int
    bots: int
    bot_bytes: int
    moved: int


def show_store(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="[URL]",
            help="Where to move them: s3://BUCKET/PATH, or file:///FOLDER that machines share.",
        ),
    ] = None,
    home: Annotated[
        bool, typer.Option("--home", help="Bring all back into the folder of this machine.")
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Shows where a ladder keeps records and bots, or moves them into a store by URL.

    With a store, machines of one PostgreSQL ladder need no folder in common: each has copies in its
    own. What is kept there is called by its hash, written once, and compared when it is read. Keys
    of S3 are boto's own: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL, ~/.aws. Stop
    runners before a move, and sites on other machines; what a store had before it keeps.
    """
    if home and url is not None:
        raise RefereeError("say --home or a URL, not both")
    with opened(where) as store:
        moved = 0
        if home or url is not None:
            _check_still(store)
            with busy(console(stderr=True), "moving ...") as say:
                moved = _bring_home(store, say) if url is None else _move(store, url, say)
        told = _told(store, moved)
    if as_json:
        print(json_text(told, indent=None))
        return
    if told.url is None:
        print(f"records and bots are in {told.folder!r}")
    else:
        print(
            f"{told.url}: {plural(told.records, 'record')} ({in_bytes(told.record_bytes)}), "
            f"{plural(told.bots, 'bot')} ({in_bytes(told.bot_bytes)}); copies in {told.folder!r}"
        )
    if home or url is not None:
        print(f"{plural(moved, 'file')} moved")


def _check_still(store: Store) -> None:
    """Look whether matches are under way, whose records would go where they do no more.

    Raises:
        RefereeError: they are.
    """
    local, now = store.where.is_local, now_ms()
    leased = [one for one in store.waiting_jobs() if one.owner and one.until_ms > now]
    if playing := [one for one in leased if lives(one.owner, local=local)]:
        raise RefereeError(
            f"{plural(len(playing), 'match is', 'matches are')} under way: stop the ladder's "
            "runners first (after one that was killed, wait a minute)"
        )


def _move(store: Store, typed: str, say: Callable[[str], None]) -> int:
    """Put all that lies here, or in the store of before, into a store; return how much.

    Raises:
        RefereeError: it is no store for this ladder.
        HostError: it, or the disk, does not let us.
    """
    url = object_store.checked(typed)
    _check_apart(store.files, url)
    before = store.records.store_url()
    to, watch = ObjectStore(url, is_claimed=url == before), _counting(say)
    to.claim(store.opened.ladder)
    moved = 0 if before in (None, url) else _bring_home(store, say)
    gone = _records_of_erased(store)
    moved += shared_records.put_all(store.files, to, lambda sha: sha not in gone, watch)
    erased = erased_hashes(store.refresh())
    moved += shared_bots.put_all(store.files, to, lambda digest: digest not in erased, watch)
    store.records.name_store(url)
    store.records.note_store(store.files)
    return moved


def _check_apart(files: Path, url: str) -> None:
    """Look whether a store is no folder in which copies of it would lie.

    Raises:
        RefereeError: it is.
    """
    if not url.startswith("file:"):
        return
    own, there = files.resolve(), Path(urlsplit(url).path).resolve()
    if own.is_relative_to(there) or there.is_relative_to(own):
        raise RefereeError(f"store {url}: the ladder's own files are there: name another folder")


def _records_of_erased(store: Store) -> set[str]:
    """Return the records that bots have played in which were erased: no copy is to come back."""
    roster = store.refresh()
    entrants = [entrant for entrant in roster.entrants if roster.is_erased(entrant)]
    found: set[str] = set()
    after = 0
    while part := store.records.of_entrants(entrants, after, _AT_ONCE) if entrants else []:
        found.update(record for _, record in part)
        after = part[-1][0]
    return found


def _bring_home(store: Store, say: Callable[[str], None]) -> int:
    """Have all here, and no store any more; return how much came.

    The database names the store until all is here. Should runners have begun meanwhile, what they
    have put there comes after that.

    Raises:
        RefereeError: what the store has is something else.
        HostError: it, or the disk, does not let us.
    """
    url = store.records.store_url()
    if url is None:
        return 0
    there, watch = ObjectStore(url, is_claimed=True), _counting(say)
    moved = _brought(store, there, watch)
    store.records.name_store(None)
    store.records.note_store(store.files)
    return moved + _brought(store, there, watch)


def _brought(store: Store, there: ObjectStore, watch: Callable[[], None]) -> int:
    records = shared_records.bring_all(store.files, there, watch)
    return records + shared_bots.bring_all(store.files, there, watch)


def _counting(say: Callable[[str], None]) -> Callable[[], None]:
    done = 0

    def watch() -> None:
        nonlocal done
        done += 1
        say(f"moving ... {done:,} files")

    return watch


def _told(store: Store, moved: int) -> StoreJson:
    records = shared_records.by_hash(store.files) or {}
    bots = shared_bots.stored(store.files)
    return StoreJson(
        url=store.records.store_url(),
        folder=str(store.files),
        records=len(records),
        record_bytes=sum(records.values()),
        bots=len(bots),
        bot_bytes=sum(one.size for one in bots),
        moved=moved,
    )
