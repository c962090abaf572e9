"""The file of an event as it is written: its keys, their types, and their defaults. Pure.

`referee event run --help` says what they mean.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ladder.formats import Format
from ladder.plan import LuckUse, Partners
from referee.sandbox.opening import SandboxName
from referee.seating import Seating
from referee.verdict import Freeze, OnFault

Text = Annotated[str, Meta(min_length=1, max_length=64)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Pace = Annotated[int, Meta(ge=0)]


class GameTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[game]]`: what it does not say is as for the whole event."""

    id: str
    name: Text | UnsetType = UNSET
    options: dict[str, str | int | bool] = {}
    format: Format | UnsetType = UNSET
    rounds: Count | UnsetType = UNSET
    blocks: Count | UnsetType = UNSET
    seating: Seating | UnsetType = UNSET
    time: str | UnsetType = UNSET
    pace: Pace | UnsetType = UNSET


class BotTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[bot]]`; `path` is a BOT as on the command line, from the event file's folder on."""

    path: str
    name: Text | UnsetType = UNSET


class EventFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event as it was written down; texts are still unread."""

    name: Text
    key: str | None = None
    format: Format = Format.ROUND_ROBIN
    rounds: Count | None = None
    blocks: Count = 20
    seating: Seating = Seating.FULL
    time: str = ""
    freeze: Freeze = Freeze.AUTO
    pace: Pace | None = None
    on_fault: OnFault | None = None
    sandbox: SandboxName = SandboxName.AUTO
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    records: bool = True
    partners: Partners = Partners.SIDE
    luck: LuckUse = LuckUse.SHOWN
    bench: Annotated[int, Meta(ge=0)] = 10
    match_blocks: Annotated[int, Meta(ge=1, le=10_000)] = 50
    heroes: tuple[str, ...] = ()
    game: Annotated[tuple[GameTable, ...], Meta(min_length=1)]
    bot: Annotated[tuple[BotTable, ...], Meta(min_length=2)]
