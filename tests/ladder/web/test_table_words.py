"""The language of a table, and what cards and actions are called in it."""

import json

import pytest

from ladder.web.table_words import TableWords, words_for
from referee.viewer.page import TEXTS, static


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("it", "it"),
        ("it-CH, de;q=0.9", "it"),
        ("de, pt-BR;q=0.8, it;q=0.9", "it"),
        ("PT-pt", "pt"),
        ("fr, de", "en"),
        ("it;q=0, pt;q=0.1", "pt"),
        ("it;q=9", "en"),
        ("*", "en"),
        ("x" * 10_000, "en"),
        (", ".join(["fr"] * 5000 + ["it"]), "en"),
    ],
)
def test_the_language_is_what_a_browser_likes_best(accepted: str, language: str) -> None:
    assert words_for(accepted).language == language


def test_cards_have_their_local_names() -> None:
    italian, english, portuguese = (TableWords(code) for code in ("it", "en", "pt"))
    assert italian.card("AH", italian=True) == "asso di coppe"
    assert italian.card("QS", italian=False) == "donna di picche"
    assert english.card("TC", italian=True) == "10 of batons"
    assert portuguese.card("JD", italian=False) == "valete de ouros"
    assert italian.card("H", italian=True) == "coppe"
    assert italian.card("3", italian=True) == "3"  # lies covered


def test_cards_have_their_local_corners() -> None:
    assert [TableWords("it").corner(card, italian=True) for card in ("JH", "QH", "TH", "7H")] == [
        "F",
        "C",
        "10",
        "7",
    ]
    assert TableWords("pt").corner("QH", italian=False) == "D"


def test_what_happened_is_told_with_the_cards_that_are_drawn() -> None:
    english, italian = TableWords("en"), TableWords("it")
    for line, italian_cards, french_cards in (
        (
            "your cards 7♦ 10♣ A♥",
            "your cards 7 of coins, 10 of batons, ace of cups",
            "your cards 7 of diamonds, 10 of clubs, ace of hearts",
        ),
        ("ada married ♠ +20", "ada married swords +20", "ada married spades +20"),
        ("10 for <b>", "10 for <b>", "10 for <b>"),
    ):
        assert english.line(line, italian=True) == italian_cards
        assert english.line(line, italian=False) == french_cards
    assert (
        italian.line("you K♠  greedy 2♦  → you +4", italian=True)
        == "you re di spade  greedy 2 di denari  → you +4"
    )


def test_actions_are_said_in_the_language() -> None:
    words = TableWords("it")
    assert words.action("bid 80", italian=True) == "offre 80"
    assert words.action("pass", italian=True) == "passa"
    assert words.action("call AH", italian=True) == "chiama asso di coppe"
    assert words.action("call AH", italian=False) == "chiama asso di cuori"
    assert words.action("<b>", italian=True) == "<b>"


def test_every_language_has_the_same_texts() -> None:
    """Of the table and of the viewer; what a language leaves to another one is a name of a card."""
    texts = json.loads(static(TEXTS))
    shapes = {
        code: {key: sorted(value) for key, value in found.items() if type(value) is dict}
        for code, found in texts.items()
    }
    for code, found in texts.items():
        assert found.keys() == texts["en"].keys(), code
        for part in ("table", "words", "phases", "suits", "ranks"):
            assert shapes[code][part] == shapes["en"][part], (code, part)
