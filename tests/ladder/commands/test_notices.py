"""What the organiser has all people know, and that no match is chosen while a ladder is paused."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.core.candidates import fields_of
from ladder.core.matchmaking import next_table, why_none
from ladder.store.store import Store
from support.commands import Tell
from support.ladders import made, usual_pools
from support.sites import opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    pools = usual_pools("briscola-2", "sueca")
    with made(tmp_path / "ladder", pools, ("greedy", "random", "first")) as found:
        yield found


def chosen(store: Store) -> set[str]:
    """In which games a next match is chosen now."""
    store.refresh()
    fields = fields_of(store.situation(), ())
    return {one.name for one in fields if next_table([one], b"seed") is not None}


def why(store: Store) -> str:
    store.refresh()
    return why_none(fields_of(store.situation(), ()))


def test_a_paused_ladder_chooses_no_match_until_it_is_resumed(store: Store, tell: Tell) -> None:
    assert chosen(store) == {"briscola-2", "sueca"}
    assert "referee ladder resume" in tell("ladder", "pause", "--reason", "new disk")
    assert chosen(store) == set()
    assert why(store) == "briscola-2 is paused (new disk); sueca is paused (new disk)"
    assert "chosen again" in tell("ladder", "resume")
    assert chosen(store) == {"briscola-2", "sueca"}


def test_one_game_is_paused_alone(store: Store, tell: Tell) -> None:
    tell("ladder", "pause", "--game", "briscola-2")
    assert chosen(store) == {"sueca"}
    assert why(store) == ""
    assert "not paused" in tell("ladder", "resume", "--game", "sueca", code=2)
    tell("ladder", "pause")
    assert "by itself" in tell("ladder", "resume", "--game", "sueca", code=2)
    assert "still paused: briscola-2" in tell("ladder", "resume")
    assert chosen(store) == {"sueca"}
    tell("ladder", "resume", "--game", "briscola-2")
    assert chosen(store) == {"briscola-2", "sueca"}


def test_a_game_that_is_closed_is_paused_no_more(store: Store, tell: Tell, tmp_path: Path) -> None:
    """With other terms it is another game, which plays; opened again, it plays, too."""
    tell("ladder", "pause", "--game", "briscola-2")
    tell("ladder", "open", "--game", "sueca")
    assert "is not paused" in tell("ladder", "resume", code=2)
    tell("ladder", "open", "--game", "briscola-2", "--game", "sueca")
    assert chosen(store) == {"briscola-2", "sueca"}


async def test_the_queue_still_lists_the_bots_of_a_paused_game(store: Store, tell: Tell) -> None:
    tell("ladder", "pause", "--reason", "new disk")
    async with opened(store) as site:
        bots = json.loads((await site.get("/queue.json")).text)["bots"]
        assert len(bots) == 2 * 3
        assert {one["reason"] for one in bots} == {"its game is paused: new disk"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["announce", "  "], "nothing is announced"),
        (["resume"], "is not paused"),
        (["announce", ""], "nothing is announced"),
        (["announce", "a\nb"], "control characters"),
        (["announce", "x" * 501], "501 characters; 500 are taken"),
        (["pause", "--reason", "\x1b[2J"], "control characters"),
        (["pause", "--game", "bisca"], "this ladder has briscola-2, sueca"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    words: list[str], said: str, store: Store, tell: Tell
) -> None:
    before = store.head()
    text = tell("ladder", *words, code=2)
    assert said in text
    assert text.count("\n") == 1
    assert store.head() == before


def test_what_was_decided_is_told_to_programs(store: Store, tell: Tell) -> None:
    told = json.loads(tell("ladder", "pause", "--game", "sueca", "--reason", "so", "--json"))
    assert {key: told[key] for key in ("deed", "pool", "reason")} == {
        "deed": "paused",
        "pool": 2,
        "reason": "so",
    }
    assert json.loads(tell("ladder", "announce", "hello", "--json"))["pool"] is None
    assert "is paused already" in tell(
        "ladder", "pause", "--game", "sueca", "--reason", "so", code=2
    )


async def test_every_page_says_it(store: Store, tell: Tell, tmp_path: Path) -> None:
    """What is announced is text, whatever it looks like; and it goes again."""
    tell("ladder", "announce", "Finals on <b>Sunday</b>")
    tell("ladder", "pause", "--game", "sueca", "--reason", "new rules")
    async with opened(store, events=[str(tmp_path)]) as site:
        for path in ("/", "/queue", "/bots/1", "/rules/sueca"):
            text = (await site.get(path)).text
            assert "Finals on &lt;b&gt;Sunday&lt;/b&gt;" in text
            assert "sueca is paused: new rules" in text
        assert "Finals on &lt;b&gt;" in (await site.get("/events")).text  # not made of the ladder
        tell("ladder", "announce", "")
        tell("ladder", "resume", "--game", "sueca")
        await site.news()
        assert "Finals" not in (await site.get("/events")).text
        text = (await site.get("/")).text
        assert "Finals" not in text
        assert "paused" not in text


def test_a_ladder_with_notices_is_proved(store: Store, tell: Tell) -> None:
    tell("ladder", "announce", "hello")
    tell("ladder", "pause")
    tell("ladder", "verify")
