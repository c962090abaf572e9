"""A knockout at tables of three and more: the worse half of each table is out. Pure.

Of an odd size the smaller half goes on, so of three the winner. Fewer are out, and the best seeds
rest, where otherwise too few would be left for a table; when one table is left it is the final.
What `meeting` says of level and given-up tables holds here, where level means that it is not
decided who goes on. A bot that is benched counts as one of those that are out.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ladder.event.formats.field import Entrants, present
from ladder.event.formats.meeting import Meeting, label_again
from ladder.event.formats.points import sums
from ladder.results import Round, RoundResult, TableResult
from referee.errors import RefereeError


class _Heat(Struct, frozen=True):
    """A table, how many of it are out, and what it has played so far."""

    bots: tuple[int, ...]
    out: int
    meeting: Meeting = Meeting()

    def ranked(self) -> tuple[list[int], bool]:
        """The best first, in doubt the better seed; and whether who goes on is in doubt."""
        found = sums(self.meeting.blocks, len(self.bots))
        mean = {bot: one.mean for bot, one in zip(self.bots, found, strict=True)}
        bots = sorted(self.bots, key=lambda bot: (-mean[bot], bot))
        last, first_out = bots[-self.out - 1], bots[-self.out]
        return bots, mean[last] == mean[first_out]


def next_round(
    field: Entrants, played: Sequence[RoundResult], benched: Collection[int]
) -> Round | None:
    """The tables of the stage that is played, or those of it that must meet again."""
    course = _Course(field)
    course.replay(played)
    heats = course.open_heats(frozenset(benched))
    if not heats:
        return None
    tables = [heat.bots for heat in heats]
    byes = set(course.left).difference(*tables)
    label = label_again(course.label, [heat.meeting for heat in heats])
    return field.next_round(played, tables, label, byes)


def order(
    field: Entrants, played: Sequence[RoundResult], benched: Collection[int]
) -> tuple[tuple[int, ...], ...]:
    """Who came where: those who are still in, then those who went out together, last first."""
    course = _Course(field)
    course.replay(played)
    course.open_heats(frozenset(benched))
    groups = (course.left, *reversed(course.gone))
    return tuple(tuple(sorted(group)) for group in groups if group)


def expected_tables(field: Entrants) -> int:
    """How many tables there are if no bot is benched or level."""
    return sum(len(outs) for outs in _stages(field.entrants, field.size))


def _stages(left: int, size: int) -> Iterator[list[int]]:
    while left >= size:
        outs = _outs(left, size)
        left -= sum(outs)
        yield outs


def _outs(left: int, size: int) -> list[int]:
    """How many are out at each table of the next stage."""
    if left == size:
        return [size - 1]
    worse, spare = size - size // 2, left - size
    tables = min(left // size, -(-spare // worse))
    out = min(tables * worse, spare)
    return [out // tables + (at < out % tables) for at in range(tables)]


class _Course:
    """Who is left, and what was played to get there."""

    def __init__(self, field: Entrants) -> None:
        self._size = field.size
        self._heats: list[_Heat] = []
        self._stage = 0
        self.label = ""
        """What the stage that is played is called."""
        self.left = list(range(field.entrants))
        """Who is still in, the best seed first."""
        self.gone: list[list[int]] = [[]]
        """Who is out, stage by stage; the first are those who never played."""

    def replay(self, played: Sequence[RoundResult]) -> None:
        """Plays on with what was played.

        Raises:
            RefereeError: it cannot have been played in this knockout.
        """
        for done in played:
            heats = self.open_heats(frozenset(self.left) - present(done.round))
            tables = {table.table.bots: table for table in done.tables}
            if {heat.bots for heat in heats} != set(tables):
                raise RefereeError(f"{done.round.label}: this was not the round to be played")
            for heat in heats:
                self._play(heat, tables[heat.bots], done.round.blocks)

    def open_heats(self, benched: frozenset[int]) -> list[_Heat]:
        """The tables that are to be played next; none when it is over."""
        for heat in [heat for heat in self._heats if benched.intersection(heat.bots)]:
            self._decide(heat, benched)
        self._drop(benched)
        if not self._heats and len(self.left) >= self._size:
            self._draw()
        return list(self._heats)

    def _draw(self) -> None:
        """Deals the worse seeds out to tables, there and back again; the best ones rest."""
        outs = _outs(len(self.left), self._size)
        stages = self._stage + sum(1 for _ in _stages(len(self.left), self._size))
        self._stage += 1
        final = len(self.left) == self._size
        self.label = "final" if final else f"round {self._stage} of {stages}"
        self.gone.append([])
        playing = self.left[-len(outs) * self._size :]
        rows = [playing[at : at + len(outs)] for at in range(0, len(playing), len(outs))]
        turned = [row[::-1] if at % 2 else row for at, row in enumerate(rows)]
        tables = zip(*turned, strict=True)
        self._heats = [
            _Heat(tuple(sorted(bots)), out) for bots, out in zip(tables, outs, strict=True)
        ]

    def _play(self, heat: _Heat, table: TableResult, planned: int) -> None:
        played = _Heat(heat.bots, heat.out, heat.meeting.plus(table, planned))
        self._heats[self._heats.index(heat)] = played
        _, level = played.ranked()
        if not played.meeting.goes_on(level=level, missing=len(table.blocks) < planned):
            self._decide(played, frozenset())

    def _decide(self, heat: _Heat, benched: frozenset[int]) -> None:
        """Who is out, benched entrants before all others."""
        self._heats.remove(heat)
        bots, _ = heat.ranked()
        worst_first = sorted(bots, key=lambda bot: (bot not in benched, -bots.index(bot)))
        self._drop(worst_first[: heat.out])

    def _drop(self, bots: Collection[int]) -> None:
        self.gone[-1] += [bot for bot in bots if bot in self.left]
        self.left = [bot for bot in self.left if bot not in bots]
