"""SPEC.md: every example in it runs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec
import pytest
from _pytest.mark.structures import ParameterSet

from protocol import TRANSITIONS
from protocol.codec import decode_answer, decode_ready, encode
from protocol.errors import RemoteProtocolError
from protocol.messages import Answer, Ready, ToBot
from referee.games import catalogue
from referee.match.chance import (
    act_ids,
    block_key,
    event_key,
    first_dealer,
    leg_order,
    private_seed,
    shuffled,
)
from referee.rules.cards import PROFILES, pack
from support.conversation import RANKS, conversation

SPEC = (Path(__file__).parents[2] / "SPEC.md").read_text()


def blocks(tag: str) -> Iterator[tuple[str, list[str]]]:
    """The fenced blocks with this tag, each with its place in the file."""
    for match in re.finditer(rf"^```{tag}\n(.*?)^```$", SPEC, re.MULTILINE | re.DOTALL):
        yield f"SPEC.md:{SPEC.count(chr(10), 0, match.start()) + 1}", match[1].splitlines()


def rows(tag: str) -> list[ParameterSet]:
    found = [
        pytest.param(line, id=f"{where} +{at}")
        for where, lines in blocks(tag)
        for at, line in enumerate(lines)
    ]
    assert found, f"no {tag} in SPEC.md"
    return found


def section(name: str) -> str:
    match = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", SPEC, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.mark.parametrize("line", rows("json to-bot"))
def test_what_the_referee_says_is_written_so(line: str) -> None:
    """An example of ours is a message, and its bytes are just the ones that we would write."""
    message: ToBot = msgspec.json.decode(line, type=ToBot)

    assert encode(message) == line.encode() + b"\n"


@pytest.mark.parametrize("line", rows("json from-bot"))
def test_what_a_bot_may_say_is_understood(line: str) -> None:
    """An example of an answer is read without complaint."""
    decode = decode_ready if '"ready"' in line else decode_answer

    assert isinstance(decode(line.encode()), Ready | Answer)


@pytest.mark.parametrize("line", rows("json refused"))
def test_what_is_refused_is_refused(line: str) -> None:
    """An example of a fault is one."""
    with pytest.raises(RemoteProtocolError):
        decode_answer(line.encode())


def test_the_examples_are_from_the_conversation_that_the_referee_holds() -> None:
    """Hello, deal, acts and ends in section 3 and 4 are those of one real deal, byte for byte."""
    real = {line.rstrip("\n") for _, line in conversation()}
    shown = [line for _, lines in blocks("json to-bot") for line in lines]
    shown += [line[2:] for _, lines in blocks("conversation") for line in lines]
    fault = [line for line in shown if '"type":"fault"' in line]

    assert len(fault) == 1
    assert set(shown) - set(fault) <= real


def test_the_example_of_an_auction_is_one_that_the_referee_holds() -> None:
    """Section 11.6 shows what seat 0 hears and says, byte for byte."""
    real = [line.rstrip("\n") for _, line in conversation("briscola-chiamata-rank", RANKS)]
    ((_, lines),) = blocks("auction")
    shown = [line[2:] for line in lines]

    assert len(shown) == 3
    assert real[3:6] == shown


def test_the_ten_line_bot_plays_a_deal(tmp_path: Path) -> None:
    """The bot of section 1 has ten lines, and answers a whole deal as section 3 shows."""
    ((_, code),) = blocks("python bot")
    bot = tmp_path / "bot.py"
    bot.write_text("\n".join(code))
    lines = list(conversation())
    said = "".join(line for way, line in lines if way == "to")
    done = subprocess.run(
        [sys.executable, bot], input=said, capture_output=True, text=True, check=True, timeout=20
    )
    expected = [json.loads(line) for way, line in lines if way == "from"][1:]

    assert len([line for line in code if line.strip()]) == 10
    assert [json.loads(line) for line in done.stdout.splitlines()][1:] == expected


def test_the_table_of_states_is_the_referees_own() -> None:
    """Section 3 prints protocol.TRANSITIONS, no more and no less."""
    names = {"DealEnd": "`deal_end`", "Ready": "*`ready`*", "Answer": "*`answer`*"}

    def name(kind: type) -> str:
        return names.get(kind.__name__, f"`{kind.__name__.lower()}`")

    by_message = groupby(
        ((name(kind), str(after), str(state)) for (state, kind), after in TRANSITIONS.items()),
        key=lambda row: row[:2],
    )
    table = [f"| {', '.join(r[2] for r in group)} | {m} | {a} |" for (m, a), group in by_message]

    assert section("states").splitlines()[2:] == table


def test_the_table_of_profiles_is_the_referees_own() -> None:
    """Section 11.1 prints the ranks and points that are in force."""
    table = [
        f"| `{p.name}` | {' '.join(p.order)} | "
        f"{', '.join(f'{rank} {points}' for rank, points in p.points.items())} |"
        for p in PROFILES.values()
    ]

    assert section("profiles").splitlines()[2:] == table


def test_the_vectors_of_chance_are_right() -> None:
    """Section 8.4 says what section 8 derives."""
    ((_, lines),) = blocks("chance")
    said = dict(line.rsplit(" ", 1) for line in lines[:3])
    key = event_key(said["text"])
    block = block_key(key, 0)
    ids = act_ids(block, 0)

    assert lines[1:] == [
        f"event key {key.hex()}",
        f"block 0 {block}",
        f"deck it3 2 {' '.join(shuffled(pack(PROFILES['it3'], 2), block))}",
        f"dealer 2 {first_dealer(block, 2)}",
        f"legs 6 {' '.join(map(str, leg_order(range(6), block)))}",
        f"id 0 {next(ids)} {next(ids)}",
        f"seed 0 {private_seed(block, 0)}",
    ]


def test_every_game_and_option_has_its_place() -> None:
    """Section 11 has a heading with each variant, and a row with each option and its values."""
    headings = [line for line in SPEC.splitlines() if re.match(r"### 11\.\d+ ", line)]
    table = {row.split("`")[1]: row for row in SPEC.splitlines() if row.startswith("| `")}
    for variant in catalogue().values():
        family, _, seats = variant.id.rpartition("-")
        assert any(
            re.search(rf"\b{variant.id}\b", line) or (f" {family}-" in line and f"-{seats}" in line)
            for line in headings
        ), variant.id
        for option in variant.options:
            if option.name in ("match", "target"):
                assert f"`{option.name}`" in table["match"]
                continue
            row = table[option.name if option.name not in ("bid_max", "bid_step") else "bid_min"]
            for value in option.values:
                numbers = "N" in value and "numbers" in row
                assert numbers or value in row or option.name == "rank_profile", value
