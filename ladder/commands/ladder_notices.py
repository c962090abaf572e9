"""`referee ladder pause`, `resume` and `announce`: what the organiser has all people know."""

from typing import Annotated, Final

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened, pools_meant
from ladder.core.facts import Decision, Deed, Fact
from ladder.core.roster import Roster
from ladder.store.store import Store
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.json_output import json_text

LONGEST: Final = 500
"""Characters of what people are to read."""

Game = Annotated[
    str | None,
    typer.Option("--game", metavar="NAME", help="Only this one of its games.  [default: all]"),
]


class NoticeJson(Struct, frozen=True):
    """What `referee ladder pause`, `resume` and `announce` print with `--json`.

    Attributes:
        deed: "paused", "resumed" or "announced".
        pool: the number of the game; None: the whole ladder.
        reason: what people are to read.
    """

    deed: Deed
    pool: int | None
    reason: str
    at_ms: int


def pause(
    reason: Annotated[str, typer.Option(help="Why, for all to read.")] = "",
    game: Game = None,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Chooses no next match, until `resume`. Those that were chosen are played and counted.

    Bots can be handed in meanwhile. All runners and sites of the ladder go by it.
    """
    reason = reason.strip()
    _check(reason, "--reason")
    with opened(where) as store:
        pool, name = _meant(store, game)

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            if roster.paused.get(pool) == reason:
                raise RefereeError(f"{name} is paused already")
            return [Decision(deed=Deed.PAUSED, pool=pool, reason=reason, at_ms=now_ms)]

        (fact,) = store.add(make)
        only = "" if game is None else f" --game {game!r}"
        _tell(
            fact,
            f"{name} is paused; on it goes with: referee ladder resume{only}{store.where.option}",
            as_json=as_json,
        )


def resume(game: Game = None, where: Where = None, as_json: Json = False) -> None:
    """Has matches chosen again after `pause`."""
    with opened(where) as store:
        pool, name = _meant(store, game)

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            if pool not in roster.paused:
                whole = " by itself; all games are" if pool and 0 in roster.paused else ""
                raise RefereeError(f"{name} is not paused{whole}")
            return [Decision(deed=Deed.RESUMED, pool=pool, reason="", at_ms=now_ms)]

        (fact,) = store.add(make)
        left = ", ".join(store.roster.pools[one].name for one in store.roster.paused if one)
        still = f"; still paused: {left}" if left else ""
        _tell(fact, f"matches are chosen again in {name}{still}", as_json=as_json)


def announce(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What; '' takes it down.")],
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Says something over the pages of a ladder's site. It stays until something else is said."""
    text = text.strip()
    _check(text, "TEXT")
    with opened(where) as store:

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            if not text and roster.announced is None:
                raise RefereeError("nothing is announced")
            return [Decision(deed=Deed.ANNOUNCED, reason=text, at_ms=now_ms)]

        (fact,) = store.add(make)
        _tell(fact, "announced" if text else "taken down", as_json=as_json)


def _check(text: str, what: str) -> None:
    """Refuse what cannot be shown on a line.

    Raises:
        RefereeError: naming it.
    """
    if not text.isprintable():
        raise RefereeError(f"{what}: control characters have no place in it")
    if len(text) > LONGEST:
        raise RefereeError(f"{what}: {len(text):,} characters; {LONGEST} are taken")


def _meant(store: Store, game: str | None) -> tuple[int, str]:
    """Return the number of the pool that is meant, 0 for all, and what to call it.

    Raises:
        RefereeError: the ladder has no such game, or several.
    """
    if game is None:
        return 0, store.opened.name
    found = pools_meant(store, game, closed=False)
    if len(found) > 1:
        several = ", ".join(f"#{pool.pool} {pool.name}" for pool in found)
        raise RefereeError(f"game {game!r}: there are {several}")
    return found[0].pool, found[0].name


def _tell(fact: Fact, line: str, *, as_json: bool) -> None:
    assert isinstance(fact, Decision)  # noqa: S101  # it is what was made
    told = NoticeJson(fact.deed, fact.pool or None, fact.reason, fact.at_ms)
    print(json_text(told) if as_json else line)
