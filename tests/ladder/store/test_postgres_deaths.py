"""PostgreSQL dies in the middle of transactions: the ladder is whole, and each match counts once.

A step is a statement or a commit that is about to be sent, and a commit that was carried out, but
whose answer is lost, so that it cannot be known whether it was. A death takes a second of recovery,
so it comes at each seventh or so step; `STRIDES` of 1 are all of them, in ten minutes.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import psycopg
import pytest
from sqlalchemy import Engine, event
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from ladder.core.facts import Decision, Deed, Fact
from ladder.store.database import DatabaseGone
from ladder.store.jobs import Settled
from ladder.store.store import Store
from referee.bots.find import SAMPLES
from referee.cli import run
from referee.sandbox.procfs import children
from support.ladders import LEASE_MS, invented, job, made
from support.postgres import Mode, Postgres
from support.sandboxes import living, need, python_bot

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

T = TypeVar("T")
Strike = Callable[[psycopg.Connection[Any]], None]
_PATIENCE_S: Final = 60.0
_MOST_STEPS: Final = 200
STRIDES: Final = {"backend": 7, "server": 11, "postmaster": 11, "submission": 17}


class Death:
    """Lets a server die at one step.

    Attributes:
        happened: whether that step was reached.
    """

    def __init__(self, strike: Strike, at: int) -> None:
        """Strikes at the step of that number, from 0 on, and then never again."""
        self._strike = strike
        self._left = at
        self.happened = False

    def step(self, connection: psycopg.Connection[Any]) -> None:
        """Another step is about to be taken on this connection."""
        self._left -= 1
        if self._left < 0 and not self.happened:
            self.happened = True
            self._strike(connection)


@contextmanager
def dying(death: Death) -> Iterator[None]:
    """Counts every statement and every commit that is sent to PostgreSQL, by whatever engine."""

    def statement(_: object, cursor: Any, *__: object) -> None:
        death.step(cursor.connection)

    commit = PGDialect_psycopg.do_commit

    def do_commit(dialect: PGDialect_psycopg, connection: Any) -> None:
        death.step(connection.driver_connection)
        commit(dialect, connection)  # type: ignore[no-untyped-call]  # SQLAlchemy has no types here
        already = death.happened
        death.step(connection.driver_connection)
        if death.happened and not already:
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PGDialect_psycopg, "do_commit", do_commit)
        event.listen(Engine, "before_cursor_execute", statement)
        try:
            yield
        finally:
            event.remove(Engine, "before_cursor_execute", statement)


def backend_is_killed(connection: psycopg.Connection[Any]) -> None:
    """Kill the process that serves a connection; the server then ends all, and recovers."""
    pid = connection.info.backend_pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not living([pid]))


def server_is_killed(server: Postgres, _: psycopg.Connection[Any]) -> None:
    """End the server with all its processes, as a machine does that loses its power."""
    server.stop(Mode.IMMEDIATE)


def postmaster_is_killed(server: Postgres, _: psycopg.Connection[Any]) -> None:
    """Kill the first process of the server, as a machine does that has no memory left.

    The others end by themselves, and nobody clears up.
    """
    pids = {server.pid, *children(server.pid)}
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not living(pids))


def wait_until(holds: Callable[[], object]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.005)


def patient(server: Postgres, question: Callable[[], T]) -> T:
    """Ask until there is an answer, as a runner does."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return question()
        except DatabaseGone:
            assert time.monotonic() < until
            server.start()


@pytest.mark.parametrize("kind", ["backend", "server", "postmaster"])
def test_a_runners_transactions(
    kind: str, postgres: Postgres, database: str, tmp_path: Path
) -> None:
    """A job is taken, kept, counted, its record looked for, a bot retired and brought back."""
    strikes: dict[str, Strike] = {
        "backend": backend_is_killed,
        "server": partial(server_is_killed, postgres),
        "postmaster": partial(postmaster_is_killed, postgres),
    }
    strike, again = strikes[kind], 0
    with made(f"{database}?files={tmp_path}", bots=["first", "greedy", "random"]) as store:
        for turn, at in enumerate(count(0, STRIDES[kind]), 1):
            assert at < _MOST_STEPS
            wanted = job(store, (1, 2), at)
            match = invented(store, wanted)
            death = Death(strike, at)
            with dying(death):
                lease = patient(
                    postgres,
                    lambda: store.take("we", LEASE_MS, lambda _: False, lambda _: wanted),  # noqa: B023  # at once
                )
                assert lease is not None
                patient(postgres, partial(store.extend, [lease.token], LEASE_MS))
                settled, _ = patient(postgres, partial(store.settle, match))
                assert patient(postgres, partial(store.records.has, match.record))
                for deed in (Deed.RETIRED, Deed.CHOSEN):
                    patient(postgres, partial(decided, store, deed))
            postgres.start()
            for left in store.waiting_jobs():  # leased again: that it was is not known
                assert death.happened
                store.settle(invented(store, left.job))
                again += 1
            assert store.counts().matches == turn + again
            assert store.settle(match)[0] is Settled.DUPLICATE
            if not death.happened:
                assert settled is Settled.COUNTED
                break
        before, after = store.rebuild()
        assert before == after
        with store.facts() as reader:
            names = [one.job.name for one in reader.matches()]
        assert len(names) == len(set(names)) == turn + again
    assert at > 20


def decided(store: Store, deed: Deed) -> None:
    """Have the third bot play, or not, unless it is so already."""

    def make(_: object, at_ms: int) -> list[Fact]:
        if store.roster.plays(1, 3) == (deed is Deed.CHOSEN):
            return []
        return [Decision(deed=deed, entrant=3, reason="x", at_ms=at_ms)]

    store.add(make)


def test_a_submission(
    postgres: Postgres,
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line and exit code 3; handed in again, the bot is taken in once, and that is proved."""
    need("bwrap")
    monkeypatch.chdir(tmp_path)
    typed = f"{database}?files={tmp_path / 'files'}"
    made(typed, bots=["first"]).close()
    taken = 0
    for at in count(0, STRIDES["submission"]):
        assert at < _MOST_STEPS
        python_bot(tmp_path / "own", f"# {at}\n" + (SAMPLES / "first_bot.py").read_text())
        death = Death(partial(server_is_killed, postgres), at)
        words = ["submit", "own", "--author", "me", "--sandbox", "bwrap", "--ladder", typed]
        with dying(death):
            code = run(words)
        said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("ref")]
        postgres.start()
        taken += 1
        if not death.happened:
            assert (code, said) == (0, [])
            break
        assert (code, len(said)) in {(3, 1), (0, 0)}, said
        assert run(words) == 0
        capsys.readouterr()
    with made(typed, bots=()) as store:
        versions = [one.version for one in store.roster.entrants.values() if one.name == "own"]
    assert versions == list(range(1, taken + 1))
    assert run(["ladder", "verify", "--ladder", typed]) == 0
