"""The trick that a person sees after it has left the table."""

import pytest

from protocol.events import Event, HandDealt, Played, TrickWon, Uncovered
from referee.people.last_trick import LastTrick, last_trick

NAMES = ["you", "ada"]
ONE: list[Event] = [Played(1, "7D"), Played(0, "AD"), TrickWon(0, 11)]


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([], None),
        ([HandDealt(("7D",)), Played(1, "7D")], None),
        (ONE, LastTrick((("ada", "7D"), ("you", "AD")), "you", 11)),
        ([*ONE, Played(0, "3D")], LastTrick((("ada", "7D"), ("you", "AD")), "you", 11)),
        (
            [*ONE, Played(0, "2"), Played(1, "KS"), Uncovered(0, "2S"), TrickWon(1, 4)],
            LastTrick((("you", "2S"), ("ada", "KS")), "ada", 4),
        ),
    ],
)
def test_the_last_trick_is_the_one_that_was_taken_last(
    events: list[Event], found: LastTrick | None
) -> None:
    """What lies on the table is none yet; a covered card is the one that it turned out to be."""
    assert last_trick(events, NAMES.__getitem__) == found
