"""Numbers and judgements of what was measured, as tables have them."""

from rich.text import Text

from referee.bench.targets import Goal


def judged(goal: Goal | None) -> Text | str:
    """Return whether a target was reached, in words; "" where there is none."""
    if goal is None:
        return ""
    word = Text("ok", "green") if goal.met else Text("missed", "bold red")
    seen = f" ({goal.reached:.1f} x)" if goal.text.endswith(" x") else ""  # it is in no column
    return Text.assemble(goal.text, seen, ": ", word)


def short(value: float) -> str:
    """Return a number to about three places."""
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{places}f}"
