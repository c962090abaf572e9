"""Formats: what is played next, as a pure function of what was played.

The same rounds played and the same entrants benched give the same next round: there is no
randomness here, no clock, and nothing is remembered but what follows from the arguments. The order
in which tables of a round were finished does not matter. `format` says what a format is; begin with
`round_robin`. A further one is a file here and its line in `FORMATS`.
"""

from collections.abc import Mapping
from typing import Final

from ladder.event.formats.field import Entrants
from ladder.event.formats.format import Format
from ladder.event.formats.gauntlet import Gauntlet
from ladder.event.formats.knockout import DoubleKnockout, Knockout
from ladder.event.formats.round_robin import RoundRobin
from ladder.event.formats.swiss import Swiss
from ladder.terms import FormatName

__all__ = ["FORMATS", "Entrants", "Format"]

FORMATS: Final[Mapping[FormatName, Format]] = {
    FormatName.ROUND_ROBIN: RoundRobin(),
    FormatName.GAUNTLET: Gauntlet(),
    FormatName.SWISS: Swiss(),
    FormatName.KNOCKOUT: Knockout(),
    FormatName.DOUBLE_KNOCKOUT: DoubleKnockout(),
}
