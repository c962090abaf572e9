"""Whether a match was played as the facts say: its record is played again, and all is compared.

What a record proves of a `Match`: its blocks with their luck, the decks and the hands of chance,
acts, times by bot, voids, faults and their words, why it was given up, the game digest, who played
where under which rules and limits, and the file itself. What it cannot prove: `wall_us` and
`at_ms`, which is not written in it; which of two entrants with equal files sat where; and luck that
was counted by another table of values than ours. There the chain of the facts has to do.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ladder.audit.pool_rules import rules_of
from ladder.core.facts import LadderJob, Match, Pool, unplayed
from ladder.files.record_store import difference
from ladder.results import FAULTS_KEPT
from ladder.terms import MOST_BLOCKS, LuckUse
from referee.errors import RefereeError, check_means
from referee.match.chance import block_key, event_key, first_dealer
from referee.match.lines import DealLine, Header, LegLine, Line, VoidLine
from referee.match.luck import VALUES_DIGEST, luck_of
from referee.match.outcome import BlockResult, MatchOutcome
from referee.match.terms import Terms
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.rules.match_end import Reason
from referee.workers.block_sums import Blocks, outcome_of


def prove_job(match: Match, pool: Pool) -> str | None:
    """What is wrong with a match as far as its record is not asked; None if nothing is."""
    try:
        rules_of(pool)
        _check_job(match, pool)
    except (_Differs, RefereeError) as error:
        return str(error)
    return None


def prove_match(
    match: Match,
    pool: Pool,
    record: Path | None,
    *,
    names: tuple[str, ...] | None = None,
    begun: Callable[[], None] = lambda: None,
) -> str | None:
    """What is wrong with a match, in one line; None if it holds.

    Args:
        match: the fact.
        pool: what its pool is, as the facts say.
        record: the file; None where the match has none, since it could not be played.
        names: of the bots, by place, as the facts say; None: unknown.
        begun: is told if it comes to playing the record again.
    """
    try:
        rules_of(pool)
        _check_job(match, pool)
        if record is None or not match.record:
            _check_unplayed(match, record)
            return None
        trouble = difference(record, match.record, match.size)
        if trouble is not None:
            return trouble
        begun()
        return _compared(match, pool, record, names)
    except (_Differs, RefereeError) as error:
        check_means(error)
        return str(error)
    except Mismatch as error:
        return f"record {str(record)!r}: {error}"
    except OSError as error:
        check_means(error)
        return f"record {str(record)!r}: {error.strerror}"


class _Differs(Exception):
    """The fact is not what was played."""


class _Lines(RecordReader):
    """The lines of a record whose chance has to follow from the key of a job.

    Attributes:
        last_void: the last void deal so far.
    """

    def __init__(self, path: Path, job: LadderJob, pool: Pool) -> None:
        self._secret = event_key(job.key)
        self._dealer = first_dealer(block_key(self._secret, 0), pool.seats)
        self.last_void: VoidLine | None = None
        super().__init__(path)

    def __iter__(self) -> Iterator[Line]:
        for line in super().__iter__():
            match line:
                case DealLine() if line.key != block_key(self._secret, line.deal - 1):
                    raise Mismatch(self.number, f"deal {line.deal}: its key is not of the job")
                case LegLine() if line.dealer != self._dealer:
                    raise Mismatch(self.number, f"place {self._dealer} is the first to deal")
                case VoidLine():
                    self.last_void = line
            yield line


def _check_luck(pool: Pool, *, counted: bool) -> None:
    """Look whether luck can be counted here as it was: the standings may rest on it.

    Raises:
        _Differs: it cannot.
    """
    if counted and pool.luck is not LuckUse.OFF and pool.luck_values != VALUES_DIGEST:
        raise _Differs(
            f"its luck is counted by a table of values that this referee does not have "
            f"({pool.luck_values[:12] or 'none'}), so nothing proves it"
        )


def _check_job(match: Match, pool: Pool) -> None:
    """Looks at what the facts alone can tell.

    Raises:
        _Differs: the match is not of the pool.
    """
    job, places = match.job, len(match.job.entrants)
    _compare(
        ("the pool", pool.pool, job.pool),
        ("places", pool.places, places),
        ("entrants told apart", places, len(set(job.entrants))),
        ("hashes", places, len(job.hashes)),
    )
    if not 0 < job.blocks <= MOST_BLOCKS:
        raise _Differs(f"{job.blocks} blocks: from 1 to {MOST_BLOCKS}")
    if match.outcome.wall_us < 0 or match.at_ms < 0:
        raise _Differs("a time is less than nothing")


def _check_unplayed(match: Match, record: Path | None) -> None:
    """A match without a record has brought nothing, and says why.

    Raises:
        _Differs: it does not.
    """
    nothing = unplayed(match.job, match.outcome.given_up, match.at_ms)
    if record is not None or match != nothing or not match.outcome.given_up:
        raise _Differs("it has no record, though it was played")


def _compared(match: Match, pool: Pool, record: Path, names: tuple[str, ...] | None) -> str | None:
    """Plays the record again.

    Raises:
        _Differs: it is of another match.
        Mismatch: it does not hold.
    """
    job = match.job
    with _Lines(record, job, pool) as lines:
        _check_header(lines.header, match, pool, names)
        found = Resimulation(lines)
        counted = luck_of if pool.luck is not LuckUse.OFF else None
        blocks = Blocks(0, job.blocks, len(job.entrants), pool.seatings, counted)
        for deal in found.deals():
            blocks.add(deal)
        end = found.end
        given_up = found.unfinished is not None
        if end is None or (given_up and end.end != Reason.HOST):
            return f"record {str(record)!r} is unfinished: {found.unfinished}"
        outcome = outcome_of(
            found.match,
            blocks.finished(),
            given_up=_reason(lines.last_void) if given_up else "",
            game_digest=end.game_digest,
            wall_us=match.outcome.wall_us,  # of which a record says nothing
            sandbox=lines.header.sandbox,
        )
    known = replace(outcome, fault_list=outcome.fault_list[:FAULTS_KEPT])
    _check_blocks(known.blocks, match.outcome.blocks)
    _check_luck(pool, counted=any(block.luck for block in match.outcome.blocks))
    _compare(
        *(
            (name, getattr(known, name), getattr(match.outcome, name))
            for name in MatchOutcome.__struct_fields__
        )
    )
    return None


def _check_header(header: Header, match: Match, pool: Pool, names: tuple[str, ...] | None) -> None:
    """Looks whether the record was begun as the facts say.

    Raises:
        _Differs: it was not.
    """
    _compare(
        *(
            (name, getattr(header.terms, name), getattr(pool.terms, name))
            for name in Terms.__struct_fields__
        ),
        ("referee", header.referee, match.referee),
        ("rules", header.rules, pool.rules),
        ("decks", header.decks, match.job.blocks),
        ("given", header.given, False),
        ("legs", header.legs, pool.seatings),
        ("benched", header.benched, ()),
        ("clocks", header.clocks, {}),
        ("sandbox", header.sandbox, match.outcome.sandbox),
    )
    _compare(("the bots' hashes", tuple(bot.hash for bot in header.bots), match.job.hashes))
    if names is not None:
        _compare(("the bots' names", tuple(bot.name for bot in header.bots), names))


def _check_blocks(here: Sequence[BlockResult], there: Sequence[BlockResult]) -> None:
    played, told = ({one.block: one for one in blocks} for blocks in (here, there))
    _compare(("the blocks", tuple(played), tuple(one.block for one in there)))
    for number, block in played.items():
        for name in BlockResult.__struct_fields__:
            what = f"block {number}: {name}"
            _compare((what, getattr(block, name), getattr(told[number], name)))


def _reason(void: VoidLine | None) -> str:
    return "" if void is None else f"{void.family}: {void.detail}"


def _compare(*rows: tuple[str, object, object]) -> None:
    """Finds the first row that differs: what it is, what was played, what is said of it.

    Raises:
        _Differs: naming it.
    """
    for what, here, there in rows:
        if here != there:
            raise _Differs(f"{what}: {_short(here)} belongs there, not {_short(there)}")


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 100 else f"{text[:97]}..."
