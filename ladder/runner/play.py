"""Plays a ladder's matches in a sandbox: what `ladder run` does, and the site beside its pages."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from msgspec import Struct

from ladder.audit.pool_rules import pool_misfit
from ladder.files.object_store import store_of
from ladder.runner.patient_store import Desk
from ladder.runner.runner import LadderRunner, RunnerListener, Span, lives
from ladder.store.store import Store
from ladder.submissions.frozen_bots import BOTS
from referee.bots.settings import Settings
from referee.errors import RefereeError
from referee.sandbox.choose import opened_for
from referee.sandbox.first_reads import read_first
from referee.sandbox.names import SandboxName
from referee.text import plural
from referee.workers.jobs import Players


def check_pools(store: Store) -> None:
    """Refuse to play a game by other rules than those that the ladder knows it by.

    Raises:
        RefereeError: this referee has others.
    """
    for pool in store.roster.open_pools:
        line = pool_misfit(pool)
        if line is not None:
            raise RefereeError(
                f"{pool.name}: {line}: give the ladder its games anew with `referee ladder open`"
            )


class Ready(Struct, frozen=True):
    """A sandbox that works: which, and how it binds bots, in its own words."""

    sandbox: SandboxName
    how: str

    def __str__(self) -> str:
        """Return it in words."""
        return f"sandbox: {self.sandbox} ({self.how})"


async def made_ready(name: SandboxName, settings: Settings, say: Callable[[str], None]) -> Ready:
    """Return what the bots of strangers will run in; what they read first is in memory then.

    Args:
        name: which; AUTO takes one that keeps strangers apart.
        settings: what the organiser allows.
        say: is told what is going on.

    Raises:
        RefereeError: nothing of the kind works here.
    """
    async with opened_for(name, (), settings, strangers=True) as place:
        found = Ready(SandboxName(place.name), place.how)
    await read_first(settings, say)
    return found


async def play(
    store: Store,
    watch: RunnerListener,
    span: Span,
    *,
    by: Callable[[], AbstractAsyncContextManager[Players]],
    where: str,
    settings: Settings,
) -> None:
    """Play until the span is over, or until it is cancelled.

    Args:
        store: no other task asks it meanwhile.
        watch: is told of matches.
        span: how long it goes on.
        by: opens who plays matches.
        where: where that is, in words.
        settings: what the organiser allows.

    Raises:
        RefereeError: the ladder's store needs what is not installed.
        HostError: the database, the disk or the sandbox does not let us.
    """
    local = store.where.is_local
    store_of(store.files)  # what is not installed is said before a match is played
    async with by() as players:
        watch.say(f"{plural(players.size, 'match', 'matches')} at a time; {where}")
        desk = Desk(
            store,
            lambda owner: lives(owner, local=local),
            watch,
            heads_every=settings.heads.every,
        )
        (store.files / BOTS).mkdir(mode=0o700, parents=True, exist_ok=True)
        await LadderRunner(desk, players, store.files, watch, span).run()
