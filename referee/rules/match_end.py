"""When a match is over and who has won it (RULES 5, 8.2). Pure; told after every deal."""

import operator
from collections.abc import Iterable, Set
from enum import StrEnum

from msgspec import Struct

from referee.rules.game import Sides, Tally


class EndingKind(StrEnum):
    """What a match is played for."""

    WINS = "wins"
    """First to so many won deals; void deals do not count."""
    DEALS = "deals"
    """So many deals: most game points, then most card points, else drawn."""
    POINTS = "points"
    """So many game points; level at the top plays on."""


class MatchEnd(Struct, frozen=True):
    """When a match ends.

    Attributes:
        drop_out: two of three level at the target go on without the third (RULES U14).
        shared: whoever is level at the top after all deals has won; card points do not decide
            (RULES U12).
        max_deals: at so many deals, voids included, the match is drawn.
    """

    kind: EndingKind
    number: int
    drop_out: bool = False
    max_deals: int = 50
    shared: bool = False


class Reason(StrEnum):
    """Why a match ended, apart from who won it."""

    TARGET = "target"
    """The wins or points that the match was played for were reached."""
    DEALS = "deals"
    """All its deals were played."""
    CAP = "cap"
    """The most deals a match may have were played: drawn."""
    FAULT = "fault"
    """A fault ended it: by `--on-fault end-match`, or because a bot plays no more."""
    INTERRUPTED = "interrupted"
    """The person who ran the match stopped it."""
    HOST = "host"
    """A deal was void so often, through no bot's doing, that it was given up."""


class LegStanding(Struct, frozen=True):
    """What a match has brought so far, by place; a place is a seat of the match's first deal.

    Attributes:
        deals: all deals; `counted` are those without the ones in which all passed.
        unsettled: deal values as the cards say, before faults were settled.
    """

    deals: int
    counted: int
    wins: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...]
    points: tuple[int, ...]
    unsettled: tuple[int, ...]

    @classmethod
    def zero(cls, places: int) -> "LegStanding":
        """Return the standing before the first deal."""
        none = (0,) * places
        return cls(
            deals=0, counted=0, wins=none, scores=none, values=none, points=none, unsettled=none
        )

    def add(self, tally: Tally, unsettled: Tally, places: tuple[int, ...]) -> "LegStanding":
        """The standing after one more deal, in which `places[seat]` sat at `seat`.

        Args:
            tally: what the deal brings after faults.
            unsettled: what it would bring without them.
            places: who sat in it.
        """
        if places == tuple(range(len(self.wins))):  # all still sit as they did

            def plus(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
                return tuple(map(operator.add, old, new))

        else:
            seat_of = {place: seat for seat, place in enumerate(places)}

            def plus(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
                return tuple(
                    mine + (new[seat_of[place]] if place in seat_of else 0)
                    for place, mine in enumerate(old)
                )

        return LegStanding(
            self.deals + 1,
            self.counted + tally.counted,
            plus(self.wins, tuple([int(score > 0) for score in tally.scores])),
            plus(self.scores, tally.scores),
            plus(self.values, tally.values),
            plus(self.points, tally.points),
            plus(self.unsettled, unsettled.values),
        )


class Over(Struct, frozen=True):
    """The match is over; `winner` holds places, or is None for a drawn match."""

    winner: tuple[int, ...] | None
    reason: Reason


class DropOut(Struct, frozen=True):
    """The match goes on between these places only."""

    places: tuple[int, ...]


def leaders(figures: tuple[int, ...], among: tuple[int, ...]) -> tuple[int, ...]:
    """The places with the highest figure."""
    best = max(figures[place] for place in among)
    return tuple(place for place in among if figures[place] == best)


def best_of(
    sides: Iterable[tuple[int, ...]],
    figures: tuple[int, ...],
    unsettled: tuple[int, ...],
    charged: Set[int],
    *,
    shared: bool = False,
) -> tuple[int, ...] | None:
    """The bots that win on the sum of deal values.

    Sides of several bots are compared by what the cards say, so that a fault neither decides
    between them nor lets a partner win alone; a charged bot is not among the winners.

    Args:
        sides: the bots that win together.
        figures: deal values after faults, by bot.
        unsettled: deal values before them, by bot.
        charged: bots that were charged for a fault.
        shared: whether all that are level at the top win (RULES U12), rather than none.
    """
    of = {side: unsettled[side[0]] if len(side) > 1 else figures[side[0]] for side in sides}
    best = [side for side, total in of.items() if total == max(of.values())]
    if shared:
        return tuple(sorted(bot for side in best for bot in side))
    if len(best) > 1:
        return None
    won = tuple(bot for bot in best[0] if len(best[0]) == 1 or bot not in charged)
    return won or None


def single(places: tuple[int, ...], sides: Sides) -> bool:
    """Whether these places are of one side."""
    return any(set(places) <= set(side) for side in sides)


def match_end(
    ending: MatchEnd, standing: LegStanding, sides: Sides, playing: tuple[int, ...]
) -> Over | DropOut | None:
    """Says after a deal whether the match is over, goes on among fewer, or just goes on.

    Args:
        ending: what the match is played for.
        standing: all deals up to now.
        sides: the sides of the match, in places.
        playing: the places that sat in the last deal.
    """
    found: Over | DropOut | None = None
    if ending.kind is EndingKind.WINS:
        done = tuple(place for place in playing if standing.wins[place] >= ending.number)
        found = Over(done, Reason.TARGET) if done else None
    elif ending.kind is EndingKind.POINTS:
        found = _to_points(ending, standing, sides, playing)
    elif standing.counted >= ending.number:
        found = _after_deals(ending, standing, sides, playing)
    if found is None and standing.deals >= ending.max_deals:
        return Over(None, Reason.CAP)
    return found


def _to_points(
    ending: MatchEnd, standing: LegStanding, sides: Sides, playing: tuple[int, ...]
) -> Over | DropOut | None:
    top = leaders(standing.scores, playing)
    if standing.scores[top[0]] < ending.number:
        return None
    if single(top, sides):
        return Over(top, Reason.TARGET)
    goes_on = standing.deals < ending.max_deals
    return DropOut(top) if ending.drop_out and goes_on and len(top) == 2 < len(playing) else None


def _after_deals(
    ending: MatchEnd, standing: LegStanding, sides: Sides, playing: tuple[int, ...]
) -> Over:
    top = leaders(standing.scores, playing)
    if ending.shared:
        return Over(top, Reason.DEALS)
    top = leaders(standing.points, top)
    return Over(top if single(top, sides) else None, Reason.DEALS)


def parse_match(text: str, *, drop_out: bool) -> MatchEnd:
    """Reads the option `match`: best-of:N, first-to:N, deals:N or points:N, already checked."""
    kind, _, number = text.partition(":")
    count = int(number)
    if kind == "best-of":
        return MatchEnd(EndingKind.WINS, count // 2 + 1)
    if kind == "first-to":
        return MatchEnd(EndingKind.WINS, count)
    if kind == "deals":
        return MatchEnd(EndingKind.DEALS, count, max_deals=max(50, count))
    return MatchEnd(EndingKind.POINTS, count, drop_out=drop_out)
