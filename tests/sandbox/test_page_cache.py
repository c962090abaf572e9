"""What a bot has read is dropped in a thread, and its group goes when that is over."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.sandbox import page_cache
from referee.sandbox.page_cache import Dropping


@pytest.fixture
def go_on(tmp_path: Path) -> Callable[[], None]:
    """A file to which a write takes until this is called."""
    os.mkfifo(tmp_path / "memory.force_empty")

    def end() -> None:
        with (tmp_path / "memory.force_empty").open("rb") as file:
            assert file.read() == b"0"

    return end


def test_a_group_that_is_emptied_in_time_is_removed_at_once(tmp_path: Path) -> None:
    """By the thread that waits."""
    (tmp_path / "memory.force_empty").touch()
    removed = []
    dropping = Dropping(tmp_path, 10)
    dropping.wait()
    dropping.then(lambda: removed.append(threading.current_thread()))
    assert removed == [threading.main_thread()]
    assert (tmp_path / "memory.force_empty").read_text() == "0"


def test_a_group_that_takes_long_to_empty_is_removed_by_the_thread_that_does_it(
    tmp_path: Path, go_on: Callable[[], None]
) -> None:
    """The kernel would have us wait; that thread gives way to others from then on."""
    removed: list[int] = []
    gone = threading.Event()

    def remove() -> None:
        removed.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        gone.set()

    ours = os.getpriority(os.PRIO_PROCESS, 0)
    dropping = Dropping(tmp_path, 0.01)
    dropping.wait()
    dropping.then(remove)
    assert removed == []
    go_on()
    assert gone.wait(10)
    assert removed == [ours + page_cache._NICE]
    assert os.getpriority(os.PRIO_PROCESS, 0) == ours
