"""What the kernel's own threads use, which is no bot's."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import kernel_threads
from support.sandboxes import lacking


@pytest.fixture(autouse=True)
def _looked_for_anew() -> Iterator[None]:
    kernel_threads._threads_of.cache_clear()  # of tests before this one
    yield
    kernel_threads._threads_of.cache_clear()


def test_each_core_has_a_thread_of_its_own() -> None:
    """It has used some time since the machine began."""
    if Path("/proc/2/comm").read_text() != "kthreadd\n":
        lacking("threads of the kernel are not seen here")
    (core, *_) = kernel_threads.cores_of_ours()
    (of_core, *_) = kernel_threads._threads_of(frozenset({core}))
    assert Path(f"/proc/{of_core}/comm").read_text() == f"ksoftirqd/{core}\n"
    assert kernel_threads.used_ns({core}) > 0


def test_a_bot_that_has_the_name_of_one_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where it is a child of the same process."""
    named = threading.Event(), threading.Event()
    numbers: list[int] = []

    def run() -> None:
        numbers.append(threading.get_native_id())
        Path(f"/proc/self/task/{numbers[0]}/comm").write_text("ksoftirqd/0")
        named[0].set()
        named[1].wait()

    thread = threading.Thread(target=run)
    thread.start()
    named[0].wait()
    monkeypatch.setattr(kernel_threads, "children", lambda _: set(numbers))
    found = kernel_threads._threads_of(frozenset({0}))
    named[1].set()
    thread.join()
    assert found == ()


def test_what_they_have_used_is_the_sum_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that is gone, or that the kernel says nothing of, has used nothing."""
    monkeypatch.setattr(
        kernel_threads, "_threads_of", lambda _: (threading.get_native_id(), 1 << 30)
    )
    before = kernel_threads.used_ns({0})
    until = time.thread_time() + 0.02
    while time.thread_time() < until:
        pass
    assert kernel_threads.used_ns({0}) - before >= 15_000_000
