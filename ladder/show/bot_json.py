"""A version of a bot of a ladder: how it stands with it, and the same as a value for programs."""

from collections.abc import Sequence

from msgspec import Struct

from ladder.core.facts import Pool, Submission
from ladder.core.roster import Roster
from ladder.core.tallies import EntrantTotals, FaultKind, StandingTable
from ladder.store.store import Store


class Seen(Struct, frozen=True):
    """A version of a bot, and how it stands with it.

    Attributes:
        played: by pool.
        size: bytes of its frozen files; None if they are not there any more.
        faults: its faults, each with its game; empty where they were not asked for.
    """

    entrant: Submission
    label: str
    playing: bool
    why: str
    benched: dict[int, str]
    played: dict[int, EntrantTotals]
    size: int | None
    faults: tuple[tuple[Pool, FaultKind[int]], ...] = ()


def seen_of(
    store: Store,
    standings: StandingTable,
    one: Submission,
    faults: Sequence[tuple[Pool, FaultKind[int]]] = (),
    *,
    size: int | None,
) -> Seen:
    """Return how it stands with a version, by all that its ladder knows of it.

    Args:
        store: of the ladder.
        standings: of all entrants.
        one: the version.
        faults: of any.
        size: bytes of its frozen files; None if they are not there any more.
    """
    roster = store.roster
    state = roster.state(one.entrant)
    return Seen(
        entrant=one,
        label=roster.labels()[one.entrant],
        playing=state.playing,
        why=state.why,
        benched=state.benched,
        played={pool: found for (pool, who), found in standings.items() if who == one.entrant},
        size=size,
        faults=tuple(found for found in faults if found[1].bot == one.entrant),
    )


class PlayedJson(Struct, frozen=True):
    """What a version has played in a game."""

    blocks: int
    faulty_blocks: int
    deals: int
    voids: int


class BotJson(Struct, frozen=True, kw_only=True):
    """A version of a bot, as `referee ladder bots --json` lists them.

    Attributes:
        number: of the bot, as `partners` are; `entrant` is the version's.
        games: null for all.
        bytes: what its files take; null where they are not there.
        benched, played: by the name of the game.
        faults: only where one bot was asked for.
    """

    entrant: int
    number: int
    bot: str
    author: str
    version: int
    hash: str
    source: str
    bytes: int | None
    partners: tuple[int, ...]
    games: tuple[str, ...] | None
    at_ms: int
    playing: bool
    why_not: str | None
    benched: dict[str, str]
    played: dict[str, PlayedJson]
    faults: tuple[FaultKind[int], ...]


def bot_json(roster: Roster, one: Seen) -> BotJson:
    """Return a version of a bot, for programs."""
    entrant = one.entrant
    return BotJson(
        entrant=entrant.entrant,
        number=entrant.bot,
        bot=entrant.name,
        author=entrant.author,
        version=entrant.version,
        hash=entrant.hash,
        source=entrant.source,
        bytes=one.size,
        partners=entrant.partners,
        games=entrant.games or None,
        at_ms=entrant.at_ms,
        playing=one.playing,
        why_not=one.why or None,
        benched={roster.pools[pool].label: why for pool, why in one.benched.items()},
        played={
            roster.pools[pool].label: PlayedJson(
                found.blocks, found.faulty, found.deals, found.voids
            )
            for pool, found in sorted(one.played.items())
        },
        faults=tuple(found for _, found in one.faults),
    )
