"""From rounds to jobs for the workers, and from their outcomes to what a round brought. Pure.

A table of a round is played in matches of some blocks each, since processes should not live for
ever and no more than a match should be lost when we are killed.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.event.log_lines import MatchLine, ScheduleKey
from ladder.event.plan import EventPlan
from ladder.results import FAULTS_KEPT, Pairing, Round, RoundResult, TableResult
from ladder.terms import LuckUse
from referee.match.outcome import BlockResult
from referee.workers.jobs import Job

_SHARED: Final = 10_000
_NAME_KEPT: Final = 20


class Part(Struct, frozen=True):
    """A match of an event.

    Attributes:
        place: where it stands in the schedule.
        bots: who plays it, as entrants by their places at the table.
        first: the index of its first block.
        blocks: how many it has.
        step: how many matches of its table are begun before it.
    """

    place: ScheduleKey
    bots: tuple[int, ...]
    first: int
    blocks: int
    step: int


def matches_in(played: Round, most: int) -> int:
    """Return how many matches a round has, of so many blocks at most."""
    return len(played.tables) * -(-played.blocks // most)


def parts(section: int, number: int, played: Round, most: int) -> list[Part]:
    """The matches of a round in the order in which they are begun.

    In each step every table plays one match, and each begins with other decks: so a deck comes back
    at the next table only when most of a table's length has been played everywhere. All tables are
    under way together: of an event that is interrupted there is some of each, and a host that fails
    is told from a bot.

    Args:
        section: the round's section.
        number: the round's number, from 0.
        played: the round.
        most: so many blocks have a match at most.
    """
    starts, tables = range(0, played.blocks, most), len(played.tables)

    def part(at: int, piece: int) -> Part:
        step = (piece - at * len(starts) // tables) % len(starts)
        blocks = min(most, played.blocks - starts[piece])
        place = (section, number, at, piece)
        return Part(place, played.tables[at].bots, played.first + starts[piece], blocks, step)

    found = (part(at, piece) for at in range(tables) for piece in range(len(starts)))
    return sorted(found, key=lambda one: (one.step, one.place))


def job(
    plan: EventPlan,
    part: Part,
    benched: Collection[int],
    *,
    unbuilt: Collection[int] = (),
    bots: Sequence[str],
    key: str,
    record: str | None,
) -> Job:
    """What a worker is told of a match.

    Args:
        plan: of the event.
        part: the match.
        benched: its bots that forfeit it.
        unbuilt: the entrants that cannot be built any more.
        bots: the texts that find the entrants.
        key: the text that the event key is made of.
        record: the file to write, if any.
    """
    section = plan.sections[part.place[0]]
    return Job(
        terms=section.terms,
        bots=tuple(bots[bot] for bot in part.bots),
        key=key,
        first=part.first,
        blocks=part.blocks,
        record=record,
        luck=plan.luck is not LuckUse.OFF,
        hashes=tuple(plan.entrants[bot].hash for bot in part.bots),
        benched=tuple(place for place, bot in enumerate(part.bots) if bot in benched),
        unbuilt=tuple(place for place, bot in enumerate(part.bots) if bot in unbuilt),
    )


def record_name(plan: EventPlan, part: Part) -> str:
    """The file of a match's record, below the folder of records."""
    section, number, table, piece = part.place
    names = "_".join(_plain(plan.entrants[bot].name) for bot in part.bots)
    folder = f"{section + 1}-{_plain(plan.sections[section].terms.game)}"
    return f"{folder}/{number + 1}-{table + 1}-{piece + 1}_{names}.jsonl"


def _plain(name: str) -> str:
    kept = "".join(one for one in name if one.isascii() and (one.isalnum() or one == "-"))
    return kept[:_NAME_KEPT] or "bot"


class Compact:
    """Keeps outcomes in less memory: blocks that have equal values share them."""

    def __init__(self) -> None:
        """Has seen nothing yet."""
        self._seen: dict[tuple[int, ...], tuple[int, ...]] = {}

    def __call__(self, line: MatchLine) -> MatchLine:
        """The same match."""
        if len(self._seen) > _SHARED:
            self._seen.clear()  # or what is to save memory would take it
        blocks = tuple(map(self._block, line.outcome.blocks))
        return replace(line, outcome=replace(line.outcome, blocks=blocks))

    def _block(self, block: BlockResult) -> BlockResult:
        same = self._seen.setdefault
        return replace(
            block,
            values=same(block.values, block.values),
            faults=same(block.faults, block.faults),
        )


def round_result(played: Round, matches: Mapping[Part, MatchLine]) -> RoundResult:
    """What a round brought, by its matches."""
    tables: list[list[Part]] = [[] for _ in played.tables]
    for part in sorted(matches, key=lambda part: part.place):
        tables[part.place[2]].append(part)
    rows = zip(played.tables, tables, strict=True)
    return RoundResult(played, tuple(_table_result(*row, matches) for row in rows))


def _table_result(
    table: Pairing, of: Sequence[Part], every: Mapping[Part, MatchLine]
) -> TableResult:
    outcomes = [every[part].outcome for part in of]
    forfeits = tuple(tuple(one.bot for one in every[part].forfeits) for part in of)
    reasons = [one.given_up for one in outcomes if one.given_up]
    faults = [fault for one in outcomes for fault in one.fault_list]
    return TableResult(
        table=table,
        blocks=tuple(block for one in outcomes for block in one.blocks),
        acts=sum(one.acts for one in outcomes),
        used_us=_added(table, [one.used_us for one in outcomes]),
        wall_us=sum(one.wall_us for one in outcomes),
        fault_list=tuple(faults[:FAULTS_KEPT]),
        voids=_added(table, [one.voids for one in outcomes]),
        given_up="; ".join(dict.fromkeys(reasons)),
        faults=_added(table, [one.faults for one in outcomes]),
        parts=tuple(len(one.blocks) for one in outcomes),
        begun=tuple(part.step for part in of),
        forfeits=forfeits if any(forfeits) else (),
        game_digest=digest_of([one.game_digest for one in outcomes]),
    )


def _added(table: Pairing, rows: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip((0,) * len(table.bots), *rows, strict=True)))


def digest_of(digests: Sequence[str]) -> str:
    """One digest for several: of one it is that one, else SHA-256 of them all, one a line."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(f"{one}\n" for one in digests).encode()).hexdigest()


def event_digest(sections: Sequence[Sequence[RoundResult]]) -> str:
    """The name of all that was played, without its times: of the game digests, in order."""
    found = [
        table.game_digest for rounds in sections for played in rounds for table in played.tables
    ]
    return hashlib.sha256("".join(f"{one}\n" for one in found).encode()).hexdigest()
