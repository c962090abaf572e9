"""Plays a record again from its actions alone, and compares every line of it.

The same `Match` that was conducted is fed from the file; no bot, no clock, no trio.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, TypeVar

from msgspec.structs import replace

from protocol.errors import LocalProtocolError
from protocol.messages import Answer, Ready
from referee.match.leg import Ask, DealResult, Leg
from referee.match.lines import ActLine, EndLine, Line, Sealed, StartLine, VoidLine
from referee.match.match import Match
from referee.match.outcome import FaultFound
from referee.match.verdict import FaultCode, Mishap, Verdict
from referee.record.cursor import Cursor, Stopped
from referee.record.differences import difference
from referee.record.reader import Mismatch, RecordReader
from referee.record.recorded_plan import recorded_plan
from referee.record.retelling import Greeting, Listener, Parting, Question, Step
from referee.rules.match_end import Reason

L = TypeVar("L", bound=Line)

_BROKEN_OFF: Final = {
    Reason.INTERRUPTED: "the match was interrupted",
    Reason.HOST: "the host failed, and the match was given up",
}


class _Void(Exception):
    """The deal under way is void."""

    def __init__(self, line: VoidLine) -> None:
        super().__init__()
        self.line = line


class Resimulation:
    """A record that is played again.

    Attributes:
        match: the match, as far as it was played again.
        end: the last line, once everything was handed out and the record has one.
        unfinished: why the record ends before its match, if it does.
        last_faults: faults found after the last deal of a leg.
        fault_lines: the evidence, by the number of the deal through all legs.
    """

    def __init__(self, reader: RecordReader, listen: Listener | None = None) -> None:
        """Set up the rules that the record names.

        Args:
            reader: hands out the lines.
            listen: is told of all that the places were told; what it raises ends the replay.

        Raises:
            RefereeError: there is no such game or option here.
            Mismatch: the rules here are not those of the record, or it begins with what is no line.
        """
        self.header = reader.header
        self._cursor = Cursor(reader)
        self.match = Match(recorded_plan(self._cursor), self._compare)
        self.totals = self.match.totals
        self.end: EndLine | None = None
        self.unfinished: str | None = None
        self.last_faults: list[FaultFound] = []
        self.fault_lines: dict[int, list[Verdict]] = {}
        self._listen = listen
        self._leg: Leg | None = None
        self._asked: int | None = None
        """Whose act it is."""
        self._asked_before: int | None = None
        """Whose it was before: a void deal may be either's."""

    @property
    def leg_scores(self) -> tuple[int, ...]:
        """The scores of the leg under way, by bot; none between two legs."""
        return () if self._leg is None else self._leg.course.scores()

    def under_way(self) -> DealResult | None:
        """Return the deal in which the record breaks off, as far as it holds."""
        return None if self._leg is None else self._leg.under_way()

    def game_of(self, deal: DealResult) -> tuple[str, Mapping[str, str]]:
        """Return the id and the options under which a deal was played."""
        pair = self.match.plan.rules.pair
        if pair is not None and deal.game is pair.game:
            return pair.id, pair.options
        return self.header.terms.game, self.header.terms.options

    def called(self, deal: DealResult, number: int) -> str:
        """Return what people call a deal: LEG.DEAL where there are legs, else its number."""
        leg = self.totals.leg + 1
        return f"{leg}.{deal.start.deal}" if self.header.legs > 1 else str(number)

    @property
    def seats(self) -> int:
        """How many seats the game has."""
        return self.match.plan.rules.game.seats

    def deals(self) -> Iterator[DealResult]:
        """Hand out the finished deals, each once it was found to hold.

        Raises:
            Mismatch: naming the first line that does not hold, with its deal and seat.
        """
        match = self.match
        try:
            while (leg := match.next_leg()) is not None:
                self._leg = leg
                yield from self._play_leg(leg)
                if match.given_up is not None:
                    self.unfinished = self._given_up()
                    break
                self._part(leg)
                match.end_leg()
                self._leg = None
            self._close()
        except Stopped as stop:
            self.unfinished = str(stop)
            with suppress(Stopped):  # there is no line of the end
                self._close()

    def _given_up(self) -> str:
        if not isinstance(self._cursor.peek(), EndLine):
            raise self._mismatch("nothing is played after so many void deals")
        return _BROKEN_OFF[Reason.HOST]

    def _close(self) -> None:
        self.end = self.match.end()
        if not self._cursor.at_end():
            raise self._mismatch("nothing belongs after the end")

    def _compare(self, here: Line) -> None:
        """Pass the next line of the record, which must be this one."""
        line = self._cursor.peek()
        there = line
        if here != there and isinstance(line, Sealed):
            there = replace(line, hash="")
        if here != there:
            if not isinstance(here, EndLine):
                _check_going_on(line)
            raise self._mismatch(difference(here, there, self._leg))
        self._cursor.advance()

    def _observed(self, kind: type[L]) -> L | Verdict:
        """Return the next line, of what was seen of a bot.

        Raises:
            _Void: the deal is void from here on.
        """
        line = self._cursor.peek()
        if isinstance(line, kind):  # nearly always
            return line
        if isinstance(line, Verdict):
            return line
        if isinstance(line, VoidLine):
            raise _Void(line)
        _check_going_on(line)
        raise self._mismatch(f"a line {kind.__struct_fields__[0]!r} belongs here")

    def _mismatch(self, what: str) -> Mismatch:
        return Mismatch(self._cursor.number, what)

    def _play_leg(self, leg: Leg) -> Iterator[DealResult]:
        match = self.match
        while match.next_deal() is not None:
            try:
                self._play_deal(leg)
            except _Void as void:
                self._void(leg, void.line)
                continue
            yield match.close_deal()

    def _void(self, leg: Leg, line: VoidLine) -> None:
        deal = leg.deal.start.deal
        if line.void != deal or line.place not in (None, self._asked_before, self._asked):
            raise self._mismatch(f"deal {deal} is under way, and place {self._asked} was asked")
        self.fault_lines.pop(self.totals.deals + 1, None)
        self.match.void(Mishap(line.family, line.detail, line.evidence), line.place)
        for place in range(len(leg.voices)):
            self._tell(Parting(place, b""))

    def _play_deal(self, leg: Leg) -> None:
        """Play the cards of a deal.

        Raises:
            _Void: it was taken back.
        """
        self._asked = self._asked_before = None
        self._old_faults(leg)
        for ask in [leg.greet(place) for place in leg.to_start()]:
            self._start(ask)
        leg.open_deal()
        while (asked := leg.ask()) is not None:
            self._asked_before, self._asked = self._asked, asked.place
            line = self._observed(ActLine)
            if self._listen is not None:
                self._listen(self._question(leg, asked, line))
            if isinstance(line, Verdict):
                self._fault(asked.place, line)
            else:
                self._act(asked, line)
        if isinstance(line_after := self._cursor.peek(), VoidLine):
            raise _Void(line_after)

    def _old_faults(self, leg: Leg) -> None:
        """Count what was found before the deal of processes that had played already."""
        while isinstance(line := self._cursor.peek(), Verdict):
            if line.code is not FaultCode.MEMORY or line.evidence.receipt is not None:
                return  # what was found at an act has a receipt
            if line.place not in leg.deal.places or not leg.voices[line.place].listening:
                return
            self._fault(line.place, line)

    def _start(self, ask: Ask) -> None:
        line = self._observed(StartLine)
        self._tell(Greeting(ask, line if isinstance(line, Verdict) else None))
        if isinstance(line, Verdict):
            self._fault(ask.place, line)
            return
        if line.start != ask.place or line.us > ask.allowance_us:
            raise self._mismatch(f"a start of place {ask.place} in time belongs here")
        ask.connection.replay(Ready(line.protocol, line.name))
        self.match.started(line)

    def _fault(self, place: int, line: Verdict) -> None:
        if line.place != place:
            raise self._mismatch(f"place {place} was asked, not {line.place}")
        self.fault_lines.setdefault(self.totals.deals + 1, []).append(line)
        try:
            said = self.match.fault(line)
        except LocalProtocolError as error:
            raise self._mismatch(f"its bot was not told this: {error}") from error
        self._tell(Parting(place, said))

    def _tell(self, step: Step) -> None:
        if self._listen is not None:
            self._listen(step)

    def _question(self, leg: Leg, asked: Ask, line: ActLine | Verdict) -> Question:
        deal = leg.deal
        return Question(
            ask=asked,
            leg=self.totals.leg,
            deal=deal.start.deal,
            number=self.totals.deals + 1,
            act=len(deal.table.acts),
            seat=deal.places.index(asked.place),
            answer=line,
        )

    def _act(self, ask: Ask, line: ActLine) -> None:
        seat = self.match.leg.deal.table.to_move
        if line.seat != seat:
            raise self._mismatch(f"seat {seat} was to move, not {line.seat}")
        if max(line.us.sent, line.us.first) > line.us.complete:
            raise self._mismatch("no answer is complete before it begins, or before it is asked")
        answer = Answer(ask.id, line.act, line.note, line.eval, line.extra)
        ask.connection.replay(answer)
        verdict = self.match.answer(ask, answer, line.us)
        if verdict is not None:
            deal = self.match.leg.deal
            where = f"deal {deal.start.deal}, seat {deal.places.index(ask.place)}"
            raise self._mismatch(f"{where}: {verdict.code}: {verdict.detail}")

    def _part(self, leg: Leg) -> None:
        """Say farewell to the bots of a leg, and count what some did wrong then."""
        farewells = leg.end_lines()
        for place, said in farewells.items():
            self._tell(Parting(place, said))
        left = set(farewells)
        while isinstance(line := self._cursor.peek(), Verdict):
            if line.place not in left:
                raise self._mismatch(f"place {line.place} cannot be at fault here")
            left.remove(line.place)
            self.fault_lines.setdefault(self.totals.deals, []).append(line)
            self.last_faults.append(self.match.fault_at_end(line))


def _check_going_on(line: Line) -> None:
    """Look whether the record goes on, where this is not the line that belongs there.

    Raises:
        Stopped: the match was broken off.
    """
    if isinstance(line, EndLine) and line.end in _BROKEN_OFF:
        raise Stopped(_BROKEN_OFF[Reason(line.end)])
