"""Who loses is out, or who has lost twice. Pure.

Level pairs, and pairs that the host could not let play to the end, meet again with new decks; all
blocks of a pairing count together. When that has been done often enough, the better seed goes on.
Whoever is benched loses its pairing without playing, and does not go on to the losers.
"""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from ladder.event.formats.bracket import Bracket, Slot, Take, double, single
from ladder.event.formats.field import Entrants, present
from ladder.event.formats.points import sums
from ladder.results import Round, RoundResult, TableResult
from ladder.terms import Format
from referee.errors import RefereeError
from referee.match.outcome import BlockResult

MOST_AGAIN = 2
"""How often a level table meets again."""

GIVEN_UP_AGAIN = 1
"""How often a table that the host let down meets again."""

_BRACKETS: dict[Format, Callable[[int], Bracket]] = {
    Format.KNOCKOUT: single,
    Format.DOUBLE_KNOCKOUT: double,
}


class Meeting(Struct, frozen=True):
    """What a table of a knockout has played so far, in one round or several.

    Attributes:
        again: how many rounds after the first.
        given_up: in how many of them blocks are missing.
    """

    blocks: tuple[BlockResult, ...] = ()
    again: int = -1
    given_up: int = 0

    def plus(self, table: TableResult, planned: int) -> "Meeting":
        """With one more round, for which so many blocks were planned."""
        missing = len(table.blocks) < planned
        return Meeting(self.blocks + table.blocks, self.again + 1, self.given_up + missing)

    def goes_on(self, *, level: bool, missing: bool) -> bool:
        """Whether the table meets once more.

        Args:
            level: it is not decided yet.
            missing: it was let down this time.
        """
        if self.again >= MOST_AGAIN or self.given_up > GIVEN_UP_AGAIN:
            return False
        return level or missing


def check(field: Entrants) -> None:
    """Refuses what has no single winner.

    Raises:
        RefereeError: naming what is wrong.
    """
    if field.partners:
        raise RefereeError(
            "partners: partners win and lose together, so a knockout of single bots has no winner; "
            "let a bot hold a whole side"
        )
    if field.rounds is not None:
        raise RefereeError(f"rounds={field.rounds}: a knockout ends with its final")


def label_again(label: str, meetings: Collection[Meeting]) -> str:
    """What a round is called in which tables meet again."""
    again = max((meeting.again for meeting in meetings), default=-1) + 1
    return f"{label}, again ({again} of {MOST_AGAIN}, then the better seed)" if again else label


def next_round(
    kind: Format, field: Entrants, played: Sequence[RoundResult], benched: Collection[int]
) -> Round | None:
    """The open pairings of the earliest stage that has some; all others who are still in rest."""
    course = _Course(_BRACKETS[kind](field.entrants), field.entrants)
    course.replay(played)
    pairs = course.open_pairs(frozenset(benched))
    if not pairs:
        return None
    byes = course.alive().difference(benched, *pairs.values())
    meetings = [course.meetings.get(node, Meeting()) for node in pairs]
    label = label_again(course.label, meetings)
    return field.next_round(played, pairs.values(), label, byes)


def order(
    kind: Format, field: Entrants, played: Sequence[RoundResult], benched: Collection[int]
) -> tuple[tuple[int, ...], ...]:
    """Who came where: those who are still in, then by the stage that put them out, last first."""
    course = _Course(_BRACKETS[kind](field.entrants), field.entrants)
    course.replay(played)
    course.open_pairs(frozenset(benched))
    return course.order(benched)


def expected_tables(kind: Format, field: Entrants) -> int:
    """How many tables there are if nobody is benched or level, and the final is the last."""
    return field.entrants - 1 if kind is Format.KNOCKOUT else 2 * field.entrants - 2


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
