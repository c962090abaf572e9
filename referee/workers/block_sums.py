"""Deals added up to blocks, while a job is played. Pure; integers only, a few for each block."""

from array import array
from collections.abc import Callable

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from referee.match.leg import DealResult
from referee.match.match import Match
from referee.match.outcome import BlockResult, MatchOutcome, Meetings

LuckOf = Callable[[DealResult], tuple[int, ...] | None]
"""What chance alone brought in a deal, by seat, in thousandths of its value; None: not known."""


class Blocks:
    """The blocks of a job so far."""

    def __init__(
        self, first: int, blocks: int, bots: int, legs: int, luck_of: LuckOf | None = None
    ) -> None:
        """Begins with nothing.

        Args:
            first: the index of the first block.
            blocks: how many there are.
            bots: how many bots the job has.
            legs: in how many seatings each deck is played.
            luck_of: counts luck, if that is wanted.
        """
        self._first = first
        self._bots = bots
        self._legs = legs
        self._luck_of = luck_of
        self._deals = array("q", [0]) * blocks
        self._values, self._faults, self._unplayed, self._luck = (
            array("q", [0]) * (blocks * bots) for _ in range(4)
        )
        self._met = array("q", [0]) * (2 * blocks * bots)
        self._without_luck = bytearray(blocks)
        self._began: tuple[int, ...] = ()
        """The bots by seat in the first leg."""
        self._turned = False
        """Whether they sit in the same order now, if moved on."""
        self._seated: tuple[int, ...] = ()
        self._seats: tuple[int, ...] = ()
        """A seat of each bot, as the bots are seated now."""

    def add(self, deal: DealResult) -> None:
        """Counts a deal. The deals of a leg are those of the blocks, in their order."""
        start, by_seat, values = deal.start, deal.by_seat, self._values
        if start.bots != self._seated:
            self._seated = start.bots
            self._seats = tuple(map(start.bots.index, range(self._bots)))
            self._began = self._began or start.bots
            self._turned = _is_turn(self._began, start.bots)
        block = start.deal - 1
        first = not self._deals[block]
        self._deals[block] += 1
        at = block * self._bots
        for bot, seat in enumerate(self._seats, at):  # all seats of a bot score alike
            values[bot] += by_seat[seat]
        if self._turned:
            row = (2 * block + (not first)) * self._bots
            for bot, seat in enumerate(self._seats, row):
                self._met[bot] += by_seat[seat]
        for fault in deal.faults:
            self._faults[at + fault.bot] += 1
        for one in {start.bots[seat] for seat in start.benched}:
            self._unplayed[at + one] += 1
        if self._luck_of is not None:
            self._add_luck(self._luck_of(deal), block)

    def _add_luck(self, luck: tuple[int, ...] | None, block: int) -> None:
        if luck is None:
            self._without_luck[block] = True
            return
        for bot, seat in enumerate(self._seats, block * self._bots):
            self._luck[bot] += luck[seat]

    def finished(self) -> tuple[BlockResult, ...]:
        """The blocks whose deck was played in all seatings."""
        done = (block for block, deals in enumerate(self._deals) if deals == self._legs)
        return tuple(map(self._result, done))

    def _result(self, block: int) -> BlockResult:
        of = slice(block * self._bots, (block + 1) * self._bots)
        known = self._luck_of is not None and not self._without_luck[block]
        unplayed = self._unplayed[of]
        return BlockResult(
            block=self._first + block,
            deals=self._legs,
            values=tuple(self._values[of]),
            luck=tuple(self._luck[of]) if known else (),
            faults=tuple(self._faults[of]),
            unplayed=tuple(unplayed) if any(unplayed) else (),
            meetings=self._meetings(block),
        )

    def _meetings(self, block: int) -> Meetings | UnsetType:
        if self._legs == 1:
            return UNSET
        rows = ((2 * block + at) * self._bots for at in range(2))
        return tuple(tuple(self._met[row : row + self._bots]) for row in rows)


def _is_turn(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the same bots sit in the same order round the table."""
    return any(one[step:] + one[:step] == other for step in range(len(one)))


def outcome_of(
    match: Match,
    blocks: tuple[BlockResult, ...],
    *,
    given_up: str,
    game_digest: str,
    wall_us: int,
    sandbox: str,
) -> MatchOutcome:
    """Return what a match of decks that stand alone brought, played or played again.

    Args:
        match: the match, at its end.
        blocks: those that were finished.
        given_up: why some are missing; "" if none are.
        game_digest: of the match's end.
        wall_us: what the deals took.
        sandbox: where the bots ran.
    """
    totals, bots = match.totals, range(match.plan.bots)
    void_for = [row.bot for row in totals.voids]
    return MatchOutcome(
        blocks=blocks,
        acts=totals.acts,
        used_us=tuple(match.used_us),
        wall_us=wall_us,
        voids=tuple(map(void_for.count, bots)),
        faults=tuple(totals.fault_counts),
        fault_list=tuple(replace(found, error="") for found in totals.faults),
        given_up=given_up,
        game_digest=game_digest,
        sandbox=sandbox,
    )
