"""All that a seat is shown can be read."""

from typing import get_args

import pytest

from protocol import events as table
from protocol.events import Event
from referee.people.event_text import event_lines

SAID = [
    (table.HandDealt(("7D", "TS")), "your cards 7♦ 10♠"),
    (table.Removed("2H"), "taken out of the pack: 2♥"),
    (table.TurnUp("AC"), "turned up, trump: A♣"),
    (table.Played(1, "7D"), "ada 7♦"),
    (table.Played(1, "7D", "referee"), "ada 7♦ (by the referee)"),
    (table.TrickWon(0, 11), "→ you +11"),
    (table.Drew(0, "KS"), "you drew K♠"),
    (table.Drew(1), None),
    (table.NextCard("KS"), "next to be drawn: K♠"),
    (table.HandShown(1, ("2C", "3C")), "ada held 2♣ 3♣"),
    (table.Exchanged(1, "2D", "AD"), "ada laid down 2♦ for A♦"),
    (table.Married(1, "H", 20), "ada married ♥ +20"),
    (table.Signalled(1, "high"), "ada signalled high"),
    (table.Declared(1, ("2C",)), "ada showed the black hand 2♣"),
    (table.Bade(1, "bid 62"), "ada: bid 62"),
    (table.Bade(1, "pass", "referee"), "ada: pass (by the referee)"),
    (table.Called(1, ("3C",), 61, 0), "ada called 3♣ and has to take 61; you led"),
    (table.Called(1, (), 61, 0), "ada called none and has to take 61; you led"),
    (table.Uncovered(1, "2S"), "ada had covered 2♠"),
    (table.PhaseBegan("tricks"), None),
]


def lines(*events: Event) -> list[str]:
    return [line.plain for line in event_lines(events, ("you", "ada").__getitem__)]


@pytest.mark.parametrize(("event", "said"), SAID)
def test_an_event_is_a_line_or_says_nothing_that_is_not_seen_anyway(
    event: Event, said: str | None
) -> None:
    assert lines(event) == ([] if said is None else [said])


def test_no_kind_of_event_is_left_out() -> None:
    assert {type(event) for event, _ in SAID} == {*get_args(Event)}


def test_the_cards_of_a_trick_stand_in_one_line() -> None:
    found = lines(
        table.Played(0, "7D"),
        table.Played(1, "AD"),
        table.TrickWon(1, 11),
        table.Drew(0, "2C"),
        table.Played(1, "3H"),
    )
    assert found == ["you 7♦  ada A♦  → ada +11", "you drew 2♣", "ada 3♥"]


def test_a_page_has_the_cards_of_a_trick_with_commas_between() -> None:
    trick: list[Event] = [
        table.Played(0, "7D"),
        table.Played(1, "AD"),
        table.TrickWon(1, 11),
    ]
    (line,) = event_lines(trick, ("you", "ada").__getitem__, between=", ")
    assert line.plain == "you 7♦, ada A♦  → ada +11"
