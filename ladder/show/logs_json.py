"""What bots wrote to stderr in a ladder's matches, for their author, as one value for programs."""

from msgspec import Struct


class LogLine(Struct, frozen=True):
    """What a bot wrote at an act: leg from 1, deal of the leg from 1 (0: after its last one)."""

    leg: int
    deal: int
    act: int
    text: str


class MatchLog(Struct, frozen=True):
    """What a bot wrote in a match."""

    match: int
    at_ms: int
    game: str
    bot: str
    lines: tuple[LogLine, ...]


class LogsJson(Struct, frozen=True):
    """What an author's bots wrote, the newest match first; `is_cut` where there is more."""

    author: str
    logs: tuple[MatchLog, ...]
    is_cut: bool
