"""The commands that the ladder adds to `referee`."""

import typer


def add(app: typer.Typer) -> None:
    """Adds them; called through the entry-point group `briscola_referee.commands`."""
