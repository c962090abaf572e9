"""`referee ladder retire` and `rollback`: the organiser decides which version of a bot plays."""

from collections.abc import Collection
from typing import Annotated

import typer

from ladder.commands.shared import Bot, Where, opened
from ladder.core.facts import Decision, Deed, Fact, Submission
from ladder.core.retiring import retired
from ladder.core.roster import Roster
from ladder.show.bot_json import bot_json, seen_of
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.clearing import bots_in_use, size_of
from ladder.submissions.frozen_bots import BOTS
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.json_output import json_text


def retire(
    bot: Bot,
    reason: Annotated[str, typer.Option(help="Why, for its author.")] = "taken out",
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Takes a bot out of play. Its results stay; `rollback` brings it back."""
    if not reason.isprintable():
        raise RefereeError("--reason: control characters have no place in it")
    with opened(where) as store:

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            return [retired(roster, roster.find(bot), reason, now_ms)]

        (fact,) = store.add(make)
        if as_json:
            _tell(store, fact)
            return
        print(
            f"{bot} is retired; back it comes with: referee ladder rollback {bot}"
            f"{store.where.option}"
        )


def rollback(
    bot: Bot,
    to: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="Which.  [default: the one before; of a retired or "
            "benched bot, the one that it had]",
        ),
    ] = None,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Lets an earlier version of a bot play, or one that was retired or benched."""
    with opened(where) as store, bots_in_use(store.files):
        shared = {one.name for one in shared_bots.stored(store.files)}

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            found = _version(roster, roster.find(bot), bot, to)
            _check_frozen(store, found, shared)
            why = f"version {found.version} was chosen"
            return [Decision(deed=Deed.CHOSEN, entrant=found.entrant, reason=why, at_ms=now_ms)]

        (fact,) = store.add(make)
        if as_json:
            _tell(store, fact)
            return
        assert isinstance(fact, Decision)  # noqa: S101  # it is what was made
        now = store.roster.entrants[fact.entrant]
        games = ", ".join(pool.name for pool in store.roster.open_pools)
        print(f"{now.name} v{now.version} by {now.author} plays {games}")


def _check_frozen(store: Store, version: Submission, shared: Collection[str]) -> None:
    """Look whether the files of a version are there to play.

    Args:
        store: the ladder.
        version: it.
        shared: the hashes of the bots that its store by URL has.

    Raises:
        RefereeError: they are not.
    """
    bots = store.files / BOTS
    if version.hash not in shared and not (bots / version.hash).is_dir():
        raise RefereeError(
            f"{version.name} v{version.version}: its files are not in {str(bots)!r} any more "
            "(`old_bots` of [disk] says how many old ones are kept): submit it again"
        )


def _tell(store: Store, fact: Fact) -> None:
    """Prints the version that was decided on as `referee ladder bots --json` has it."""
    assert isinstance(fact, Decision)  # noqa: S101  # it is what was made
    standings = store.situation().standings
    roster = store.roster
    entrant = roster.entrants[fact.entrant]
    decided = seen_of(store, standings, entrant, size=size_of(store.files, entrant.hash))
    print(json_text(bot_json(roster, decided)))


def _version(roster: Roster, bot: int, typed: str, wanted: int | None) -> Submission:
    """The version that is to play.

    Raises:
        RefereeError: there is none like that, or it plays already.
    """
    if bot in roster.erased:
        raise RefereeError(f"{typed} was erased: nothing of it is left to play")
    versions = roster.versions(bot)
    now = roster.entrants[roster.chosen(bot)]
    state = roster.state(now.entrant)
    idle = not state.playing or bool(state.benched)
    if wanted is None:
        wanted = now.version if idle else now.version - 1
    if wanted == 0:
        raise RefereeError(f"{typed}: version {now.version} plays, and there is none before it")
    if not 1 <= wanted <= len(versions):
        only = (
            "has only one version" if len(versions) == 1 else f"has versions 1 to {len(versions)}"
        )
        raise RefereeError(f"{typed} {only}")
    if wanted == now.version and not idle:
        raise RefereeError(f"{typed}: version {wanted} plays already")
    return versions[wanted - 1]
