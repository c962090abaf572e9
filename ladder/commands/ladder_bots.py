"""`referee ladder bots`, `retire` and `rollback`: who is in a ladder, and which version plays."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from msgspec import Struct
from rich.text import Text

from ladder.commands.shared import Json, Where, opened
from ladder.facts import Decision, Deed, Fact, Pool, Submission
from ladder.roster import Roster
from ladder.show.grid import Column, print_grid, said
from ladder.show.wording import plural
from ladder.store.ratings import Standing, Standings
from ladder.store.reading import Verdicts
from ladder.store.store import Store
from referee.errors import RefereeError
from referee.faces import console

_FAULTS_SHOWN = 5

Bot = Annotated[
    str, typer.Argument(metavar="BOT", help="A name, AUTHOR/NAME, or # and an entrant's number.")
]


class Seen(Struct, frozen=True):
    """A version of a bot, and how it stands with it.

    Attributes:
        played: by pool.
        verdicts: its faults; empty where they were not asked for.
    """

    entrant: Submission
    label: str
    playing: bool
    why: str
    benched: dict[int, str]
    played: dict[int, Standing]
    verdicts: tuple[Verdicts, ...] = ()


def bots(
    bot: Annotated[
        str | None, typer.Argument(metavar="[BOT]", help="Only this one, with all versions.")
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Older versions and retired bots, too.")
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Lists the bots of a ladder; with a BOT, its versions, and why it is benched."""
    with opened(where) as store:
        roster = store.refresh()
        standings = store.situation().standings
        entrants = tuple(roster.entrants.values())
        if bot is not None:
            entrants = roster.versions(roster.find(bot))
        elif not everybody:
            entrants = tuple(one for one in entrants if roster.is_current(one.entrant))
        faults = _verdicts(store) if bot is not None else []
        seen = [_seen(roster, standings, one, faults) for one in entrants]
        if as_json:
            print(json.dumps([_as_json(roster, one) for one in seen], indent=2))
            return
        _print(roster, seen)
        if bot is not None:
            _print_faults(roster, seen, store.where.option)


def _verdicts(store: Store) -> list[Verdicts]:
    return [one for pool in store.roster.pools for one in store.verdicts(pool)]


def _seen(
    roster: Roster, standings: Standings, one: Submission, faults: Sequence[Verdicts]
) -> Seen:
    state = roster.state(one.entrant)
    return Seen(
        entrant=one,
        label=roster.labels()[one.entrant],
        playing=state.playing,
        why=state.why,
        benched=state.benched,
        played={pool: found for (pool, who), found in standings.items() if who == one.entrant},
        verdicts=tuple(found for found in faults if found.entrant == one.entrant),
    )


def _as_json(roster: Roster, one: Seen) -> dict[str, Any]:
    entrant = one.entrant
    return {
        "entrant": entrant.entrant,
        "bot": entrant.name,
        "author": entrant.author,
        "version": entrant.version,
        "hash": entrant.hash,
        "at_ms": entrant.at_ms,
        "playing": one.playing,
        "why_not": one.why or None,
        "benched": {roster.pools[pool].name: why for pool, why in one.benched.items()},
        "played": {
            roster.pools[pool].name: {
                "blocks": found.blocks,
                "faulty_blocks": found.faulty,
                "deals": found.deals,
                "voids": found.voids,
            }
            for pool, found in sorted(one.played.items())
        },
        "faults": [
            {
                "code": found.code,
                "detail": found.detail,
                "times": found.times,
                "match": found.match,
            }
            for found in one.verdicts
        ],
    }


def _state(roster: Roster, one: Seen) -> Text:
    if one.why and not one.benched:
        return said(one.why, "dim")
    if one.benched:
        names = ", ".join(roster.pools[pool].name for pool in one.benched)
        return said(f"benched in {names}", "yellow")
    return said("plays", "green")


def _print(roster: Roster, seen: Sequence[Seen]) -> None:
    to = console()
    if not seen:
        to.print("no bots yet: submit some with `referee submit BOT`")
        return
    columns = [
        Column("#"),
        Column("bot", name=True),
        Column("version"),
        Column("author", name=True),
        Column("blocks"),
        Column("faulty", spare=1),
        Column("state", name=True),
    ]
    lines = []
    for one in seen:
        entrant = one.entrant
        blocks = sum(found.blocks for found in one.played.values())
        faulty = sum(found.faulty for found in one.played.values())
        lines.append(
            (
                Text(str(entrant.entrant)),
                said(entrant.name, "bold" if one.playing else "dim"),
                Text(str(entrant.version)),
                said(entrant.author),
                Text(str(blocks)),
                Text(str(faulty), style="red" if faulty else ""),
                _state(roster, one),
            )
        )
    print_grid(to, columns, lines)


def _print_faults(roster: Roster, seen: Sequence[Seen], option: str) -> None:
    to = console()
    for one in seen:
        for pool, why in one.benched.items():
            to.print(f"{one.label} is benched in {roster.pools[pool].name}: {why}", style="yellow")
        for found in one.verdicts[:_FAULTS_SHOWN]:
            told = f"v{one.entrant.version}: {found.code}: {found.detail}"
            to.print(f"{told} ({plural(found.times, 'time')})", style="red")
            to.print(f"   look: referee replay {found.match}{option}", style="dim")
        if (more := len(one.verdicts) - _FAULTS_SHOWN) and more > 0:
            to.print(f"   ... and {plural(more, 'kind')} of faults more", style="dim")


def retire(
    bot: Bot,
    reason: Annotated[str, typer.Option(help="Why, for its author.")] = "taken out",
    where: Where = None,
) -> None:
    """Takes a bot out of play. Its results stay; `rollback` brings it back."""
    if not reason.isprintable():
        raise RefereeError("--reason: control characters have no place in it")
    with opened(where) as store:

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            entrant = roster.chosen(roster.find(bot))
            if not roster.is_current(entrant):
                raise RefereeError(f"{bot} is retired already")
            return [Decision(deed=Deed.RETIRED, entrant=entrant, reason=reason, at_ms=now_ms)]

        store.add(make)
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
) -> None:
    """Lets an earlier version of a bot play, or one that was retired or benched."""
    with opened(where) as store:

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            found = _version(roster, roster.find(bot), bot, to)
            why = f"version {found.version} was chosen"
            return [Decision(deed=Deed.CHOSEN, entrant=found.entrant, reason=why, at_ms=now_ms)]

        (fact,) = store.add(make)
        assert isinstance(fact, Decision)  # noqa: S101  # it is what was made
        now = store.roster.entrants[fact.entrant]
        print(f"{now.name} v{now.version} by {now.author} plays {_games(store.roster.open_pools)}")


def _version(roster: Roster, bot: int, typed: str, wanted: int | None) -> Submission:
    """The version that is to play.

    Raises:
        RefereeError: there is none like that, or it plays already.
    """
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


def _games(pools: Sequence[Pool]) -> str:
    return ", ".join(pool.name for pool in pools)
