"""`referee ladder store`: records and bots in a store by URL, for a ladder of many machines."""

from collections.abc import Callable
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened
from ladder.files import object_store, shared_records
from ladder.files.object_store import ObjectStore
from ladder.files.signing import now_ms
from ladder.runner.runner import lives
from ladder.store.store import Store
from ladder.submissions import shared_bots
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural


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
    """Put all that lies here, or in the store of before, into a store; return how much."""
    url = object_store.checked(typed)
    before = store.records.store_url()
    if before is not None and before != url:
        _bring_home(store, say)
    to, watch = ObjectStore(url), _counting(say)
    to.claim(store.opened.ladder)
    moved = shared_records.put_all(store.files, to, watch)
    moved += shared_bots.put_all(store.files, to, watch)
    store.records.name_store(url)
    store.records.note_store(store.files)
    return moved


def _bring_home(store: Store, say: Callable[[str], None]) -> int:
    """Have all here, and no store any more; return how much came."""
    url = store.records.store_url()
    if url is None:
        return 0
    there, watch = ObjectStore(url), _counting(say)
    store.records.name_store(None)
    try:
        store.records.note_store(store.files)  # no copy goes from here any more
        moved = shared_records.bring_all(store.files, there, watch)
        return moved + shared_bots.bring_all(store.files, there, watch)
    except BaseException:
        store.records.name_store(url)
        store.records.note_store(store.files)
        raise


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
