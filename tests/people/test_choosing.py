"""A person types names as people write them."""

import io
import sys
from collections.abc import Sequence

import pytest
from rich.console import Console

from referee.people.choosing import ByLine, meant
from referee.people.seat_server import Left

CARDS = ("7D", "7H", "TS", "AS")
BIDS = ("pass", "bid 61", "bid 62", "bid 63", "bid 70")


@pytest.mark.parametrize(
    ("typed", "actions", "found"),
    [
        ("7d", CARDS, ["7D"]),
        (" 7♥ ", CARDS, ["7H"]),
        ("10♠", CARDS, ["TS"]),
        ("7", CARDS, ["7D", "7H"]),
        ("a", CARDS, ["AS"]),
        ("", CARDS, []),
        ("2c", CARDS, []),
        ("62", BIDS, ["bid 62"]),
        ("p", BIDS, ["pass"]),
        ("bid 6", BIDS, ["bid 61", "bid 62", "bid 63"]),
        ("KD", ("KD", "KD exchange 7D"), ["KD"]),
    ],
)
def test_a_name_means_the_actions_that_it_can_be(
    typed: str, actions: Sequence[str], found: list[str]
) -> None:
    assert meant(typed, actions) == found


def asked(monkeypatch: pytest.MonkeyPatch, lines: str, actions: Sequence[str]) -> tuple[str, str]:
    """What a person chooses who types these lines, and what is printed."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    chosen = ByLine(Console(file=out, width=200)).choose(actions, lambda: "AS")
    return chosen, out.getvalue()


def test_a_line_that_names_no_one_action_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it may have meant; nothing is played by mistake."""
    chosen, printed = asked(monkeypatch, "\nx\n7\nh\nts\n", CARDS)
    assert chosen == "TS"
    assert "'7': which of 7♦ (7D), 7♥ (7H)?" in printed
    assert "'x': which of 7♦ (7D), 7♥ (7H), 10♠ (TS), A♠ (AS)?" in printed
    assert "hint: AS" in printed


def test_bids_that_count_up_are_shown_as_first_and_last(monkeypatch: pytest.MonkeyPatch) -> None:
    _, printed = asked(monkeypatch, "pass\n", BIDS)
    assert printed == "you may play pass, bid 61 to 63, bid 70\n"


def test_what_is_no_text_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe may bring anything."""
    stdin = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nts\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    chooser = ByLine(Console(file=io.StringIO(), width=200))
    assert chooser.choose(CARDS, lambda: None) == "TS"


@pytest.mark.parametrize("lines", ["", "q\n", "x\n"])
def test_who_says_q_or_nothing_more_leaves(monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    with pytest.raises(Left):
        asked(monkeypatch, lines, CARDS)
