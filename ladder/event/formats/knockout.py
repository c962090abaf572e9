"""Who loses is out, or who has lost twice. Pure.

A bot that is benched loses its pairing without playing, and does not go on to the losers.
"""

from collections.abc import Collection, Sequence

from ladder.event.formats import heats
from ladder.event.formats.bracket import Bracket, Slot, Take, double, single
from ladder.event.formats.field import Entrants, present
from ladder.event.formats.format import Format, Groups
from ladder.event.formats.meeting import Meeting, label_again
from ladder.event.formats.points import sums
from ladder.results import Round, RoundResult, TableResult
from referee.errors import RefereeError


class Knockout(Format):
    """Who loses is out; at tables of three and more, the worse half of each."""

    def check(self, field: Entrants) -> None:
        """Refuse what has no single winner.

        Raises:
            RefereeError: naming what is wrong.
        """
        super().check(field)
        if field.partners:
            raise RefereeError(
                "partners: partners win and lose together, so a knockout of single bots has no "
                "winner; let a bot hold a whole side"
            )
        if field.rounds is not None:
            raise RefereeError(f"rounds={field.rounds}: a knockout ends with its final")

    def next_round(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Round | None:
        """The open pairings of the earliest stage that has some; all others still in rest."""
        if field.size > 2:
            return heats.next_round(field, played, benched)
        course = _Course(self._bracket(field.entrants), field.entrants)
        course.replay(played)
        pairs = course.open_pairs(frozenset(benched))
        if not pairs:
            return None
        byes = course.alive().difference(benched, *pairs.values())
        meetings = [course.meetings.get(node, Meeting()) for node in pairs]
        label = label_again(course.label, meetings)
        return field.next_round(played, pairs.values(), label, byes)

    def order(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Groups:
        """Those who are still in, then the others by the stage that put them out, last first."""
        if field.size > 2:
            return heats.order(field, played, benched)
        course = _Course(self._bracket(field.entrants), field.entrants)
        course.replay(played)
        course.open_pairs(frozenset(benched))
        return course.order(benched)

    def expected_tables(self, field: Entrants) -> int:
        """How many tables there are if no bot is benched or level."""
        return heats.expected_tables(field) if field.size > 2 else field.entrants - 1

    def _bracket(self, entrants: int) -> Bracket:
        return single(entrants)


class DoubleKnockout(Knockout):
    """Who has lost twice is out."""

    def check(self, field: Entrants) -> None:
        """Refuse what has no single winner, and larger tables.

        Raises:
            RefereeError: naming what is wrong.
        """
        super().check(field)
        if field.size > 2:
            raise RefereeError(f"double-knockout: it is for two at a table, not for {field.size}")

    def expected_tables(self, field: Entrants) -> int:
        """How many tables there are if no bot is benched or level, and the final is the last."""
        return 2 * field.entrants - 2

    def _bracket(self, entrants: int) -> Bracket:
        return double(entrants)


class _Course:
    """A bracket, filled in as far as was played."""

    def __init__(self, bracket: Bracket, entrants: int) -> None:
        self._bracket, self._entrants, self._stage = bracket, entrants, 0
        self._done: dict[int, tuple[int | None, int | None]] = {}
        """Winner and loser by pairing; a benched entrant is neither."""
        self._out: dict[int, int] = {}
        """The last stage in which one lost or was benched."""
        self.meetings: dict[int, Meeting] = {}
        """What the open pairings have played so far."""

    @property
    def label(self) -> str:
        """The name of the stage that is played."""
        return self._bracket.stages[self._stage].label

    def replay(self, played: Sequence[RoundResult]) -> None:
        """Fills in what was played.

        Raises:
            RefereeError: it cannot have been played in this knockout.
        """
        for done in played:
            pairs = self.open_pairs(self.alive() - present(done.round))
            tables = {frozenset(table.table.bots): table for table in done.tables}
            if {frozenset(pair) for pair in pairs.values()} != set(tables):
                raise RefereeError(f"{done.round.label}: this was not the round to be played")
            for node, pair in pairs.items():
                self._play(node, pair, tables[frozenset(pair)], done.round.blocks)

    def open_pairs(self, benched: frozenset[int]) -> dict[int, tuple[int, int]]:
        """The pairings of the earliest stage with open ones; those without opponents go on."""
        while self._stage < len(self._bracket.stages):
            found = {}
            for node in self._bracket.stages[self._stage].nodes:
                if node not in self._done:
                    left, right = (self._enters(slot, benched) for slot in self._slots(node))
                    if left is not None and right is not None:
                        found[node] = (min(left, right), max(left, right))
                    else:
                        self._done[node] = (right if left is None else left, None)
            if found:
                return found
            self._stage += 1
        return {}

    def alive(self) -> frozenset[int]:
        """Everybody who has a pairing to come, those who were benched meanwhile included."""
        nodes = [node for node in range(len(self._bracket.nodes)) if node not in self._done]
        entrants = (self._whoever(slot) for node in nodes for slot in self._slots(node))
        return frozenset(entrant for entrant in entrants if entrant is not None)

    def order(self, benched: Collection[int]) -> tuple[tuple[int, ...], ...]:
        """All entrants by the stage that put them out, the last stage first."""
        alive, stages = self.alive(), len(self._bracket.stages)
        champion = None if alive else self._done[len(self._bracket.nodes) - 1][0]
        stage = {bot: self._out.get(bot, 0) for bot in range(self._entrants)}
        stage |= {bot: self._stage if bot in benched else stages for bot in alive}
        if champion is not None:
            stage[champion] = stages
        groups: dict[int, list[int]] = {}
        for bot in sorted(stage):
            groups.setdefault(stage[bot], []).append(bot)
        return tuple(tuple(groups[at]) for at in sorted(groups, reverse=True))

    def _slots(self, node: int) -> tuple[Slot, Slot]:
        found = self._bracket.nodes[node]
        return found.left, found.right

    def _whoever(self, slot: Slot) -> int | None:
        """The entrant that a slot is known to bring, if it is known and there is one."""
        if slot.take is Take.SEED:
            return slot.at if slot.at < self._entrants else None
        winner, loser = self._done.get(slot.at, (None, None))
        if slot.take is Take.WINNER:
            return winner
        once_only = slot.take is Take.LOSER or winner == self._whoever(self._slots(slot.at)[1])
        return loser if once_only else None

    def _enters(self, slot: Slot, benched: frozenset[int]) -> int | None:
        entrant = self._whoever(slot)
        if entrant in benched:
            self._out[entrant] = self._stage
            return None
        return entrant

    def _play(self, node: int, pair: tuple[int, int], table: TableResult, planned: int) -> None:
        """Counts a table; of `pair` the first is the better seed."""
        meeting = self.meetings.get(node, Meeting()).plus(table, planned)
        found = dict(zip(table.table.bots, sums(meeting.blocks, 2), strict=True))
        better, other = (found[bot].mean for bot in pair)
        missing = len(table.blocks) < planned
        if meeting.goes_on(level=better == other, missing=missing):
            self.meetings[node] = meeting
            return
        self.meetings.pop(node, None)
        winner, loser = pair if better >= other else pair[::-1]
        self._done[node] = (winner, loser)
        self._out[loser] = self._stage
