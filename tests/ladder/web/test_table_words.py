"""The language of a table, and what cards and actions are called in it."""

import json
import re

import pytest

from ladder.web.person import Person
from ladder.web.table_words import TableWords, words_for
from protocol.events import Bade, Drew, Event, HandDealt, Played, TrickWon, TurnUp
from referee.people.event_text import ENGLISH
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


HAPPENED: list[Event] = [
    HandDealt(("7D", "2H")),
    TurnUp("AC"),
    Bade(1, "bid 62"),
    Bade(0, "pass"),
    Played(1, "7D"),
    Played(0, "AD"),
    TrickWon(0, 11),
    Drew(0, "3S"),
]


def test_what_happens_is_told_in_the_language_of_the_page() -> None:
    """And cards are called as they are elsewhere on it."""
    names = ["ada", "bob"]
    told = []
    for language in ("en", "it", "pt"):
        words = TableWords(language)
        ada = Person("ada", "ada", lambda one: [one.you, names[1]], lambda _: None)
        ada.you, ada._seats = words.labels["you"], (0, 1)
        ada.seen.dealer, ada.seen.events = 1, HAPPENED
        told.append([words.line(line, italian=True) for line in words.rows(ada)])
    assert told[0][:2] == ["bob dealt", "your cards 7 of coins, 2 of cups"]
    assert told[0][3:5] == ["bob: bid 62", "you: pass"]
    assert told[1] == [
        "bob: mazziere",
        "le tue carte: 7 di denari, 2 di coppe",
        "scoperta, briscola: asso di bastoni",
        "bob: offre 62",
        "tu: passa",
        "bob 7 di denari, tu asso di denari  → tu +11",
        "tu: pescata 3 di spade",
    ]
    assert told[2][-1] == "tu: compra 3 de espadas"


@pytest.mark.parametrize("language", ["it", "pt"])
def test_every_sentence_is_there_in_every_language_with_its_parts(language: str) -> None:
    texts = json.loads(static(TEXTS))
    english = {**ENGLISH, **texts["en"]["said"]}
    parts = re.compile(r"\{\w+\}")
    said = texts[language]["said"]
    assert {key: {*parts.findall(text)} for key, text in said.items()} == {
        key: {*parts.findall(text)} for key, text in english.items()
    }
