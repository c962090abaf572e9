"""Conducts an event: rounds from the formats, matches to the workers, results to the log.

Decides nothing itself, and keeps nothing that the log does not have: an event that was interrupted
takes the same way through its schedule, and plays what the log lacks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import trio
from msgspec import Struct

from ladder.benching import benched
from ladder.event.key import commitment
from ladder.event.log import Contents, EventLog
from ladder.event.log_check import Misfit, check_log
from ladder.event.log_lines import EventEnd, MatchLine, round_line
from ladder.event.plan import EventPlan, SectionPlan
from ladder.event.rounds import next_round
from ladder.event.schedule import (
    Compact,
    Part,
    event_digest,
    job,
    matches_in,
    parts,
    record_name,
    round_result,
)
from ladder.files.durable import sync_folder
from ladder.host_or_bot import Doubts
from ladder.results import Pairing, Round, RoundResult
from ladder.terms import MOST_MATCHES
from referee.errors import HostError, RefereeError
from referee.match.outcome import MatchOutcome
from referee.workers.jobs import Players

RECORDS: Final = "records"
"""The folder of records, in that of the event."""

Rounds = tuple[RoundResult, ...]


class EventListener(Protocol):
    """Who is told how it goes."""

    def begins(self, section: SectionPlan, number: int, played: Round) -> None:
        """A round begins, or is gone through again since it was played before."""

    def match(self, deals: int) -> None:
        """A match is over that was not in the log when we began."""

    def bug(self, trace: str) -> None:
        """A mistake of ours made a deal void; this is what we need to mend it."""

    def ends(self, section: SectionPlan, number: int, played: RoundResult) -> None:
        """A round is over."""

    def benched(self, section: SectionPlan, name: str, reason: str) -> None:
        """A bot has no more tables in a section."""


class Way(Struct, frozen=True):
    """How matches of an event are played, and where what they bring goes.

    Attributes:
        bots: the texts that find the entrants.
        key: the text that the event key is made of.
        records: the folder of records, or None for none.
    """

    bots: tuple[str, ...]
    key: str
    records: Path | None


async def play_event(
    plan: EventPlan, way: Way, log: EventLog, players: Players, watch: EventListener
) -> tuple[Rounds, ...]:
    """Plays an event to its end, or goes on with it; publishes its key in the log.

    Args:
        plan: what was agreed; the log has begun with it.
        way: how.
        log: takes every match as soon as it is over, and says which have been.
        players: play them.
        watch: is told.

    Returns:
        The rounds of each section.

    Raises:
        HostError: the log or a record cannot be written, or matches cannot be played here.
        RefereeError: a bot may not run here, or the log has other rounds.
    """
    conductor = _EventConductor(plan, way, log, players, watch)
    sections = []
    for at in range(len(plan.sections)):
        sections.append(await conductor.section(at))  # noqa: PERF401  # mypy wants no async here
    log.write(EventEnd(event_digest(sections), way.key))
    return tuple(sections)


def check_against_plan(found: Contents, path: Path) -> None:
    """Refuses a log that does not fit its own plan.

    Raises:
        RefereeError: naming what does not fit.
    """
    if found.header is None:
        return
    end = found.end
    try:
        key = "" if end is None else commitment(end.key)
        check_log(found.header, found.rounds, found.matches, end, key)
        if end is not None and event_digest(rounds_in_log(found)) != end.end:
            raise Misfit("its last line is of other matches")
    except Misfit as error:
        raise RefereeError(f"log {str(path)!r} is no event's: {error}") from error


def rounds_in_log(found: Contents) -> tuple[Rounds, ...]:
    """The rounds of each section that a log has begun, the last perhaps unfinished.

    Args:
        found: a log with a header.
    """
    assert found.header is not None  # noqa: S101  # the caller has looked
    plan = found.header.plan
    sections: list[list[RoundResult]] = [[] for _ in plan.sections]
    for (section, number), line in sorted(found.rounds.items()):
        tables = tuple(map(Pairing, line.tables))
        begun = Round(tables, line.first, line.blocks, line.byes, line.label)
        outcomes: dict[Part, MatchOutcome] = {}
        for part in parts(section, number, begun, plan.match_blocks):
            played = found.matches.get(part.place)
            if played is not None:
                outcomes[part] = played.outcome
        sections[section].append(round_result(begun, outcomes))
    return tuple(map(tuple, sections))


class _EventConductor:
    def __init__(
        self, plan: EventPlan, way: Way, log: EventLog, players: Players, watch: EventListener
    ) -> None:
        self._plan = plan
        self._way = way
        self._log = log
        self._players = players
        self._watch = watch
        self._doubts = Doubts[MatchLine]()
        self._compact = Compact()
        self._matches_begun = 0

    async def section(self, at: int) -> Rounds:
        played: list[RoundResult] = []
        entrants, least = len(self._plan.entrants), self._plan.bench
        told: set[int] = set()
        while True:
            out = benched(entrants, least, played)
            for bot in [bot for bot in out if bot not in told]:
                self._watch.benched(
                    self._plan.sections[at], self._plan.entrants[bot].name, out[bot]
                )
            told |= out.keys()
            found = next_round(self._plan, at, played, out)
            if found is None:
                return tuple(played)
            played.append(await self._round(at, len(played), found))

    async def _round(self, at: int, number: int, found: Round) -> RoundResult:
        section = self._plan.sections[at]
        self._begin(at, number, found)
        self._watch.begins(section, number, found)
        outcomes: dict[Part, MatchOutcome] = {}
        todo = []
        for part in parts(at, number, found, self._plan.match_blocks):
            line = self._log.found.matches.pop(part.place, None)
            if line is None:
                todo.append(part)
            else:
                outcomes[part] = self._compact(line.outcome)
        async with trio.open_nursery() as nursery:
            queue = iter(todo)
            for _ in range(self._players.size + 1):  # one waits, so that no worker does
                nursery.start_soon(self._matches, queue, outcomes)
        for line in self._doubts.flush():
            self._log.write(line)
        result = round_result(found, outcomes)
        self._watch.ends(section, number, result)
        return result

    def _begin(self, at: int, number: int, found: Round) -> None:
        self._matches_begun += matches_in(found, self._plan.match_blocks)
        if self._matches_begun > MOST_MATCHES:
            raise RefereeError(
                f"event {self._plan.name!r}: {self._matches_begun:,} matches, and {MOST_MATCHES:,} "
                f"are allowed: fewer bots, or more blocks a match"
            )
        line = round_line(at, number, found)
        before = self._log.found.rounds.get((at, number))
        if before is None:
            self._log.write(line)
        elif before != line:
            where = f"round {number + 1} of {self._plan.sections[at].name}"
            raise RefereeError(f"log {str(self._log.path)!r}: {where} is not what follows from it")

    async def _matches(self, queue: Iterator[Part], outcomes: dict[Part, MatchOutcome]) -> None:
        """Plays what is next in the queue, which it shares with others, until there is nothing."""
        for part in queue:
            await self._match(part, outcomes)

    async def _match(self, part: Part, outcomes: dict[Part, MatchOutcome]) -> None:
        bots, key, record = self._way.bots, self._way.key, self._record(part)
        name = None if record is None else str(record)
        result = await self._players.play(job(self._plan, part, bots=bots, key=key, record=name))
        outcome = result.outcome
        if record is not None:
            with _host(record):
                sync_folder(record.parent)  # what the log has was recorded
        line = MatchLine(part.place, outcome)
        for settled in self._doubts.add(line, outcome.given_up, part.bots):
            self._log.write(settled)
        if result.bug:
            self._watch.bug(result.bug)
        outcomes[part] = self._compact(outcome)
        self._watch.match(sum(block.deals for block in outcome.blocks))

    def _record(self, part: Part) -> Path | None:
        """Where a match's record goes: not over one of a match that was never logged."""
        if self._way.records is None:
            return None
        path = self._way.records / record_name(self._plan, part)
        with _host(path):
            # whose block keys tell the decks that other tables are yet to play
            self._way.records.mkdir(mode=0o700, exist_ok=True)
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
        return path


@contextmanager
def _host(path: Path) -> Iterator[None]:
    """Blames the host for what happens to a record."""
    try:
        yield
    except OSError as error:
        raise HostError(f"record {str(path)!r}: {error.strerror}") from error
