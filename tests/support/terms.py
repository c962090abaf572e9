"""Matches and jobs as a person would ask for them, in one call."""

from typing import Any

from referee.match.clock import parse_time
from referee.match.plan import MatchConfig
from referee.match.seating import Seating
from referee.match.terms import Terms, all_options, read_options
from referee.match.verdict import Freeze, OnFault
from referee.workers.jobs import Job


def terms_of(
    game: str = "briscola-2",
    bots: int | None = None,
    *,
    options: tuple[str, ...] = (),
    seating: Seating = Seating.ONE,
    time: str = "",
    on_fault: OnFault | None = None,
    freeze: Freeze = Freeze.AUTO,
    pace: int = 0,
) -> Terms:
    """Terms from texts, as on the command line."""
    return Terms(
        game=game,
        options=all_options(game, read_options(options), bots),
        seating=seating,
        time=parse_time(time),
        on_fault=on_fault,
        freeze=freeze,
        pace_ms=pace,
    )


OF_TERMS = ("options", "seating", "time", "on_fault", "freeze", "pace")
"""What `terms_of` takes besides game and bots."""


def config_of(*, game: str, bots: int, **more: Any) -> MatchConfig:  # what one of two calls takes
    """A match as it is asked for; what is of its terms is as `terms_of` has it."""
    said = {name: more.pop(name) for name in OF_TERMS if name in more}
    return MatchConfig(terms=terms_of(game, bots, **said), bots=bots, **more)


def job_of(*, game: str, bots: tuple[str, ...], **more: Any) -> Job:  # what one of two calls takes
    """A job, in all seatings where nothing else is said."""
    said = {name: more.pop(name) for name in OF_TERMS if name in more}
    terms = terms_of(game, len(bots), **{"seating": Seating.FULL, **said})
    return Job(terms=terms, bots=bots, **more)
