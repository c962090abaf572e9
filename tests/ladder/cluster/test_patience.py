"""A machine that has a match for longer than its bots' clocks allow hangs: it has no more."""

from pathlib import Path

import pytest
import trio
import trio.testing

from ladder.cluster.patience import clocks_s, patience_s
from ladder.cluster.peers import Peer
from protocol.messages import Answer
from referee.games import catalogue
from referee.match.leg import Leg
from referee.match.seating import Seating
from referee.match.verdict import FAULTS_BEFORE_BENCH, FaultCode, Receipt, Verdict
from referee.workers.job_plan import plan_of
from referee.workers.jobs import BrokenOff, Job
from support.clusters import FakeMachine, cluster, here
from support.drive import heard
from support.processes import until
from support.terms import job_of

LATE = Verdict(0, FaultCode.LATE, "no answer within 1 ms")


def job(**more: object) -> Job:
    """A deal from both seats."""
    bots = ("sample:greedy", "sample:first")
    return job_of(game="briscola-2", bots=bots, key="k", first=0, blocks=1, **more)


@pytest.mark.parametrize("once", [False, True])
async def test_a_match_that_does_not_end_is_given_to_another_machine(
    once: bool, tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    """Not before its time is over; the machine is named. What is dealt `once` is dealt no more.

    Time in which the conductor itself stands still does not count.
    """
    mock_clock.rate = 1.0  # the other machine's bots have a clock
    said: list[str] = []
    hung, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    found, _ = await cluster(hung, other, said=said)
    joined = len(said)
    hung.is_silent = True
    played: list[str] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(found.watch)

        @nursery.start_soon
        async def play() -> None:
            try:
                played.append((await found.play(job(once=once))).outcome.given_up)
            except BrokenOff as error:
                played.append(str(error))
            nursery.cancel_scope.cancel()

        async def jump(seconds: float) -> None:
            mock_clock.jump(seconds)
            await trio.testing.wait_all_tasks_blocked(0.01)

        await until(lambda: hung.calls == 2)  # it has introduced itself, and has a job
        await jump(1e6)
        for _ in range(round(patience_s(job()) / 60) - 3):
            await jump(60)
        assert (said[joined:], played, other.jobs) == ([], [], [])
        while not said[joined:]:
            await jump(60)
    gone = "1 machine gone over briscola-2 with sample:greedy, sample:first"
    assert (played, len(other.jobs)) == ([gone], 0) if once else ([""], 1)
    told = "machine a is left out: a match has not ended there in 34 minutes, which is more than"
    assert [line.startswith(told) for line in said[joined:]] == [True]


def test_a_match_that_waits_for_others_there_is_waited_for_longer() -> None:
    """As long as those take that came before it, and no more once they have ended."""
    peer = Peer("tls://a", here("a"), 0.0)
    with peer.owing(10.0) as first:
        with peer.owing(4.0) as second, peer.owing(4.0) as third:
            assert (first, second, third) == (10.0, 14.0, 18.0)
        with peer.owing(5.0) as fourth:
            assert fourth == 15.0
    with peer.owing(5.0) as fifth:
        assert fifth == 5.0


def used_s(wanted: Job, *, faults: bool) -> float:
    """What a match takes whose bots all use their whole time, and then answer, or are too late."""
    plan, used_us, counted = plan_of(wanted), 0, [0] * len(wanted.bots)
    for number in range(len(plan.seatings)):
        leg = Leg(plan.leg(number), counted)
        while leg.next_deal() is not None:
            for place in leg.to_start():
                ask = leg.greet(place)
                used_us += ask.allowance_us
                heard(ask, {"type": "ready", "protocol": 1, "name": "slow"})
            leg.open_deal()
            while (asked := leg.ask()) is not None:
                used_us += asked.allowance_us
                if faults:
                    leg.faulted(Verdict(asked.place, LATE.code, LATE.detail))
                    continue
                answer = Answer(asked.id, asked.legal[0])
                heard(asked, {"id": answer.id, "action": answer.action})
                receipt = Receipt(0, 0, asked.allowance_us, 0)
                assert leg.check_answer(answer, receipt) is None
                leg.answered(answer, receipt)
            leg.close_deal()
        leg.end_lines()
        counted = list(leg.course.faults)
    return used_us / 1e6


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("game", catalogue())
def test_no_match_takes_longer_than_its_clocks_allow(game: str, faults: bool) -> None:
    """However slow its bots are, and however often they are at fault and start anew."""
    bots = ("sample:first",) * catalogue()[game].seats[0]
    wanted = job_of(
        game=game,
        bots=bots,
        key="k",
        first=0,
        blocks=FAULTS_BEFORE_BENCH,
        seating=Seating.ROTATE,
        time="move=100ms,bank=2s,inc=300ms,soft=1s,strikes=2,start=5s",
    )
    assert 0 < used_s(wanted, faults=faults) <= clocks_s(wanted)
