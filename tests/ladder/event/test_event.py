"""Events: conducted over a pool that plays nothing, and real ones through the command."""

import json
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import NoReturn

import pytest
import trio
from msgspec.structs import replace
from rich.console import Console

from ladder.core.seal import commitment
from ladder.event.conductor import (
    Played,
    Rounds,
    Way,
    check_against_plan,
    play_event,
    rounds_in_log,
)
from ladder.event.file import Event
from ladder.event.log import LOG, Contents, EventLog
from ladder.event.progress import shown
from ladder.event.publish import standings_of
from ladder.event.rounds import expected_deals
from ladder.event.schedule import event_digest
from ladder.results import Pairing, Round, RoundResult
from ladder.show.as_json import as_json
from referee.cli import run
from referee.errors import HostError, innermost
from referee.match.lines import DealLine
from referee.match.outcome import MatchOutcome
from referee.match.verdict import FaultCode
from referee.workers.jobs import Job
from support.events import KEY, Silent, ToyPool, event_of, event_text, given_up
from support.json_objects import object_of
from support.kill_event import EVENT, command, survives, watched
from support.matches import lines_of
from support.sandboxes import bot_that

Sections = tuple[Rounds, ...]

LARGE = event_text(
    6,
    [
        "briscola-2",
        'briscola-3\nformat = "swiss"\nrounds = 3\nblocks = 5',
        'sueca\nformat = "knockout"',
        'sueca\nname = "doubles"\nformat = "double-knockout"',
    ],
    top="blocks = 7\nmatch_blocks = 3",
)
"""All sizes of tables, rounds that depend on results, matches of several parts."""


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a loss of power does to logs is not tried here."""
    monkeypatch.setattr("os.fsync", lambda _: None)


async def played(
    folder: Path, event: Event, pool: ToyPool, watch: Silent | None = None
) -> Sections:
    """Plays an event over a pool, or goes on with it."""
    way = Way(event.bots, KEY, None)
    with EventLog(folder) as log:
        log.begin(event.plan)
        try:
            return await play_event(event.plan, way, log, pool, watch or Silent())
        except Exception as error:
            raise innermost(error) from error


def without_times(sections: Sections) -> Sections:
    """The same for every run."""
    return tuple(
        tuple(
            replace(
                one, tables=tuple(replace(table, wall_us=0, used_us=()) for table in one.tables)
            )
            for one in rounds
        )
        for rounds in sections
    )


@pytest.fixture
def large(tmp_path: Path) -> Event:
    return event_of(tmp_path, LARGE)


async def test_the_order_in_which_matches_end_changes_nothing(
    large: Event, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Rounds, pairings and digests are the same, and as many deals as expected."""
    runs = [await played(tmp_path / str(seed), large, ToyPool(seed)) for seed in range(1, 5)]
    first, *others = map(without_times, runs)

    assert all(other == first for other in others)
    assert len({(tmp_path / str(seed) / LOG).read_bytes() for seed in range(1, 5)}) == 4
    deals = sum(
        block.deals
        for rounds in first[:1]
        for one in rounds
        for table in one.tables
        for block in table.blocks
    )
    assert deals == 15 * 7 * 2
    assert expected_deals(large.plan) > deals


@pytest.mark.parametrize(
    "top",
    [
        'heroes = ["bot 4", "bot 1"]\nformat = "gauntlet"',
        'luck = "official"\nformat = "swiss"\nrounds = 4',
        'luck = "official"\nformat = "knockout"',
        'format = "double-knockout"',
        'partners = "mixed"\nformat = "round-robin"\nrounds = 2',
        'partners = "mixed"\nformat = "swiss"',
        'partners = "mixed"\nheroes = ["bot 2"]\nformat = "gauntlet"',
    ],
)
async def test_every_format_comes_to_an_end(
    top: str, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """With as many entrants at each table as it has, and standings of them all."""
    event = event_of(tmp_path, event_text(6, ["briscola-4"], top=f"blocks = 3\n{top}"))
    sections = await played(tmp_path, event, ToyPool())
    shown = object_of(as_json(*standings_of(Played(event.plan, sections, KEY))))

    for table in [table for one in sections[0] for table in one.tables]:
        assert len({*table.table.bots}) == event.plan.sections[0].places
    assert shown["finished"]
    assert len(shown["sections"][0]["bots"]) == 6


class Stop(Exception):
    """The event ends here."""


async def test_match_parts_are_known_in_standings(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """How many blocks each set of processes finished: in results, standings and from the log."""
    event = event_of(tmp_path, event_text(3, top="blocks = 7\nmatch_blocks = 3"))

    cut: list[Job] = []

    def twist(job: Job, outcome: MatchOutcome) -> MatchOutcome:
        if cut or job.first != 3:
            return outcome
        cut.append(job)
        return given_up(outcome)

    sections = await played(tmp_path, event, ToyPool(twist=twist))
    ((one,),) = sections
    (shown,) = object_of(as_json(*standings_of(Played(event.plan, sections, KEY))))["sections"]

    assert sorted(table.parts for table in one.tables) == [(3, 0, 1), (3, 3, 1), (3, 3, 1)]
    assert without_times(rounds_in_log(Contents(tmp_path / LOG))) == without_times(sections)
    assert shown["match_parts"] == 8
    assert sum(bot["match_parts"] for bot in shown["bots"]) == 16


Twist = Callable[[Job, MatchOutcome], MatchOutcome]


def stopping_after(matches: int) -> Twist:
    left = [matches]

    def twist(_: Job, outcome: MatchOutcome) -> MatchOutcome:
        left[0] -= 1
        if left[0] < 0:
            raise Stop
        return outcome

    return twist


async def test_an_event_goes_on_where_it_stopped(
    large: Event, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """However often it is stopped, no match in the log is played again, and all is as if never."""
    whole = await played(tmp_path / "whole", large, undisturbed := ToyPool())
    pools = []
    for seed in range(1000):
        pools.append(ToyPool(seed + 1, stopping_after(seed % 13)))
        try:
            resumed = await played(tmp_path / "resumed", large, pools[-1])
            break
        except Stop:
            continue
    one, other = (Contents(tmp_path / name / LOG) for name in ("whole", "resumed"))

    assert len(pools) > 10
    assert without_times(resumed) == without_times(whole)
    assert one.end == other.end
    assert one.matches.keys() == other.matches.keys()
    jobs = [job for pool in pools for job in pool.jobs]
    assert sorted(map(repr, jobs)) == sorted(map(repr, undisturbed.jobs))
    assert rounds_in_log(other) == resumed


async def test_an_event_that_is_over_is_not_played(
    large: Event, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """The log of a finished event gives the same standings as playing it."""
    sections = await played(tmp_path, large, ToyPool())
    found = Contents(tmp_path / LOG)
    assert found.header is not None

    assert rounds_in_log(found) == sections
    assert found.end is not None
    assert found.end.end == event_digest(sections)
    heading, standings = standings_of(Played(large.plan, sections, KEY))
    assert object_of(as_json(heading, standings))["finished"]


async def test_an_event_can_be_shown_at_any_moment(
    large: Event, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Each beginning of a log has standings, and none of them says that it is finished."""
    await played(tmp_path, large, ToyPool())
    lines = (tmp_path / LOG).read_bytes().splitlines(keepends=True)
    for size in range(1, len(lines), 31):
        (tmp_path / "part").write_bytes(b"".join(lines[:size]))
        so_far = rounds_in_log(Contents(tmp_path / "part"))
        heading, standings = standings_of(Played(large.plan, so_far, ""))
        assert not object_of(as_json(heading, standings))["finished"]
        assert heading.key == ""


def faulting(bot: str) -> Twist:
    """Every block has a fault of this bot."""

    def twist(job: Job, outcome: MatchOutcome) -> MatchOutcome:
        faults = tuple(int(one == bot) for one in job.bots)
        return replace(
            outcome, blocks=tuple(replace(block, faults=faults) for block in outcome.blocks)
        )

    return twist


async def test_a_bot_that_faults_again_and_again_is_benched(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """It forfeits the rest of its round, and has no table in the next; the others play on."""
    event = event_of(tmp_path, event_text(4, top="rounds = 3\nblocks = 5"))
    event = replace(event, bots=("a", "b", "c", "d"))
    watch, pool = Silent(), ToyPool(twist=faulting("b"))
    ((one, two, three),) = await played(tmp_path, event, pool, watch)

    assert [len(one.tables), len(two.tables), len(three.tables)] == [6, 3, 3]
    assert all(1 not in table.table.bots for table in two.tables + three.tables)
    assert watch.out == [("briscola-2", "bot 1", "faults in 10 of 10 blocks")]
    assert [job.bots[at] for job in pool.jobs for at in job.benched] == ["b"]
    assert [table.forfeits for table in one.tables if table.forfeits] == [((1,),)]
    (shown,) = object_of(as_json(*standings_of(Played(event.plan, ((one, two, three),), KEY))))[
        "sections"
    ]
    assert "faults in 10 of 10 blocks" in str(shown)


@pytest.mark.parametrize("least", [4, 10])
async def test_who_forfeits_what_does_not_follow_from_the_order_of_ends(
    least: int, tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Nor from where an event was interrupted; and its log fits, as far as it goes."""
    text = event_text(5, top=f"rounds = 2\nblocks = 12\nmatch_blocks = 2\nbench = {least}")
    event = replace(event_of(tmp_path, text), bots=("a", "b", "c", "d", "e"))
    whole = await played(tmp_path / "0", event, ToyPool(twist=faulting("b")))
    out = [bots for table in whole[0][0].tables for bots in table.forfeits if bots]

    assert out == [(1,)] * (4 * 6 - least // 2)
    for seed in range(1, 4):
        folder = tmp_path / str(seed)
        with pytest.raises(Stop):
            await played(folder, event, ToyPool(seed, both(faulting("b"), stopping_after(20))))
        check_against_plan(Contents(folder / LOG), folder / LOG)
        pool = ToyPool(seed, faulting("b"))
        assert without_times(await played(folder, event, pool)) == without_times(whole)
        check_against_plan(Contents(folder / LOG), folder / LOG)


def both(one: Twist, other: Twist) -> Twist:
    """Both changes of what a job brings."""
    return lambda job, outcome: other(job, one(job, outcome))


async def test_a_match_that_waits_for_what_was_given_up_is_played(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Where nothing else is left to play, what was given up counts as it is."""
    event = event_of(tmp_path, event_text(2, top="blocks = 12\nmatch_blocks = 5"))
    ((one,),) = await played(tmp_path, event, ToyPool(twist=lambda _, found: given_up(found)))

    assert one.tables[0].parts == (0, 0, 0)


def failing(bots: set[str]) -> Twist:
    """Matches that have one of these bots are given up."""
    return lambda job, outcome: given_up(outcome) if bots & {*job.bots} else outcome


async def test_what_was_given_up_is_left_out_and_the_event_goes_on(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """A bot in whose matches the host always fails does not stop an event."""
    event = event_of(tmp_path, event_text(4, top="rounds = 2"))
    event = replace(event, bots=("a", "b", "c", "d"))
    ((one, two),) = await played(tmp_path, event, ToyPool(twist=failing({"b"})))

    for table in one.tables + two.tables:
        assert table.given_up == ("host: the disk is gone" if 1 in table.table.bots else "")
        assert len(table.blocks) == (0 if 1 in table.table.bots else 20)


async def test_a_host_that_fails_for_good_stops_the_event(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """What it made void is not in the log: once it is mended, all is as if it had not failed."""
    event = event_of(tmp_path, event_text(4))
    event = replace(event, bots=("a", "b", "c", "d"))
    with pytest.raises(HostError, match="3 matches in a row were given up: host: the disk is"):
        await played(tmp_path / "failed", event, ToyPool(twist=failing({*event.bots})))
    assert Contents(tmp_path / "failed" / LOG).matches == {}

    mended = await played(tmp_path / "failed", event, ToyPool())
    assert mended == await played(tmp_path / "never", event, ToyPool())


async def test_a_bug_of_ours_is_told(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """With its traceback; the event goes on."""
    watch = Silent()
    event = event_of(tmp_path, event_text(2, top="match_blocks = 20"))
    await played(tmp_path, event, ToyPool(bug="trace"), watch)

    assert watch.bugs == ["trace"]


SMALL = """
name = "Small"
key = "00112233445566778899aabbccddeeff"
blocks = 2
sandbox = "bare"
[[game]]
id = "briscola-2"
[[bot]]
path = "sample:first"
[[bot]]
path = "sample:greedy"
[[bot]]
path = "sample:first"
name = "second"
"""


@pytest.mark.slow
def test_an_event_is_played_once_and_shown_ever_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run again, or shown, it prints the same; all tables have had the same decks."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    said = []
    for words in (["run", str(file)], ["run", str(file)], ["show", str(file)]):
        assert run(["event", *words]) == 0
        said.append(capsys.readouterr())
    file.unlink()
    assert run(["event", "show", str(tmp_path / "small"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert said[0].out == said[1].out == said[2].out
    assert "3 tables, 6 blocks, 12 deals in" in said[0].err
    assert said[1].err == said[2].err == ""
    assert shown["finished"]
    assert shown["key"] == "00112233445566778899aabbccddeeff"
    results = {path.name: path.read_text() for path in (tmp_path / "small").glob("results.*")}
    assert sorted(results) == ["results.csv", "results.html", "results.json"]
    assert json.loads(results["results.json"])["game_digest"] == shown["game_digest"]
    decks = [
        [line.deck for line in lines_of(path) if isinstance(line, DealLine)]
        for path in (tmp_path / "small" / "records").glob("*/*.jsonl")
    ]
    assert decks == [decks[0]] * 3
    assert len({*decks[0]}) == 2


def test_nothing_played_is_nothing_to_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a line, whether there is no log or an empty one."""
    (tmp_path / "e.toml").write_text(SMALL)
    assert run(["event", "show", str(tmp_path / "e.toml")]) == 2
    assert "nothing of this event has been played: there is no" in capsys.readouterr().err
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / LOG).write_text("")
    assert run(["event", "show", str(tmp_path / "e.toml")]) == 2
    assert "log.jsonl' is empty" in capsys.readouterr().err


def test_records_of_another_event_are_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of records without a log is not ours to write to."""
    (tmp_path / "e.toml").write_text(SMALL)
    (tmp_path / "e" / "records").mkdir(parents=True)

    assert run(["event", "run", str(tmp_path / "e.toml")]) == 2
    assert "records' is of another event: move it away" in capsys.readouterr().err


def test_two_cannot_play_one_event_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second gets a line, and the log is left alone."""
    (tmp_path / "e.toml").write_text(SMALL)
    with EventLog(tmp_path / "e"):
        assert run(["event", "run", str(tmp_path / "e.toml")]) == 2

    assert "another process is playing this event already" in capsys.readouterr().err


def with_toys(monkeypatch: pytest.MonkeyPatch, pool: ToyPool) -> None:
    """Lets the command play over this pool."""

    @asynccontextmanager
    async def opened(*_: object) -> AsyncIterator[ToyPool]:
        yield pool

    monkeypatch.setattr("ladder.commands.players.opened_pool", opened)


def test_trouble_of_the_host_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 3, and the words to type."""

    def fails(*_: object) -> NoReturn:
        raise HostError("no more disk")

    with_toys(monkeypatch, ToyPool(twist=fails))
    (tmp_path / "e.toml").write_text(SMALL)
    out = str(tmp_path / "else where")
    words = ["event", "run", str(tmp_path / "e.toml"), "--out", out, "--no-check"]

    assert run(words) == 3
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == (
        f"referee: no more disk; go on with: referee event run {tmp_path}/e.toml --out '{out}' "
        "--no-check"
    )


def test_a_key_that_nobody_named_is_kept_and_published_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event goes on with the same key; a torn line is told of."""
    file, out = tmp_path / "e.toml", tmp_path / "e"
    file.write_text("\n".join(line for line in SMALL.splitlines() if "key =" not in line))
    with_toys(monkeypatch, ToyPool(twist=stopping_after(1)))
    assert run(["event", "run", str(file)]) == 3
    key = (out / "key").read_text().strip()
    assert key not in (out / LOG).read_text()
    with (out / LOG).open("a") as log:
        log.write('{"match":[0,0')
    capsys.readouterr()
    with_toys(monkeypatch, ToyPool())
    assert run(["event", "run", str(file), "--json"]) == 0
    said = capsys.readouterr()

    assert "log.jsonl': line 4 was torn: cut off" in said.err
    assert json.loads(said.out)["key"] == key
    assert json.loads(said.out)["commitment"] == commitment(key)


def test_a_terminal_has_a_bar_and_a_pipe_a_line_a_round(tmp_path: Path) -> None:
    """Deals, their rate and the time left; what was played before says nothing about the rate."""
    (section,) = event_of(tmp_path, SMALL).plan.sections
    planned = Round((Pairing((0, 1)),), 0, 2, label="round 1")
    said = []
    for terminal in (True, False):
        file = StringIO()
        with shown(Console(file=file, force_terminal=terminal, width=120), 1000, 400) as watch:
            watch.begins(section, 0, planned)
            watch.match(100)
            watch.match(100)
            watch.ends(section, 0, RoundResult(planned, ()))
        said.append(file.getvalue())

    assert "600 of 1,000 deals" in said[0]
    assert "deals/s" in said[0]
    assert said[1].startswith("briscola-2, round 1: 0 tables, 0 blocks, 200 deals in ")
    assert said[1].count("\n") == 1


def test_a_pipe_has_a_line_each_half_minute(tmp_path: Path) -> None:
    """How far the event is, how fast it goes and how long that takes, however long a round is."""
    (section,) = event_of(tmp_path, SMALL).plan.sections
    planned = Round((Pairing((0, 1)),), 0, 2, label="round 1")
    file, now = StringIO(), 0.0
    with shown(Console(file=file, width=120), 1000, 400, lambda: now) as watch:
        watch.begins(section, 0, planned)
        for _ in range(5):
            now += 14
            watch.match(42)

    assert file.getvalue().splitlines() == [
        "briscola-2, round 1: 526 of 1,000 deals, 3 a second, 3 minutes to go",
    ]


@pytest.mark.slow
def test_an_interrupted_event_says_how_to_go_on(tmp_path: Path) -> None:
    """Exit code 130, and nothing half is left."""
    file, out = tmp_path / "event.toml", tmp_path / "event"
    file.write_text(EVENT)
    process = subprocess.Popen(command(file, out), stderr=subprocess.PIPE, text=True)
    watched(process, out / LOG, lines=4)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)

    assert process.returncode == 130
    assert said.splitlines()[-2:] == [
        f"go on with: referee event run {file} --out {out}",
        "referee: interrupted",
    ]
    found = Contents(out / LOG)
    assert (found.torn, found.end) == (None, None)
    assert not [path for path in out.rglob("*.part") if path.is_file()]


@pytest.mark.slow
@pytest.mark.thorough
def test_kill_9_at_any_moment_changes_nothing(tmp_path: Path) -> None:
    """Table, digests and records are those of an undisturbed run; so with a torn log."""
    survives(tmp_path, kills=15, seed=7)


UNBUILT = """
name = "Unbuilt"
blocks = 2
match_blocks = 1
sandbox = "bare"
workers = 1
records = false
[[game]]
id = "briscola-2"
[[bot]]
path = "sample:first"
[[bot]]
path = "./built"
"""


@pytest.mark.slow
def test_an_event_goes_on_without_a_bot_that_cannot_be_built_any_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If its organiser says so: it is at fault at its start in all that is left."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "event.toml").write_text(UNBUILT)
    bot = Path(bot_that(tmp_path / "built"))
    settings = (bot / "bot.toml").read_text()
    (bot / "bot.toml").write_text(f"build = \"test ! -e '{tmp_path}/stop'\"\n{settings}")
    words = ["event", "run", str(tmp_path / "event.toml"), "--no-check"]
    refused = "--at-fault is for an event of which something was played: leave the bot out of FILE"
    assert run([*words, "--at-fault", "built"]) == 2
    assert refused in capsys.readouterr().err
    assert run(words) == 0
    log = tmp_path / "event" / LOG
    lines = log.read_bytes().splitlines(keepends=True)
    assert [line[2:5] for line in lines] == [b"eve", b"rou", b"mat", b"mat", b"end"]
    log.write_bytes(b"".join(lines[:3]))
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "stop").touch()
    capsys.readouterr()

    assert run(words) == 2
    assert "if that is the bot's doing, go on with --at-fault built" in capsys.readouterr().err
    assert run([*words, "--at-fault", "other"]) == 2
    assert "--at-fault: 'other' is none of first, built" in capsys.readouterr().err
    assert run([*words, "--at-fault", "built", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["finished"]
    assert run([*words, "--at-fault", "other"]) == 2
    faults = [line for line in Contents(log).matches.values() if line.outcome.fault_list]
    assert [line.match for line in faults] == [(0, 0, 0, 1)]
    found = {(fault.bot, fault.code) for fault in faults[0].outcome.fault_list}
    assert found == {(1, FaultCode.STARTUP)}
