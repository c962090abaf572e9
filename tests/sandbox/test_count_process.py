"""What takes long to count is counted by processes of our own, and holds up nothing of ours."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from referee.bots.find import BotSource, find
from referee.bots.settings import Settings
from referee.sandbox import Sandbox, count_process, counting
from referee.sandbox.choose import opened
from referee.sandbox.count_process import COUNT_PROCESSES, Counter, CountProcess
from referee.sandbox.counting import UNSEEN, Budget, Found
from referee.sandbox.names import SandboxName
from referee.sandbox.procfs import is_running
from support.matches import match
from support.zoo import HOSTILE, compile_bot

BOTS: Final = Path(__file__).parent.parent / "support" / "bots"
LONG: Final = Budget(60.0)


@pytest.fixture
def pid() -> Iterator[int]:
    """A process of which there is something to count, and never more."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        cat.stdin.write(b"\n")
        cat.stdin.flush()
        cat.stdout.readline()  # it has mapped what it needs
        yield cat.pid


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Other tests look whether there are as many after them as before."""
    yield
    COUNT_PROCESSES.close()


@pytest.fixture
def nothing_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_process, "_QUICK", Budget(-1.0))


def idle_process() -> int:
    """The id of the process that counts next."""
    with COUNT_PROCESSES.one() as process:
        process.wait_until_ready()
        return process.pid


def numbers(found: Found) -> Found:
    return found._replace(took_s=0.0)


def test_what_is_quick_is_counted_where_we_are(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for nearly all bots: no process is started."""
    monkeypatch.setattr(count_process, "_COMMAND", ("false",))
    monkeypatch.setattr(count_process, "_QUICK", LONG)
    counter = Counter()
    found = counter.count([pid], LONG)
    assert numbers(found) == numbers(counting.count([pid], LONG, lambda: False))
    assert found.mappings > 0
    assert counter.worker == threading.get_native_id()
    assert counter.took_s == found.took_s > 0


@pytest.mark.usefixtures("nothing_is_quick")
def test_a_process_counts_the_same(pid: int) -> None:
    """It is kept for the next count."""
    counters = [Counter(), Counter()]
    here = counting.count([pid], LONG, lambda: False)
    for counter in counters:
        assert numbers(counter.count([pid], LONG)) == numbers(here)
        assert counter.took_s > 0
    assert counters[0].worker == counters[1].worker == idle_process() != os.getpid()


@pytest.mark.usefixtures("nothing_is_quick")
def test_a_process_has_as_much_time_as_a_count_may_take(pid: int) -> None:
    found = Counter().count([pid], Budget(-1.0))
    assert (found.took_too_long, found.is_too_much) == (True, True)


@pytest.mark.usefixtures("nothing_is_quick")
def test_a_count_in_a_process_is_ended_whatever_it_waits_for(pid: int) -> None:
    """Here for a signal, else for what its bot has locked; the next count has another process."""
    process = idle_process()
    os.kill(process, signal.SIGSTOP)
    os.waitid(os.P_PID, process, os.WSTOPPED | os.WNOWAIT)
    counter, found = Counter(), []
    thread = threading.Thread(target=lambda: found.append(counter.count([pid], LONG)))
    thread.start()
    while counter.worker != process:
        thread.join(0.001)
        assert thread.is_alive()
    assert not is_running(counter.worker)
    counter.stop()
    thread.join()
    assert found == [UNSEEN]
    assert idle_process() != process
    assert Counter().count([pid], LONG).was_looked_at


@pytest.mark.usefixtures("nothing_is_quick")
def test_no_bot_is_charged_when_a_process_of_ours_has_ended(pid: int) -> None:
    """It is counted anew."""
    process = idle_process()
    os.kill(process, signal.SIGKILL)
    assert Counter().count([pid], LONG) == UNSEEN
    assert Counter().count([pid], LONG).mappings > 0


@pytest.mark.usefixtures("nothing_is_quick")
def test_no_bot_is_charged_when_none_can_be_started(
    pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_process, "_COMMAND", ("/nonexistent",))
    assert Counter().count([pid], LONG) == UNSEEN


@pytest.mark.usefixtures("nothing_is_quick")
def test_a_count_that_is_over_before_it_begins_starts_nothing(
    pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bot has ended meanwhile."""
    monkeypatch.setattr(count_process, "_COMMAND", ("/nonexistent",))
    counter = Counter()
    counter.stop()
    assert counter.count([pid], LONG).took_too_long


@pytest.mark.usefixtures("nothing_is_quick")
def test_what_they_have_used_is_known_and_never_less(pid: int) -> None:
    """It may have kept a bot from its core."""
    used = [COUNT_PROCESSES.used_ns()]
    for _ in range(3):
        Counter().count([pid], LONG)
        used.append(COUNT_PROCESSES.used_ns())
    COUNT_PROCESSES.close()
    used.append(COUNT_PROCESSES.used_ns())
    assert used == sorted(used)
    assert used[0] < used[1] < used[-2]


@pytest.mark.usefixtures("nothing_is_quick")
async def test_they_end_with_the_sandbox(pid: int) -> None:
    async with opened(SandboxName.BARE):
        Counter().count([pid], LONG)
        process = idle_process()
        os.kill(process, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.usefixtures("nothing_is_quick")
def test_counts_of_several_bots_are_under_way_at_once(pid: int) -> None:
    """One that its bot keeps waiting holds up no other."""
    with COUNT_PROCESSES.one() as busy:
        counter = Counter()
        assert counter.count([pid], LONG).was_looked_at
        assert counter.worker != busy.pid


def test_a_process_ends_with_us() -> None:
    """When nothing more can come to its stdin."""
    process = CountProcess()
    with process._popen as popen:
        assert popen.stdin is not None
        popen.stdin.close()
        assert popen.wait() == 0


def test_a_process_that_ended_before_its_order_came_is_let_go(pid: int) -> None:
    """What it was to be told still waits to be written, and cannot be."""
    used, ended = COUNT_PROCESSES.used_ns(), list[CountProcess]()

    def count_by_one_that_has_ended() -> None:
        with COUNT_PROCESSES.one() as process:
            ended.append(process)
            process.end()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            process.count([pid], LONG)

    with pytest.raises(EOFError):
        count_by_one_that_has_ended()
    assert COUNT_PROCESSES.used_ns() - used == ended[0].used_ns()


def test_a_process_that_is_ended_when_it_has_answered_counts_no_more(pid: int) -> None:
    """Its bot went just then; the next one is counted by another."""
    with COUNT_PROCESSES.one() as process:
        process.count([pid], LONG)
        process.end()
    with COUNT_PROCESSES.one() as other:
        assert other.count([pid], LONG).was_looked_at


@pytest.mark.usefixtures("nothing_is_quick")
def test_no_bot_blocks_a_process_that_begins(
    pid: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It waits for the disk, or for what others do; only once it counts a bot is the reason."""
    os.mkfifo(tmp_path / "program")
    code = f"open({str(tmp_path / 'program')!r}).read(); import runpy; " + (
        "runpy.run_module('referee.sandbox.counting', run_name='__main__')"
    )
    monkeypatch.setattr(count_process, "_COMMAND", (sys.executable, "-P", "-c", code))
    counter, found = Counter(), list[Found]()
    thread = threading.Thread(target=lambda: found.append(counter.count([pid], LONG)))
    thread.start()
    with (tmp_path / "program").open("w"):  # returns when it waits there
        assert counter.worker == 0
    thread.join()
    assert counter.worker == idle_process()
    assert found[0].was_looked_at


def test_the_program_answers_line_by_line(pid: int) -> None:
    answers = io.BytesIO()
    orders = [[[pid], [60.0, None]], [[pid], [-1.0, 1.0]]]
    counting.main(io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in orders)), answers)
    ready, *lines = answers.getvalue().splitlines()
    found = [Found(*json.loads(line)) for line in lines]
    assert ready == b""
    assert [one.took_too_long for one in found] == [False, True]
    assert numbers(found[0]) == numbers(counting.count([pid], LONG, lambda: False))


def test_the_program_ends_when_its_answers_cannot_be_written(pid: int) -> None:
    class Gone(io.BytesIO):
        def write(self, text: object) -> int:
            if text != b"\n":
                raise BrokenPipeError
            return 1

    orders = io.BytesIO(b"[[%d],[1,null]]\n" % pid * 2)
    counting.main(orders, Gone())
    assert orders.readline() != b""


def bot(folder: Path, source: Path, *words: str) -> BotSource:
    """A compiled bot, which may have as many processes as any."""
    folder.mkdir()
    compile_bot(source, folder / "bot")
    command = " ".join(("./bot", *words))
    limits = "[limits]\nmemory = 512\nprocesses = 128\n"
    (folder / "bot.toml").write_text(f'name = "{folder.name}"\ncommand = "{command}"\n{limits}')
    return find(str(folder), Settings())


@pytest.mark.thorough
async def test_a_bot_that_thinks_on_is_not_late_beside_others_that_take_long_to_be_counted(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """It needs 65 of 100 ms, and keeps the referee from the processor when it has answered."""
    thinks = bot(tmp_path / "thinks", BOTS / "thinks_on.c", "65")
    counted = bot(tmp_path / "counted", HOSTILE / "is_counted.c")
    specs = [await bwrap.prepare(one) for one in (thinks, *[counted] * 4)]
    before = COUNT_PROCESSES.used_ns()
    result = await match(
        tmp_path / "m.jsonl",
        "briscola-chiamata-points",
        *specs,
        options=("match=deals:2",),
        time="move=100ms,bank=0s,soft=0ms,strikes=0,start=20s",
        sandbox=bwrap,
    )
    assert (result.totals.faults, result.totals.voids) == ([], [])
    assert COUNT_PROCESSES.used_ns() > before
