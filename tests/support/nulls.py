"""Fields of equal bots that fault, have moods or are slow: bots that must not be told apart.

Equal bots are the same program with other dice. What they do wrong, and what they do for as long as
a process lives, is dealt out as matches do: a match part is played leg by leg, each leg with new
processes, and after its third fault a bot is charged the rest of the part.
"""

import hashlib
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ladder.compare.comparison import PART
from ladder.core.matchmaking import Candidates, next_table
from ladder.core.table_rules import Candidate
from ladder.event.file_schema import EventFile
from ladder.stats.confidence_sequence import Conclusion, Decider
from ladder.stats.observations import Observed, against
from ladder.stats.online_ratings import Rater
from ladder.stats.ratings import Ratings, rate
from ladder.stats.sprt import Sprt, SprtPlan, SprtResult
from ladder.stats.student import means
from referee.match.verdict import FAULTS_BEFORE_BENCH
from support.simulations import BOUND, dice

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DEALT: Final = 25.0
"""Standard deviation of a deal's value between equal bots, in card points."""


class Kind(Struct, frozen=True):
    """How equal bots behave.

    Attributes:
        faults: the probability of a fault in a deal.
        mood: by how many points a deal a process in a good mood is ahead of one in a bad one.
        slow: the probability that a process is slow; it then times out in a third of its deals.
        tails: degrees of freedom of a deal's value; None for the normal distribution.
    """

    faults: float = 0.0
    mood: float = 0.0
    slow: float = 0.0
    tails: float | None = None


KINDS: Final[Mapping[str, Kind]] = {
    "plain": Kind(),
    "faults-1": Kind(faults=0.01),
    "faults-5": Kind(faults=0.05),
    "mood-2": Kind(mood=2),
    "mood-5": Kind(mood=5),
    "mood-100": Kind(mood=100),
    "heavy-tails": Kind(tails=2.0),
    "slow": Kind(slow=0.1),
    "slow-moods": Kind(slow=0.1, mood=5, faults=0.01),
}

_TIMED_OUT: Final = 1 / 3


def values(
    roll: np.random.Generator, kind: Kind, parts: int, blocks: int, seats: int
) -> tuple[Ints, Flags]:
    """Return deal values of blocks, summed over the seatings, and whether a bot was at fault.

    Both are (parts x blocks) x seats; the parameters are those of `legs`.
    """
    dealt, charged = legs(roll, kind, parts, blocks, seats)
    size = (parts * blocks, seats)
    return dealt.sum(axis=1).reshape(size), charged.any(axis=1).reshape(size)


def legs(
    roll: np.random.Generator,
    kind: Kind,
    parts: int,
    blocks: int,
    seats: int,
    *,
    plus: Floats | float = 0.0,
) -> tuple[Ints, Flags]:
    """Return deal values leg by leg, and whether a bot was at fault.

    Both are parts x legs x blocks x seats.

    Args:
        roll: the dice.
        kind: how the bots behave.
        parts: how many match parts are played, each by processes of its own.
        blocks: how many blocks a part has.
        seats: how many bots sit at a table; a deck is played in as many seatings.
        plus: what deals are worth to bots beyond dice and moods, in that shape.
    """
    shape = (parts, seats, blocks, seats)  # part, leg, block, bot
    if kind.tails is None:
        noise = roll.normal(0, DEALT, shape)
    else:
        noise = DEALT / 2 * roll.standard_t(kind.tails, shape)
    mood = roll.choice([-kind.mood / 2, kind.mood / 2], (parts, seats, 1, seats))
    dealt = noise + mood + plus
    dealt -= dealt.mean(axis=3, keepdims=True)
    slow = roll.random((parts, seats, 1, seats)) < kind.slow
    faulty = roll.random(shape) < np.where(slow, _TIMED_OUT, kind.faults)
    before = faulty.reshape(parts, seats * blocks, seats).cumsum(axis=1).reshape(shape) - faulty
    charged = faulty | (before >= FAULTS_BEFORE_BENCH)
    dealt = np.clip(np.rint(dealt), -BOUND, BOUND)
    if seats == 2:
        fault = charged[..., ::-1].astype(int) - charged  # the other one has the most
        dealt = np.where(charged.any(axis=3, keepdims=True), BOUND * fault, dealt)
    else:
        dealt[..., 0] -= dealt.sum(axis=3)  # what was lost by rounding
        dealt = np.where(charged, -BOUND, dealt)
    return np.asarray(dealt, np.int64), np.asarray(charged, np.bool_)


def leads(roll: np.random.Generator, kind: Kind, parts: int, blocks: int = PART) -> Floats:
    """By how much A is ahead in match parts, a deal."""
    found = values(roll, kind, parts, blocks, 2)[0].reshape(parts, blocks, 2).sum(axis=1)
    return np.asarray((found[:, 0] - found[:, 1]) / (4 * blocks), np.float64)


def compare_is_wrong(kind: Kind, number: int, blocks: int = 2000) -> bool:
    """Whether a comparison of equals finds a winner, looking after every part."""
    decider = Decider(BOUND)
    drawn = leads(dice("compare", kind, number), kind, blocks // PART)
    return decider.look(drawn) is not Conclusion.UNDECIDED


def fixed_is_wrong(kind: Kind, number: int, blocks: int = 100) -> bool:
    """Whether a comparison of equals over a fixed number of blocks finds a winner."""
    drawn = leads(dice("fixed", kind, number), kind, blocks // PART)
    found = means(drawn, np.zeros(len(drawn), np.int64), 1, (np.arange(len(drawn)),)).interval(0)
    return found is not None and not found[0] <= 0 <= found[1]


def sprt_is_wrong(kind: Kind, number: int, blocks: int = 4000) -> bool:
    """Whether the sequential test takes equals for bots that are 20 Elo apart."""
    test = Sprt(SprtPlan(elo0=0, elo1=20), BOUND, 2 * PART)
    for lead in leads(dice("sprt", kind, number), kind, blocks // PART):
        if test.add(float(lead)) is not SprtResult.OPEN:
            break
    return test.verdict is SprtResult.H1


class Table(Struct, frozen=True):
    """Blocks that some bots played at one table.

    Attributes:
        bots: by place.
        values: blocks x places.
        charged: whether a bot was at fault, blocks x places.
        first: the index of the first block.
        part: how many blocks a match part has.
        met: what the first leg and the others brought, blocks x 2 x places; None: not known.
    """

    bots: tuple[int, ...]
    values: Ints
    charged: Flags
    first: int
    part: int
    met: Ints | None = None


def observed(tables: list[Table]) -> Observed:
    """What was observed at tables of one size."""
    seats = len(tables[0].bots)
    opposed, two_sided = against(seats, ())
    lengths = [len(one.values) for one in tables]
    lives = [np.arange(len(one.values)) // one.part for one in tables]
    ends = np.cumsum([0, *(int(each[-1]) + 1 for each in lives)])
    known: dict[tuple[int, ...], int] = {}
    lineups = [known.setdefault(one.bots, len(known)) for one in tables]
    blocks = sum(lengths)
    return Observed(
        bots=np.repeat(np.array([one.bots for one in tables]), lengths, axis=0),
        lineup=np.repeat(np.array(lineups), lengths),
        block=np.concatenate([one.first + np.arange(len(one.values)) for one in tables]),
        life=np.concatenate([life + end for life, end in zip(lives, ends, strict=False)]),
        begun=np.zeros(blocks, np.int64),
        deals=np.full(blocks, seats),
        values=np.concatenate([one.values for one in tables]),
        luck=np.zeros((blocks, seats), np.int64),
        lucky=np.zeros(blocks, np.bool_),
        at_fault=np.concatenate([one.charged for one in tables]),
        met=np.concatenate(
            [
                np.zeros((len(one.values), 2, seats), np.int64) if one.met is None else one.met
                for one in tables
            ]
        ),
        known=np.repeat(np.array([one.met is not None for one in tables]), lengths),
        opposed=opposed,
        two_sided=two_sided,
    )


def _tells_apart(found: Ratings, bots: int) -> bool:
    return bool(found.told_apart(range(bots)).any())


def event_is_wrong(
    kind: Kind, number: int, *, seats: int = 2, bots: int = 6, blocks: int | None = None
) -> bool:
    """Whether the table of an event of equals, all against all, tells any two apart."""
    usual = {field: EventFile.__struct_defaults__[at] for at, field in _defaults()}
    length, part = blocks or usual["blocks"], usual["match_blocks"]
    roll = dice("event", kind, number, seats, bots, length)
    tables = []
    for bots_at in combinations(range(bots), seats):
        found, charged = values(roll, kind, -(-length // part), part, seats)
        tables.append(Table(bots_at, found[:length], charged[:length], 0, part))
    return _tells_apart(rate([observed(tables)], bots), bots)


def _defaults() -> list[tuple[int, str]]:
    names = EventFile.__struct_fields__[-len(EventFile.__struct_defaults__) :]
    return list(enumerate(names))


def ladder_is_wrong(
    kind: Kind, number: int, *, seats: int = 2, bots: int = 12, matches: int = 200
) -> bool:
    """Whether the table of a ladder of equals, under its own matchmaking, tells any two apart."""
    roll = dice("ladder", kind, number, seats)
    rater, played, last, tables = Rater(), [0] * bots, [0] * bots, []
    for match in range(matches):
        ahead = [places - sum(played) / bots for places in played]
        candidates = tuple(
            Candidate(
                bot, bot, f"author {bot}", (), rater.skill(bot), played[bot], ahead[bot], last[bot]
            )
            for bot in range(bots)
        )
        seed = hashlib.sha256(f"{number} {match}".encode()).digest()
        table = next_table([Candidates(0, seats, (), candidates)], seed)
        assert table is not None
        found, charged = values(roll, kind, 1, 1, seats)
        rater.add(table.entrants, (), found[0].tolist(), charged[0].tolist())
        for bot in table.entrants:
            played[bot] += 1
            last[bot] = match + 1
        tables.append(Table(table.entrants, found, charged, match, 1))
    return _tells_apart(rate([observed(tables)], bots), bots)


Null = Callable[[Kind, int], bool]
NULLS: Final[Mapping[str, Null]] = {
    "compare": compare_is_wrong,
    "compare --until 100": fixed_is_wrong,
    "compare --sprt": sprt_is_wrong,
    "event": event_is_wrong,
    "event, 50 blocks": lambda kind, number: event_is_wrong(kind, number, blocks=50),
    "event, tables of 3": lambda kind, number: event_is_wrong(kind, number, seats=3, bots=5),
    "event, tables of 5": lambda kind, number: event_is_wrong(kind, number, seats=5, bots=6),
    "event, 24 bots": lambda kind, number: event_is_wrong(kind, number, bots=24),
    "ladder": ladder_is_wrong,
}


def wrong(kind: str, null: str, trials: int) -> int:
    """How many of so many trials of equal bots say that one is better."""
    return sum(NULLS[null](KINDS[kind], number) for number in range(trials))
