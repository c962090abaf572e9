"""referee.match.chance: keys, decks, dealers, ids and seeds."""

import json
import shutil
import subprocess
from collections import Counter
from itertools import chain, count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match import chance
from referee.match.chance import (
    act_ids,
    below,
    block_key,
    event_key,
    first_dealer,
    leg_order,
    private_seed,
    shuffled,
    stream,
)
from referee.rules.cards import card

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "chance.json").read_text())["cases"]

INDEPENDENT = """
const { createHash, createHmac } = require('crypto')
const sha = text => createHash('sha256').update(text, 'utf8').digest()
for (const c of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  const event = sha(c.text)
  const key = createHmac('sha256', event).update(String(c.block)).digest('hex')
  const stream = (label, n) => sha(`${key}:${label}:${n}`)
  const words = function* (label) {
    for (let n = 0; ; n++) {
      const piece = stream(label, n)
      for (let i = 0; i < 32; i += 4) yield piece.readUInt32BE(i)
    }
  }
  const below = (n, it) => {
    for (;;) {
      const w = it.next().value
      if (w < 2 ** 32 - (2 ** 32 % n)) return w % n
    }
  }
  const shuffled = (things, numbers) => {
    for (let k = things.length - 1; k > 0; k--) {
      const j = below(k + 1, numbers); [things[k], things[j]] = [things[j], things[k]]
    }
    return things
  }
  const deck = shuffled([...c.pack], words('deck'))
  const legs = shuffled([0, 1, 2, 3, 4, 5], words('legs'))
  const digits = stream('id/1', 0).toString('hex') + stream('id/1', 1).toString('hex')
  const ids = digits.match(/.{16}/g).slice(0, 5)
  const seed = stream('seed/1', 0).toString('hex').slice(0, 32)
  const dealer = below(c.seats, words('dealer'))
  console.log(JSON.stringify([event.toString('hex'), key, deck, dealer, ids, seed, legs]))
}
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']} {case['block']}")
def test_vectors(case: dict[str, object]) -> None:
    """Every figure of the vectors is derived as SPEC 8 says."""
    key = block_key(event_key(str(case["text"])), int(str(case["block"])))
    pack = [card(str(one)) for one in case["pack"]]  # type: ignore[attr-defined]  # JSON
    ids = act_ids(key, 1)

    assert event_key(str(case["text"])).hex() == case["event_key"]
    assert key == case["block_key"]
    assert list(shuffled(pack, key)) == case["deck"]
    assert first_dealer(key, int(str(case["seats"]))) == case["dealer"]
    assert [next(ids) for _ in range(5)] == case["ids_of_place_1"]
    assert private_seed(key, 1) == case["seed_of_place_1"]
    assert list(leg_order(range(6), key)) == case["order_of_6_legs"]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here to recompute with")
def test_a_few_lines_of_javascript_recompute_the_vectors() -> None:
    """SPEC 8 is enough to write it again in another language."""
    done = subprocess.run(
        ["node", "-e", INDEPENDENT],
        input=json.dumps(CASES),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    for case, line in zip(CASES, done.stdout.splitlines(), strict=True):
        names = ["event_key", "block_key", "deck", "dealer", "ids_of_place_1", "seed_of_place_1"]
        names.append("order_of_6_legs")
        assert [case[name] for name in names] == json.loads(line)


def test_numbers_that_would_favour_some_are_skipped() -> None:
    """Of the 32-bit words only those below the largest multiple of the limit count."""
    assert below(3, iter([2**32 - 1, 5])) == 2
    assert below(2, iter([2**32 - 1])) == 1


@given(st.lists(st.integers(2**32 - 9, 2**32 - 1) | st.integers(0, 2**32 - 1), max_size=6))
def test_a_shuffle_skips_them_as_well(first: list[int]) -> None:
    """As SPEC 8.2 writes it out, step by step."""
    numbers, expected = chain(first, count()), list(range(7))
    for last in range(6, 0, -1):
        other = below(last + 1, numbers)
        expected[last], expected[other] = expected[other], expected[last]

    assert chance.mixed(range(7), chain(first, count())) == tuple(expected)


def test_streams_do_not_meet() -> None:
    """Streams with different labels, places or blocks share no piece."""
    keys = [block_key(event_key("k"), block) for block in range(3)]
    labels = ("deck", "dealer", "legs", "id/0", "id/1", "seed/0", "seed/1")
    pieces = [next(stream(key, label)) for key in keys for label in labels]

    assert len(set(pieces)) == len(pieces)


def test_every_card_comes_to_every_place() -> None:
    """Over many blocks each card is on top about equally often."""
    pack = [card(rank + suit) for suit in "HDCS" for rank in "A2345"]
    tops = Counter(shuffled(pack, block_key(event_key("k"), block))[0] for block in range(2000))

    assert set(tops) == set(pack)
    assert all(60 <= times <= 145 for times in tops.values())
