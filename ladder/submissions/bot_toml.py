"""The bot.toml that we write ourselves: for what came without one, and for what is frozen."""

import json
from collections.abc import Mapping
from typing import Final

TOML: Final = "bot.toml"


def toml_of(command: str, *, limits: Mapping[str, int] | None = None, image: str = "") -> str:
    """A bot.toml that builds nothing; equal for equal bots, whatever their names.

    Args:
        command: what is run; printable.
        limits: what it asks for, by the names of `referee.bots.settings.Bounds`.
        image: the container image that it wants, or nothing; printable.
    """
    lines = ['name = "bot"', f"command = {_quoted(command)}"]
    if image:
        lines.append(f"image = {_quoted(image)}")
    if limits:
        lines += ["[limits]", *(f"{name} = {most}" for name, most in limits.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML string: as in JSON, while nothing in it is escaped but quotes and backslashes."""
    return json.dumps(text, ensure_ascii=False)
