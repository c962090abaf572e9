"""`referee submit`: takes bots into a ladder, once they have played in a sandbox."""

import getpass
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import trio
import typer
from msgspec import Struct

from ladder.commands.shared import (
    Sandbox,
    Sandboxes,
    Where,
    clear_bots,
    opened,
    opened_or_made,
    pools_meant,
    tell_new_key,
)
from ladder.core.facts import SALT_BYTES, Fact, Pool, Submission
from ladder.core.names import author_name, fitted, name_of
from ladder.core.retiring import may_come_back
from ladder.core.roster import Roster
from ladder.files.object_store import StoreAway, store_of
from ladder.files.signing import kept_key
from ladder.game_files.pool_file import USUAL_GAMES
from ladder.show.submit_json import AcceptedJson, RefusedJson, SubmitJson
from ladder.store import receipts
from ladder.store.location import where_of
from ladder.store.receipts import SignedReceipt, receipt_of
from ladder.store.store import Store
from ladder.submissions.accept import Frozen, taken_in
from ladder.submissions.clearing import bots_in_use
from ladder.submissions.copy_in import check_apart
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json
from referee.errors import RefereeError, innermost, not_installed
from referee.play.interrupts import interruptible
from referee.sandbox.choose import check_for_strangers, opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import printable

_SAMPLE = "sample:"
_LONGEST_STAGE = 200


class Asked(Struct, frozen=True):
    """What was typed."""

    paths: tuple[str, ...]
    name: str | None
    author: str | None
    partners: tuple[str, ...]
    games: tuple[str, ...]


class Remote(Struct, frozen=True):
    """What was typed for a ladder's site."""

    paths: tuple[str, ...]
    name: str | None
    author: str | None
    partner: list[str] | None
    game: list[str] | None
    where: str | None


class Accepted(Struct, frozen=True):
    """A bot that was taken in.

    Attributes:
        new: whether it is a new version; else it plays already, just as it is.
        receipt: for its author to keep.
        left_out: names of folders of which something was left out.
    """

    entrant: Submission
    new: bool
    receipt: SignedReceipt
    left_out: tuple[str, ...]


class Refusal(Struct, frozen=True):
    """A bot that was not taken in, and why."""

    path: str
    why: str


def submit(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="An executable, a folder with a bot.toml, a zip of one, or sample:NAME.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(help="What tables call it.  [default: as its bot.toml or its file says]"),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option(help="Whose it is.  [default: your login name; a sample is its own author]"),
    ] = None,
    partner: Annotated[
        list[str] | None,
        typer.Option(metavar="BOT", help="A bot of yours that may be its partner at a table."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A game of the ladder to play, by name or id.  [default: all]"
        ),
    ] = None,
    where: Where = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The site of a ladder that is not on this machine."),
    ] = None,
    sandbox: Sandbox = Sandboxes.AUTO,
    stage: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file that says what is being done just now, for programs that show it.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Submits bots to a ladder. Exit code 1 when one is refused.

    A bot is unpacked, built, checked, and plays against itself, all in a sandbox; then it is
    frozen. Name and author make a bot: submit it again, and it has a new version, while the old one
    keeps its results. The hash that is printed names the files that play. Keep the receipt: with it
    `referee ladder verify --against FILE` proves that the ladder still has the submission. Where
    there is no ladder yet, one is made, of briscola-2; for other games see `referee ladder open`.
    With --to the bots are sent to a site that invited you: REFEREE_TOKEN has your token.
    """
    if to is not None:
        _submit_to(to, Remote(tuple(paths), name, author, partner, game, where), as_json=as_json)
        return
    asked = Asked(tuple(paths), name, author, tuple(partner or ()), tuple(game or ()))
    meant = where_of(where)
    _check(asked, meant.places)
    settings = read_settings()
    for_any = not asked.partners and set(asked.games) <= set(USUAL_GAMES)
    if for_any and meant.is_missing:  # none is made that could not take in a bot
        trio.run(check_for_strangers, SandboxName(sandbox), settings)
    with opened_or_made(where) if for_any else opened(where) as store:
        partners = tuple(_partner(store.refresh(), text, asked) for text in asked.partners)
        pools = _pools(store, asked.games)
        kept_key(store.files, tell_new_key)  # receipts are signed: what is wrong is said before
        store_of(store.files)  # likewise
        talk = console(stderr=True)
        taken: list[Accepted] = []
        refused: list[Refusal] = []
        place = SandboxName(sandbox)
        try:
            with busy(talk, "opening the sandbox ...") as shown:
                say = shown if stage is None else partial(_say, shown, stage)
                one_by_one = partial(_take_all_in, taken=taken, refused=refused)
                trio.run(one_by_one, store, asked, partners, pools, place, settings, say)
        finally:  # whatever stops us: what is done is told
            if as_json and (taken or refused):
                print(json_text(_as_json(store, taken, refused)))
            else:
                _print(store.roster, taken, refused)
    raise typer.Exit(int(bool(refused)))


def _say(shown: Callable[[str], None], stage: Path, text: str) -> None:
    """Show what is done, and write it to a file; where that cannot be written, the bot goes on."""
    shown(text)
    with suppress(OSError):
        stage.write_text(f"{printable(text)[:_LONGEST_STAGE]}\n")


def _submit_to(url: str, asked: Remote, *, as_json: bool) -> None:
    """Hand in bots on a site.

    Raises:
        RefereeError: the site, or what is installed here, does not let us.
    """
    if asked.where is not None:
        raise RefereeError("say --to or --ladder, not both")
    try:
        from ladder.commands.submit_remotely import (  # noqa: PLC0415  # an extra has its libraries
            check_remote,
            submit_to,
        )
    except ModuleNotFoundError as error:
        raise not_installed("`submit --to`", "site", error) from error
    check_remote(asked.author, asked.partner or [], asked.game or [])
    if asked.name is not None:
        name_of(asked.name, "bot")
    submit_to(url, list(asked.paths), asked.name, as_json=as_json)


def _check(asked: Asked, ladder: tuple[Path, ...]) -> None:
    """Finds what is wrong before anything is done.

    Args:
        asked: what was typed.
        ladder: where it lies, or will be made.

    Raises:
        RefereeError: naming it.
    """
    if asked.name is not None:
        name_of(asked.name, "bot")
        if len(asked.paths) > 1:
            raise RefereeError("--name: it is for one bot; name several in their bot.toml")
    if asked.author is not None:
        author_name(asked.author)
    for path in asked.paths:
        if not path.startswith(_SAMPLE) and not (path and Path(path).exists()):
            raise RefereeError(
                f"bot {path!r}: there is no such file or folder (samples are written sample:NAME)"
            )
        check_apart(path, ladder)
        author_of(path, asked.author)


def author_of(path: str, author: str | None) -> str:
    """Whose bot it is: samples are everybody's, and so each is its own author.

    Raises:
        RefereeError: it was not said, and no name can be made of the login name.
    """
    if author is not None:
        return author
    if path.startswith(_SAMPLE):
        return fitted(f"sample.{path.removeprefix(_SAMPLE).partition('=')[0]}")
    try:
        found = fitted(getpass.getuser())
    except (OSError, KeyError):
        found = ""
    if not found:
        raise RefereeError("author: who are you? say --author NAME")
    return found


def _partner(roster: Roster, text: str, asked: Asked) -> int:
    """A bot that may be a partner of all that are handed in.

    Raises:
        RefereeError: there is none such, or it is another author's: they would never meet.
    """
    bot = roster.find(text)
    whose = roster.entrants[bot].author
    for path in asked.paths:
        author = author_of(path, asked.author)
        if author != whose:
            raise RefereeError(
                f"--partner {text!r}: it is a bot of {whose}, and {path!r} is of {author}: "
                "partners have one author"
            )
    return bot


def _pools(store: Store, games: tuple[str, ...]) -> tuple[Pool, ...]:
    """The games that a bot is to play.

    Raises:
        RefereeError: one of them is none of the ladder's.
    """
    if not games:
        return pools_meant(store, None)
    meant = [pool for game in games for pool in pools_meant(store, game, closed=False)]
    return tuple(pool for pool in pools_meant(store, None) if pool in meant)


async def _take_all_in(
    store: Store,
    asked: Asked,
    partners: tuple[int, ...],
    pools: tuple[Pool, ...],
    sandbox: SandboxName,
    settings: Settings,
    say: Callable[[str], None],
    *,
    taken: list[Accepted],
    refused: list[Refusal],
) -> None:
    """Takes in one after the other, and adds it to a list; a refusal stops none of the others."""
    games = tuple(dict.fromkeys(pool.game_name for pool in pools)) if asked.games else ()
    with trio.CancelScope() as scope:
        async with interruptible(scope), opened_for(sandbox, (), settings, strangers=True) as place:
            for path in asked.paths:
                author = author_of(path, asked.author)
                try:
                    with bots_in_use(store.files):
                        frozen = await taken_in(
                            path, store.files, pools, place, settings, say=say, name=asked.name
                        )
                        taken.append(_added(store, frozen, author, partners, games))
                    with suppress(StoreAway):  # a runner does it later
                        clear_bots(store)
                except Exception as error:
                    found = innermost(error)
                    if not isinstance(found, RefereeError):
                        raise
                    refused.append(Refusal(path, str(found)))
    if scope.cancelled_caught:
        raise KeyboardInterrupt


def _added(
    store: Store,
    frozen: Frozen,
    author: str,
    partners: tuple[int, ...],
    games: tuple[str, ...],
) -> Accepted:
    """The submission that a frozen bot is: a new one, unless it plays just as it is."""

    def make(roster: Roster, now_ms: int) -> list[Fact]:
        bot = roster.bot_of(frozen.name, author)
        versions = () if bot is None else roster.versions(bot)
        if bot is not None and not may_come_back(roster, bot):
            raise RefereeError(
                f"{frozen.name} of {author} is retired ({roster.retired[bot]}): the organiser "
                "brings it back with `referee ladder rollback`"
            )
        if bot is not None and roster.is_current(roster.chosen(bot)):
            now = roster.entrants[roster.chosen(bot)]
            if (now.hash, now.partners, now.games) == (frozen.hash, partners, games):
                return []
        entrant = max(roster.entrants, default=0) + 1
        new = Submission(
            entrant=entrant,
            bot=entrant if bot is None else bot,
            name=frozen.name,
            author=author,
            version=len(versions) + 1,
            hash=frozen.hash,
            source=frozen.source,
            partners=partners,
            games=games,
            at_ms=now_ms,
            salt=secrets.token_hex(SALT_BYTES),
        )
        return [new]

    new = store.add(make)
    roster = store.roster
    bot = roster.bot_of(frozen.name, author)
    assert bot is not None  # noqa: S101  # it was there, or was just added
    entrant = roster.entrants[roster.chosen(bot)]
    return Accepted(entrant, bool(new), receipt_of(store, entrant, tell_new_key), frozen.left_out)


def _as_json(store: Store, taken: list[Accepted], refused: list[Refusal]) -> SubmitJson:
    return SubmitJson(
        ladder=store.opened.ladder,
        taken_in=tuple(
            AcceptedJson(
                entrant=one.entrant.entrant,
                bot=one.entrant.name,
                author=one.entrant.author,
                version=one.entrant.version,
                hash=one.entrant.hash,
                source=one.entrant.source,
                new=one.new,
                receipt=one.receipt,
                left_out=one.left_out,
            )
            for one in taken
        ),
        refused=tuple(RefusedJson(one.path, one.why) for one in refused),
    )


def _print(roster: Roster, taken: list[Accepted], refused: list[Refusal]) -> None:
    for one in taken:
        entrant = one.entrant
        told = f"{entrant.name} v{entrant.version} by {entrant.author}"
        pools = [pool for pool in roster.open_pools if roster.plays(pool.pool, entrant.entrant)]
        games = ", ".join(pool.name for pool in pools) or "nothing"
        unchanged = "" if one.new else " (unchanged)"
        print(f"{told}: plays {games} as #{entrant.entrant}{unchanged}")
        print(f"   hash: {entrant.hash}")
        if one.left_out:
            print(f"   left out, as no part of a bot: {', '.join(one.left_out)}")
        print(f"   receipt: {receipts.as_json(one.receipt)}")
        for pool, why in roster.state(entrant.entrant).benched.items():
            print(f"   benched in {roster.pools[pool].name}: {why}")
    for other in refused:
        print("referee:", printable(f"refused: {other.why}", keep="\n"), file=sys.stderr)
