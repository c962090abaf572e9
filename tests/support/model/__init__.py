"""An independent model of every game of RULES.md, written from its text, not from the engine."""

from support.model.deal import Deal
from support.model.match import Match
from support.model.packs import pack, seat_counts

__all__ = ["Deal", "Match", "pack", "seat_counts"]
