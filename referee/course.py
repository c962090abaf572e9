"""What goes from deal to deal in a leg: places, dealer, scores, faults, and when it is over. Pure.

A place is a seat of the leg's first deal, and the bot process that sits there. Seats are renumbered
when somebody drops out; places never are.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from referee.endings import DropOut, Over, Reason, Standing, best_of, judge, leaders, nobody, single
from referee.rules import Game, Sides, Tally
from referee.variants import MatchRules, PairGame
from referee.verdict import FAULTS_BEFORE_BENCH, OnFault


class CoursePlan(Struct, frozen=True):
    """What is fixed before a leg begins.

    Attributes:
        seating: the bot at each place.
        decks: how many decks, each standing alone; None for a match to the game's own end.
        dealer: the place that deals first.
    """

    rules: MatchRules
    seating: tuple[int, ...]
    decks: int | None
    dealer: int
    on_fault: OnFault | None


class Course:
    """A leg between its deals."""

    def __init__(self, plan: CoursePlan, faults: Iterable[int] = ()) -> None:
        """Begins; `faults` counts each bot's faults in earlier legs of the match."""
        self.plan = plan
        self.bots = max(plan.seating) + 1
        self.faults = list(faults) or [0] * self.bots
        self.standing: Standing = nobody(len(plan.seating))
        self.over: Over | None = None
        self.pair: PairGame | None = None
        """What the last two play, once the third has dropped out."""
        self.places: tuple[int, ...] = tuple(range(len(plan.seating)))
        self.dealer = plan.dealer

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
        figures, seating = self.figures(), self.plan.seating
        return tuple(figures[seating.index(bot)] for bot in range(self.bots))

    def places_of(self, bot: int) -> tuple[int, ...]:
        """Where a bot sits now."""
        return tuple(place for place in self.places if self.plan.seating[place] == bot)

    def benched(self) -> tuple[int, ...]:
        """The places now held by bots with so many faults that they play no more."""
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

    def fault(self, place: int) -> bool:
        """Counts a fault; returns whether it ends the deal."""
        self.faults[self.plan.seating[place]] += 1
        if self.plan.on_fault is None:
            return self.is_whole_side(place)
        return self.plan.on_fault is not OnFault.PLAY_ON

    def settle(self, tally: Tally, at_fault: Iterable[int]) -> Tally:
        """What a deal brings after faults: the least to bots at fault, to their partners no harm.

        Args:
            tally: what the cards say, by seat.
            at_fault: places of bots at fault in this deal.
        """
        guilty = {self.places.index(place) for place in at_fault}
        if not guilty:
            return tally
        stakes = self.game.stakes
        hurt = {seat for side in self.game.partners if guilty & set(side) for seat in side}

        def share(entries: tuple[int, ...], worst: int, void: int) -> tuple[int, ...]:
            return tuple(
                worst if seat in guilty else max(entry, void) if seat in hurt else entry
                for seat, entry in enumerate(entries)
            )

        return Tally(
            share(tally.points, 0, 0),
            share(tally.scores, stakes.worst_score, stakes.void_score),
            share(tally.values, stakes.worst_value, stakes.void_value),
        )

    def close(self, cards: Tally, at_fault: Iterable[int]) -> Tally:
        """Counts a deal, moves the deal on, and says whether it was the last.

        Args:
            cards: what the cards say, by seat.
            at_fault: places of bots at fault in this deal.

        Returns:
            What the deal brings after faults.
        """
        tally = self.settle(cards, at_fault)
        self.standing = self.standing.add(tally, cards, self.places)
        void = not any(tally.scores)
        self.over = self._verdict(set(at_fault))
        stays = void and self.plan.rules.void_keeps_dealer and not self.alone
        if not stays:
            self.dealer = self._next_dealer()
        return tally

    def _next_dealer(self) -> int:
        seats = len(self.plan.seating)
        right = [(self.dealer + step) % seats for step in range(1, seats + 1)]
        return next(place for place in right if place in self.places)

    def _verdict(self, at_fault: set[int]) -> Over | None:
        if at_fault and self.plan.on_fault is OnFault.END_MATCH:
            return self._stop(at_fault)
        if self.plan.decks is not None:
            if self.standing.deals < self.plan.decks:
                return None
            standing = self.standing
            won = best_of(self.sides(), standing.values, standing.cards)
            return Over(won, Reason.DEALS)
        found = judge(self.plan.rules.ending, self.standing, self.sides(), self.places)
        benched = set(self.benched())
        if found is None and benched and not any(map(self.is_whole_side, benched)):
            return self._stop(benched)
        if isinstance(found, DropOut):
            self.places = found.places
            self.pair = self.plan.rules.pair
            return None
        return found

    def _stop(self, at_fault: set[int]) -> Over:
        """A fault ends it all: the best of the others has won, if one side is best."""
        sides = self.sides()
        among = tuple(place for place in self.places if place not in at_fault)
        if not among:
            return Over(None, Reason.FAULT)
        figures = self.figures()
        top = leaders(figures, among)
        if len(sides) == 2 and any(set(side) <= at_fault for side in sides):
            top = among
        return Over(top if single(top, sides) else None, Reason.FAULT)
