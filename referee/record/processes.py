"""Work that is shared by processes of our own; its results come in the order of the work.

They end with us, however we end, and at once where we do not wait for them.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from referee.errors import HostError

_AHEAD: Final = 4
"""So many tasks a process are under way, at most."""
_FEW: Final = 2
"""So many tasks are no reason to start processes: that takes as long."""

_SAFE_PATH: Final = "PYTHONSAFEPATH"

T = TypeVar("T")
R = TypeVar("R")


class Processes(Generic[T, R]):
    """Does tasks in processes, or itself where they are few; a context that ends them."""

    def __init__(self, work: Callable[[T], R], workers: int) -> None:
        """Starts no process before there are tasks enough.

        Args:
            work: what is done with each task; a function of a module.
            workers: how many processes do so; with 1, we do.
        """
        self._work = work
        self._workers = workers
        self._waiting: deque[T] = deque()
        self._under_way: deque[Future[R]] = deque()
        self._pool: ProcessPoolExecutor | None = None

    def _opened(self) -> ProcessPoolExecutor:
        """Makes processes possible, which `submit` starts."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            watched, self._alive = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                self._workers, context, initializer=_begin, initargs=(watched,)
            )
        return self._pool

    def add(self, task: T) -> Iterator[R]:
        """Takes a task; yields what earlier ones have brought, where too many are under way.

        Raises:
            HostError: a process was killed.
        """
        if self._workers == 1:
            yield self._work(task)
            return
        self._waiting.append(task)
        if self._pool is None and len(self._waiting) <= _FEW:
            return
        with _no_current_folder():
            pool = self._opened()  # what this starts for itself changes which signals are blocked
            with _named(), _no_interrupts():
                while self._waiting:
                    self._under_way.append(pool.submit(self._work, self._waiting.popleft()))
        while len(self._under_way) > _AHEAD * self._workers:
            yield self._next()

    def rest(self) -> Iterator[R]:
        """What is still under way.

        Raises:
            HostError: a process was killed.
        """
        while self._waiting:
            yield self._work(self._waiting.popleft())
        while self._under_way:
            yield self._next()

    def _next(self) -> R:
        with _named():
            return self._under_way.popleft().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            if kind is not None:
                self._alive.close()  # they end now: what they do is of no use any more
            self._pool.shutdown(cancel_futures=True)
            self._alive.close()


@contextmanager
def _named() -> Iterator[None]:
    """Says in one line that a process is gone."""
    try:
        yield
    except BrokenProcessPool as error:
        raise HostError(
            "a process that plays records again was killed, perhaps for want of memory: try again"
        ) from error


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile never see ctrl-C, not even before their first line."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _no_current_folder() -> Iterator[None]:
    """Processes that are started meanwhile import nothing from where we are.

    They begin as `python -c`, which looks for modules in the current folder first; that may be full
    of files of strangers. The environment is as before afterwards, for what else we start: a bot in
    Python finds its own modules only without it.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _begin(parent: Connection) -> None:
    """In a process: ends it as soon as its parent is gone, or lets go of the pipe."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    wait([parent])
    os._exit(1)
