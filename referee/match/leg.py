"""One leg of a match without I/O: deals, questions, faults, scores and every byte that is said.

`referee.play.conductor` drives it with processes, `referee.record.verify` with the lines of a
record; out of both come the same bytes. In order: `next_deal`, `greet` for each of `to_start`, with
`faulted` for those that do not start, `open_deal`, then `ask` with `answered` or `faulted` until it
returns None, `close_deal`; at last `end_lines`.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from protocol.connection import Connection
from protocol.limits import DEPTH, LINE_FROM_BOT, MATCH_FROM_BOT, NOTE, PROTOCOL_VERSION
from protocol.messages import Answer, Deal, DealEnd, End, Fault, Hello, Limits
from referee.match.chance import BlockKey, private_seed, shuffled
from referee.match.clock import Clock
from referee.match.leg_state import LegPlan, LegState
from referee.match.outbox import Voice
from referee.match.outcome import FaultFound
from referee.match.table import Table
from referee.match.verdict import FaultCode, Receipt, Verdict
from referee.rules.cards import Card
from referee.rules.game import DealAccount, Game, Tally

_DEALS_A_MATCH = 50


def limits_of(plan: LegPlan) -> Limits:
    """What each process of a leg may send; longer legs may have more (SPEC 7)."""
    deals = plan.rules.ending.max_deals if plan.decks is None else plan.decks
    matches = max(1, -(-deals // _DEALS_A_MATCH))
    return Limits(line=LINE_FROM_BOT, match=matches * MATCH_FROM_BOT, depth=DEPTH, note=NOTE)


class DealStart(Struct, frozen=True):
    """A deal that is about to be played, or, with `played` false, counted without play.

    Attributes:
        benched: the seats of bots that play no more. The referee's stand-in plays for them, but
            where one of them holds one of two sides: then the deal is not played.
    """

    deal: int
    key: BlockKey
    deck: tuple[Card, ...]
    dealer: int
    bots: tuple[int, ...]
    played: bool
    benched: tuple[int, ...] = ()


class Ask(Struct, frozen=True):
    """A question to one place: the bytes to write, and how long the whole of it may take."""

    place: int
    id: str
    line: bytes
    allowance_us: int
    connection: Connection
    legal: tuple[str, ...] = ()


class DealReason(StrEnum):
    """How a deal came to its end."""

    PLAYED = "played"
    """The last card was played."""
    FAULT = "fault"
    """A fault ended it."""
    UNPLAYED = "unplayed"
    """It was only counted: a bot that plays no more holds one of its two sides."""
    UNFINISHED = "unfinished"
    """It has no end: the record breaks off in it."""


class DealResult(Struct, frozen=True):
    """A deal that is over.

    Attributes:
        places: who sat at each seat; a place is a seat of the leg's first deal.
        scores: by side: deal values where deals stand alone, else game points; of a side whose
            seats score differently, that of its first seat not at fault.
        by_seat: the same, by seat.
        by_cards: the same by seat as the cards say, before bots at fault were charged.
        sent: the digests of what was said, by place; `times` likewise (see `Voice.digests`).
    """

    start: DealStart
    places: tuple[int, ...]
    game: Game[Any]  # every game has a state type of its own
    reason: DealReason
    account: DealAccount
    acts: tuple[tuple[int, str], ...]
    scores: tuple[int, ...]
    by_seat: tuple[int, ...]
    faults: tuple[FaultFound, ...]
    sent: tuple[str, ...]
    times: tuple[str, ...]
    by_cards: tuple[int, ...] = ()


def too_late(allowance_us: int) -> str:
    """What is wrong with an answer that took longer than it may."""
    return f"no answer within {allowance_us // 1000} ms"


class _Deal:
    """The deal under way."""

    def __init__(self, start: DealStart, course: LegState) -> None:
        self.start = start
        self.places = course.places
        self.game = course.game
        self.table = Table(course.game, start.deck, start.dealer)
        self.at_fault = {self.places[seat] for seat in start.benched}
        self.faults_before = tuple(course.faults)
        self.faults: list[FaultFound] = []
        self.ended_by: int | None = None
        """The seat whose fault ended the deal."""

    def speaks_for(self, side: tuple[int, ...]) -> int:
        """The seat whose score stands for its side."""
        innocent = (seat for seat in side if self.places[seat] not in self.at_fault)
        return next(innocent, side[0])


def _reason(deal: _Deal) -> DealReason:
    if not deal.start.played:
        return DealReason.UNPLAYED
    return DealReason.PLAYED if deal.ended_by is None else DealReason.FAULT


def _result(
    deal: _Deal,
    reason: DealReason,
    account: DealAccount,
    *,
    figures: tuple[int, ...] = (),
    by_cards: tuple[int, ...] = (),
    digests: Sequence[tuple[str, str]] = (),
) -> DealResult:
    """What there is to say of a deal; one that was not counted has no figures and digests."""
    sides = account.sides if figures else ()
    return DealResult(
        start=deal.start,
        places=deal.places,
        game=deal.game,
        reason=reason,
        account=account,
        acts=tuple(deal.table.acts),
        scores=tuple(figures[deal.speaks_for(side)] for side in sides),
        by_seat=figures,
        faults=tuple(deal.faults),
        sent=tuple(sent for sent, _ in digests),
        times=tuple(times for _, times in digests),
        by_cards=by_cards,
    )


class Leg:
    """One leg under way."""

    def __init__(self, plan: LegPlan, faults: Iterable[int] = ()) -> None:
        """Begins a leg; `faults` counts each bot's faults in earlier legs of the match."""
        self.plan = plan
        self.course = LegState(plan, faults)
        self._limits = limits_of(plan)
        self.voices = [
            Voice(at, plan.clock_at(at), self._limits.match) for at in self.course.places
        ]
        self._deals = 0
        self._deal: _Deal | None = None
        self._asked: Ask | None = None
        self.last_asked: int | None = None
        """The place whose act it is, or was last in this deal."""
        self._clocks: tuple[Clock, ...] = ()

    @property
    def deal(self) -> _Deal:
        """The deal under way; there is one from `next_deal` to `close_deal`."""
        assert self._deal is not None  # noqa: S101  # a driver out of order is our bug
        return self._deal

    def moment(self) -> tuple[int, int]:
        """Return the deal under way and how many of its acts were carried out; (0, 0) for none."""
        deal = self._deal
        return (0, 0) if deal is None else (deal.start.deal, len(deal.table.acts))

    def next_deal(self) -> DealStart | None:
        """The deal to play next, or None when the leg is over."""
        course = self.course
        if course.over is not None:
            return None
        key, given = self.plan.block(self._deals)
        benched = course.benched()
        for place in benched:
            self.voices[place].fall_silent()
        start = DealStart(
            deal=self._deals + 1,
            key=key,
            deck=shuffled(course.game.pack, key) if given is None else given,
            dealer=course.places.index(course.dealer),
            bots=tuple(course.plan.seating[place] for place in course.places),
            played=not course.forfeits_unplayed(),
            benched=tuple(map(course.places.index, benched)),
        )
        self._deal = _Deal(start, course)
        self.last_asked = None
        self._clocks = tuple(voice.clock for voice in self.voices)
        return start

    def void(self) -> None:
        """Takes the deal back, faults and times and all: it will be next again.

        Every process must have been ended: none meets a deck twice.
        """
        self.course.faults[:] = self.deal.faults_before
        for voice, clock in zip(self.voices, self._clocks, strict=True):
            voice.forget_void_deal(clock)
        self._deal = self._asked = None

    def to_start(self) -> tuple[int, ...]:
        """The places that need a new process for this deal."""
        deal = self.deal
        if not deal.start.played:
            return ()
        silent = (place for place in deal.places if not self.voices[place].listening)
        return tuple(place for place in silent if place not in deal.at_fault)

    def greet(self, place: int) -> Ask:
        """The `hello` to a new process at this place."""
        plan, voice = self.plan, self.voices[place]
        hello = Hello(
            protocol=(PROTOCOL_VERSION,),
            game=plan.terms.game,
            options=plan.terms.options,
            decks=plan.decks,
            rules=plan.name,
            bot=plan.seating[place],
            bots=self.course.bots,
            limits=self._limits,
            time=voice.clock.control,
            seed=private_seed(self.deal.start.key, place),
        )
        line = voice.greet(hello)
        return Ask(place, "", line, voice.clock.control.start_ms * 1000, voice.connection)

    def open_deal(self) -> None:
        """Tells everybody who sits and listens that the cards are dealt."""
        deal, pair, scores = self.deal, self.course.pair, self.course.scores()
        for seat, place in enumerate(deal.places):
            if self.voices[place].listening and deal.start.played:
                message = Deal(
                    deal=deal.start.deal,
                    seats=deal.start.bots,
                    seat=seat,
                    dealer=deal.start.dealer,
                    game=self.plan.terms.game if pair is None else pair.id,
                    options=self.plan.terms.options if pair is None else pair.options,
                    scores=scores,
                    times=self.course.worth.times,
                    plus=self.course.worth.plus,
                )
                self.voices[place].open_deal(deal.start.key, message)

    def ask(self) -> Ask | None:
        """The next question, or None when the deal is over.

        The stand-in, which is the game's default action, plays for seats at fault meanwhile.
        """
        deal = self.deal
        table = deal.table
        if not deal.start.played or deal.ended_by is not None:
            return None
        while (seat := table.to_move) is not None:
            place = deal.places[seat]
            if place in deal.at_fault:
                table.play_default()
                continue
            voice = self.voices[place]
            view, news = table.view(seat)
            legal = table.legal
            number, line = voice.ask(view, legal, news)
            return self.asks(Ask(place, number, line, voice.allowance_us, voice.connection, legal))
        return None

    def asks(self, ask: Ask) -> Ask:
        """Takes note of the question that is to be answered, and returns it."""
        self.last_asked = ask.place
        self._asked = ask
        return ask

    def check_answer(self, answer: Answer, receipt: Receipt) -> Verdict | None:
        """What is wrong with an answer to the last question, if anything."""
        asked = self._asked
        assert asked is not None  # noqa: S101  # an answer to nothing is our bug
        if receipt.complete > asked.allowance_us:
            return Verdict(asked.place, FaultCode.LATE, too_late(asked.allowance_us))
        legal = self.deal.table.legal
        if answer.action not in legal:
            return Verdict(
                asked.place,
                FaultCode.ILLEGAL,
                f"{answer.action[:40]!r} is not one of the legal: {', '.join(legal)}",
            )
        return None

    def answered(self, answer: Answer, receipt: Receipt) -> None:
        """Carries out an answer that `check_answer` found nothing wrong with."""
        asked, self._asked = self._asked, None
        assert asked is not None  # noqa: S101  # likewise
        self.voices[asked.place].charge(receipt.complete)
        self.deal.table.play(answer.action)

    def faulted(self, verdict: Verdict) -> bytes:
        """Counts a fault; returns the last line to the process, which must end now."""
        deal, place = self.deal, verdict.place
        seat = deal.places.index(place)
        deal.faults.append(self._found(verdict, deal.start.deal, len(deal.table.acts), seat))
        again = place in deal.at_fault
        deal.at_fault |= set(self.course.places_of(self.plan.seating[place]))
        if self.course.fault(place, again=again) and deal.ended_by is None:
            deal.ended_by = seat
        asked = self._asked.id if self._asked and self._asked.place == place else None
        self._asked = None
        return self.voices[place].fault_line(Fault(asked, str(verdict.code), verdict.detail))

    def close_deal(self) -> DealResult:
        """Counts the deal, tells everybody, and decides whether the leg goes on."""
        deal = self.deal
        reason = _reason(deal)
        account = deal.table.account()
        unsettled = self._unsettled()
        tally = self.course.close(unsettled, deal.at_fault)
        self._tell_end(account, reason)
        digests = [voice.digests() for voice in self.voices]
        alone = self.course.alone
        figures = tally.values if alone else tally.scores
        by_cards = unsettled.values if alone else unsettled.scores
        self._deals += 1
        self._deal = None
        return _result(deal, reason, account, figures=figures, by_cards=by_cards, digests=digests)

    def faulted_at_end(self, verdict: Verdict) -> FaultFound:
        """Counts a fault that was found after the last deal."""
        found = self._found(verdict, deal=0, act=0, seat=verdict.place)
        self.course.faults[found.bot] += 1
        return found

    def _found(self, verdict: Verdict, deal: int, act: int, seat: int) -> FaultFound:
        return FaultFound(
            leg=self.plan.number,
            deal=deal,
            act=act,
            seat=seat,
            bot=self.plan.seating[verdict.place],
            code=verdict.code,
            detail=verdict.detail,
            error=verdict.evidence.error(),
        )

    def under_way(self) -> DealResult | None:
        """The deal that has begun and not ended, as far as it went."""
        deal = self._deal
        if deal is None:
            return None
        return _result(deal, DealReason.UNFINISHED, deal.table.account())

    def _unsettled(self) -> Tally:
        """What the deal brings before faults are settled."""
        deal = self.deal
        if deal.start.played:
            if deal.ended_by is None:
                return deal.table.tally()
            return deal.table.forfeit(deal.ended_by)
        return deal.table.forfeit(min(deal.start.benched))

    def _tell_end(self, account: DealAccount, reason: DealReason) -> None:
        deal = self.deal
        if not deal.start.played:
            return
        scores = self.course.scores()
        for seat, place in enumerate(deal.places):
            if self.voices[place].listening:
                _, news = deal.table.view(seat)
                end = DealEnd(deal.start.deal, news, account.points, scores, str(reason))
                self.voices[place].queue(end)

    def end_lines(self) -> dict[int, bytes]:
        """The last bytes to every place that still listens, when the leg is over."""
        over = self.course.over
        assert over is not None  # noqa: S101  # a driver out of order is our bug
        seating = self.plan.seating
        winner = over.winner and tuple(dict.fromkeys(seating[place] for place in over.winner))
        end = End(self.course.scores(), winner, str(over.reason))
        return {voice.place: voice.farewell(end) for voice in self.voices if voice.listening}
