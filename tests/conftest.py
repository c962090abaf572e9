"""Settings and fixtures that tests share."""

import gc
import os
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from referee.sandbox import Sandbox
    from support.postgres import Postgres

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci",
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # a loaded machine is no bug
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="every test, and more deals in many, as in `make ci`",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what only `make ci` has the time for: `thorough`, and all of PostgreSQL."""
    if config.getoption("--thorough"):
        return
    left_out = [
        item
        for item in items
        if item.get_closest_marker("thorough") or "postgres" in getattr(item, "fixturenames", ())
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Spares the garbage collector all that was imported and collected: it lives to the end.

    It looks less often for what came since, too; both together are a sixth of the tests' time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.fixture
def many_cases(request: pytest.FixtureRequest) -> bool:
    """Whether a test has time for many, as in `make ci`; `make test` is for every change."""
    return bool(request.config.getoption("--thorough"))


@pytest.fixture
async def bwrap() -> AsyncIterator["Sandbox"]:
    """Bubblewrap's sandbox; once it is closed, it has left neither groups nor folders."""
    from referee.sandbox.choose import opened  # noqa: PLC0415  # likewise
    from referee.sandbox.folders import store_folder  # noqa: PLC0415  # likewise
    from referee.sandbox.janitor import groups_of, run_of  # noqa: PLC0415  # slow to import
    from referee.sandbox.names import SandboxName  # noqa: PLC0415  # likewise
    from support.sandboxes import need  # noqa: PLC0415  # likewise

    need("bwrap")
    async with opened(SandboxName.BWRAP) as sandbox:
        yield sandbox
    run = run_of(os.getpid())
    assert groups_of(run) == []
    assert [name for name in os.listdir(store_folder()) if run in name] == []


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """Where a Docker daemon answers; DOCKER_HOST names it too."""
    from support.docker import some_daemon  # noqa: PLC0415  # slow to import

    with some_daemon() as host:
        yield host


@pytest.fixture(scope="session")
def postgres() -> Iterator["Postgres"]:
    """A PostgreSQL server of this session's own."""
    from support.postgres import own_postgres  # noqa: PLC0415  # slow to import

    with own_postgres() as server:
        yield server


@pytest.fixture
def database(postgres: "Postgres") -> Iterator[str]:
    """The URL of an empty database on a server that runs; the test may stop it."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def no_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves `referee` without commands, for a test that adds its own.

    The plug-ins add theirs once in a process: they must have, or the other tests never see them.
    """
    from referee.commands.app import add_plug_ins, app  # noqa: PLC0415  # few tests need the command line

    add_plug_ins()
    monkeypatch.setattr(app, "registered_commands", [])
