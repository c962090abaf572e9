"""Whether a match was played as the facts say: its record is played again, and all is compared.

What a record proves of a `Match`: its blocks with their luck, the decks and the hands of chance,
acts, times by bot, voids, faults and their words, why it was given up, the game digest, who played
where under which rules and limits, and the file itself. What it cannot prove: `wall_us` and
`at_ms`, which is not written in it; which of two entrants with equal files sat where; and luck that
was counted by another table of values than ours. There the chain of the facts has to do.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ladder.audit.pool_rules import rules_of
from ladder.audit.record_outcome import Agreed, Decks, KeyedLines, Unfinished, record_outcome
from ladder.core.facts import Match, Pool, unplayed
from ladder.files.record_store import difference
from ladder.results import FAULTS_KEPT
from ladder.terms import MOST_BLOCKS, LuckUse
from referee.errors import RefereeError, check_means
from referee.match.leg import DealResult
from referee.match.luck import VALUES_DIGEST
from referee.match.outcome import BlockResult, MatchOutcome
from referee.record.reader import Mismatch


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
    watch: Callable[[DealResult], None] = lambda _: None,
) -> str | None:
    """What is wrong with a match, in one line; None if it holds.

    Args:
        match: the fact.
        pool: what its pool is, as the facts say.
        record: the file; None where the match has none, since it could not be played.
        names: of the bots, by place, as the facts say; None: unknown.
        begun: is told if it comes to playing the record again.
        watch: is shown each deal then.
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
        return _compared(match, pool, record, names, watch)
    except (_Differs, RefereeError) as error:
        check_means(error)
        return str(error)
    except (Mismatch, Unfinished) as error:
        return f"record {str(record)!r}: {error}"
    except OSError as error:
        check_means(error)
        return f"record {str(record)!r}: {error.strerror}"


class _Differs(Exception):
    """The fact is not what was played."""


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


def _compared(
    match: Match,
    pool: Pool,
    record: Path,
    names: tuple[str, ...] | None,
    watch: Callable[[DealResult], None],
) -> str | None:
    """Plays the record again.

    Raises:
        _Differs: it is of another match.
        Mismatch: it does not hold.
        Unfinished: it has no end.
    """
    job = match.job
    decks = Decks(job.key, 0, job.blocks, pool.seatings, pool.seats)
    agreed = Agreed(
        terms=pool.terms,
        rules=pool.rules,
        referee=match.referee,
        decks=decks,
        benched=(),
        sandbox=match.outcome.sandbox,
        hashes=job.hashes,
        names=names,
    )
    with KeyedLines(record, decks) as lines:
        _compare(*agreed.rows(lines.header))
        outcome = record_outcome(
            lines,
            decks,
            len(job.entrants),
            luck=pool.luck is not LuckUse.OFF,
            wall_us=match.outcome.wall_us,
            watch=watch,
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


def _check_blocks(here: Sequence[BlockResult], there: Sequence[BlockResult]) -> None:
    played, told = ({one.block: one for one in blocks} for blocks in (here, there))
    _compare(("the blocks", tuple(played), tuple(one.block for one in there)))
    for number, block in played.items():
        for name in BlockResult.__struct_fields__:
            what = f"block {number}: {name}"
            _compare((what, getattr(block, name), getattr(told[number], name)))


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
