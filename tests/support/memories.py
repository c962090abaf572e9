"""Fields of bots of which none, or one, remembers the decks that it met: who is named for it?

Deals are those of `support.nulls`, leg by leg, with what a deck is worth to a seat and what the
lead is worth: both go round with the legs. Bots differ in strength.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ladder.compare.comparison import PART
from ladder.event.formats.round_robin import circle
from ladder.stats.confidence_sequence import Decider
from ladder.stats.meetings import Meetings, meetings
from ladder.stats.observations import Observed, against
from support.nulls import KINDS, Kind, legs
from support.simulations import BOUND, dice

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STRENGTH: Final = 3.0
"""Standard deviation of bots' strengths, in points a deal."""


class Season(Struct, frozen=True):
    """What is played.

    Attributes:
        bots: how many.
        seats: of a table.
        parts: match parts of a table of an event, everybody against everybody; or all those of a
            ladder, whose line-ups are drawn.
        blocks: of a match part.
        ladder: whether each match part has decks of its own.
        decided: whether two bots play only until one is found to be better, as `compare` does.
        deck: standard deviation of what a deck is worth to a seat; with it the second leg less the
            first has one of 45, as between greedy and random in briscola for two.
        lead: what it is worth to lead in a deal.
    """

    bots: int = 6
    seats: int = 2
    parts: int = 4
    blocks: int = 5
    ladder: bool = False
    decided: bool = False
    deck: float = 13.0
    lead: float = 4.0


SEASONS: Final[Mapping[str, Season]] = {
    "two bots": Season(bots=2, parts=20),
    "two bots, odd": Season(bots=2, parts=9, blocks=1, lead=20),
    "comparison": Season(bots=2, parts=300, blocks=PART, decided=True),
    "event": Season(),
    "event, 100 blocks": Season(parts=20),
    "event, 24 bots": Season(bots=24),
    "event, tables of 3": Season(seats=3, bots=5),
    "ladder": Season(bots=12, parts=300, ladder=True),
    "ladder, single blocks": Season(bots=12, parts=600, blocks=1, ladder=True),
    "ladder, tables of 3": Season(bots=12, seats=3, parts=300, ladder=True),
    "ladder, 200 bots": Season(bots=200, parts=4000, blocks=2, ladder=True),
}


class Memory(Struct, frozen=True):
    """What bot 0 remembers.

    Attributes:
        gain: what it has of it, in points a deal.
        event: whether it knows the decks of all its matches; else those of the same match alone.
    """

    gain: float = 0.0
    event: bool = False


def found_in(season: Season, kind: Kind, number: int, memory: Memory) -> Meetings:
    """Play a season and look for memories."""
    seen = season_of(season, kind, number, memory)
    return meetings([_until_decided(seen) if season.decided else seen], season.bots)


def _until_decided(seen: Observed) -> Observed:
    """The blocks of two bots up to the part that decided which is better."""
    lives = int(seen.life.max()) + 1
    leads = (seen.values[:, 0] - seen.values[:, 1]).reshape(lives, -1).mean(axis=1) / 4
    decider = Decider(BOUND)
    decider.look(np.clip(leads, -BOUND, BOUND))
    kept = seen.life < decider.blocks
    whole = {"opposed", "two_sided"}
    return Observed(
        **{
            name: value if name in whole else value[kept]
            for name, value in msgspec.structs.asdict(seen).items()
        }
    )


def season_of(season: Season, kind: Kind, number: int, memory: Memory) -> Observed:
    """Play a season."""
    roll = dice("memories", season, kind, number)
    bots, at_table = _lineups(season, roll)
    parts, seats, blocks = len(bots), season.seats, season.blocks
    if season.ladder:
        first = np.arange(parts) * blocks
    else:
        first = np.tile(np.arange(season.parts) * blocks, parts // season.parts)
    deck = first[:, None] + np.arange(blocks)
    plus = (
        _by_seat(season, roll, deck) + roll.normal(0, _STRENGTH, season.bots)[bots][:, None, None]
    )
    begun = _begun(season, at_table)
    plus += _gains(memory, bots, first, begun)[:, :, None]
    dealt, charged = legs(roll, kind, parts, blocks, seats, plus=2 * plus if seats == 2 else plus)
    size, opposed = (parts * blocks, seats), against(seats, ())
    return Observed(
        bots=np.repeat(bots, blocks, axis=0),
        lineup=np.repeat(at_table, blocks),
        block=deck.ravel(),
        life=np.repeat(np.arange(parts), blocks),
        begun=np.repeat(begun, blocks),
        deals=np.full(size[0], seats),
        values=dealt.sum(axis=1).reshape(size),
        luck=np.zeros(size, np.int64),
        lucky=np.zeros(size[0], np.bool_),
        at_fault=charged.any(axis=1).reshape(size),
        met=np.stack((dealt[:, 0], dealt[:, 1:].sum(axis=1)), axis=2).reshape(-1, 2, seats),
        known=np.ones(size[0], np.bool_),
        opposed=opposed[0],
        two_sided=opposed[1],
    )


def _lineups(season: Season, roll: np.random.Generator) -> tuple[Ints, Ints]:
    """Who plays each match part, parts x seats, and at which table, parts; table by table."""
    if season.ladder:
        drawn = roll.random((season.parts, season.bots)).argsort(axis=1)[:, : season.seats]
        return drawn, np.arange(season.parts)
    pairs = circle(season.bots, 0) if season.seats == 2 else None
    tables = np.array(list(pairs or combinations(range(season.bots), season.seats)))
    return np.repeat(tables, season.parts, axis=0), np.repeat(np.arange(len(tables)), season.parts)


def _by_seat(season: Season, roll: np.random.Generator, deck: Ints) -> Floats:
    """What cards and lead are worth to bots, parts x legs x blocks x seats."""
    seats, decks = season.seats, int(deck.max()) + 1
    worth = roll.normal(0, season.deck, (decks, seats))
    dealer = roll.integers(seats, size=decks // season.blocks if season.ladder else 1)
    leader = np.repeat(dealer, season.blocks if season.ladder else decks) + np.arange(decks)
    worth[np.arange(decks), leader % seats] += season.lead
    places = np.arange(seats)
    seat = (places[None, :] + places[:, None]) % seats  # legs x places
    return np.asarray(worth[deck][:, :, seat].transpose(0, 2, 1, 3), np.float64)


def _begun(season: Season, at_table: Ints) -> Ints:
    """In which step of the round each match part is begun, as events do it; parts."""
    if season.ladder:
        return np.zeros(len(at_table), np.int64)
    tables = int(at_table.max()) + 1
    piece = np.tile(np.arange(season.parts), tables)
    return (piece - at_table * season.parts // tables) % season.parts


def _gains(memory: Memory, bots: Ints, first: Ints, begun: Ints) -> Floats:
    """What bot 0 has of its memory, parts x legs x seats."""
    known = np.ones((len(bots), bots.shape[1]))
    known[:, 0] = 0
    if memory.event:
        own = np.flatnonzero((bots == 0).any(axis=1))
        own = own[np.argsort(begun[own], kind="stable")]
        known[own, 0] = 1
        known[own[np.unique(first[own], return_index=True)[1]], 0] = 0
    found: Floats = memory.gain * known[:, :, None] * (bots == 0)[:, None, :]
    return found


def named(season: str, kind: str, number: int, memory: Memory | None = None) -> list[int]:
    """The bots that are named in a season."""
    found = found_in(SEASONS[season], KINDS[kind], number, memory or Memory())
    return [int(bot) for bot in np.flatnonzero(found.beyond)]
