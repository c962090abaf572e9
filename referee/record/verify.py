"""Plays a record again from its actions alone, and compares all that can be compared.

The same `Leg` that conducted the match is fed from the file; no bot, no clock, no trio.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

from msgspec.structs import replace

from protocol.errors import LocalProtocolError
from protocol.messages import Answer, Ready
from referee.errors import RefereeError
from referee.games import find
from referee.match.chance import BlockKey
from referee.match.leg import Ask, Block, DealFault, DealResult, DealStart, Leg, LegPlan
from referee.match.leg_state import LegStatePlan
from referee.match.verdict import ATTEMPTS, FaultCode, Mishap, Verdict
from referee.record import legs as recorded_legs
from referee.record.lines import (
    WIRE,
    ActLine,
    DealEndLine,
    DealLine,
    EndLine,
    FaultLine,
    FrozenLine,
    LegLine,
    Line,
    StartLine,
    VoidLine,
)
from referee.record.reader import Mismatch, RecordReader
from referee.record.totals import Totals
from referee.rules.cards import cards, check_deck
from referee.rules.match_end import Reason
from referee.rules.variants import MatchRules

L = TypeVar("L", bound=Line)

_BROKEN_OFF: Final = {
    Reason.INTERRUPTED: "the match was interrupted",
    Reason.HOST: "the host failed, and the match was given up",
}


class _Stopped(Exception):
    """The record ends here, before the match does."""


class _Void(Exception):
    """The deal under way is void."""

    def __init__(self, line: VoidLine) -> None:
        super().__init__()
        self.line = line


class Resimulation:
    """A record that is played again.

    Attributes:
        totals: what the deals handed out so far bring.
        used_us: what each bot's clock was charged so far, void deals included.
        end: the last line, once everything was handed out and the record has one.
        unfinished: why the record ends before its match, if it does.
        last_faults: faults found after the last deal of a leg, with the number of that leg.
        fault_lines: the evidence, by the number of the deal through all legs.
    """

    def __init__(self, reader: RecordReader) -> None:
        """Sets up the rules that the record names.

        Raises:
            RefereeError: there is no such game or option here.
            Mismatch: the rules here are not those of the record.
        """
        self.header = header = reader.header
        self._reader = reader
        self._lines = iter(reader)
        self._next: Line | None = None
        self._leg: Leg | None = None
        variant = find(header.game)
        self._rules: MatchRules
        if header.rules.id != header.game:
            raise Mismatch(1, f"these are the rules of {header.rules.id}, not of {header.game}")
        self._rules, name = variant.rules_of(header.options)
        if name != header.rules:
            raise Mismatch(
                1,
                f"played by {header.rules.id} revision {header.rules.revision} "
                f"({header.rules.digest[:12]}); here it is revision {name.revision} "
                f"({name.digest[:12]})",
            )
        self.totals = Totals(len(header.bots))
        self.used_us = [0] * len(header.bots)
        self.end: EndLine | None = None
        self.unfinished: str | None = None
        self.last_faults: list[tuple[int, DealFault]] = []
        self.fault_lines: dict[int, list[FaultLine]] = {}
        self._deal_line: DealLine
        self._acts: list[tuple[int, str]] = []
        self._voids = 0
        self._asked: tuple[int, ...] = ()
        """Whose act it is, and whose it was before: a void deal may be either's."""

    def under_way(self) -> DealResult | None:
        """The deal in which the record breaks off, as far as it holds."""
        return None if self._leg is None else self._leg.under_way()

    def game_of(self, deal: DealResult) -> tuple[str, Mapping[str, str]]:
        """The id and the options under which a deal was played."""
        pair = self._rules.pair
        if pair is not None and deal.game is pair.game:
            return pair.id, pair.options
        return self.header.game, self.header.options

    @property
    def seats(self) -> int:
        """How many seats the game has."""
        return self._rules.game.seats

    def deals(self) -> Iterator[DealResult]:
        """Hands out the finished deals, each once it was found to hold.

        Raises:
            Mismatch: naming the first line that does not hold, with its deal and seat.
        """
        leg: Leg | None = None
        self._leg = None
        faults = [0] * len(self.header.bots)
        try:
            seatings = recorded_legs.seatings(self.header, self._rules.game)
            for number in range(len(seatings)):
                line, at = self._take(LegLine), self._reader.number
                if not number:
                    seatings = recorded_legs.played(seatings, line, self._peek)
                self._check_leg(line, at, number, seatings[number])
                leg = self._open_leg(line, faults)
                yield from self._play_leg(leg)
                self.totals.end_leg(leg)
                faults, leg = leg.course.faults, None
                if self.totals.stopped:
                    break
            self._close(self._take(EndLine))
        except _Stopped as stop:
            if leg is not None:
                self.totals.end_leg(leg)
            if self.end is not None:
                self._close(self.end)
            self.unfinished = str(stop)

    def _peek(self) -> Line:
        if self._next is None:
            self._next = self._read_on()
        return self._next

    def _read_on(self) -> Line:
        for line in self._lines:
            if type(line) is not FrozenLine:  # nothing follows from it
                return line
        torn = self._reader.torn
        raise _Stopped(
            f"it breaks off after line {self._reader.number}"
            if torn is None
            else f"line {torn} is torn and was left out"
        )

    def _take(self, kind: type[L]) -> L:
        """The next line, which must be of this kind."""
        line = self._peek()
        if isinstance(line, kind):
            self._next = None
            return line
        if isinstance(line, EndLine) and line.end in _BROKEN_OFF:
            self.end = line
            if line.end == Reason.HOST:
                self.totals.give_up()
            raise _Stopped(_BROKEN_OFF[Reason(line.end)])
        raise self._mismatch(f"a line {kind.__struct_fields__[0]!r} belongs here")

    def _take_or_fault(self, kind: type[L]) -> L | FaultLine:
        """The next line of a deal under way.

        Raises:
            _Void: the deal is void from here on.
        """
        line = self._peek()
        if type(line) is kind:  # nearly always
            self._next = None
            return line
        if isinstance(line, VoidLine):
            raise _Void(self._take(VoidLine))
        return self._take(FaultLine) if isinstance(line, FaultLine) else self._take(kind)

    def _void(self, leg: Leg, line: VoidLine) -> None:
        deal, seating = leg.deal.start.deal, leg.plan.course.seating
        if line.void != deal or line.place not in (None, *self._asked):
            raise self._mismatch(f"deal {deal} is under way, and place {self._asked} was asked")
        self._voids += 1
        bot = None if line.place is None else seating[line.place]
        self.totals.void_deal(deal, bot, Mishap(line.family, line.detail, line.evidence))
        self.fault_lines.pop(self.totals.deals + 1, None)
        leg.void()

    def _mismatch(self, what: str) -> Mismatch:
        return Mismatch(self._reader.number, what)

    def _check_leg(self, line: LegLine, at: int, number: int, seats: tuple[int, ...]) -> None:
        """Compares the line of a leg, the one with number `at`, with what belongs there."""
        if (line.leg, line.seats) != (number, seats) or not 0 <= line.dealer < len(seats):
            raise Mismatch(at, f"leg {number} with seats {list(seats)} belongs here")

    def _open_leg(self, line: LegLine, faults: list[int]) -> Leg:
        header = self.header
        course = LegStatePlan(
            rules=self._rules,
            seating=line.seats,
            decks=header.decks,
            dealer=line.dealer,
            on_fault=header.on_fault,
        )
        plan = LegPlan(
            game=header.game,
            name=header.rules,
            options=header.options,
            course=course,
            control=header.time,
            block=self._block,
        )
        self._leg = Leg(plan, faults)
        return self._leg

    def _block(self, _: int) -> Block:
        self._deal_line = line = self._take(DealLine)
        if not self.header.given:
            return BlockKey(line.key), None
        try:
            deck = cards(line.deck)
            check_deck(deck, self._rules.game.pack)
        except RefereeError as error:
            raise self._mismatch(str(error)) from error
        return BlockKey(line.key), deck

    def _play_leg(self, leg: Leg) -> Iterator[DealResult]:
        while (start := leg.next_deal()) is not None:
            self._check_start(start)
            self.totals.open_deal()
            try:
                self._play_deal(leg)
            except _Void as void:
                self._void(leg, void.line)
                if self._voids == ATTEMPTS and not isinstance(self._peek(), EndLine):
                    raise self._mismatch("nothing is played after so many void deals") from None
                continue
            self._voids = 0
            yield self._close_deal(leg)
        leg.end_lines()
        left = {voice.place for voice in leg.voices}
        while isinstance(self._peek(), FaultLine):
            line = self._take(FaultLine)
            if line.fault not in left:
                raise self._mismatch(f"place {line.fault} cannot be at fault here")
            left.remove(line.fault)
            bot = leg.plan.course.seating[line.fault]
            leg.course.faults[bot] += 1
            self.fault_lines.setdefault(self.totals.deals, []).append(line)
            self.totals.add_fault(0, bot, Verdict(line.code, line.detail, line.evidence))
            fault = DealFault(line.fault, line.code, len(self._acts))
            self.last_faults.append((self.totals.leg, fault))

    def _check_start(self, start: DealStart) -> None:
        line = self._deal_line
        for name, here, there in (
            ("deal", start.deal, line.deal),
            ("dealer", start.dealer, line.dealer),
            ("seats", start.bots, line.seats),
            ("deck", " ".join(start.deck), line.deck),
        ):
            if here != there:
                raise self._mismatch(f"deal {start.deal}: {name} should be {here}, not {there}")

    def _play_deal(self, leg: Leg) -> None:
        self._asked = ()
        self._old_faults(leg)
        asks = [leg.greet(place) for place in leg.to_start()]
        for ask in asks:
            begin = self._take_or_fault(StartLine)
            if isinstance(begin, FaultLine):
                self._fault(leg, ask.place, begin)
                continue
            if begin.start != ask.place or begin.us > ask.allowance_us:
                raise self._mismatch(f"a start of place {ask.place} in time belongs here")
            ask.connection.replay(Ready(begin.protocol, begin.name))
        leg.open_deal()
        while (ask_now := leg.ask()) is not None:
            self._asked = (*self._asked, ask_now.place)[-2:]
            line = self._take_or_fault(ActLine)
            if isinstance(line, FaultLine):
                self._fault(leg, ask_now.place, line)
            else:
                self._act(leg, ask_now, line)
        self._acts = leg.deal.table.acts
        if isinstance(self._peek(), VoidLine):
            raise _Void(self._take(VoidLine))

    def _old_faults(self, leg: Leg) -> None:
        """What was found before the deal of processes that had played already."""
        while isinstance(line := self._peek(), FaultLine):
            if line.code is not FaultCode.MEMORY or line.evidence.receipt is not None:
                return  # what was found at an act has a receipt
            if line.fault not in leg.deal.places or not leg.voices[line.fault].listening:
                return
            self._fault(leg, line.fault, self._take(FaultLine))

    def _fault(self, leg: Leg, place: int, line: FaultLine) -> None:
        if line.fault != place:
            raise self._mismatch(f"place {place} was asked, not {line.fault}")
        self.fault_lines.setdefault(self.totals.deals + 1, []).append(line)
        bot = leg.plan.course.seating[place]
        verdict = Verdict(line.code, line.detail, line.evidence)
        self.totals.add_fault(leg.deal.start.deal, bot, verdict)
        try:
            leg.faulted(place, verdict)
        except LocalProtocolError as error:
            raise self._mismatch(f"nobody was told this: {error}") from error

    def _act(self, leg: Leg, ask: Ask, line: ActLine) -> None:
        answer = Answer(ask.id, line.act)
        ask.connection.replay(answer)
        verdict = leg.check_answer(answer, line.us)
        if verdict is not None:
            seat = leg.deal.places.index(ask.place)
            where = f"deal {leg.deal.start.deal}, seat {seat}"
            raise self._mismatch(f"{where}: {verdict.code}: {verdict.detail}")
        leg.answered(answer, line.us)
        self.used_us[leg.plan.course.seating[ask.place]] += line.us.complete

    def _close_deal(self, leg: Leg) -> DealResult:
        line = self._take(DealEndLine)
        seat_of = {place: f"seat {seat}" for seat, place in enumerate(leg.deal.places)}
        deal = leg.close_deal()
        where = f"deal {deal.start.deal}"
        for name, here, there in (
            ("number", deal.start.deal, line.deal_end),
            ("reason", str(deal.reason), line.reason),
            ("points", deal.account.points, line.points),
            ("scores", deal.scores, line.scores),
        ):
            if here != there:
                raise self._mismatch(f"{where}: {name} should be {here}, not {there}")
        if self.header.wire == WIRE:
            for what, ours, theirs in (
                ("bytes sent", deal.sent, line.sent),
                ("times sent", deal.times, line.times),
            ):
                for place, (here, there) in enumerate(zip(ours, theirs, strict=False)):
                    if here != there:
                        who = seat_of.get(place, f"place {place}")
                        raise self._mismatch(f"{where}, {who}: the {what} differ")
                if len(ours) != len(theirs):
                    raise self._mismatch(f"{where}: {len(ours)} digests belong here")
        else:
            deal = replace(deal, sent=line.sent, times=line.times)
        self.totals.add_deal(deal)
        return deal

    def _close(self, line: EndLine) -> None:
        result = self.totals.result(self.header.legs)
        for name in ("end", "scores", "winner", "game_digest"):
            here, there = getattr(result, name), getattr(line, name)
            if here != there:
                raise self._mismatch(f"the match's {name} should be {here}, not {there}")
        self.end = line
        if next(iter(self._reader), None) is not None or self._reader.torn:
            raise Mismatch(self._reader.number, "nothing belongs after the end")
