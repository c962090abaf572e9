"""The commands that the ladder adds to `referee`.

Whatever is typed, `add` is called: it names functions and imports none of them, so that numpy and
scipy cost nobody anything who does not use them. The line that follows a function's name is the
first sentence of its docstring (a test compares them).
"""

import typer

from referee.lazy import add_lazily


def add(app: typer.Typer) -> None:
    """Adds them; called through the entry-point group `briscola_referee.commands`."""
    line = "Finds out which of two bots is better."
    add_lazily(app, "compare", "ladder.commands.compare:compare", line)
    event = typer.Typer(help="Tournaments of bots.")
    run, show = "Plays an event, or goes on with it.", "Shows the standings of an event so far."
    add_lazily(event, "run", "ladder.commands.event:run", run)
    add_lazily(event, "show", "ladder.commands.event:show", show)
    app.add_typer(event, name="event")
