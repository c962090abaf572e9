"""How a person says which action: with keys on a terminal, or in a line of its own."""

import io
import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from referee.people.seat_server import Left
from referee.terminal.card_text import action_face

HELP: Final = "arrows and Enter, or type it; h: a hint; q: leave"
Hint = Callable[[], str | None]
_PIPS: Final = {"♥": "H", "♦": "D", "♣": "C", "♠": "S", "10": "T"}
_ARROWS: Final = {b"\x1b[A": -1, b"\x1b[D": -1, b"\x1b[B": 1, b"\x1b[C": 1, b"\t": 1}
_READ: Final = 4096
_END: Final = b"\x04"
_KEY: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z~]|[\xc0-\xff][\x80-\xbf]+|.", re.DOTALL)
"""An arrow and its like, a letter of several bytes, or any other."""

_SHOWN: Final = 12
"""So many actions stand in a row; those around the chosen one, if there are more."""

_RUB_OUT: Final = (b"\x7f", b"\x08")
_ENTER: Final = (b"\r", b"\n")


def meant(typed: str, actions: Sequence[str]) -> list[str]:
    """Return the actions that a text can mean: `7d` and `7♦` are 7D, `62` is `bid 62`.

    Args:
        typed: what a person typed.
        actions: among which to choose.
    """
    text = typed.strip().upper()
    for pip, letter in _PIPS.items():
        text = text.replace(pip, letter)
    exact = [one for one in actions if one.upper() == text]
    if exact or not text:
        return exact
    begin = [one for one in actions if one.upper().startswith(text)]
    return begin or [one for one in actions if one.upper().endswith(f" {text}")]


class Chooser(Protocol):
    """How a person chooses."""

    def choose(self, actions: Sequence[str], hint: Hint) -> str:
        """Return the action that the person chooses.

        Raises:
            Left: the person leaves.
        """

    def pause(self, why: str) -> None:
        """Wait until the person wants to go on.

        Raises:
            Left: the person leaves.
        """


class ByLine:
    """A line for each action: for pipes, and for who reads with the ears."""

    def __init__(self, console: Console) -> None:
        """Lines come from stdin; what there is to choose from is printed."""
        self._console = console
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a pipe may bring what is no text

    def choose(self, actions: Sequence[str], hint: Hint) -> str:
        """Ask until a line names one action."""
        self._console.print(Text.assemble("you may play ", _in_words(actions)))
        while True:
            line = sys.stdin.readline()
            typed = line.strip()
            if not line or typed == "q":
                raise Left
            if typed in ("h", "?"):
                self._console.print(f"hint: {hint() or 'none'}")
                continue
            found = meant(typed, actions)
            if len(found) == 1:
                return found[0]
            which = _in_words(found or actions)
            self._console.print(Text.assemble(f"{typed!r}: which of ", which, "?"))

    def pause(self, why: str) -> None:
        """Go on at once: who sends lines does not read."""


class ByKeys:
    """Arrow keys, or a name that is typed, on a terminal."""

    def __init__(self, console: Console) -> None:
        """Keys come from stdin, which is a terminal, and so is the console."""
        self._console = console

    def choose(self, actions: Sequence[str], hint: Hint) -> str:
        """Show the actions in a row, and let keys move in it."""
        at, typed, said = 0, "", ""
        with (
            _keys() as keys,
            Live(console=self._console, transient=True, auto_refresh=False) as row,
        ):
            while True:
                row.update(_row(actions, at, typed, said), refresh=True)
                key, said = next(keys), ""
                if key in _ENTER:
                    return actions[at]
                if key in _ARROWS:
                    at, typed = (at + _ARROWS[key]) % len(actions), ""
                elif key == b"q" and not typed:
                    raise Left
                elif key in (b"h", b"?") and not typed:
                    advice = hint()
                    at = at if advice is None else actions.index(advice)
                    said = "hint: none" if advice is None else f"hint: {advice}"
                else:
                    typed = typed[:-1] if key in _RUB_OUT else typed + _letters(key)
                    found = meant(typed, actions)
                    at = actions.index(found[0]) if found else at

    def pause(self, why: str) -> None:
        """Wait for Enter."""
        with (
            _keys() as keys,
            Live(console=self._console, transient=True, auto_refresh=False) as row,
        ):
            row.update(Text(f"Enter: {why}; q: leave", style="dim"), refresh=True)
            while (key := next(keys)) not in _ENTER:
                if key == b"q":
                    raise Left


@contextmanager
def kept(console: Console) -> Iterator[None]:
    """Leave the terminal as it was when the block is left, though a thread waits for a key."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        console.show_cursor()


@contextmanager
def _keys() -> Iterator[Iterator[bytes]]:
    """Yield the keys of the terminal, one by one, until the block is left."""
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    tty.setcbreak(file)
    try:
        yield _pressed(file)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _pressed(file: int) -> Iterator[bytes]:
    """Yield one key after the other, for ever: several may have come at once.

    Raises:
        Left: the terminal is gone, or its end was typed.
    """
    while data := os.read(file, _READ):
        for key in _KEY.findall(data):
            if key == _END:
                raise Left
            yield key
    raise Left


def _letters(key: bytes) -> str:
    """Return the letter of a key; "" for one that has none."""
    text = key.decode(errors="ignore")
    return text if text.isprintable() else ""


def _row(actions: Sequence[str], at: int, typed: str, said: str) -> Text:
    row = Text("> ")
    first = max(0, min(at - _SHOWN // 2, len(actions) - _SHOWN))
    row.append("… " if first else "")
    for number, action in enumerate(actions[first : first + _SHOWN], first):
        shown = action_face(action)
        if number == at:
            shown.stylize("reverse bold")
        row.append_text(shown).append("  ")
    row.append("… " if first + _SHOWN < len(actions) else "")
    return row.append(said or typed or HELP, style="dim")


def _in_words(actions: Sequence[str]) -> Text:
    """Return all actions and what is typed for them; those that count up as `bid 65 to 120`."""
    shown: list[Text] = []
    for at, action in enumerate(actions):
        if _follows(action, actions[at - 1 : at]):
            if not any(_follows(one, (action,)) for one in actions[at + 1 : at + 2]):
                shown[-1].append(f" to {action.partition(' ')[2]}")
        else:
            shown.append(_in_word(action))
    return Text(", ").join(shown)


def _follows(action: str, before: Sequence[str]) -> bool:
    """Whether an action is the one before with a number that is one more."""
    word, _, number = action.partition(" ")
    return number.isdecimal() and f"{word} {int(number) - 1}" in before


def _in_word(action: str) -> Text:
    shown = action_face(action)
    return shown if shown.plain == action else shown.append(f" ({action})")
