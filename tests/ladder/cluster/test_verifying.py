"""Where one record in N is played again, a machine that lies is found by chance, with its count."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.cluster.believed import Scrutiny, disbelief
from ladder.cluster.checks import played
from ladder.cluster.errands import Errands
from ladder.cluster.messages import Brought
from referee.bots.settings import Settings
from referee.workers.jobs import Job
from support.clusters import (
    Change,
    FakeMachine,
    alone,
    cluster,
    job,
    moved,
    outcome,
    with_more,
    without_times,
)

PROOF = "referee ladder verify"
MOST_JOBS = 20
"""Of a machine whose every result is a lie: it plays more of them in one case of 3,000."""


def rarely(most: int) -> int:
    """Chance by which nothing is looked at closely that need not be."""
    return most - 1


@pytest.mark.parametrize("seed", range(6))
async def test_a_machine_that_lies_is_found_though_one_record_in_three_is_played_again(
    seed: int, tmp_path: Path
) -> None:
    """And the line says how many of its results have counted before, and what proves them."""
    said: list[str] = []
    liar, other = FakeMachine(tmp_path, "a", change=outcome(moved)), FakeMachine(tmp_path, "b")
    draw = random.Random(seed).randrange
    found, _ = await cluster(liar, other, said=said, verify=3, proof=PROOF, draw=draw)
    jobs = 0
    while not other.jobs:
        jobs += 1
        result = await found.play(job(key=str(jobs), blocks=2))
    earlier = len(liar.jobs) - 1
    more = (
        f"; of its earlier results {earlier} counted with records that were only read: "
        f"`{PROOF}` proves them"
    )
    why = "machine a is left out: its record says otherwise: blocks"
    assert jobs <= MOST_JOBS
    assert said[-1] == f"{why}{more if earlier else ''}"
    last = await alone(job(key=str(jobs), blocks=2))
    assert without_times(result.outcome) == last, "what was found counts nowhere"


async def test_what_a_machine_has_played_before_it_went_and_came_again_is_told_too(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    liar = FakeMachine(tmp_path, "a", change=outcome(moved))
    found, connection = await cluster(liar, said=said, verify=3, proof=PROOF, draw=rarely)
    await found.play(job(blocks=2))
    connection.machines.clear()
    await found.look()
    connection.machines |= {"tls://a2": liar, "tls://b": FakeMachine(tmp_path, "b")}
    await found.look()
    liar.answer = b"nonsense"
    await found.play(job(blocks=2))
    assert said[-1].startswith("machine a is left out: it does not answer as a machine does; of")
    assert "of its earlier results 1 counted" in said[-1]


async def test_what_comes_from_a_machine_that_was_left_out_meanwhile_is_played_again(
    tmp_path: Path,
) -> None:
    """The line that counts its results has been said."""
    liar, other = FakeMachine(tmp_path, "a", change=outcome(moved)), FakeMachine(tmp_path, "b")

    def draw(most: int) -> int:
        (lying,) = (one for one in found.peers.here if one.machine.name == "a")
        lying.left_out = "another of its results was a lie"
        return most - 1

    found, _ = await cluster(liar, other, verify=1000, proof=PROOF, draw=draw)
    result = await found.play(job(blocks=2))
    assert without_times(result.outcome) == await alone(job(blocks=2))
    assert (len(liar.jobs), len(other.jobs)) == (1, 1)


@pytest.mark.parametrize(("verify", "proof"), [(1, PROOF), (1000, "")])
async def test_every_record_is_played_again_by_default_and_where_nothing_proves_it_later(
    verify: int, proof: str, tmp_path: Path
) -> None:
    """Then nothing is said of it."""
    said: list[str] = []
    liar, other = FakeMachine(tmp_path, "a", change=outcome(moved)), FakeMachine(tmp_path, "b")
    found, _ = await cluster(liar, other, said=said, verify=verify, proof=proof, draw=rarely)
    await found.play(job(blocks=2))
    assert len(other.jobs) == 1
    assert said[-1] == "machine a is left out: its record says otherwise: blocks"
    assert found.unproved == ""


async def test_it_is_said_that_not_every_record_is_played_again(tmp_path: Path) -> None:
    found, _ = await cluster(FakeMachine(tmp_path, "a"), verify=3, proof=PROOF)
    assert found.unproved.startswith("of 3 records one is played again before its result counts")
    assert found.unproved.endswith(f"`{PROOF}` proves them")


SEEN_BY_READING: dict[str, Change] = {
    "more points": outcome(with_more),
    "points without end": outcome(
        lambda found: replace(found, blocks=(replace(found.blocks[0], values=(10**9, -(10**9))),))
    ),
    "a value for another bot": outcome(
        lambda found: replace(found, blocks=(replace(found.blocks[0], values=(0, 0, 0)),))
    ),
    "a fault": outcome(lambda found: replace(found, faults=(0, 1))),
    "other times": outcome(lambda found: replace(found, used_us=())),
    "fewer blocks": outcome(lambda found: replace(found, blocks=())),
    "another block": outcome(
        lambda found: replace(found, blocks=(replace(found.blocks[0], block=9),))
    ),
    "no luck": outcome(lambda found: replace(found, blocks=(replace(found.blocks[0], luck=(1,)),))),
    "no meetings": outcome(
        lambda found: replace(found, blocks=(replace(found.blocks[0], meetings=()),))
    ),
    "another game": outcome(lambda found: replace(found, game_digest="0" * 64)),
    "another sandbox": outcome(lambda found: replace(found, sandbox="bwrap: all of it")),
    "no record": lambda brought: replace(brought, record=b""),
    "half a record": lambda brought: replace(brought, record=brought.record[:-400]),
    "a bit of a record": lambda brought: replace(
        brought, record=brought.record.replace(b"play", b"plaY", 1)
    ),
}


@pytest.mark.parametrize("lie", SEEN_BY_READING)
async def test_what_cannot_be_or_has_another_record_is_found_each_time(
    lie: str, tmp_path: Path
) -> None:
    """Whatever is drawn: what a ladder or an event would stumble over never comes there."""
    said: list[str] = []
    liar = FakeMachine(tmp_path, "a", change=SEEN_BY_READING[lie])
    other = FakeMachine(tmp_path, "b")
    found, _ = await cluster(liar, other, said=said, verify=1000, proof=PROOF, draw=rarely)
    await found.play(job())
    assert (len(liar.jobs), len(other.jobs)) == (1, 1)
    assert said[-1].startswith("machine a is left out: its record")


async def brought_of(wanted: Job, folder: Path) -> tuple[Job, Brought]:
    """A job with all names and hashes, and what an honest machine brings."""
    found, _ = await cluster(FakeMachine(folder, "a"))
    ready, _ = await Errands(Settings()).ready(wanted)
    return ready, await found.ask(found.peers.here[0], wanted)


async def test_reading_sees_less_than_playing_again(tmp_path: Path) -> None:
    """It is what 1 in N gives up."""
    wanted, brought = await brought_of(job(blocks=2), tmp_path)
    record = tmp_path / "record"
    record.write_bytes(brought.record)
    true, lie = played(brought), played(outcome(moved)(brought))
    for scrutiny in Scrutiny:
        assert disbelief(wanted, true, record, scrutiny) is None
    assert disbelief(wanted, lie, record, Scrutiny.READ) is None
    assert disbelief(wanted, lie, record) == "its record says otherwise: blocks"


async def test_what_is_played_on_another_machine_is_played_again_by_the_rules(
    tmp_path: Path,
) -> None:
    """Else two machines that agree on a game could differ in what it was worth."""
    said: list[str] = []
    liar, other = FakeMachine(tmp_path, "a", change=outcome(moved)), FakeMachine(tmp_path, "b")
    found, _ = await cluster(
        liar, other, said=said, one_in=1, verify=1000, proof=PROOF, draw=rarely
    )
    await found.play(job(blocks=2))
    assert said[-1] == "machine a is left out: its record says otherwise: blocks"
