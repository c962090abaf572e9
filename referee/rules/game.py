"""What a game is to the rest of the referee. Nothing concrete, no game.

A game is a set of functions over a state that only the game looks into, and that acts change in
place; nothing else has an effect. Chance enters as the order of the deck, bots as action strings.
What a seat knows is built from the events that the game shows to that seat, and from nothing else
(`referee.rules.views`).
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from protocol.events import Event
from protocol.messages import View
from referee.rules.cards import Card, Suit

Sides = tuple[tuple[int, ...], ...]
"""The seats that score together, side by side."""

EventsBySeat = tuple[tuple[Event, ...], ...]
"""What each seat is shown, by seat."""


class Trick(Struct, frozen=True, gc=False):
    """A finished trick; `cards` in the order of play, beginning with the leader's."""

    leader: int
    cards: tuple[Card, ...]
    winner: int
    points: int


class Tally(Struct, frozen=True):
    """What a deal brings, by seat; partners have equal entries unless one is at fault.

    Attributes:
        points: card points of the seat's side.
        scores: game points, as the variant's deal scoring counts them.
        values: the deal value, the unit of all statistics.
        counted: whether the deal is one of those that a match of so many deals has; a deal in
            which all passed is not (RULES U07).
    """

    points: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...]
    counted: bool = True


class Stakes(Struct, frozen=True):
    """The least that a deal can bring to a seat, and what a void deal brings."""

    worst_score: int
    worst_value: int
    void_score: int = 0
    void_value: int = 0


class DealAccount(Struct, frozen=True):
    """A deal told afterwards, for records and viewers; it holds what no bot may see.

    Attributes:
        turn_up: the card that showed the trump at the deal, whichever seat took it later.
        sides: the seats that scored together; in an auction the caller's side is the first, and
            the caller its first seat.
        points: points that each seat took in tricks and by marriages.
        auction: what was said in it: seat and action.
        black_hand: the seat that has won by it.
        caller: who won the auction and has called; with `pledge` and the `called` cards.
    """

    trump: Suit | None
    turn_up: Card | None
    sides: Sides
    points: tuple[int, ...]
    tricks: tuple[Trick, ...]
    auction: tuple[tuple[int, str], ...] = ()
    caller: int | None = None
    pledge: int | None = None
    called: tuple[Card, ...] = ()
    black_hand: int | None = None


S = TypeVar("S")


class Game(Protocol[S]):
    """The rules of one deal. `S` is the game's own state."""

    @property
    def seats(self) -> int:
        """How many seats there are."""

    @property
    def partners(self) -> Sides:
        """The sides, where they are known before the deal; else every seat for itself."""

    @property
    def pack(self) -> tuple[Card, ...]:
        """The cards of a deck, in the order that a shuffle starts from."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Every action that can ever be legal, each once, always in the same order."""

    @property
    def max_acts(self) -> int:
        """The most acts a deal can take, whatever the bots do."""

    @property
    def stakes(self) -> Stakes:
        """The least that a deal can bring to a seat."""

    def deal(self, deck: Sequence[Card], dealer: int) -> tuple[S, EventsBySeat]:
        """Deals `deck`, top card first; returns the first state and what each seat is shown."""

    def to_move(self, state: S) -> int | None:
        """The seat whose act it is, or None when the deal is over."""

    def legal(self, state: S) -> tuple[str, ...]:
        """The actions of the seat to move, in the order of SPEC 3.4, without doubles."""

    def suit_to_follow(self, state: S) -> str | None:
        """Return the suit that the seat to move must play if it has it; None: it need not."""

    def apply(self, state: S, action: str) -> EventsBySeat:
        """Carries out one of `legal(state)`, in place; returns what each seat is shown of it.

        Anything else is the caller's bug, and leaves a state of which nothing can be said.
        """

    def copy(self, state: S) -> S:
        """Return another branch: what is done in one of both does not change the other."""

    def default(self, state: S) -> str:
        """The action that is played for a seat at fault."""

    def tally(self, state: S) -> Tally:
        """What the finished deal brings."""

    def forfeit(self, state: S, seat: int) -> Tally:
        """What the deal brings when it ends here by a fault of `seat`.

        The seat's whole side takes the least of the scale. Where one other side is left it takes
        the most; where several are, the deal is void for them.
        """

    def account(self, state: S) -> DealAccount:
        """The deal so far, all-seeing."""

    def opening(self, seat: int, dealer: int) -> View:
        """What a seat knows before it was shown anything."""


def best_value(game: Game[Any]) -> int:  # whatever its state is
    """Return the most that a deal can be worth to a seat; the least is `stakes.worst_value`.

    Values of the sides add up to zero, so one has as much as all others can lose. In an auction
    no seat wins more than a caller alone can lose.
    """
    least = game.stakes.worst_value
    return -least if "pass" in game.actions else -least * (len(game.partners) - 1)
