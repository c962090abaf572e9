"""In each round against a bot that has done as well so far. Pure."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct

from ladder.event.formats.field import Entrants
from ladder.event.formats.format import Format, Groups
from ladder.event.formats.matching import Matching
from ladder.event.formats.points import Sum, sums
from ladder.event.formats.tables import shared_out
from ladder.results import Round, RoundResult, TableResult

Bots = tuple[int, ...]

WINDOW = 2
"""Larger tables are filled, and changed again, among so many tables' worth of neighbours."""

PASSES = 3
"""How often larger tables are gone through for exchanges."""


class Score(Struct, frozen=True):
    """How an entrant has done; a higher one is better.

    Attributes:
        points: two for each opponent at a table whose mean deal value was lower, one for each who
            was level; a bye brings as many as a win over everybody.
        value: mean deal value over all tables.
        byes: how many; it decides nothing.
    """

    points: int
    value: Fraction
    byes: int


class Swiss(Format):
    """In each round against a bot that has done as well so far."""

    def next_round(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Round | None:
        """The next round; those who have had the fewest byes, and of those the last, rest.

        Pairs: within those of equal points the upper half meets the lower half, and no bot meets
        anybody more often than can be avoided. Of all pairings that allow, it is the one in which
        the first has the best opponent for it, then the next, and so on. Larger tables are filled
        from the top with neighbours that have met least.
        """
        turn, rounds = len(played), rounds_of(field)
        scores = score(field, played)
        ranked = sorted(
            field.left(benched), key=lambda bot: (-scores[bot].points, -scores[bot].value, bot)
        )
        if turn >= rounds or len(ranked) < field.size:
            return None
        past = _Past(field, played)
        if field.size == 2:
            tables = _pairs(ranked, scores, past)
        else:
            tables = _tables(_without_byes(ranked, scores, field.size), field, past)
        byes = set(ranked).difference(*tables)
        return field.next_round(played, tables, f"round {turn + 1} of {rounds}", byes)

    def order(
        self,
        field: Entrants,
        played: Sequence[RoundResult],
        benched: Collection[int] = (),  # they keep what they have
    ) -> Groups:
        """Who came where; those who share a place stand together."""
        ranks: dict[tuple[int, Fraction], list[int]] = {}
        for bot, found in enumerate(score(field, played)):
            ranks.setdefault((found.points, found.value), []).append(bot)
        return tuple(tuple(ranks[rank]) for rank in sorted(ranks, reverse=True))

    def match_points(self, field: Entrants, played: Sequence[RoundResult]) -> tuple[int, ...]:
        """By entrant, byes included."""
        return tuple(found.points for found in score(field, played))

    def expected_tables(self, field: Entrants) -> int:
        """How many tables the whole section has if no bot is benched."""
        return rounds_of(field) * (field.entrants // field.size)


def rounds_of(field: Entrants) -> int:
    """As many as were asked for; else as many as a knockout would need."""
    return field.rounds or max(1, (field.entrants - 1).bit_length())


def score(field: Entrants, played: Sequence[RoundResult]) -> tuple[Score, ...]:
    """How every entrant has done so far.

    A table without a finished block is level: the host failed, and that is no bot's fault.
    """
    points: Counter[int] = Counter()
    byes: Counter[int] = Counter()
    values = [Sum()] * field.entrants
    opponents = field.size - len(field.sides[0])
    for done in played:
        for bot in done.round.byes:
            byes[bot] += 1
            points[bot] += 2 * opponents
        for table in done.tables:
            for bot, won, value in _earned(field, table):
                points[bot] += won
                values[bot] += value
    return tuple(Score(points[bot], values[bot].mean, byes[bot]) for bot in range(field.entrants))


def _earned(field: Entrants, table: TableResult) -> Iterator[tuple[int, int, Sum]]:
    """What a table brings to each of its bots: points and deal values."""
    found = sums(table.blocks, field.size)
    for side in field.sides:
        against = [found[place].mean for place in range(field.size) if place not in side]
        for place in side:
            mean = found[place].mean
            won = sum((mean > other) + (mean >= other) for other in against)
            yield table.table.bots[place], won, found[place]


class _Past:
    """Who has met whom."""

    def __init__(self, field: Entrants, played: Sequence[RoundResult]) -> None:
        self.met: Counter[tuple[int, int]] = Counter()
        """How often two sat at a table, by numbers in rising order."""
        self.partners: Counter[tuple[int, int]] = Counter()
        for done in played:
            for table in done.round.tables:
                self.met.update(combinations(sorted(table.bots), 2))
                for side in field.sides:
                    bots = sorted(table.bots[place] for place in side)
                    self.partners.update(combinations(bots, 2))

    def times(self, one: int, other: int) -> int:
        return self.met[min(one, other), max(one, other)]

    def repeats(self, *tables: Bots) -> int:
        """How often those at a table have met, squared, so that often weighs more."""
        return sum(self.times(*two) ** 2 for table in tables for two in combinations(table, 2))


def _pairs(ranked: list[int], scores: Sequence[Score], past: _Past) -> list[Bots]:
    """Pairs of entrants; where their number is odd, one more is drawn in: a bye."""
    points = [scores[bot].points for bot in ranked]
    byes = [scores[bot].byes for bot in ranked]
    if len(ranked) % 2:
        points.append(-1)
    matching = _matching(ranked, byes, past)
    pairs: list[Bots] = []
    seats = list(range(len(points)))

    def met(one: int, other: int) -> tuple[bool, int]:
        bye = other == len(ranked)
        return bye, 0 if bye else past.times(ranked[one], ranked[other])

    while seats:
        one = seats.pop(0)
        wishes = sorted(_wishes(one, seats, points), key=lambda at: met(one, at))
        other = next(other for other in wishes if matching.settle(one, other))
        seats.remove(other)
        if other < len(ranked):
            pairs.append((ranked[one], ranked[other]))
    return pairs


def _matching(ranked: list[int], byes: list[int], past: _Past) -> Matching:
    """The one that allows as few meetings of the same two as can be; n^3 steps for each number."""
    size = len(ranked)
    for limit in sorted({0, *past.met.values()}):
        friends = [
            [at for at in range(size) if at != one and past.times(ranked[at], bot) <= limit]
            for one, bot in enumerate(ranked)
        ]
        if size % 2:
            rested_least = [one for one in range(size) if byes[one] == min(byes)]
            for one in rested_least:
                friends[one].append(size)
            friends.append(rested_least)
        matching = Matching(friends)
        if matching.perfect:
            break
    return matching


def _wishes(one: int, others: list[int], points: list[int]) -> list[int]:
    """Opponents, the best first: from the lower half of those with equal points, then up."""
    equals = [other for other in others if points[other] == points[one]]
    half = max(0, (len(equals) + 1) // 2 - 1)
    rest = [other for other in others if points[other] != points[one]]
    return equals[half:] + equals[:half][::-1] + rest


def _without_byes(ranked: list[int], scores: Sequence[Score], size: int) -> list[int]:
    """All but those who must rest, so that the others fill their tables."""
    spare = len(ranked) % size
    last_first = sorted(ranked, key=lambda bot: (scores[bot].byes, -ranked.index(bot)))
    return [bot for bot in ranked if bot not in last_first[:spare]]


def _tables(ranked: list[int], field: Entrants, past: _Past) -> list[Bots]:
    """Larger tables; the first round deals the seeds out, there and back again."""
    count_of = len(ranked) // field.size
    if not past.met:
        rows = [ranked[at : at + count_of] for at in range(0, len(ranked), count_of)]
        turned = [row[::-1] if at % 2 else row for at, row in enumerate(rows)]
        drawn = list(zip(*turned, strict=True))
    else:
        drawn = _exchanged(list(_neighbours(ranked, field.size, past)), past)
    return [_seated(sorted(bots), field, past) for bots in drawn]


def _neighbours(ranked: list[int], size: int, past: _Past) -> Iterator[Bots]:
    left = list(ranked)
    while left:
        table = [left.pop(0)]
        while len(table) < size:
            near = left[: WINDOW * size]
            table.append(min(near, key=lambda bot: sum(past.times(bot, at) for at in table)))
            left.remove(table[-1])
        yield tuple(table)


def _exchanged(tables: list[Bots], past: _Past) -> list[Bots]:
    """The same after exchanges where fewer meet again so: first between tables near each other."""
    for farthest in (*[WINDOW] * PASSES, *[len(tables)] * PASSES):
        for one, other in combinations(range(len(tables)), 2):
            if other - one <= farthest and past.repeats(tables[one], tables[other]):
                tables[one], tables[other] = min(
                    _exchanges(tables[one], tables[other]), key=lambda pair: past.repeats(*pair)
                )
    return tables


def _exchanges(one: Bots, other: Bots) -> Iterator[tuple[Bots, Bots]]:
    """Two tables as they are, and with each bot of one for each of the other."""
    yield one, other
    for left in one:
        for right in other:
            new = {left: right, right: left}
            yield tuple(new.get(bot, bot) for bot in one), tuple(new.get(bot, bot) for bot in other)


def _seated(bots: list[int], field: Entrants, past: _Past) -> Bots:
    """Partners who were together least; then sides as strong as can be by seeding."""

    def cost(table: Bots) -> tuple[int, int, Bots]:
        sides = [sorted(table[place] for place in side) for side in field.sides]
        again = sum(past.partners[pair] for side in sides for pair in combinations(side, 2))
        strength = [sum(map(bots.index, side)) for side in sides]
        return again, max(strength) - min(strength), table

    return min(shared_out(tuple(bots), field.sides), key=cost)
