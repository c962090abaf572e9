"""The sizes that SPEC 7 promises. Numbers only."""

from typing import Final

PROTOCOL_VERSION: Final = 1
"""Grows when an old bot could misunderstand a new referee; additions never change it."""

LINE_TO_BOT: Final = 64 * 1024
"""Most bytes of one line from the referee, its newline included."""

LINE_FROM_BOT: Final = 16 * 1024
"""Most bytes of one line from a bot, its newline included."""

MATCH_FROM_BOT: Final = 1024 * 1024
"""Most bytes from one bot process in a match of up to 50 deals; as much again for each 50 more."""

DEPTH: Final = 8
"""Most brackets open at once in a line from a bot."""

NOTE: Final = 512
"""Most bytes, in UTF-8, of a `note`; and of all the unknown fields of an answer together."""

NAME: Final = 64
"""Most characters of the name and of the version in `ready`."""

INTEGER: Final = 2**53 - 1
"""The largest integer, either way from zero, that every JSON parser reads exactly."""
