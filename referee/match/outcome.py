"""What a match of blocks brought: the one observation in every statistic. Pure."""

from msgspec import UNSET, Struct, UnsetType

from referee.match.verdict import FaultCode

Meetings = tuple[tuple[int, ...], ...]
"""What a block brought each bot in its first leg, and in all others that are turns of it."""


class BlockResult(Struct, frozen=True):
    """What one block brought: the one observation in every statistic.

    Attributes:
        block: its index in the event.
        deals: how many deals that were: one a seating.
        values: deal values by bot of the job, summed over the deals; a bot that holds a whole side
            counts the side's value once a deal.
        luck: the part of `values` that chance alone brought, in thousandths; empty if not counted.
        faults: how many faults each bot had in it.
        unplayed: how many of the deals each bot was charged for and did not play, since it had had
            so many faults before that it was benched; empty if there are none. Where a bot holds
            one of two sides they were not played; at other tables the stand-in did in its place.
        meetings: two rows by bot: the deal value of the first leg, then the sum of those of the
            legs in which the same bots sit in the same order round the table, moved on (as many as
            there are bots, less one). Left out where each deck is played in one seating, and by
            referees that did not count it.
    """

    block: int
    deals: int
    values: tuple[int, ...]
    luck: tuple[int, ...]
    faults: tuple[int, ...]
    unplayed: tuple[int, ...] = ()
    meetings: Meetings | UnsetType = UNSET

    @property
    def at_fault(self) -> tuple[bool, ...]:
        """By bot, whether something in the block is charged to it."""
        unplayed = self.unplayed or (0,) * len(self.faults)
        return tuple(map(bool, map(max, self.faults, unplayed)))


class FaultFound(Struct, frozen=True, omit_defaults=True):
    """A fault that counts: where it was, whose, and what is told of it wherever faults are listed.

    Attributes:
        leg: of its match, from 0.
        deal: of the leg, from 1; 0: after the last one.
        act: how many acts of the deal were carried out before it.
        seat: in the deal; after the last one in the leg's first.
        error: what the bot wrote to stderr of the error, which is its author's; "" in what
            is published.
    """

    leg: int
    deal: int
    act: int
    seat: int
    bot: int
    code: FaultCode
    detail: str
    error: str = ""

    @property
    def where(self) -> str:
        """The deal, as `referee replay --deal` takes it; "" after the last one."""
        return f"{self.leg + 1}.{self.deal}" if self.deal else ""


class MatchOutcome(Struct, frozen=True, kw_only=True):
    """What a match of decks that stand alone brought, wherever it is kept.

    Attributes:
        blocks: those that were finished in all their seatings: all, unless it was given up.
        acts: how many decisions there were.
        used_us: how long each bot took for its acts, those that were faults included.
        wall_us: between the first question and the end of each deal, in all.
        voids: how many of the first hundred void deals were void while each bot was to act.
        faults: how many faults each bot had in all, those in unfinished blocks and those found at
            the farewell after a leg included. The latter are in no block: where a fault takes a
            block from the others, no bot may choose that once it knows how the block went.
        fault_list: the first of them, for people.
        given_up: why blocks are missing, and whose doing that was; "" if none are.
        game_digest: names what was played, its times left out.
        sandbox: where the bots ran, and what bound them there.
    """

    blocks: tuple[BlockResult, ...]
    acts: int
    used_us: tuple[int, ...]
    wall_us: int
    voids: tuple[int, ...]
    faults: tuple[int, ...]
    fault_list: tuple[FaultFound, ...]
    given_up: str
    game_digest: str
    sandbox: str


def nothing_played(places: int, why: str) -> MatchOutcome:
    """Return the outcome of a match that could not be played.

    Args:
        places: how many bots it was for.
        why: the reason.
    """
    none = (0,) * places
    return MatchOutcome(
        blocks=(),
        acts=0,
        used_us=none,
        wall_us=0,
        voids=none,
        faults=none,
        fault_list=(),
        given_up=why,
        game_digest="",
        sandbox="",
    )
