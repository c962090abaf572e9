"""What a bot uses while the referee is away, and none is to move, is of no act."""

import threading
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from referee.errors import Unstoppable
from referee.match.verdict import FaultCode, Freeze
from referee.play import off_turn, standstill
from referee.play.last_seen import LastSeen
from referee.play.off_turn import MOST_STOPPED_US, OFF_TURN_US, OffTurn
from referee.play.off_turn_table import OffTurnTable
from referee.play.seat import Seat
from referee.play.waiting import Wait
from referee.sandbox import core_time, kernel_threads
from referee.sandbox.core_time import CoreUse
from referee.sandbox.count_process import COUNT_PROCESSES
from support.fake_process import FakeProcess, asked
from support.matches import match
from support.sandboxes import bot_that

LEAVES_LATE = """
        print(json.dumps({"id": message["id"], "action": "no such card"}), flush=True)
        time.sleep(5)
"""
THINKS_ON = """
        import threading
        def think():
            time.sleep(0.005)
            until = time.perf_counter() + 0.15
            while time.perf_counter() < until:
                pass
        threading.Thread(target=think).start()
"""


def test_what_was_used_before_an_act_is_not_taken_from_it() -> None:
    """It is seen where the act begins; what a bot uses from then on is its doing."""
    process = FakeProcess()
    bot, seen = OffTurn(process, Freeze.NEVER), LastSeen()
    bot.begin()
    process.worked_us += 250_000
    seen.see([bot])
    assert (bot.took_us(), bot.worked_us()) == (0, 250_000)
    process.worked_us += 7
    assert (bot.took_us(), bot.worked_us()) == (7, 250_007)
    process.release()


def test_what_threads_of_ours_use_is_known_from_then_on() -> None:
    """They look at what bots have, while one is to move."""
    seen, worked, ends = LastSeen(), threading.Event(), threading.Event()

    def work() -> None:
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
        worked.set()
        ends.wait()

    thread = threading.Thread(target=work)
    thread.start()
    worked.wait()
    before = seen.ours_us()
    seen.see([])
    after = seen.ours_us()
    ends.set()
    thread.join()
    assert before >= 30_000
    assert after < 30_000


def test_what_the_kernel_frees_meanwhile_is_taken_by_no_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that ends with 150,000 files once made an honest one beside it late, 4 times of 5."""
    used = [7_000_000]
    monkeypatch.setattr(kernel_threads, "used_ns", lambda _: used[0])
    for clock in ("process_time_ns", "thread_time_ns"):  # no other thread of ours does anything
        monkeypatch.setattr(time, clock, lambda: 0)
    monkeypatch.setattr(COUNT_PROCESSES, "used_ns", lambda: 0)
    seen = LastSeen()
    seen.see([])
    used[0] += 20_000_000
    assert seen.ours_us() == 20_000


def test_a_bot_that_has_had_no_act_yet_has_taken_nothing() -> None:
    """What it uses before `ready` is its own start."""
    process = FakeProcess()
    bot = OffTurn(process, Freeze.NEVER)
    process.worked_us += 250_000
    LastSeen().see([bot])
    process.worked_us += 250_000
    assert bot.took_us() == 0
    process.release()


@pytest.mark.parametrize("works_on", [False, True])
@pytest.mark.parametrize("freeze", [Freeze.NEVER, Freeze.AUTO])
def test_a_bot_that_was_stopped_is_not_charged_for_what_it_did_before(
    freeze: Freeze, *, works_on: bool
) -> None:
    """It might work, or we could not look: a daemon took two seconds to stop another.

    Others that go on to keep the core are none of its doing.
    """
    process = FakeProcess()
    bot = OffTurn(process, freeze)
    bot.begin()
    table = OffTurnTable([bot])
    process.worked_us += 300_000
    table.check()
    assert table.make_room(200_000)
    assert process.frozen
    process.worked_us += 300_000 * works_on
    assert table.make_room(400_000) is works_on
    assert bool(bot.charge) is works_on
    process.release()


async def test_while_a_daemon_is_asked_how_a_bot_ended_the_others_are_looked_at() -> None:
    """It takes up to a second, in which a friend thought for 37 to 150 ms, uncharged."""
    process = FakeProcess()
    bot = OffTurn(process, Freeze.AUTO)
    bot.begin()
    process.worked_us += 2 * OFF_TURN_US

    def ask() -> bool:
        until = time.monotonic() + 5
        while not process.frozen and time.monotonic() < until:
            time.sleep(0.001)
        return process.frozen

    assert await OffTurnTable([bot]).aside(ask)
    process.release()


def test_a_bot_that_is_ended_is_not_waited_for_while_another_is_to_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To die took one 1 to 4 s: the other thought for as long, and had its answer there at the end.

    Nor is the deal void for what that takes of the processor.
    """
    process = FakeProcess()
    monkeypatch.setattr(process, "kill", lambda: pytest.fail("it waits"))
    monkeypatch.setattr(process, "send_kill", lambda: None)
    bot = OffTurn(process, Freeze.ALWAYS)
    bot.begin()
    table = OffTurnTable([bot])
    process.worked_us += 2 * MOST_STOPPED_US
    table.check()
    assert bot.charge
    assert [table.make_room(400_000) for _ in range(3)] == [True] * 3
    later = OffTurnTable([bot])  # of the act after that
    process.close(process.lives)
    for one in (table, later):
        assert [one.make_room(400_000) for _ in range(3)] == [True, False, False]
    process.release()


@pytest.mark.parametrize("tries", [1, 2])
def test_a_bot_that_could_not_be_stopped_is_tried_again_before_it_is_ended(
    tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A storm of another's kept the daemon from it; when that is over, it stops as others do."""
    process = FakeProcess()
    left = [tries]

    def refuse(*, for_now: bool = False) -> None:
        if left[0]:
            left[0] -= 1
            raise Unstoppable("unable to freeze")
        process.frozen = True

    monkeypatch.setattr(process, "freeze", refuse)
    monkeypatch.setattr(process, "threads", lambda: (1,))
    monkeypatch.setattr(off_turn, "is_running", lambda _: not process.frozen)
    monkeypatch.setattr("time.perf_counter_ns", count(step=10**9).__next__)
    bot = OffTurn(process, Freeze.AUTO)
    bot.begin()
    table = OffTurnTable([bot])
    process.worked_us += 300_000
    table.check()
    for _ in range(20):
        table.count_running()
    assert table.make_room(200_000)
    assert (process.frozen, bool(bot.charge)) == (tries == 1, tries == 2)
    process.release()


def test_a_bot_that_was_ended_while_another_was_to_move_has_made_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It could not be stopped; else the deal was void, its charge with it, and so was the next."""
    process = FakeProcess()

    def refuse(*, for_now: bool = False) -> None:
        process.worked_us += 2_000_000
        raise Unstoppable("unable to freeze")

    monkeypatch.setattr(process, "freeze", refuse)
    bot = OffTurn(process, Freeze.AUTO)
    bot.begin()
    table = OffTurnTable([bot])
    process.worked_us += 300_000
    table.check()
    assert bot.charge
    assert table.make_room(2_300_000)
    assert not table.make_room(2_300_000)
    process.release()


@pytest.mark.parametrize("used_us", [300_000, OFF_TURN_US])
def test_a_bot_is_not_charged_for_being_found_at_work_while_it_might(
    used_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent bot of thirty threads had an honest one ended so, in 3 of 3 matches.

    A bot that is found at work is made to rest first, though nothing that it used is counted.
    """
    at_work = [True]
    monkeypatch.setattr(off_turn, "is_running", lambda _: at_work[0])
    monkeypatch.setattr("time.perf_counter_ns", count(step=10**9).__next__)
    process = FakeProcess()
    monkeypatch.setattr(process, "threads", lambda: (1,))
    bot = OffTurn(process, Freeze.NEVER)
    bot.begin()
    table = OffTurnTable([bot])
    process.worked_us += used_us
    for _ in range(20):
        table.count_running()
    assert table.make_room(200_000)
    assert process.frozen
    at_work[0] = False
    assert not table.make_room(400_000)
    assert not bot.charge
    process.release()


def test_what_a_bot_did_while_it_might_is_so_when_it_was_made_to_rest() -> None:
    """Only what it does after that is what a bot must not."""
    process = FakeProcess()
    other = Seat(1, process, Freeze.NEVER)
    seat = Seat(0, FakeProcess(), seats=[other])
    other.off_turn.begin()
    process.worked_us += 300_000
    assert (seat.others_us(), seat.free_us()) == (300_000, 300_000)
    other.off_turn.rest()
    process.worked_us += 100_000
    assert (seat.others_us(), seat.free_us()) == (400_000, 300_000)
    seat.process.release()
    process.release()


@pytest.mark.parametrize(("each_us", "ended"), [(100_000, [1]), (60_000, [])])
def test_friends_that_share_the_work_of_keeping_a_bot_from_it_are_ended(
    each_us: int, ended: list[int]
) -> None:
    """The busiest of them, if all together took half of the time; the next follows."""
    processes = [FakeProcess() for _ in range(3)]
    bots = [OffTurn(process, Freeze.ALWAYS) for process in processes]
    for bot in bots:
        bot.begin()
    for at, process in enumerate(processes):
        process.worked_us += each_us + (at == 1)
    assert OffTurnTable(bots).make_room(400_000) is bool(ended)
    assert [at for at, bot in enumerate(bots) if bot.charge] == ended
    for process in processes:
        process.release()


def test_looks_at_many_threads_leave_the_core_to_the_bot_that_is_to_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quarter of the time at most, at five friends of 117 processes that do nothing."""
    now_ns, looked_at = [0], Counter[int]()

    def look(thread: int) -> bool:
        now_ns[0] += 20_000
        looked_at[thread] += 1
        return False

    monkeypatch.setattr(off_turn, "is_running", look)
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    friends = [FakeProcess() for _ in range(5)]
    for at, friend in enumerate(friends):
        threads = range(at * 1000, at * 1000 + 117)
        monkeypatch.setattr(friend, "threads", lambda threads=threads: threads)
    table = OffTurnTable([OffTurn(friend, Freeze.AUTO) for friend in friends])
    spent_ns = looks = 0
    while now_ns[0] < 1_000_000_000:
        begin = now_ns[0]
        table.count_running()
        spent_ns += now_ns[0] - begin
        looks += now_ns[0] > begin
        now_ns[0] += 10_000_000
    for friend in friends:
        friend.release()

    assert looks >= 10
    assert spent_ns <= 1_000_000_000 // 4
    assert set(looked_at.values()) == {looks}
    assert len(looked_at) == 5 * 117


def test_what_we_use_to_look_at_others_puts_the_deadline_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However little that is each time: ten times 2 ms are 20 that the bot had not."""
    process = FakeProcess()
    seat, table = Seat(0, process), OffTurnTable([])
    seat.last_seen = LastSeen()
    monkeypatch.setattr(seat.last_seen, "ours_us", lambda: 0)
    wait = Wait(seat, asked(), table, begin=time.perf_counter_ns(), cpu=0, unsent=b"")
    process.worked_us = 50_000
    wait._look()

    def look() -> None:
        until = time.thread_time_ns() + 2_000_000
        while time.thread_time_ns() < until:
            pass

    monkeypatch.setattr(table, "check", look)
    for _ in range(10):
        wait._check_others()
    wait._share()
    assert wait._held_up.us() >= 20_000
    process.release()


async def test_what_we_do_between_two_looks_is_neither_lag_nor_standstill(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """To look at hundreds of processes took 300 ms, and such an act was void, uncharged."""
    worked_ns = [0]
    monkeypatch.setattr("time.thread_time_ns", lambda: worked_ns[0])
    monkeypatch.setattr(standstill, "_counts", lambda: {"1": (worked_ns[0] // 1000, 0)})
    monkeypatch.setattr(
        "time.perf_counter_ns", lambda: worked_ns[0] + int(trio.current_time() * 1e9)
    )
    process, looks = FakeProcess(), count(1)
    seat = Seat(0, process)
    wait = Wait(
        seat, asked(100_000), OffTurnTable([]), begin=time.perf_counter_ns(), cpu=0, unsent=b""
    )
    async with trio.open_nursery() as nursery:

        def look() -> None:
            worked_ns[0] += 25_000_000
            if next(looks) == 4:
                nursery.cancel_scope.cancel()

        monkeypatch.setattr(wait, "_look", look)
        nursery.start_soon(wait._watch)
    assert wait._held_up.us() == 0
    assert seat.lag_us < 1000
    process.release()


def busy_wait(
    monkeypatch: pytest.MonkeyPatch, process: FakeProcess, busy_us: int, worked_us: int
) -> Wait:
    """A wait in which the core was busy for so long, and the bot worked for so long."""
    seat = Seat(0, process)
    seat.last_seen = LastSeen()
    monkeypatch.setattr(seat.last_seen, "ours_us", lambda: 0)
    monkeypatch.setattr(seat.last_seen, "core_use", lambda: CoreUse(busy_us, 0, 0))
    table = OffTurnTable([])
    wait = Wait(seat, asked(), table, begin=time.perf_counter_ns(), cpu=0, unsent=b"")
    process.worked_us = worked_us
    wait._look()
    wait._share()
    return wait


def test_what_a_daemon_takes_of_the_core_puts_the_deadline_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Docker's took 30 ms of an act to take away the containers of seven bots at fault."""
    process = FakeProcess()
    wait = busy_wait(monkeypatch, process, 100_000, 65_000)
    assert 20_000 <= wait._held_up.us() <= 35_000
    process.release()


def test_a_bot_that_sleeps_loses_nothing_to_a_busy_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """What others take then, they take from none."""
    process = FakeProcess()
    assert busy_wait(monkeypatch, process, 100_000, 0)._held_up.us() == 0
    process.release()


def test_a_core_is_busy_when_it_is_not_idle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The kernel counts idle time to a hundredth of a second, which is left out."""
    stat, now_ns = tmp_path / "stat", [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    monkeypatch.setattr(core_time, "_COUNTS", str(stat))
    monkeypatch.setattr(kernel_threads, "cores_of_ours", lambda: frozenset({3}))
    stat.write_text("cpu  9 9 9 900 90 9\ncpu3 5 0 5 100 10 0 0 0 0 0\ncpu30 1 1 1 1 1 1\n")
    seen = LastSeen()
    assert seen.core_use() == (0, 0, 0), "nothing is known yet"
    seen.see([])
    now_ns[0] = 300_000_000
    stat.write_text("cpu  9 9 9 999 99 9\ncpu3 9 0 5 108 12 0 0 0 0 0\ncpu30 1 1 1 1 1 1\n")
    busy_us = 300_000 - 100_000 - core_time.RESOLUTION_US
    assert seen.core_use() == (busy_us, 100_000, 20_000)
    stat.write_text("cpu  9 9 9 999 99 9\n")
    assert seen.core_use() == (0, 0, 0), "that core is not there any more"


def test_lateness_that_we_worked_for_is_no_standstill_of_the_host() -> None:
    """A bot that sleeps meanwhile is late."""
    process = FakeProcess()
    seat = Seat(0, process)
    receipt = seat.receipt(0, 400_000, 400_000, 0)
    seat.worked_us = 290_000
    assert seat.excuse(receipt, 100_000) is None
    seat.lag_us, seat.worked_us = 0, 200_000
    assert seat.excuse(receipt, 100_000) is not None
    process.release()


@pytest.mark.slow
async def test_what_a_bot_does_during_the_last_word_of_another_is_of_no_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It thinks for 150 ms while a bot at fault takes 250 to leave; then a third one moves."""
    mover = bot_that(tmp_path / "mover", "time.sleep(0.02)")
    thinks = bot_that(tmp_path / "thinks", THINKS_ON.strip())
    leaves = bot_that(tmp_path / "leaves", LEAVES_LATE.strip())
    taken, others_us = [0], Seat.others_us

    def notes(seat: Seat) -> int:
        found = others_us(seat)
        taken.extend([found] * (seat.place == 0))
        return found

    monkeypatch.setattr(Seat, "others_us", notes)
    result = await match(
        tmp_path / "record", "briscola-3", mover, thinks, leaves, deals=1, freeze=Freeze.AUTO
    )

    assert [(fault.bot, fault.code) for fault in result.totals.faults] == [(2, FaultCode.ILLEGAL)]
    assert len(taken) > 5
    assert max(taken) < 100_000
