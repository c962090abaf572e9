"""Words that events and ladders share: uses of luck, partners, formats, bounds. Pure."""

from enum import StrEnum
from typing import Final

MOST_BLOCKS: Final = 100_000
"""In a match, or in a round: what is forged must not make us reserve memory for more."""

MOST_MATCHES: Final = 1_000_000
"""In an event, for the same reason: each of them, played or not, takes memory."""

LARGEST_RECORD: Final = 64 * 1024 * 1024
"""So many bytes of a match's record does a ladder keep, compressed."""

RECORDED_A_DEAL: Final = 24 * 1024
"""So many of them a bot can fill in a deal of some twenty acts, with a kilobyte of notes for each.

What is kept of its faults comes three times a match, and is little beside it.
"""

MOST_BENCH: Final = 1_000_000
"""So many faulty blocks can be wanted to bench a bot: numbers beyond fit no database."""


class Partners(StrEnum):
    """Who enters a game that is played in partnerships."""

    SIDE = "side"
    """A bot holds a whole side, with a process for each of its seats."""
    MIXED = "mixed"
    """A bot holds one seat; partners change from table to table."""


class LuckUse(StrEnum):
    """What becomes of what chance alone brought."""

    OFF = "off"
    """It is not counted."""
    SHOWN = "shown"
    """It is shown beside the score."""
    OFFICIAL = "official"
    """It is taken off the score by which blocks are decided."""


class FormatName(StrEnum):
    """How an event finds out who is best."""

    ROUND_ROBIN = "round-robin"
    """Everybody against everybody."""
    GAUNTLET = "gauntlet"
    """One or a few against all the others."""
    SWISS = "swiss"
    """In each round against a bot that has done as well so far."""
    KNOCKOUT = "knockout"
    """Who loses is out."""
    DOUBLE_KNOCKOUT = "double-knockout"
    """Who has lost twice is out."""
