"""The file of an event as it is written: its keys, their types, and their defaults. Pure.

`referee event run --help` says what they mean.
"""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from ladder.game_files.game_table import Count, GamesFile, GameTable, Text
from ladder.game_files.mistakes import Keys
from ladder.terms import FormatName
from referee.sandbox.names import SandboxName


class SectionTable(GameTable, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[game]]`: what it does not say is as for the whole event."""

    format: FormatName | UnsetType = UNSET
    rounds: Count | UnsetType = UNSET


class BotTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[bot]]`; `path` is a BOT as on the command line, from the event file's folder on."""

    path: str
    name: Text | UnsetType = UNSET
    seal: str = ""


class EventFile(GamesFile, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event as it was written down; texts are still unread."""

    name: Text
    key: str | None = None
    format: FormatName = FormatName.ROUND_ROBIN
    rounds: Count | None = None
    blocks: Count = 20
    sandbox: SandboxName = SandboxName.AUTO
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    records: bool = True
    match_blocks: Annotated[int, Meta(ge=1, le=10_000)] = 5
    heroes: tuple[str, ...] = ()
    beacon: Text | None = None
    game: Annotated[tuple[SectionTable, ...], Meta(min_length=1)]
    bot: Annotated[tuple[BotTable, ...], Meta(min_length=2)]


KEYS: Final[Keys] = {
    "": EventFile.__struct_fields__,
    "game": SectionTable.__struct_fields__,
    "bot": BotTable.__struct_fields__,
}
