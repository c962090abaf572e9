"""A job is played once and right, whichever machines lie, die, refuse or are slow."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from ladder.cluster.checks import MOST_TROUBLES
from ladder.cluster.messages import Brought, Ended, Missing, encode
from ladder.cluster.peers import MOST_SLOW
from referee.errors import RefereeError, Shortage
from referee.match.outcome import FaultFound
from referee.match.verdict import ATTEMPTS, FaultCode
from referee.sandbox.folders import remove_tree
from referee.workers.jobs import BrokenOff, JobResult, Unready
from referee.workers.messages import Broken, Failed, JobPlayed, JobRefused
from referee.workers.pool import WorkerBug
from support.clusters import FakeMachine, alone, cluster, job, outcome, with_more, without_times
from support.sandboxes import Troubled


async def test_a_job_comes_to_what_it_does_on_one_machine(tmp_path: Path) -> None:
    """With its record in place, and what bots wrote beside it."""
    found, _ = await cluster(FakeMachine(tmp_path, "a"))
    wanted = job(record=str(tmp_path / "match.jsonl"))
    result = await found.play(wanted)
    assert without_times(result.outcome) == await alone(job())
    record = tmp_path / "match.jsonl"
    assert record.read_bytes().startswith(b'{"record":')
    (peer,) = found.peers.here
    assert (peer.pace.matches, peer.busy) == (1, 0)


LIES: dict[str, Callable[[Brought], Brought]] = {
    "more points": outcome(with_more),
    "a fault": outcome(lambda found: replace(found, faults=(0, 1))),
    "no acts": outcome(lambda found: replace(found, acts=0)),
    "times": outcome(lambda found: replace(found, used_us=(1, 1))),
    "fewer blocks": outcome(lambda found: replace(found, blocks=())),
    "luck": outcome(lambda found: replace(found, blocks=(replace(found.blocks[0], luck=(9, -9)),))),
    "another sandbox": outcome(lambda found: replace(found, sandbox="bwrap: all of it")),
    "no record": lambda brought: replace(brought, record=b""),
    "half a record": lambda brought: replace(brought, record=brought.record[:-400]),
    "a bit of a record": lambda brought: replace(
        brought, record=brought.record.replace(b"play", b"plaY", 1)
    ),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_machine_that_lies_is_named_and_left_out(lie: str, tmp_path: Path) -> None:
    """And what it has brought does not count: another plays the job."""
    said: list[str] = []
    liar, other = FakeMachine(tmp_path, "a", change=LIES[lie]), FakeMachine(tmp_path, "b")
    found, _ = await cluster(liar, other, said=said)
    result = await found.play(job())
    assert without_times(result.outcome) == await alone(job())
    assert (len(liar.jobs), len(other.jobs)) == (1, 1)
    assert "machine a is left out: its record" in said[-1]
    assert [peer.machine.name for peer in found.peers.playing] == ["b"]


@pytest.mark.parametrize("what", [{"key": "other"}, {"first": 4}, {"names": ("one", "two")}])
async def test_the_record_of_another_match_is_none(what: dict[str, object], tmp_path: Path) -> None:
    other = FakeMachine(tmp_path, "other")
    found, _ = await cluster(other)
    (peer,) = found.peers.here
    brought = await found.ask(peer, job(**what))
    assert not await found._checks.counts(peer, job(), brought)
    assert peer.left_out


async def test_acts_that_are_not_the_bots_are_found_by_two_others(tmp_path: Path) -> None:
    """Within the rules a record can be made up: here by another bot in the place of one."""
    said: list[str] = []
    liar = FakeMachine(tmp_path, "a", swapped={"sample:greedy": "sample:first"})
    others = [FakeMachine(tmp_path, name) for name in "bc"]
    found, _ = await cluster(liar, *others, said=said, one_in=1)
    results = [await found.play(job(key=str(at))) for at in range(4)]
    for at, result in enumerate(results):
        assert without_times(result.outcome) == await alone(job(key=str(at)))
    told = "machine a is left out: two other machines play the same job otherwise, and alike"
    assert said[-1] == told
    assert all(not peer.left_out for peer in found.peers.here if peer.machine.name != "a")


async def test_a_ladder_draws_other_decks_where_a_machine_has_made_up_acts(tmp_path: Path) -> None:
    """What it plays is played `once`, and compared all the same."""
    said: list[str] = []
    liar = FakeMachine(tmp_path, "a", swapped={"sample:greedy": "sample:first"})
    others = [FakeMachine(tmp_path, name) for name in "bc"]
    found, _ = await cluster(liar, *others, said=said, one_in=1)
    with pytest.raises(BrokenOff, match="what a has played does not count"):
        await found.play(job(once=True))
    assert said[-1].startswith("machine a is left out: two other machines")


@pytest.mark.parametrize("wall_us", [-5, 10**12, 2**63 - 1])
async def test_a_match_takes_no_longer_than_it_has_taken(wall_us: int, tmp_path: Path) -> None:
    """No record tells it: the conductor has its own clock."""
    said: list[str] = []
    change = outcome(lambda found: replace(found, wall_us=wall_us))
    odd = FakeMachine(tmp_path, "a", change=change)
    found, _ = await cluster(odd, FakeMachine(tmp_path, "b"), said=said)
    assert 0 < (await found.play(job())).outcome.wall_us < 10**8
    assert said[-1] == "machine a is left out: its matches take longer than it took to play them"


async def test_bots_that_play_by_chance_accuse_no_machine(tmp_path: Path) -> None:
    found, _ = await cluster(*(FakeMachine(tmp_path, name) for name in "abc"), one_in=1)
    bots = replace(job(), bots=("sample:random", "sample:random"))
    for at in range(3):
        await found.play(replace(bots, key=str(at)))
    assert len(found.peers.playing) == 3


async def test_a_machine_that_is_lost_has_its_job_played_by_another(tmp_path: Path) -> None:
    dying, other = FakeMachine(tmp_path, "a", deaths=1), FakeMachine(tmp_path, "b", deaths=1)
    found, _ = await cluster(dying, other)
    result = await found.play(job())
    assert without_times(result.outcome) == await alone(job())
    assert len(dying.jobs) + len(other.jobs) == 1


async def test_a_call_ends_with_its_machine(tmp_path: Path) -> None:
    """The engine may never say so: a scheduler that was started anew knows of no old call."""
    silent = FakeMachine(tmp_path, "a")
    found, connection = await cluster(silent)

    silent.is_silent = True
    async with trio.open_nursery() as nursery:
        nursery.start_soon(found.play, job())
        await trio.testing.wait_all_tasks_blocked()
        del connection.machines["tls://a"]
        connection.machines["tls://b"] = FakeMachine(tmp_path, "b")
        await found.look()


async def test_machines_are_lost_over_a_job_so_often_and_no_more(tmp_path: Path) -> None:
    found, _ = await cluster(FakeMachine(tmp_path, "a", deaths=99))
    with pytest.raises(BrokenOff, match=f"{ATTEMPTS} machines gone over briscola-2 with"):
        await found.play(job())


@pytest.mark.parametrize("trouble", ["lost", "liar"])
async def test_what_is_to_be_played_once_is_played_by_no_other(
    trouble: str, tmp_path: Path
) -> None:
    change = LIES["more points"] if trouble == "liar" else lambda brought: brought
    first = FakeMachine(tmp_path, "a", deaths=trouble == "lost", change=change)
    found, _ = await cluster(first, FakeMachine(tmp_path, "b"), one_in=1)
    with pytest.raises(BrokenOff):
        await found.play(job(once=True))


GIVEN_UP = outcome(lambda found: replace(found, blocks=(), given_up="HostError: no room"))
TROUBLES: dict[str, Callable[[Brought], Brought]] = {
    "a bot cannot be prepared": lambda _: Brought(JobRefused("no such image here", 1)),
    "a bot that there is none": lambda _: Brought(JobRefused("no such bot", 99)),
    "a full disk": lambda _: Brought(Failed("No space left on device", shortage=True)),
    "dead workers": lambda _: Brought(Ended("3 workers ended over it")),
    "a bug": lambda _: Brought(Broken("trace")),
    "given up": GIVEN_UP,
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_what_one_machine_cannot_play_another_may(trouble: str, tmp_path: Path) -> None:
    """It may be that machine's own trouble; if it is so time and again, it is left out."""
    said: list[str] = []
    odd = FakeMachine(tmp_path, "a", change=TROUBLES[trouble])
    found, _ = await cluster(odd, FakeMachine(tmp_path, "b"), said=said)
    for at in range(MOST_TROUBLES):
        assert not found.peers.here[0].left_out
        wanted = job(key=str(at))
        assert without_times((await found.play(wanted)).outcome) == await alone(wanted)
    assert said[-1].startswith("machine a is left out: it could not play 3 matches that others")


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        ("a bot cannot be prepared", Unready),
        ("a bot that there is none", RefereeError),
        ("a full disk", Shortage),
        ("dead workers", BrokenOff),
        ("a bug", WorkerBug),
    ],
)
async def test_what_no_machine_can_play_is_told_as_a_pool_does(
    trouble: str, error: type[Exception], tmp_path: Path
) -> None:
    machines = [FakeMachine(tmp_path, name, change=TROUBLES[trouble]) for name in "ab"]
    found, _ = await cluster(*machines)
    with pytest.raises(error):
        await found.play(job())
    assert [len(one.jobs) for one in machines] == [1, 1]
    assert not any(peer.left_out for peer in found.peers.here)


@pytest.mark.parametrize("once", [False, True])
async def test_a_match_that_a_machine_gives_up_has_a_record_of_it(
    once: bool, tmp_path: Path
) -> None:
    """It is that result where no other machine plays it; one that is made up is none."""
    record = tmp_path / "match.jsonl"
    odd = FakeMachine(tmp_path, "a", runs_in=Troubled(1))
    found, _ = await cluster(odd)
    result = await found.play(job(record=str(record), once=once))
    assert "the daemon is gone" in result.outcome.given_up
    assert record.exists()
    found, _ = await cluster(FakeMachine(tmp_path, "b", change=GIVEN_UP))
    with pytest.raises(BrokenOff, match="what b has played does not hold"):
        await found.play(job(once=once))


@pytest.mark.parametrize("trouble", ["dead workers", "a bug"])
async def test_what_may_have_been_dealt_once_is_dealt_no_more(trouble: str, tmp_path: Path) -> None:
    other = FakeMachine(tmp_path, "b")
    found, _ = await cluster(FakeMachine(tmp_path, "a", change=TROUBLES[trouble]), other)
    with pytest.raises((BrokenOff, WorkerBug)):
        await found.play(job(once=True))
    assert other.jobs == []


async def test_a_bot_comes_to_a_machine_once(tmp_path: Path) -> None:
    """And again, where the machine has lost it."""
    bot = tmp_path / "mine"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "mine"\ncommand = "./run"\n')
    (bot / "run").write_text("#!/bin/sh\nexec cat\n")
    (bot / "run").chmod(0o755)
    first = FakeMachine(tmp_path, "a")
    found, _ = await cluster(first)
    wanted = replace(job(), bots=(str(bot), "sample:first"), names=())
    for _ in range(2):
        with pytest.raises(Unready, match="was submitted: it never runs without a sandbox"):
            await found.play(wanted)
    assert list(map(len, first.sent)) == [1, 0]
    (digest,) = first.sent[0]
    remove_tree(tmp_path / "a" / "bots" / digest)
    with pytest.raises(Unready):
        await found.play(wanted)
    assert list(map(len, first.sent)) == [1, 0, 0, 1]


async def test_a_bot_that_is_not_there_any_more_is_the_reason(tmp_path: Path) -> None:
    """As for a pool: a ladder's runner excuses the match, and goes on."""
    found, _ = await cluster(FakeMachine(tmp_path, "a"))
    with pytest.raises(Unready, match="there is no such file") as refused:
        await found.play(replace(job(), bots=("sample:first", str(tmp_path / "gone"))))
    assert refused.value.bot == 1


async def test_what_does_not_travel_is_refused(tmp_path: Path) -> None:
    (tmp_path / "acts").write_text("")
    found, _ = await cluster(FakeMachine(tmp_path, "a"))
    bots = (f"sample:script={tmp_path / 'acts'}", "sample:first")
    with pytest.raises(RefereeError, match="does not travel"):
        await found.play(replace(job(), bots=bots))


async def test_a_fault_of_time_on_a_machine_that_has_become_slow_does_not_count(
    tmp_path: Path,
) -> None:
    """Where its round trips take as long as when it joined, it does."""
    late = FaultFound(leg=0, deal=1, act=1, seat=0, bot=0, code=FaultCode.LATE, detail="late")
    slow, said = FakeMachine(tmp_path, "slow"), list[str]()
    found, _ = await cluster(slow, said=said)
    (peer,) = found.peers.here
    brought = await found.ask(peer, job())
    assert isinstance(brought.report, JobPlayed)
    with_fault = replace(brought.report.result.outcome, fault_list=(late,))
    reported = replace(brought, report=JobPlayed(JobResult(with_fault)))
    assert not await found._checks._was_slow(peer, reported)
    slow.l_now = 50.0
    assert not await found._checks._was_slow(peer, brought)
    for _ in range(MOST_SLOW):
        assert not peer.left_out
        assert await found._checks._was_slow(peer, reported)
    assert said[-1].startswith("machine slow is left out: a round trip between two C programs")


async def test_a_machine_that_wants_bots_without_end_is_left_out(tmp_path: Path) -> None:
    said: list[str] = []
    odd, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    odd.answer = encode(Brought(Missing(("f" * 64,))))
    found, _ = await cluster(odd, other, said=said)
    assert without_times((await found.play(job())).outcome) == await alone(job())
    assert said[-1] == "machine a is left out: it does not take bots"


async def test_a_machine_that_does_not_say_who_it_is_holds_up_no_other(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    silent, good = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    silent.is_silent = True
    found, _ = await cluster(silent, good)
    assert [peer.machine.name for peer in found.peers.here] == ["b"]
    silent.is_silent = False
    await found.look()
    assert [peer.machine.name for peer in found.peers.playing] == ["b", "a"]


async def test_no_machine_is_left_out_for_one_that_says_it_is_quick(tmp_path: Path) -> None:
    """Nor for good: once the quick ones are gone, it plays."""
    liar = FakeMachine(tmp_path, "liar", l_us=1e-9)
    usual = [FakeMachine(tmp_path, name) for name in "ab"]
    found, connection = await cluster(liar, *usual)
    assert len(found.peers.playing) == 3
    said: list[str] = []
    slow = [FakeMachine(tmp_path, name, l_us=20.0, l_now=20.0) for name in ("slow", "usual")]
    quick = [FakeMachine(tmp_path, name, l_us=4.0) for name in ("q1", "q2")]
    found, connection = await cluster(*slow, *quick, said=said)
    assert {peer.machine.name for peer in found.peers.playing} == {"q1", "q2"}
    del connection.machines["tls://q1"], connection.machines["tls://q2"]
    await found.look()
    assert {peer.machine.name for peer in found.peers.playing} == {"slow", "usual"}
    assert said[-1] == "machine usual gets jobs again"


async def test_a_machine_that_was_only_busy_when_it_joined_plays_soon(tmp_path: Path) -> None:
    said: list[str] = []
    usual = [FakeMachine(tmp_path, name) for name in "ab"]
    found, _ = await cluster(FakeMachine(tmp_path, "busy", l_us=50.0), *usual, said=said)
    assert len(found.peers.playing) == 2
    await found.look()
    assert len(found.peers.playing) == 3
    assert said[-1] == "machine busy gets jobs again"


NONSENSE: dict[str, bytes] = {"nothing": b"", "text": b"hello", "another value": b"\x81\xa1a\x01"}


@pytest.mark.parametrize("what", NONSENSE)
async def test_a_machine_that_answers_nonsense_plays_no_more(what: str, tmp_path: Path) -> None:
    said: list[str] = []
    odd, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    found, _ = await cluster(odd, other, said=said)

    odd.answer = NONSENSE[what]
    assert without_times((await found.play(job())).outcome) == await alone(job())
    assert said[-1] == "machine a is left out: it does not answer as a machine does"


@pytest.mark.parametrize(
    "about", [{"cores": 0}, {"cores": 10**9}, {"l_us": -1.0}, {"sandbox": "x" * 999}]
)
async def test_a_machine_that_introduces_itself_as_none_is_none(
    about: dict[str, Any],  # some of what `Machine` is made of
    tmp_path: Path,
) -> None:
    found, _ = await cluster(FakeMachine(tmp_path, "a", **about))
    assert found.size == 0


async def test_what_a_machine_calls_itself_is_shown_as_text(tmp_path: Path) -> None:
    said: list[str] = []
    odd = FakeMachine(tmp_path, "a")
    odd.machine = replace(odd.machine, name="\x1b[2J", processor="\n")
    await cluster(odd, said=said)
    assert all(line.isprintable() for line in said)


async def test_a_comparison_does_not_wait_for_machines_that_have_gone(tmp_path: Path) -> None:
    """Where the only other machine goes while it is waited for, the result counts as it is."""
    machines = [FakeMachine(tmp_path, name) for name in "ab"]
    found, connection = await cluster(*machines, one_in=1)
    first, other = found.peers.here
    other.busy = other.slots
    async with trio.open_nursery() as nursery:
        nursery.start_soon(found.play, job())
        while not first.busy and not machines[0].jobs:
            await trio.lowlevel.checkpoint()
        await trio.testing.wait_all_tasks_blocked(0.05)
        del connection.machines["tls://b"]
        await found.look()
    assert first.pace.matches == 1


async def test_machines_that_are_not_as_this_one_is_play_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    machines = [
        FakeMachine(tmp_path, "old", referee="0.0.1"),
        FakeMachine(tmp_path, "rules", rules="0" * 64),
        FakeMachine(tmp_path, "bounds", settings="0" * 64),
        FakeMachine(tmp_path, "snail", l_us=50.0),
        FakeMachine(tmp_path, "unknown", l_us=None),
        FakeMachine(tmp_path, "good"),
    ]
    found, _ = await cluster(*machines, said=said)
    assert {peer.machine.name for peer in found.peers.playing} == {"good", "unknown"}
    assert found.size == 4
    left_out = [line for line in said if "is left out" in line]
    assert [line.split()[1] for line in left_out] == ["bounds", "old", "rules"]
    assert said[-1].startswith("machine snail gets no jobs for now: a round trip between two C")


async def test_a_machine_that_joins_is_told_to_who_waits_for_more(tmp_path: Path) -> None:
    found, connection = await cluster(FakeMachine(tmp_path, "a"))
    told: list[int] = []
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def wait() -> None:
            await found.more(2)
            told.append(found.size)

        await trio.testing.wait_all_tasks_blocked()
        assert not told
        connection.machines["tls://b"] = FakeMachine(tmp_path, "b", cores=2)
        await found.look()
    assert told == [5]


async def test_machines_come_and_go_while_jobs_wait(tmp_path: Path) -> None:
    said: list[str] = []
    found, connection = await cluster(said=said)
    assert found.size == 0
    results = []
    async with trio.open_nursery() as nursery:

        async def play() -> None:
            results.append(await found.play(job()))

        nursery.start_soon(play)
        await trio.testing.wait_all_tasks_blocked()
        connection.machines["tls://late"] = FakeMachine(tmp_path, "late")
        await found.look()
    assert len(results) == 1
    connection.machines.clear()
    await found.look()
    assert said[0].startswith("machine late joins: a processor, 1 core, L 5.0 us; sandbox: bare")
    assert said[1] == "machine late has gone, after 1 match"
    assert found.size == 0
