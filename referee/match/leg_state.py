"""What goes from deal to deal in a leg: places, dealer, scores, faults, and when it is over. Pure.

A place is a seat of the leg's first deal, and the bot process that sits there. Seats are renumbered
when a bot drops out; places never are.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from protocol.messages import Rules, TimeControl
from referee.match.chance import BlockKey
from referee.match.clock import Clock, full_clock
from referee.match.terms import Terms
from referee.match.verdict import FAULTS_BEFORE_BENCH, OnFault
from referee.rules.cards import Card
from referee.rules.game import Game, Sides, Tally
from referee.rules.match_end import (
    DropOut,
    EndingKind,
    LegStanding,
    Over,
    Reason,
    best_of,
    leaders,
    match_end,
    single,
)
from referee.rules.variants import MatchRules, PairGame, Raise

Block = tuple[BlockKey, tuple[Card, ...] | None]
"""A block's key, and its deck if that was given by hand."""


class LegPlan(Struct, frozen=True):
    """What is fixed before a leg begins.

    Attributes:
        number: of the leg in its match, from 0.
        name: the name of the rules.
        seating: the bot at each place.
        decks: how many decks, each standing alone; None for a match to the game's own end.
        dealer: the place that deals first.
        block: returns the block of the deal with this number, counted from 0.
        clocks: of the bots that have another one than the terms say.
    """

    number: int
    terms: Terms
    name: Rules
    rules: MatchRules
    seating: tuple[int, ...]
    decks: int | None
    dealer: int
    block: Callable[[int], Block]
    clocks: Mapping[int, TimeControl] = {}

    def clock_at(self, place: int) -> Clock:
        """Return the clock of the bot at this place, when the leg begins."""
        return full_clock(self.clocks.get(self.seating[place], self.terms.time))


class LegState:
    """A leg between its deals."""

    def __init__(self, plan: LegPlan, faults: Iterable[int] = ()) -> None:
        """Begins; `faults` counts each bot's faults in earlier legs of the match."""
        self.plan = plan
        self.bots = max(plan.seating) + 1
        self._first_places = tuple(map(plan.seating.index, range(self.bots)))
        self.faults = list(faults) or [0] * self.bots
        self.standing: LegStanding = LegStanding.zero(len(plan.seating))
        self.over: Over | None = None
        self.pair: PairGame | None = None
        """What the last two play, once the third has dropped out."""
        self.places: tuple[int, ...] = tuple(range(len(plan.seating)))
        self.dealer = plan.dealer
        self.worth = Raise()
        """What the next deal is worth, after a void one."""
        self.charged: set[int] = set()
        """The bots that deals of this leg were charged to."""

    @property
    def game(self) -> Game[Any]:  # every game has a state type of its own
        """The game of the next deal."""
        return self.plan.rules.game if self.pair is None else self.pair.game

    @property
    def alone(self) -> bool:
        """Whether every deal stands alone, so that deal values count."""
        return self.plan.decks is not None

    def figures(self) -> tuple[int, ...]:
        """What counts in this leg so far, by place: deal values, or game points."""
        return self.standing.values if self.alone else self.standing.scores

    def scores(self) -> tuple[int, ...]:
        """The same by bot."""
        return self.by_bot(self.figures())

    def by_bot(self, figures: tuple[int, ...]) -> tuple[int, ...]:
        """Figures by place as figures by bot; all places of a bot have the same."""
        return tuple([figures[place] for place in self._first_places])

    def places_of(self, bot: int) -> tuple[int, ...]:
        """Where a bot sits now."""
        return tuple(place for place in self.places if self.plan.seating[place] == bot)

    def benched(self) -> tuple[int, ...]:
        """The places now held by bots with so many faults that they play no more."""
        if max(self.faults) < FAULTS_BEFORE_BENCH:
            return ()
        return tuple(
            place
            for place in self.places
            if self.faults[self.plan.seating[place]] >= FAULTS_BEFORE_BENCH
        )

    def sides(self) -> Sides:
        """The sides of the next deal, in places."""
        return tuple(tuple(self.places[seat] for seat in side) for side in self.game.partners)

    def is_whole_side(self, place: int) -> bool:
        """Whether the bot at this place holds one of two sides alone."""
        sides = self.sides()
        own = set(self.places_of(self.plan.seating[place]))
        return len(sides) == 2 and any(place in side and set(side) <= own for side in sides)

    def forfeits_unplayed(self) -> bool:
        """Whether the next deal is lost without a card, since a benched bot holds one of two sides.

        At other tables the stand-in plays for a benched bot, so that the others have their deals.
        """
        return any(map(self.is_whole_side, self.benched()))

    def fault(self, place: int, *, again: bool) -> bool:
        """Counts a fault, one for each bot and deal; returns whether it ends the deal."""
        self.faults[self.plan.seating[place]] += not again
        if self.plan.terms.on_fault is None:
            return self.is_whole_side(place)
        return self.plan.terms.on_fault is not OnFault.PLAY_ON

    def settle(self, tally: Tally, at_fault: Iterable[int]) -> Tally:
        """Return what a deal brings after faults: the least to bots at fault.

        Everybody else has what the cards say, partners included: were they spared a loss, a bot
        could fault to save a friend who sits with it.

        Args:
            tally: what the cards say, by seat.
            at_fault: places of bots at fault in this deal.
        """
        guilty = {self.places.index(place) for place in at_fault}
        if not guilty:
            return tally
        stakes = self.game.stakes
        worst_score = stakes.worst_score * self.worth.times

        def share(entries: tuple[int, ...], worst: int) -> tuple[int, ...]:
            return tuple(worst if seat in guilty else entry for seat, entry in enumerate(entries))

        return Tally(
            share(tally.points, 0),
            share(tally.scores, worst_score),
            share(tally.values, stakes.worst_value),
            tally.counted,
        )

    def close(self, unsettled: Tally, at_fault: Iterable[int]) -> Tally:
        """Counts a deal, moves the deal on, and says whether it was the last.

        Args:
            unsettled: what the cards say, by seat.
            at_fault: places of bots at fault in this deal.

        Returns:
            What the deal brings after faults.
        """
        guilty = set(at_fault)
        void = not any(unsettled.scores)
        tally = self.settle(self._raised(unsettled), guilty)
        self.charged |= {self.plan.seating[place] for place in guilty}
        self.standing = self.standing.add(tally, unsettled, self.places)
        self._raise(void=void)
        found = self._verdict(guilty)
        if isinstance(found, DropOut):
            self.places, self.pair = found.places, self.plan.rules.pair
        else:
            self.over = found
        if not (void and self.plan.rules.void_keeps_dealer and not self.alone):
            self.dealer = self._next_dealer()
        return tally

    def _raised(self, tally: Tally) -> Tally:
        """A deal that counts for more, since the one before it was void."""
        if self.worth == Raise():
            return tally
        times, plus = self.worth.times, self.worth.plus
        scores = tuple(score * times + plus * (score > 0) for score in tally.scores)
        return msgspec.structs.replace(tally, scores=scores)

    def _raise(self, *, void: bool) -> None:
        """What the next deal is worth; where decks stand alone, always the same."""
        after = self.plan.rules.after_void
        if not void or self.alone:
            self.worth = Raise()
        else:
            self.worth = Raise(after.times, self.worth.plus + after.plus)

    def _next_dealer(self) -> int:
        seats = len(self.plan.seating)
        place = (self.dealer + 1) % seats
        while place not in self.places:
            place = (place + 1) % seats
        return place

    def _verdict(self, at_fault: set[int]) -> Over | DropOut | None:
        if self.plan.decks is not None:
            ended = self.standing.deals >= self.plan.decks
            found: Over | DropOut | None = self._by_value() if ended else None
        else:
            found = match_end(self.plan.rules.ending, self.standing, self.sides(), self.places)
        if (
            at_fault
            and self.plan.terms.on_fault is OnFault.END_MATCH
            and not isinstance(found, Over)
        ):
            return self._stop(at_fault)
        benched = set(self.benched())
        return self._without(benched, found) if benched and not self.alone else found

    def _without(self, benched: set[int], found: Over | DropOut | None) -> Over | DropOut | None:
        """Return how a match to the game's own end goes on when bots in it play no more.

        It stops where only one side is left to play for it. Otherwise it goes on, and a benched bot
        does not win: could a bot stop the match by faults, it would while a friend is ahead.

        Args:
            benched: the places of the bots that play no more.
            found: what the rules of the game say of the match, faults aside.
        """
        sides = self.sides()
        if isinstance(found, Over):
            lost = len(sides) == 2 and any(set(side) <= benched for side in sides)
            if lost or found.winner is None:
                return found
            winner = tuple(place for place in found.winner if place not in benched)
            return Over(winner, found.reason) if winner else self._stop(benched)
        playing = self.places if found is None else found.places
        left = tuple(place for place in playing if place not in benched)
        return self._stop(benched) if single(left, sides) else found

    def _by_value(self) -> Over:
        """The end of decks that stand alone."""
        seating, standing = self.plan.seating, self.standing
        sides = [tuple(sorted({seating[place] for place in side})) for side in self.sides()]
        unsettled = self.by_bot(standing.unsettled)
        shared = self.plan.rules.ending.shared
        won = best_of(sides, self.scores(), unsettled, self.charged, shared=shared)
        places = won and tuple(place for place in self.places if seating[place] in won)
        return Over(places, Reason.DEALS)

    def _stop(self, at_fault: set[int]) -> Over:
        """A fault ends it all: the best of the others has won, if one side is best."""
        sides = self.sides()
        among = tuple(place for place in self.places if place not in at_fault)
        if not among:
            return Over(None, Reason.FAULT)
        for_wins = not self.alone and self.plan.rules.ending.kind is EndingKind.WINS
        top = leaders(self.standing.wins if for_wins else self.figures(), among)
        if len(sides) == 2 and any(set(side) <= at_fault for side in sides):
            top = among
        return Over(top if single(top, sides) else None, Reason.FAULT)
