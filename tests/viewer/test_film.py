"""Films: what a viewer may see of a deal, frame by frame, in every game."""

import random
from collections import Counter
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from protocol.messages import View
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.match.table import Table
from referee.match.verdict import OnFault, Receipt, Verdict
from referee.viewer.film import Frame, Hand, Moment, frames
from support.drive import CRASH, one_deal, play
from support.leaks import random_acts, rearranged
from support.strategies import Chance, deals


def deal_of(chance: Chance, acts: list[str]) -> DealResult:
    """A deal that is broken off by a fault after these acts."""
    script = iter(acts)

    def choose(_: object, __: tuple[str, ...]) -> str | Verdict:
        return next(script, CRASH)

    game = chance.game
    (found,), _ = play(one_deal(game, chance.deck, chance.dealer, OnFault.END_DEAL), choose)
    return found


def shown(chance: Chance, acts: list[str], viewer: int | None) -> list[Frame]:
    return list(frames(deal_of(chance, acts), viewer))


def moments(film: list[Frame]) -> list[dict[str, Any]]:
    """Each frame with all that it has left as it was, as a page adds them up."""
    found: list[dict[str, Any]] = []
    for frame in film:
        now = dict(found[-1]) if found else {"hands": {}}
        changed = {name: getattr(frame, name) for name in Moment.__struct_fields__}
        hands = changed.pop("hands")
        now |= {name: value for name, value in changed.items() if value is not UNSET}
        now["hands"] = {**now["hands"], **({} if hands is UNSET else hands)}
        found.append(now)
    return found


@given(deals())
def test_a_film_does_not_depend_on_what_its_viewer_has_not_seen(chance: Chance) -> None:
    """The leak law: rearranging unseen cards changes no byte of what a viewer is sent."""
    dice = random.Random(chance.dice)
    acts = random_acts(chance, chance.game)
    seat = dice.randrange(chance.game.seats)
    other = rearranged(chance, acts, seat, dice)
    if other is None:
        return
    one = msgspec.json.encode(shown(chance, acts, seat))
    assert one == msgspec.json.encode(shown(*other, seat))


@given(deals(), st.data())
def test_the_last_frame_is_what_the_seat_was_shown(chance: Chance, data: st.DataObject) -> None:
    """Frames that say only what has changed add up to the view that the bot had."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    acts = random_acts(chance, chance.game)
    table = Table(chance.game, chance.deck, chance.dealer)
    for act in acts:
        table.play(act)
    view: View = table.view(seat)[0]
    deal = deal_of(chance, acts)
    if deal.acts and frames_hidden_at_the_end(deal, seat):
        return  # what has changed is told with the next act that the seat sees
    now = moments(list(frames(deal, seat)))[-1]
    assert now["hands"][seat] == Hand(tuple(view.hand))
    assert now["points"] == tuple(view.points)
    assert (now["talon"], now["turn_up"], now["trump"]) == (view.talon, view.turn_up, view.trump)
    assert (now["caller"], now["called"], now["pledge"]) == (view.caller, view.called, view.pledge)
    if now["taken"] is None:
        assert [laid.card for laid in now["trick"]] == view.trick


def frames_hidden_at_the_end(deal: DealResult, seat: int) -> bool:
    """Whether the seat saw nothing of the last act."""
    film = list(frames(deal, None))
    own = list(frames(deal, seat))
    return len(own) < len(film)


@given(deals())
def test_who_sees_all_sees_every_card_once(chance: Chance) -> None:
    """No card is in a hand and on the table, nor in two hands; none is covered."""
    for now in moments(shown(chance, random_acts(chance, chance.game), None)):
        cards = [card for hand in now["hands"].values() for card in hand.cards]
        cards += [laid.card for laid in now["trick"]]
        assert Counter(cards) <= Counter(map(str, chance.deck))  # some packs have each card twice
        assert not any(hand.covered for hand in now["hands"].values())
        assert all(len(card) == 2 for card in cards)


@given(deals())
def test_a_film_has_a_frame_for_each_act(chance: Chance) -> None:
    acts = random_acts(chance, chance.game)
    film = shown(chance, acts, None)
    assert film[0].deed is None
    assert [frame.deed.action for frame in film[1:] if frame.deed] == acts
    assert [frame.deed.act for frame in film[1:] if frame.deed] == list(range(len(acts)))


@given(deals())
def test_times_notes_and_evals_of_others_are_not_in_a_seat_s_film(chance: Chance) -> None:
    acts = random_acts(chance, chance.game)
    deal = deal_of(chance, acts)
    lines = {
        number: ActLine(action, seat, Receipt(1, 2, 3, 4), note=f"secret of {seat}", eval=seat)
        for number, (seat, action) in enumerate(deal.acts)
    }
    for frame in frames(deal, 0, lines):
        deed = frame.deed
        if deed is None:
            continue
        assert (deed.note == "secret of 0") is (deed.seat == 0)
        assert (deed.us == 3) is (deed.seat == 0)
        assert deed.act is UNSET
    assert all(
        frame.deed.note == f"secret of {frame.deed.seat}"
        for frame in frames(deal, None, lines)
        if frame.deed is not None
    )
