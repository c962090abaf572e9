"""What a learner is shown: all that its seat knows, and nothing else, as numbers of one byte."""

import ast
import json
import random
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import catalogue
from referee.match.table import Table
from referee.training import encoding as encoding_module
from referee.training.encoding import Encoding, read_view
from referee.training.of_game import encoding_of
from support.leaks import played, random_acts, rearranged
from support.strategies import Chance, deals, likely


def table_after(chance: Chance, acts: list[str]) -> Table:
    """A deal after some acts."""
    table = Table(chance.game, chance.deck, chance.dealer)
    for act in acts:
        table.play(act)
    return table


@given(deals())
def test_every_view_of_every_game_has_numbers_within_their_bounds(chance: Chance) -> None:
    """At each act, under all options; and each legal action has its own place in the mask."""
    encoding = encoding_of(chance.game_id, chance.options)
    table, dice = Table(chance.game, chance.deck, chance.dealer), random.Random(chance.dice)
    while (seat := table.to_move) is not None:
        row = encoding.observe(table.view(seat)[0])
        assert len(row) == encoding.size == len(encoding.high)
        assert all(number <= high for number, high in zip(row, encoding.high, strict=True))
        mask = encoding.mask(table.legal)
        assert sum(mask) == len(table.legal)
        assert all(mask[encoding.number[action]] for action in table.legal)
        table.play(likely(table.legal, dice))


@given(deals())
def test_numbers_do_not_depend_on_what_a_seat_has_not_seen(chance: Chance) -> None:
    """The leak law: rearranging unseen cards changes no number of an observation or a mask."""
    dice = random.Random(chance.dice)
    acts = random_acts(chance, chance.game)
    seat = dice.randrange(chance.game.seats)
    other = rearranged(chance, acts, seat, dice)
    if other is None:
        return
    encoding = encoding_of(chance.game_id, chance.options)
    seen = []
    for deal, there in ((chance, acts), other):
        table = table_after(deal, there)
        view, _ = table.view(seat)
        legal = table.legal if table.to_move == seat else ()
        seen.append((encoding.observe(view), encoding.mask(legal)))
    assert seen[0] == seen[1]


@given(deals(), st.data())
def test_a_view_as_a_bot_reads_it_gives_the_same_numbers(
    chance: Chance, data: st.DataObject
) -> None:
    """By the copy of the encoding that a trained bot takes along as JSON, too."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    view, _ = table_after(chance, random_acts(chance, chance.game)).view(seat)
    encoding = encoding_of(chance.game_id, chance.options)
    copy = Encoding(json.loads(json.dumps(encoding.facts())))
    message = json.loads(msgspec.json.encode(view))
    assert copy.observe(read_view(message)) == encoding.observe(view)
    assert copy.actions == encoding.actions


@given(deals(), st.data())
def test_numbers_tell_all_cards_of_the_view(chance: Chance, data: st.DataObject) -> None:
    """Hand, table, played cards, points, trump and leader can be read back from them."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    acts = random_acts(chance, chance.game)
    assert played(chance, acts) is not None
    view, _ = table_after(chance, acts).view(seat)
    encoding, seats = encoding_of(chance.game_id, chance.options), chance.game.seats
    row = encoding.observe(view)

    def cards(name: str) -> list[tuple[int, str]]:
        numbers = row[encoding.field(name)]
        return sorted(
            (at // len(encoding.cards), encoding.cards[at % len(encoding.cards)])
            for at, copies in enumerate(numbers)
            for _ in range(copies)
        )

    def by_seat(leader: int, trick: list[str]) -> list[tuple[int, str]]:
        return [((leader + step - seat) % seats, card) for step, card in enumerate(trick)]

    past = zip(view.leaders, view.tricks, strict=True)
    assert cards("hand") == sorted((0, card) for card in view.hand)
    assert cards("table") == sorted(
        (who, card) for who, card in by_seat(view.leader, view.trick) if len(card) == 2
    )
    assert cards("played") == sorted(
        one for leader, trick in past for one in by_seat(leader, trick)
    )
    assert list(row[encoding.field("points")]) == view.points[seat:] + view.points[:seat]
    assert row[encoding.field("leader")].index(1) == (view.leader - seat) % seats


@pytest.mark.parametrize("game_id", catalogue())
def test_the_parts_of_an_observation_follow_each_other(game_id: str) -> None:
    """Each has its own place, and a part that a game does not have is an error."""
    encoding = encoding_of(game_id)
    at = 0
    for name, size, _ in encoding.fields:
        assert encoding.field(name) == slice(at, at + size)
        at += size
    assert at == encoding.size
    with pytest.raises(KeyError):
        encoding.field("nothing")


def test_the_encoding_needs_nothing_but_python() -> None:
    """A trained bot takes the file along, and runs where no package is installed."""
    tree = ast.parse(Path(encoding_module.__file__).read_text())
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names


def test_a_deal_in_which_all_have_passed_can_be_looked_at() -> None:
    """Its last phase has a number, too."""
    encoding = encoding_of("briscola-chiamata-rank")
    game = catalogue()["briscola-chiamata-rank"].rules_of({})[0].game
    table = Table(game, game.pack, 0)
    while table.to_move is not None:
        table.play("pass")
    view, _ = table.view(0)
    assert view.phase == "void"
    assert encoding.observe(view)[encoding.field("phase")] == bytes([0, 0, 0, 0, 1])
