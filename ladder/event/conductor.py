"""Conducts an event: rounds from the formats, matches to the workers, results to the log.

Decides nothing itself, and keeps nothing that the log does not have: an event that was interrupted
takes the same way through its schedule, and plays what the log lacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from ladder.benching import Misconduct, benched
from ladder.core.seal import Contributions
from ladder.event.deck_keys import decks_digest, key_of_decks
from ladder.event.file import event_path
from ladder.event.forfeits import Forfeits
from ladder.event.log import LOG, Contents, EventLog
from ladder.event.log_check import Misfit, check_log
from ladder.event.log_lines import EventEnd, MatchLine, round_line
from ladder.event.plan import EventPlan, SectionPlan
from ladder.event.round_queue import Begun, RoundQueue
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
from ladder.host_or_bot import Doubts
from ladder.results import Pairing, Round, RoundResult
from ladder.terms import MOST_MATCHES
from referee.errors import HostError, RefereeError
from referee.whole_file import sync_folder
from referee.workers.crew import crew
from referee.workers.jobs import Players

RECORDS: Final = "records"
"""The folder of records, in that of the event."""

Rounds = tuple[RoundResult, ...]


class NothingPlayed(RefereeError):
    """An event that was not begun."""


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
        secret: what is published at the end; "" where that is the key itself.
        records: the folder of records, or None for none.
        unbuilt: the entrants that cannot be built any more, and are at fault at their start.
    """

    bots: tuple[str, ...]
    key: str
    records: Path | None
    unbuilt: frozenset[int] = frozenset()
    secret: str = ""


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
    log.write(EventEnd(event_digest(sections), way.secret or way.key))
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
        check_log(found.header, found.rounds, found.matches, end, found.told)
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
        schedule = parts(section, number, begun, plan.match_blocks)
        played = {
            part: found.matches[part.place] for part in schedule if part.place in found.matches
        }
        sections[section].append(round_result(begun, played))
    return tuple(map(tuple, sections))


class Played(Struct, frozen=True):
    """What an event has come to so far; `key` of its decks and `secret` are "" until it is over."""

    plan: EventPlan
    sections: tuple[Rounds, ...]
    key: str
    secret: str = ""
    told: Contributions | None = None


def log_of(typed: str) -> Path:
    """Return the log that a person means by an event's file, its folder, or the log itself.

    Raises:
        RefereeError: there is none of these.
    """
    path = Path(typed)
    if path.name == LOG and path.is_file():
        return path
    return (path if path.is_dir() else event_path(typed)[1]) / LOG


def played_in(path: Path) -> Played:
    """Return what a log says, where it is an event's.

    Args:
        path: of the log.

    Raises:
        NothingPlayed: there is nothing in it.
        RefereeError: it is no log.
    """
    if not path.is_file():
        raise NothingPlayed(f"nothing of this event has been played: there is no {str(path)!r}")
    found = Contents(path)
    if found.header is None:
        raise NothingPlayed(f"nothing of this event has been played: {str(path)!r} is empty")
    check_against_plan(found, path)
    plan, secret = found.header.plan, "" if found.end is None else found.end.key
    key = key_of_decks(plan, secret, found.told) if secret else ""
    return Played(plan, rounds_in_log(found), key, secret, found.told)


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
        self._told: set[int] = set()
        """Of whom it was told that they are benched in the section under way."""

    async def section(self, at: int) -> Rounds:
        played: list[RoundResult] = []
        entrants, least = len(self._plan.entrants), self._plan.bench
        counts = [Misconduct()] * entrants
        self._told = set()
        while True:
            out = benched(entrants, least, played)
            self._tell_benched(at, out)
            found = next_round(self._plan, at, played, out)
            if found is None:
                return tuple(played)
            schedule = parts(at, len(played), found, self._plan.match_blocks)
            forfeits = Forfeits(schedule, counts, least)
            played.append(await self._round(at, len(played), found, RoundQueue(schedule, forfeits)))
            counts = forfeits.counts()

    def _tell_benched(self, at: int, out: Mapping[int, str]) -> None:
        for bot in [bot for bot in out if bot not in self._told]:
            self._watch.benched(self._plan.sections[at], self._plan.entrants[bot].name, out[bot])
        self._told |= out.keys()

    async def _round(self, at: int, number: int, found: Round, queue: RoundQueue) -> RoundResult:
        section = self._plan.sections[at]
        self._begin(at, number, found)
        self._watch.begins(section, number, found)
        matches: dict[Part, MatchLine] = {}
        for part in queue.waiting():
            line = self._log.found.matches.pop(part.place, None)
            if line is not None:
                matches[part] = self._compact(line)
                queue.settle(line)
        await crew(self._players, partial(self._matches, queue, matches))
        self._settle(queue, self._doubts.flush())
        result = round_result(found, matches)
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

    async def _matches(self, queue: RoundQueue, matches: dict[Part, MatchLine]) -> None:
        """Plays what is next in the queue, which it shares with others, until there is nothing."""
        while queue:
            begun = queue.next()
            if begun is not None:
                matches[begun.part] = self._compact(await self._match(begun, queue))
            elif queue.under_way:
                await queue.changed()
            else:  # what waits here waits for those that were given up
                self._settle(queue, self._doubts.flush())

    async def _match(self, begun: Begun, queue: RoundQueue) -> MatchLine:
        part, forfeits, record = begun.part, begun.forfeits, self._record(begun.part)
        wanted = job(
            self._plan,
            part,
            [one.bot for one in forfeits],
            unbuilt=self._way.unbuilt,
            bots=self._way.bots,
            key=self._way.key,
            record=None if record is None else str(record),
        )
        result = await self._players.play(wanted)
        if record is not None:
            with _host(record):
                sync_folder(record.parent)  # what the log has was recorded
        sealed = self._plan.seal is not None
        decks = decks_digest(self._way.key, part.first, part.blocks) if sealed else ""
        line = MatchLine(part.place, result.outcome, forfeits, decks)
        self._settle(queue, self._doubts.add(line, result.outcome.given_up, part.bots))
        queue.end()
        if result.bug:
            self._watch.bug(result.bug)
        self._watch.match(sum(block.deals for block in result.outcome.blocks))
        return line

    def _settle(self, queue: RoundQueue, lines: Sequence[MatchLine]) -> None:
        """Write down matches that count, and tell who is benched by them."""
        for line in lines:
            self._log.write(line)
            queue.settle(line)
            self._tell_benched(line.match[0], queue.out)

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
