"""What an event is, checked and complete: all that its results depend on, its key left out. Pure.

The plan stands in the first line of the event's log, so that the log alone tells what was played.
"""

import hashlib

import msgspec
from msgspec import Struct

from ladder.core.seal import Seal
from ladder.terms import FormatName, LuckUse
from protocol.messages import Rules
from referee.match.terms import Terms
from referee.rules.game import Sides


class Entrant(Struct, frozen=True):
    """A bot that takes part; entrants are numbered from 0 in the order of the event file.

    Attributes:
        name: as tables show it; no other has it.
        bot: the BOT as the event file has it.
        hash: SHA-256 over what is run.
    """

    name: str
    bot: str
    hash: str


class SectionPlan(Struct, frozen=True):
    """One game of an event, with rounds, a table and standings of its own.

    Attributes:
        name: as people see it; no other section has it.
        seats: how many sit at a table.
        partners: the seats that score together; each for itself where that is open before a deal.
        places: how many entrants a table has: one a seat, or one a side.
        rounds: how many rounds, or None where the format says.
        blocks: how many blocks a table plays in a round.
        seatings: in how many seatings each deck is played: so many deals has a block.
    """

    name: str
    terms: Terms
    rules: Rules
    seats: int
    partners: Sides
    places: int
    format: FormatName
    rounds: int | None
    blocks: int
    seatings: int

    @property
    def sides(self) -> Sides:
        """The places of a table that score together; empty where every bot scores for itself."""
        return self.partners if len(self.partners) < self.places else ()


class EventPlan(Struct, frozen=True, omit_defaults=True):
    """An event as it will be played.

    Attributes:
        referee: the version that plays it.
        commitment: what the event key is checked by when it is published: SHA-256 of the 32 bytes
            that SPEC 8.1 makes of its text, so that nothing of it can be told before.
        luck_values: names the table of values that luck is counted by; "" where it is not.
        heroes: entrants that a gauntlet is about.
        bench: the faulty blocks, or void deals, from which on a bot may be benched; 0 for never.
        match_blocks: how many blocks the processes of a table live for, at most.
        seal: what the decks follow from beside the secret; None: that alone is their key.
    """

    name: str
    referee: str
    commitment: str
    entrants: tuple[Entrant, ...]
    sections: tuple[SectionPlan, ...]
    heroes: tuple[int, ...]
    luck: LuckUse
    luck_values: str
    bench: int
    match_blocks: int
    seal: Seal | None = None

    def digest(self) -> str:
        """The name of the plan: events with equal digests are to have equal results."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


def differences(one: object, other: object, path: str = "") -> list[tuple[str, object, object]]:
    """Where two built-in values differ: at which path, and what each has there."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = dict.fromkeys((*one, *other))
        pairs = [(f"{path}.{key}".lstrip("."), one.get(key), other.get(key)) for key in keys]
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        pairs = [
            (f"{path}[{at}]", left, right)
            for at, (left, right) in enumerate(zip(one, other, strict=True))
        ]
    else:
        return [] if one == other else [(path, one, other)]
    return [found for place, left, right in pairs for found in differences(left, right, place)]
