"""What a match brings, added up deal by deal and leg by leg. Pure; flat however long the match."""

import hashlib

import msgspec
from msgspec import Struct

from referee.match.leg import DealReason, DealResult, Leg
from referee.match.lines import EndLine
from referee.match.outcome import FaultFound
from referee.match.verdict import Blame, Mishap, OnFault
from referee.rules.match_end import Reason, best_of

ROWS_KEPT = 40
FAULTS_KEPT = 100
_encode = msgspec.json.Encoder().encode


class DealRow(Struct, frozen=True):
    """One deal in a table: card points and scores by side, and who sat where.

    `scores` has more than one entry for a side whose seats score differently; `benched` are bots
    that play no more, so that the stand-in plays for them.
    """

    leg: int
    deal: int
    bots: tuple[int, ...]
    sides: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    scores: tuple[tuple[int, ...], ...]
    reason: DealReason
    at_fault: tuple[int, ...]
    benched: tuple[int, ...]


class VoidRow(Struct, frozen=True):
    """A deal that was void, and whose act it was then; `bot` is None where it was no bot's."""

    leg: int
    deal: int
    bot: int | None
    family: Blame
    detail: str


class GameDigest:
    """The name of what was played, without its times: equal in every run with the same key."""

    def __init__(self) -> None:
        """Begins before the first deal."""
        self._sha = hashlib.sha256()

    def add(self, deal: DealResult) -> None:
        """Takes in a finished deal: deck, dealer, seats, actions, faults, scores, sent bytes."""
        start = deal.start
        self._sha.update(
            _encode(
                (
                    start.deck,
                    start.dealer,
                    start.bots,
                    deal.acts,
                    [{"seat": one.seat, "code": one.code, "act": one.act} for one in deal.faults],
                    deal.account.points,
                    deal.scores,
                    deal.sent,
                )
            )
            + b"\n"
        )

    def end(self, scores: tuple[int, ...], winner: tuple[int, ...] | None, reason: str) -> str:
        """The digest, once the result is known."""
        final = self._sha.copy()
        final.update(_encode((scores, winner, reason)) + b"\n")
        return final.hexdigest()


class Totals:
    """The match so far."""

    def __init__(self, bots: int) -> None:
        """Begins with nothing."""
        self.scores = (0,) * bots
        self._unsettled = (0,) * bots
        self._charged: set[int] = set()
        self._stopped = False
        self._shared = False
        self.deals = 0
        self.acts = 0
        self.leg = 0
        self.rows: list[DealRow] = []
        self.faults: list[FaultFound] = []
        self.fault_counts = [0] * bots
        self._digest = GameDigest()
        self._reason = Reason.INTERRUPTED
        self._last_winner: tuple[int, ...] | None = None
        self.voids: list[VoidRow] = []
        self.void_count = 0
        self._before_deal: tuple[int, tuple[int, ...]] = (0, (0,) * bots)
        self._given_up = False
        self._seatings: list[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = []

    def add_deal(self, deal: DealResult) -> None:
        """Counts a finished deal."""
        self.deals += 1
        self.acts += len(deal.acts)
        self._digest.add(deal)
        if len(self.rows) < ROWS_KEPT:
            account = deal.account
            points = tuple(sum(account.points[seat] for seat in side) for side in account.sides)
            self.rows.append(
                DealRow(
                    self.leg,
                    deal.start.deal,
                    deal.start.bots,
                    account.sides,
                    points,
                    tuple(
                        tuple(dict.fromkeys(deal.by_seat[seat] for seat in side))
                        for side in account.sides
                    ),
                    deal.reason,
                    tuple(dict.fromkeys(fault.bot for fault in deal.faults)),
                    tuple(dict.fromkeys(deal.start.bots[seat] for seat in deal.start.benched)),
                )
            )

    def open_deal(self) -> None:
        """Remembers what was before a deal, which may become void."""
        self._before_deal = (len(self.faults), tuple(self.fault_counts))

    def void_deal(self, deal: int, bot: int | None, mishap: Mishap) -> None:
        """Takes back what the open deal has brought, since it is void.

        Args:
            deal: its number in its leg.
            bot: whose act it was, if anybody's.
            mishap: what made it void.
        """
        self.void_count += 1
        kept, counts = self._before_deal
        del self.faults[kept:]
        self.fault_counts[:] = counts
        if len(self.voids) < FAULTS_KEPT:
            self.voids.append(VoidRow(self.leg, deal, bot, mishap.family, mishap.detail))

    def give_up(self) -> None:
        """The match cannot be played to its end."""
        self._given_up = True

    def add_fault(self, found: FaultFound) -> None:
        """Counts a fault."""
        self.fault_counts[found.bot] += 1
        if len(self.faults) < FAULTS_KEPT:
            self.faults.append(found)

    def end_leg(self, leg: Leg) -> None:
        """Counts a finished leg."""
        course = leg.course
        self.leg += 1
        seating = course.plan.seating
        unsettled = course.by_bot(course.standing.unsettled)
        self.scores = tuple(map(sum, zip(self.scores, course.scores(), strict=True)))
        self._unsettled = tuple(map(sum, zip(self._unsettled, unsettled, strict=True)))
        self._charged |= course.charged
        if course.over is not None:
            places = course.over.winner
            self._last_winner = places and tuple(sorted({seating[place] for place in places}))
            self._reason = course.over.reason
            self._shared = course.plan.rules.ending.shared
            by_rule = course.plan.terms.on_fault is OnFault.END_MATCH
            self._stopped = by_rule and course.over.reason is Reason.FAULT
            self._seatings.append((seating, course.plan.rules.game.partners))

    @property
    def stopped(self) -> bool:
        """Whether a fault has ended the match, legs that are not played yet included."""
        return self._stopped

    def result(self, legs: int) -> EndLine:
        """The result as the record's last line has it; an unfinished match has no winner."""
        finished = self._stopped or len(self._seatings) == legs
        winner = self._winner() if finished else None
        stopped = Reason.HOST if self._given_up else Reason.INTERRUPTED
        reason = str(self._reason if finished else stopped)
        return EndLine(
            end=reason,
            scores=self.scores,
            winner=winner,
            game_digest=self._digest.end(self.scores, winner, reason),
        )

    def _winner(self) -> tuple[int, ...] | None:
        """The winner of the only leg, or of the one that a fault ended; else by all the legs.

        Partners of every leg win together, others one by one.
        """
        if len(self._seatings) == 1 or self._stopped:
            return self._last_winner
        groupings = {
            tuple(sorted(tuple(sorted({seating[at] for at in side})) for side in partners))
            for seating, partners in self._seatings
        }
        alone = tuple((bot,) for bot in range(len(self.scores)))
        sides = next(iter(groupings)) if len(groupings) == 1 else alone
        shared = self._shared
        return best_of(sides, self.scores, self._unsettled, self._charged, shared=shared)
