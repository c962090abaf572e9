"""The proof of a match: what its record and the facts of a ladder have to say alike."""

import json
import os
from collections.abc import Callable, Iterator
from enum import Enum
from errno import EIO
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.audit.replay_match import prove_match
from ladder.core.facts import LadderJob, Match, Pool
from ladder.files.record_store import keep, keep_packed, path_of
from ladder.results import FAULTS_KEPT
from ladder.runner.match_fact import match_of
from ladder.terms import LuckUse
from protocol.messages import Rules
from referee.bots.find import find as find_bot
from referee.bots.settings import Settings
from referee.match.clock import parse_time
from referee.match.luck import VALUES_DIGEST
from referee.match.outcome import nothing_played
from referee.match.seating import Seating
from referee.match.verdict import Freeze, OnFault
from referee.play import conductor
from referee.record.chain import BadLine, Chain, decode
from referee.record.reader import RecordReader
from referee.sandbox.bare import Bare
from referee.workers import player
from referee.workers.job_plan import plan_of
from referee.workers.jobs import Job
from referee.workers.player import Player
from support import pools
from support.pools import brought
from support.sandboxes import Troubled, bot_that

ENOUGH = "if acts == 5: sys.exit('I have had enough')"


class Played(Struct, frozen=True):
    """A match, its pool, and where its record is."""

    match: Match
    pool: Pool
    folder: Path

    @property
    def path(self) -> Path:
        """The record, as it is kept."""
        return path_of(self.folder, self.match.record)

    def trouble(self) -> str | None:
        """What is wrong with it."""
        return prove_match(self.match, self.pool, self.path)


pool_of = partial(
    pools.pool_of,
    pool=3,
    seating=Seating.FULL,
    time="move=20s,start=20s",
    blocks=2,
    luck=LuckUse.SHOWN,
    luck_values=VALUES_DIGEST,
    at_ms=1,
)


async def played(
    folder: Path,
    pool: Pool,
    *bots: str,
    blocks: int = 2,
    benched: tuple[int, ...] = (),
    sandbox: Bare | None = None,
) -> Played:
    """Plays a match of a pool as a ladder does, but bare."""
    hashes = tuple(find_bot(one, Settings()).hash for one in bots)
    entrants = tuple(range(11, 11 + len(bots)))
    job = LadderJob(
        ladder="f" * 32,
        pool=pool.pool,
        entrants=entrants,
        hashes=hashes,
        key="a" * 32,
        blocks=blocks,
    )
    wanted = Job(
        terms=pool.terms,
        bots=bots,
        key=job.key,
        first=0,
        blocks=blocks,
        record=str(folder / "plain"),
        luck=pool.luck is not LuckUse.OFF,
        hashes=hashes,
        benched=benched,
    )
    result = await Player(sandbox or Bare(), Settings()).play(wanted)
    kept = keep(folder, folder / "plain")
    with RecordReader(folder / "plain") as reader:
        version = reader.header.referee
    return Played(match_of(job, result.outcome, kept, referee=version, at_ms=1), pool, folder)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A match of two, one of whom crashes in the first block; luck is counted."""
    folder = tmp_path_factory.mktemp("one")
    crashes = bot_that(folder / "crashes", ENOUGH)
    pool = pool_of("briscola-2", 2, options=("exchange_two=while_turnup",))
    return trio.run(partial(played, folder, pool, "sample:greedy", crashes))


POOLS: dict[str, Callable[[], tuple[Pool, int]]] = {
    "each for itself": lambda: (pool_of("briscola-3", 3), 3),
    "a bot a side": lambda: (pool_of("briscola-4", 2), 2),
    "a bot a seat": lambda: (pool_of("briscola-4", 4, seating=Seating.ROTATE), 4),
    "an auction": lambda: (pool_of("sueca-italiana", 5, seating=Seating.ROTATE), 5),
    "no luck": lambda: (pool_of("briscola-2", 2, luck=LuckUse.OFF, luck_values=""), 2),
    "paced": lambda: (pool_of("briscola-2", 2, pace=1, freeze=Freeze.NEVER), 2),
    "play on": lambda: (pool_of("briscola-2", 2, on_fault=OnFault.PLAY_ON), 2),
    "open seats": lambda: (pool_of("bisca-tres", 3, options=("seats=3",)), 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", POOLS)
async def test_what_was_played_holds(kind: str, tmp_path: Path) -> None:
    """Whatever the game, who sits together, and how it is played."""
    pool, places = POOLS[kind]()
    bots = ("sample:first", "sample:greedy", "sample:first", "sample:random", "sample:first")
    found = await played(tmp_path, pool, *bots[:places], blocks=1)

    assert found.match.outcome.blocks
    assert found.trouble() is None


@pytest.mark.parametrize("luck", [LuckUse.SHOWN, LuckUse.OFFICIAL])
def test_luck_by_a_table_that_is_not_here_is_found(luck: LuckUse, one: Played) -> None:
    """Whoever made the ladder could have invented it, and with it the standings."""
    pool = replace(one.pool, luck=luck, luck_values="0" * 64)
    trouble = prove_match(one.match, pool, one.path) or ""

    assert "counted by a table of values that this referee does not have (000000000000)" in trouble


def test_faults_hold_and_are_told_in_words(one: Played) -> None:
    """The fixture is what it should be."""
    assert one.trouble() is None
    assert sum(one.match.outcome.faults) == len(one.match.outcome.fault_list) == 3
    assert [bool(block.luck) for block in one.match.outcome.blocks] == [True, True]


@pytest.mark.slow
async def test_a_match_that_was_given_up_holds_as_far_as_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Void deals, their acts and their reason included; a block less or another reason is found."""
    monkeypatch.setattr(conductor, "_BACK_OFF_S", 0.0)
    pool, bots = pool_of("briscola-2", 2), ("sample:first", "sample:greedy")
    found = await played(tmp_path, pool, *bots, sandbox=Troubled(3))

    assert found.match.outcome.given_up == "host: the daemon is gone"
    assert (len(found.match.outcome.blocks), sum(found.match.outcome.voids)) == (1, 3)
    assert found.trouble() is None
    for changed in (
        brought(found.match, given_up=""),
        brought(found.match, given_up="host: the daemon has gone"),
        brought(found.match, blocks=()),
        brought(found.match, voids=(0, 0)),
        brought(found.match, used_us=(0, 0)),
    ):
        assert replace(found, match=changed).trouble() is not None


def unplayed(job: LadderJob) -> Match:
    """What is said of a match that nobody could play."""
    outcome = nothing_played(len(job.entrants), "3 runners ended over it")
    return match_of(job, outcome, ("", 0), referee="", at_ms=1)


def test_a_match_without_a_record_may_have_brought_nothing(one: Played) -> None:
    """And has to say why; where there is a record, it is looked at."""
    match = unplayed(one.match.job)

    assert prove_match(match, one.pool, None) is None
    assert prove_match(match, one.pool, one.path) == "it has no record, though it was played"
    assert prove_match(one.match, one.pool, None) == "it has no record, though it was played"
    for name in Match.__struct_fields__:
        for other in variants(getattr(match, name)):
            changed = replace(match, **{name: other})
            found = prove_match(changed, one.pool, None) is not None
            told_why = changed == brought(match, given_up=changed.outcome.given_up)
            assert found or name in {"job", "at_ms"} or told_why, name
    assert prove_match(brought(match, given_up=""), one.pool, None) is not None


def variants(value: Any) -> Iterator[Any]:
    """Values of the same type that differ from this one a little, in every part that it has."""
    match value:
        case None:
            yield OnFault.PLAY_ON
        case bool():
            yield not value
        case Enum():
            yield from (other for other in type(value) if other is not value)
        case int():
            yield from (value + 1, value - 1, -value - 1, 2**40)
        case str():
            digit = "0" if value[-1:] != "0" else "1"
            yield from (value + "x", value[:-1] + digit)
        case tuple():
            yield from variants_of_tuple(value)
        case dict():
            for key, part in value.items():
                yield {one: other for one, other in value.items() if one != key}
                yield from ({**value, key: other} for other in variants(part))
        case Struct():
            for name in value.__struct_fields__:
                for other in variants(getattr(value, name)):
                    yield replace(value, **{name: other})


def variants_of_tuple(value: tuple[Any, ...]) -> Iterator[Any]:
    """One more, one less, or one of them another."""
    yield (*value, *(value[-1:] or (1,)))
    if value:
        yield value[:-1]
    for at, part in enumerate(value):
        for other in variants(part):
            yield (*value[:at], other, *value[at + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in Match.__struct_fields__ if one != "job"])
def test_any_change_of_a_match_is_found(name: str, one: Played) -> None:
    """In each part, with one line that says what differs; nothing says when it was, or how long."""
    tried = 0
    match = one.match
    for other in variants(getattr(match, name)):
        tried += 1
        changed = replace(match, **{name: other})
        trouble = prove_match(changed, one.pool, one.path)
        if changed == replace(brought(match, wall_us=changed.outcome.wall_us), at_ms=changed.at_ms):
            assert (trouble is not None) == (min(changed.outcome.wall_us, changed.at_ms) < 0)
        else:
            assert trouble is not None, other
            assert "\n" not in trouble

    assert tried


def test_a_record_calls_its_bots_as_the_facts_do(one: Played) -> None:
    """Other names there would be shown by a replay."""
    with RecordReader(one.path) as reader:
        names = tuple(bot.name for bot in reader.header.bots)

    assert prove_match(one.match, one.pool, one.path, names=names) is None
    trouble = prove_match(one.match, one.pool, one.path, names=(*names[:-1], "other"))
    assert (trouble or "").startswith("the bots' names: ")


@pytest.mark.slow
async def test_no_bot_of_a_ladder_forfeits_a_match(tmp_path: Path) -> None:
    """A record in which one does is of no match of a ladder, whatever it brought."""
    found = await played(
        tmp_path, pool_of("briscola-2", 2), "sample:first", "sample:greedy", benched=(1,)
    )

    trouble = prove_match(found.match, found.pool, found.path)
    assert (trouble or "").startswith("benched: ")


@pytest.mark.slow
async def test_no_bot_of_a_ladder_has_a_clock_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more time than its opponent it would have been another match."""
    monkeypatch.setattr(
        player, "plan_of", lambda job: replace(plan_of(job), clocks={0: parse_time("move=1h")})
    )
    found = await played(tmp_path, pool_of("briscola-2", 2), "sample:first", "sample:greedy")

    trouble = prove_match(found.match, found.pool, found.path)
    assert (trouble or "").startswith("clocks: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", LadderJob.__struct_fields__)
def test_any_change_of_a_job_is_found_that_has_to_do_with_play(name: str, one: Played) -> None:
    """What a record does not say is a matter of the facts: id of the ladder, entrants, draw."""
    job = one.match.job
    for other in variants(getattr(job, name)):
        changed = replace(one.match, job=replace(job, **{name: other}))
        found = prove_match(changed, one.pool, one.path) is not None
        alike = name == "entrants" and len(set(other)) == len(other) == 2
        assert found == (name not in {"ladder", "draw"} and not alike), other


FREE = {"name", "blocks", "bench", "season", "league", "division", "moves", "size", "at_ms"}
"""Of a pool: what no match of it depends on."""


@pytest.mark.slow
@pytest.mark.parametrize("name", Pool.__struct_fields__)
def test_any_change_of_a_pool_is_found_that_has_to_do_with_play(name: str, one: Played) -> None:
    """Shown or official, luck is the same; of another table of values nothing proves it."""
    for other in variants(getattr(one.pool, name)):
        found = prove_match(one.match, replace(one.pool, **{name: other}), one.path) is not None
        same = name in FREE or other is LuckUse.OFFICIAL
        assert found != same, other


@pytest.mark.slow
def test_any_flipped_bit_of_the_stored_record_is_found(
    one: Played, tmp_path: Path, many_cases: bool
) -> None:
    """Whichever; and any cut, and any addition."""
    data, path = one.path.read_bytes(), tmp_path / "record"
    for at in range(0, 8 * len(data), 1 if many_cases else 101):
        changed = bytearray(data)
        changed[at // 8] ^= 1 << at % 8
        path.unlink(missing_ok=True)  # to write over a file can mean to wait for the disk
        path.write_bytes(changed)
        assert "was changed: its SHA-256 is" in (prove_match(one.match, one.pool, path) or ""), at
    path.write_bytes(data[:-1])
    assert "is cut" in (prove_match(one.match, one.pool, path) or "")
    path.write_bytes(data + b"\n")
    assert "was changed" in (prove_match(one.match, one.pool, path) or "")
    path.unlink()
    assert "is missing" in (prove_match(one.match, one.pool, path) or "")


def forged(lines: list[bytes], one: Played, folder: Path) -> str | None:
    """What is found where somebody has made hash and size fit another record."""
    chain = Chain()
    data = b"".join(chain.encode(decode(text)) for text in lines)
    sha, size = keep_packed(folder, [data])
    return prove_match(replace(one.match, record=sha, size=size), one.pool, path_of(folder, sha))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All that stands in a line, with the way there."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path, value


def changed_at(value: Any, path: tuple[Any, ...], new: Any) -> bytes:
    """A line with something else in one place."""
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return json.dumps(copied, separators=(",", ":")).encode()


def is_free(path: tuple[Any, ...], line: dict[str, Any]) -> bool:
    """Whether nothing follows from it: names, what bots wrote beside, evidence, most times."""
    match path:
        case ("bots", _, "name") | ("note" | "eval" | "extra" | "frozen" | "hash",):
            return True
        case ("evidence", *_):
            return True
        case ("name" | "version" | "us",):
            return "start" in line or "frozen" in line
        case ("us", int(part)):
            return part != 2
    return False


@pytest.mark.slow
@pytest.mark.thorough
def test_a_forged_record_is_found_wherever_it_differs(
    one: Played, tmp_path: Path, many_cases: bool
) -> None:
    """Each value of each line, with all hashes made anew: and never does anything worse happen."""
    lines = (one.folder / "plain").read_bytes().splitlines()
    seen: dict[tuple[Any, ...], int] = {}
    tried = 0
    for at, text in enumerate(lines):
        line = json.loads(text)
        kind = next(iter(line))
        for path, value in leaves(line):
            seen[kind, *path] = seen.get((kind, *path), 0) + 1
            if not many_cases and seen[kind, *path] > 3:
                continue
            for other in variants(value):
                data = [*lines[:at], changed_at(line, path, other), *lines[at + 1 :]]
                try:
                    trouble = forged(data, one, tmp_path)
                except BadLine:
                    continue
                tried += 1
                where = f"line {at + 1}, {path}: {value!r} -> {other!r}: {trouble}"
                assert (trouble is not None) or is_free(path, line), where
    assert tried > 300


@pytest.mark.slow
def test_a_record_that_ends_too_early_or_lacks_a_line_is_found(one: Played, tmp_path: Path) -> None:
    """Though its hashes fit; only from a line on a bot that was held still nothing follows."""
    all_lines = (one.folder / "plain").read_bytes().splitlines()
    lines = [line for line in all_lines if not line.startswith(b'{"frozen":')]
    assert forged(lines, one, tmp_path) is None
    for at in range(1, len(lines)):
        assert forged(lines[:at], one, tmp_path) is not None
        assert forged([*lines[:at], *lines[at + 1 :]], one, tmp_path) is not None
        assert forged([*lines[:at], lines[at], *lines[at:]], one, tmp_path) is not None


@pytest.mark.slow
async def test_another_match_of_the_same_job_is_not_this_one(one: Played, tmp_path: Path) -> None:
    """Nor one with other decks."""
    job, bots = one.match.job, ("sample:greedy", str(one.folder / "crashes"))
    again = await played(tmp_path, one.pool, *bots)
    others = replace(again.match, job=replace(job, key="b" * 32))
    mixed = replace(one.match, record=again.match.record, size=again.match.size)

    assert again.match.outcome.game_digest == one.match.outcome.game_digest
    assert again.trouble() is None
    assert "used_us: " in (prove_match(mixed, one.pool, again.path) or "")
    assert "place " in (found := prove_match(others, one.pool, again.path) or "") or "key" in found


@pytest.mark.slow
@pytest.mark.thorough
async def test_the_first_faults_are_kept_in_words_and_all_are_counted(tmp_path: Path) -> None:
    """A fact does not grow with what bots do wrong."""
    crashes = bot_that(tmp_path / "crashes", ENOUGH.replace("5", "1"))
    pool = pool_of("briscola-3", 3)
    found = await played(tmp_path, pool, *(3 * (crashes,)), blocks=2)

    assert sum(found.match.outcome.faults) == 9
    assert found.trouble() is None
    many = found.match.outcome.fault_list * 3
    outcome = replace(nothing_played(1, ""), fault_list=many, faults=(27,))
    match = match_of(found.match.job, outcome, ("0" * 64, 1), referee="", at_ms=1)
    assert match.outcome.fault_list == many[:FAULTS_KEPT]


def test_a_pool_of_an_unknown_game_is_one_line(one: Played) -> None:
    """It may have come from a ladder elsewhere."""
    trouble = prove_match(
        one.match, replace(one.pool, terms=replace(one.pool.terms, game="poker")), one.path
    )
    assert (trouble or "").startswith("no game 'poker'; there are ")
    pool = replace(one.pool, rules=Rules("briscola-2", 99, "0" * 64))
    trouble = prove_match(one.match, pool, one.path)
    assert trouble == "its rules have revision 99, and here 2"


@pytest.mark.parametrize("last", [0, 1, 9])
def test_a_record_that_cannot_be_read_is_one_line(
    last: int, one: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its beginning or later, the disk may fail."""

    def fails(reader: RecordReader) -> bytes:
        if reader.number == last:
            raise OSError(EIO, os.strerror(EIO))
        return original(reader)

    original = RecordReader._next_text
    monkeypatch.setattr(RecordReader, "_next_text", fails)

    assert one.trouble() == f"record {str(one.path)!r}: {os.strerror(EIO)}"
