"""What strangers wrote is shown as it is: nothing in it acts on a terminal."""

import io

from referee.terminal.console import _Plain, busy


def test_what_a_stranger_wrote_is_no_markup() -> None:
    """A build's command may hold what rich takes for marks: shown, it neither acts nor raises."""
    screen = io.StringIO()
    to = _Plain(file=screen, force_terminal=True, width=60)
    with busy(to, "building: sh -c ': [/b]'") as say:
        say("x[/b] [link=https://example.org]y[/link]")

    assert "[/b]" in screen.getvalue()


def test_what_a_stranger_wrote_begins_no_line() -> None:
    """Readers take each line that the referee prints for its own."""
    screen = io.StringIO()
    _Plain(file=screen).print("a.jsonl: x\nb.jsonl: verified")

    assert screen.getvalue() == "a.jsonl: x\\nb.jsonl: verified\n"
