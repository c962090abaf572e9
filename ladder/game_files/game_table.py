"""What the files of an event and of a ladder have in common: how they are read, and a `[[game]]`.

A file is TOML, read strictly. What a `[[game]]` does not say is as it stands at the top, for all.
"""

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ladder.game_files.mistakes import Keys, in_words
from ladder.terms import MOST_BENCH, LuckUse, Partners
from protocol.messages import Rules
from referee.errors import RefereeError
from referee.games import find
from referee.match.clock import parse_time
from referee.match.luck import values_of
from referee.match.plan import MatchConfig, make_plan
from referee.match.seating import Seating
from referee.match.terms import Terms, unusual_options
from referee.match.verdict import Freeze, OnFault
from referee.rules.game import Sides
from referee.rules.variants import MatchRules
from referee.workers.job_plan import check_on_fault

PACE_MS: Final = 10
"""The pace of partnership and hidden-partner games where the file names none."""

_LARGEST: Final = 256 * 1024

Text = Annotated[str, Meta(min_length=1, max_length=64)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Pace = Annotated[int, Meta(ge=0)]
Bench = Annotated[int, Meta(ge=0, le=MOST_BENCH)]


USUAL_BLOCKS: Final = 5
"""Decks of a match of a ladder, for which its processes live: starts cost more than they take."""


class GameTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[game]]`, as far as it is the same in both files."""

    id: str
    name: Text | UnsetType = UNSET
    options: dict[str, str | int | bool] = {}
    blocks: Count | UnsetType = UNSET
    seating: Seating | UnsetType = UNSET
    partners: Partners | UnsetType = UNSET
    time: str | UnsetType = UNSET
    pace: Pace | UnsetType = UNSET


class GamesFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands at the top of both files; texts are still unread."""

    name: Text | None = None
    blocks: Count | UnsetType = UNSET
    seating: Seating = Seating.FULL
    time: str = ""
    freeze: Freeze = Freeze.AUTO
    pace: Pace | None = None
    on_fault: OnFault | None = None
    partners: Partners = Partners.SIDE
    luck: LuckUse = LuckUse.SHOWN
    bench: Bench = 10


class GameSettings(Struct, frozen=True, kw_only=True):
    """A `[[game]]` that was read; for its fields see `SectionPlan` and `Pool`.

    Attributes:
        lucky: whether there are values to count luck by.
    """

    name: str
    terms: Terms
    rules: Rules
    seats: int
    partners: Sides
    places: int
    seatings: int
    blocks: int
    lucky: bool


F = TypeVar("F", bound=GamesFile)
R = TypeVar("R")
T = TypeVar("T")


def read_file(path: Path, what: str, kind: type[F], keys: Keys, checked: Callable[[F], R]) -> R:
    """Reads a file, and checks it whole.

    Args:
        path: where it is.
        what: of what it is, for who gets it wrong.
        kind: what it says.
        keys: that it can have.
        checked: checks it, and makes something of it; what it raises gets the file's name.

    Raises:
        RefereeError: naming the file, the key, and what is wrong with it.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise RefereeError("that is no file")
        if found.st_size > _LARGEST:
            raise RefereeError(f"more than {_LARGEST} bytes")
        return checked(msgspec.toml.decode(path.read_bytes(), type=kind))
    except OSError as error:
        raise RefereeError(f"{what} {str(path)!r}: {error.strerror}") from error
    except (RefereeError, ValueError, RecursionError) as error:
        raise RefereeError(f"{what} {str(path)!r}: {in_words(str(error), keys)}") from error


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Says of what in the file something is wrong."""
    try:
        yield
    except RefereeError as error:
        raise RefereeError(f"{what}: {error}") from error


def check_top(asked: GamesFile) -> None:
    """Refuses what no game can be played with.

    Raises:
        RefereeError: naming the key.
    """
    if asked.on_fault is OnFault.END_MATCH:
        raise RefereeError("on_fault: blocks are played to their end, so it cannot be end-match")
    if asked.name is not None:
        check_printable(asked.name)


def check_printable(name: str) -> None:
    """Refuses a name that would not look like one.

    Raises:
        RefereeError: it has control characters, or blanks around it.
    """
    if not name.isprintable():
        raise RefereeError("name: control characters have no place in it")
    if name != name.strip():
        raise RefereeError(f"name: {name!r} begins or ends with a blank")


def read_game(asked: GamesFile, game: GameTable) -> GameSettings:
    """A `[[game]]` with all that it does not say itself.

    Args:
        asked: the file.
        game: the table.

    Raises:
        RefereeError: naming what is wrong.
    """
    options = {name: _as_text(value) for name, value in game.options.items()}
    rules, named = find(game.id).rules_of(options)
    seats, partners = rules.game.seats, rules.game.partners
    lucky = values_of(rules.game) is not None
    if asked.luck is LuckUse.OFFICIAL and not lucky:
        raise RefereeError(f"luck: {game.id} has no values to count it by, so raw scores decide")
    pace = _or_else(game.pace, asked.pace)
    terms = Terms(
        game=game.id,
        options=dict(rules.options),
        seating=_or_else(game.seating, asked.seating),
        time=parse_time(_or_else(game.time, asked.time)),
        on_fault=asked.on_fault,
        freeze=asked.freeze,
        pace_ms=_usual_pace(rules) if pace is None else pace,
    )
    mixed = _or_else(game.partners, asked.partners) is Partners.MIXED
    places = seats if mixed else len(partners)
    check_on_fault(asked.on_fault, places)
    blocks = _or_else(game.blocks, _or_else(asked.blocks, USUAL_BLOCKS))
    return GameSettings(
        name=_or_else(game.name, " ".join((game.id, *unusual_options(game.id, rules.options)))),
        terms=terms,
        rules=named,
        seats=seats,
        partners=partners,
        places=places,
        seatings=seatings_of(terms, places, blocks),
        blocks=blocks,
        lucky=lucky,
    )


def _or_else(said: T | UnsetType, usual: T) -> T:
    return usual if isinstance(said, UnsetType) else said


def _as_text(value: str | int | bool) -> str:
    """The value of an option as the command line has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _usual_pace(rules: MatchRules) -> int:
    """Thinking time tells nothing to partners, known or hidden, who get answers at a pace."""
    partners = len(rules.game.partners) < rules.game.seats
    hidden = "own_card_allowed" in rules.options
    return PACE_MS if partners or hidden else 0


def seatings_of(terms: Terms, places: int, blocks: int) -> int:
    """Return in how many seatings a match plays each deck, of which everything else is checked too.

    Args:
        terms: how it is played.
        places: how many bots play.
        blocks: how many decks there are.

    Raises:
        RefereeError: naming what is wrong.
    """
    asked = MatchConfig(terms=terms, bots=places, deals=blocks, key="any")
    return len(make_plan(asked).seatings)
