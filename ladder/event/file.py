"""The file of an event: TOML, read strictly, and checked whole before anything is played.

What the results depend on becomes an `EventPlan`; what only says where and how it is played
(sandbox, workers, records) may change when an event goes on.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct

from ladder.core.seal import Seal, is_digits
from ladder.event.file_schema import KEYS, EventFile, SectionTable
from ladder.event.formats import FORMATS
from ladder.event.plan import Entrant, EventPlan, SectionPlan
from ladder.event.rounds import check_section
from ladder.event.zips import Unzip, as_it_is
from ladder.game_files.game_table import check_printable, check_top, naming, read_file, read_game
from ladder.terms import LuckUse
from referee.bots.find import SAMPLES, find
from referee.bots.settings import Settings
from referee.errors import RefereeError
from referee.match.luck import VALUES_DIGEST
from referee.sandbox.names import SandboxName
from referee.version import own_version

_SAMPLE: Final = "sample:"
_SCRIPT: Final = "sample:script="
_HEX_DIGITS, _OTHER_DIGITS = 32, 22
_LEAST_VARIED: Final = 8
"""Different digits in a key: of 32 that are drawn, one in 25 million has fewer."""


class Event(Struct, frozen=True):
    """An event that can be played.

    Attributes:
        plan: still without the commitment to a key.
        key: the text that the event key is made of, or None: one is made.
        bots: what jobs call the entrants: the BOT texts, with whole paths.
        workers: how many matches at a time; None for one a core.
    """

    plan: EventPlan
    key: str | None
    bots: tuple[str, ...]
    sandbox: SandboxName
    workers: int | None
    records: bool


def event_path(typed: str) -> tuple[Path, Path]:
    """The file that a person means, and the folder that what is played goes to.

    That folder lies beside the file and has its name; for a `sample:NAME`, which lies among our
    own files, it is in the folder where it is typed.

    Raises:
        RefereeError: there is no such sample, or no such file.
    """
    if not typed.startswith(_SAMPLE):
        path = Path(typed)
        if not path.is_file():
            if path.is_dir():
                raise RefereeError(f"event file {typed!r}: that is a folder")
            hint = "there is no such file (samples are written sample:NAME)"
            raise RefereeError(f"event file {typed!r}: {hint}")
        return path, path.with_suffix("")
    files = {path.stem: path for path in sorted(SAMPLES.glob("events/*.toml"))}
    name = typed.removeprefix(_SAMPLE)
    if name not in files:
        raise RefereeError(f"no sample event {name!r}; there are {', '.join(files)}")
    return files[name], Path(name)


def read_event(path: Path, settings: Settings, unzip: Unzip = as_it_is) -> Event:
    """Reads the file of an event and checks everything that can be checked before play.

    Args:
        path: of the file.
        settings: what the organiser allows.
        unzip: unpacks bots that are zips.

    Raises:
        RefereeError: naming the file, the key, and what is wrong with it.
    """

    def checked(asked: EventFile) -> Event:
        return _check(asked, path.parent, settings, unzip)

    return read_file(path, "event file", EventFile, KEYS, checked)


def _check(asked: EventFile, folder: Path, settings: Settings, unzip: Unzip) -> Event:
    _check_key(asked.key)
    check_top(asked)
    bots = tuple(unzip(_whole(bot.path, folder), asked.sandbox) for bot in asked.bot)
    entrants = _entrants(asked, bots, settings)
    sections = []
    for number, table in enumerate(asked.game, 1):
        with naming(f"game {number}"):
            sections.append(_section(asked, table, len(entrants)))
    _check_different("game", [section.name for section in sections])
    heroes = _heroes(asked, sections, [entrant.name for entrant in entrants])
    for number, section in enumerate(sections, 1):
        with naming(f"game {number}"):
            check_section(section, len(entrants), heroes)
    plan = EventPlan(
        name=asked.name,
        referee=own_version(),
        commitment="",
        entrants=entrants,
        sections=tuple(sections),
        heroes=heroes,
        luck=asked.luck,
        luck_values="" if asked.luck is LuckUse.OFF else VALUES_DIGEST,
        bench=asked.bench,
        match_blocks=asked.match_blocks,
        seal=_seal(asked),
    )
    return Event(plan, asked.key, bots, asked.sandbox, asked.workers, asked.records)


def _check_key(key: str | None) -> None:
    """Refuses keys that can be guessed: who has the key knows all cards."""
    if key is None:
        return
    hexadecimal = re.fullmatch("[0-9a-fA-F]*", key) is not None
    least = _HEX_DIGITS if hexadecimal else _OTHER_DIGITS
    if not re.fullmatch("[0-9A-Za-z+/=_-]*", key) or len(key) < least:
        raise RefereeError(
            f"key: an event needs 128 bits, as {_HEX_DIGITS} hex digits or {_OTHER_DIGITS} of "
            "A-Z a-z 0-9 + / - _; without one, it is drawn"
        )
    if len(set(key)) < _LEAST_VARIED:
        raise RefereeError("key: nobody has drawn that; without one, it is drawn")


def _seal(asked: EventFile) -> Seal | None:
    """What organiser and authors agreed on before they could know the decks."""
    commitments = tuple(bot.seal for bot in asked.bot)
    for number, given in enumerate(commitments, 1):
        if given and not is_digits(given):
            raise RefereeError(
                f"bot {number}: seal: 64 hex digits, as `referee event contribute` prints them"
            )
    if asked.beacon is not None:
        check_printable(asked.beacon)
    if asked.beacon is None and not any(commitments):
        return None
    return Seal(commitments=commitments, beacon=asked.beacon or "")


def _whole(typed: str, folder: Path) -> str:
    """A BOT text that means the same wherever it is read."""
    if typed.startswith(_SCRIPT):
        return _SCRIPT + os.path.abspath(folder / typed.removeprefix(_SCRIPT))
    return typed if typed.startswith(_SAMPLE) else os.path.abspath(folder / typed)


def _entrants(asked: EventFile, bots: tuple[str, ...], settings: Settings) -> tuple[Entrant, ...]:
    entrants = []
    for number, (bot, whole) in enumerate(zip(asked.bot, bots, strict=True), 1):
        with naming(f"bot {number}"):
            found = find(whole, settings)
            name = found.name if bot.name is UNSET else bot.name
            check_printable(name)
        entrants.append(Entrant(name, bot.path, found.hash))
    _check_different("bot", [entrant.name for entrant in entrants])
    return tuple(entrants)


def _check_different(what: str, names: list[str]) -> None:
    first: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if first.setdefault(name, number) != number:
            raise RefereeError(
                f"{what} {first[name]} and {what} {number} are both {name!r}: give one a name"
            )


def _section(asked: EventFile, table: SectionTable, entrants: int) -> SectionPlan:
    game = read_game(asked, table)
    if entrants < game.places:
        raise RefereeError(f"a table of {table.id} has {game.places} bots; there are {entrants}")
    return SectionPlan(
        name=game.name,
        terms=game.terms,
        rules=game.rules,
        seats=game.seats,
        partners=game.partners,
        places=game.places,
        format=asked.format if table.format is UNSET else table.format,
        rounds=asked.rounds if table.rounds is UNSET else table.rounds,
        blocks=game.blocks,
        seatings=game.seatings,
    )


def _heroes(asked: EventFile, sections: Sequence[SectionPlan], names: list[str]) -> tuple[int, ...]:
    gauntlet = any(FORMATS[section.format].has_heroes for section in sections)
    if gauntlet and not asked.heroes:
        raise RefereeError("heroes: a gauntlet needs the names of the bots that it is about")
    if asked.heroes and not gauntlet:
        raise RefereeError("heroes: only a gauntlet has them")
    for name in asked.heroes:
        if name not in names:
            raise RefereeError(f"heroes: there is no bot {name!r}; there are {', '.join(names)}")
    _check_different("hero", list(asked.heroes))
    return tuple(names.index(name) for name in asked.heroes)
