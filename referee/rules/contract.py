"""What a called deal brings: tokens and game points by seat (RULES 6, 11.6, 15). Pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from referee.rules.bids import CONTRACT
from referee.rules.cards import Card

TRICKS_A_DEAL: Final = 8
"""Of five seats with eight cards each."""


class Capot(StrEnum):
    """What doubles a deal."""

    NONE = "none"
    POINTS = "points"
    """The winning side took all card points."""
    TRICKS = "tricks"
    """The winning side took all tricks."""


class Pay(StrEnum):
    """Who gets what."""

    TOKENS = "tokens"
    """2 to the caller and 1 to a partner, from 1 or 2 of each opponent; 4 to a caller alone."""
    ITALIANA = "italiana"
    """1 to each of the side that wins; a caller's side that fails loses 1 each (RULES U20)."""


MULTIPLIERS: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {
    "off": (),
    "tens": ((71, 2), (81, 3), (91, 4), (101, 5), (111, 6)),
    "71_81": ((71, 2), (81, 3)),
}
"""From which pledge on a deal counts how often (RULES 11.6)."""


class Contract(Struct, frozen=True):
    """Who plays for what.

    Attributes:
        pledge: the card points that the caller's side must take.
        called: the called cards; none while the caller plays a two blind.
        partners: who held a called card, the caller excepted; no seat is told.
    """

    caller: int
    pledge: int
    called: tuple[Card, ...] = ()
    partners: tuple[int, ...] = ()


class Payment(Struct, frozen=True):
    """How deals are paid.

    Attributes:
        multipliers: a name of `MULTIPLIERS`.
        draw_at_60: 60-60 is nobody's, where 61 were pledged.
    """

    pay: Pay
    capot: Capot = Capot.NONE
    multipliers: str = "off"
    draw_at_60: bool = False

    @property
    def most(self) -> int:
        """The most that a seat can lose."""
        times = max((times for _, times in MULTIPLIERS[self.multipliers]), default=1)
        if self.capot is not Capot.NONE:
            times *= 2
        return (4 if self.pay is Pay.TOKENS else 1) * times


def pay(
    payment: Payment,
    contract: Contract,
    seats: int,
    taken: tuple[int, int],
    tricks: tuple[int, int],
) -> tuple[int, ...]:
    """Game points by seat.

    Args:
        payment: how deals are paid.
        contract: who played for what.
        seats: seats at the table.
        taken: card points of the caller's side, and of the others.
        tricks: tricks of the caller's side, and of the others.
    """
    if payment.draw_at_60 and contract.pledge == CONTRACT and taken[0] == taken[1]:
        return (0,) * seats
    made = taken[0] >= contract.pledge
    times = _times(payment, contract, taken[not made], tricks[not made])
    team = {contract.caller, *contract.partners}
    scores = []
    for seat in range(seats):
        if payment.pay is Pay.TOKENS:
            share = _tokens(contract, seat, seats - len(team))
            scores.append((share if made else -share) * times)
        elif seat in team:
            scores.append(times if made else -times)
        else:
            scores.append(0 if made else times)
    return tuple(scores)


def _tokens(contract: Contract, seat: int, opponents: int) -> int:
    """What a seat gets when the contract is made; what it pays when it is not."""
    if seat == contract.caller:
        return 2 if contract.partners else opponents
    if seat in contract.partners:
        return 1
    return -(2 + len(contract.partners)) // opponents if contract.partners else -1


def _times(payment: Payment, contract: Contract, won: int, won_tricks: int) -> int:
    """How often the deal counts; `won` is what the winning side took."""
    bands = MULTIPLIERS[payment.multipliers]
    times = max((times for least, times in bands if contract.pledge >= least), default=1)
    capot = (payment.capot is Capot.POINTS and won == 120) or (
        payment.capot is Capot.TRICKS and won_tricks == TRICKS_A_DEAL
    )
    return 2 * times if capot else times
