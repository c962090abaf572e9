"""Two bots compared by seats: each among the same others, on the same decks."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ladder.compare.against_field import merged
from ladder.compare.comparison import Comparison, ComparisonPlan, make_comparison
from ladder.compare.conductor import compare
from referee.cli import run
from referee.errors import RefereeError
from referee.match.outcome import BlockResult, FaultFound, MatchOutcome
from referee.match.verdict import FaultCode
from referee.record.reader import RecordReader
from referee.record.verify import Resimulation
from referee.workers.jobs import Job, JobResult
from support.matches import BRISK
from support.terms import job_of

FIVE = "auction-biscambiggia"


def plan(*field: str, game: str = FIVE, until: str = "20") -> ComparisonPlan:
    job = job_of(game=game, bots=("A", "B"), key="k", first=0, blocks=1)
    return make_comparison(job, until=until, field=field)


def outcome(first: int, values: tuple[int, ...], faults: tuple[int, ...]) -> MatchOutcome:
    """Two blocks of five deals, in which a table of five had these values."""
    blocks = tuple(BlockResult(first + at, 5, values, (), faults) for at in range(2))
    found = tuple(
        FaultFound(0, 1, 0, bot, bot, FaultCode.LATE, f"of {bot}")
        for bot, count in enumerate(faults)
        if count
    )
    return MatchOutcome(
        blocks=blocks,
        acts=500,
        used_us=(1, 2, 3, 4, 5),
        wall_us=10,
        voids=(0,) * 5,
        faults=faults,
        fault_list=found,
        given_up="",
        game_digest="0",
        sandbox="bare",
    )


class Tables:
    """Plays what it is asked; A brings three points a block more than B."""

    size = 2

    def __init__(self) -> None:
        self.asked: list[Job] = []

    async def play(self, job: Job, /) -> JobResult:
        self.asked.append(job)
        value = 4 if job.bots[0] == "A" else 1
        return JobResult(outcome(job.first, (value, 0, 0, 0, 0), (0,) * 5))


async def test_both_play_every_part_in_the_same_seats_among_the_same_others() -> None:
    """As many matches for A as for B, on the same blocks, the field behind them in its order."""
    players, comparison = Tables(), Comparison(plan("w", "x", "y", "z"))
    await compare(comparison, players)

    assert {job.bots for job in players.asked} == {
        ("A", "w", "x", "y", "z"),
        ("B", "w", "x", "y", "z"),
    }
    counts = Counter((job.bots[0], job.first) for job in players.asked)
    assert set(counts.values()) == {1}
    assert {first for bot, first in counts if bot == "A"} == {
        first for bot, first in counts if bot == "B"
    }
    assert comparison.blocks == 20
    assert comparison.interval() == pytest.approx((3 / 5, 3 / 5))


def test_values_are_what_each_had_more_than_the_other() -> None:
    """Faults, times and voids are those of the two alone, not of the field."""
    first = outcome(6, (7, -1, -2, -2, -2), (1, 1, 0, 0, 0))
    second = outcome(6, (-3, 2, 1, 0, 0), (0, 0, 3, 0, 0))
    both = merged(first, second)

    assert [block.values for block in both.blocks] == [(10, -10)] * 2
    assert [block.faults for block in both.blocks] == [(1, 0)] * 2
    assert both.faults == (1, 0)
    assert [fault.bot for fault in both.fault_list] == [0]
    assert both.used_us == (1, 1)


def test_a_block_that_one_of_them_did_not_finish_does_not_count() -> None:
    """There is nothing to compare it with."""
    first, second = outcome(0, (1, 0, 0, 0, 0), (0,) * 5), outcome(1, (0,) * 5, (0,) * 5)
    assert [block.block for block in merged(first, second).blocks] == [1]


def test_no_difference_is_larger_than_the_bound() -> None:
    """One can lose the most that can be lost while the other wins as much."""
    alone = make_comparison(job_of(game="briscola-2", bots=("A", "B"), key="k", first=0, blocks=1))
    among = plan("w")
    assert alone.bound == 120
    assert among.bound == 2 * 4
    assert among.field == ("w",) * 4


@pytest.mark.parametrize(
    ("field", "game", "line"),
    [
        ((), FIVE, "compare is for two sides with a bot each; .* has 5: --with BOT says who else"),
        (("w", "x"), FIVE, "with: auction-biscambiggia has 4 other seats: one bot, or 4"),
        (("w",), "briscola-2", "with: briscola-2 has no seat beside those of A and B"),
    ],
)
def test_what_makes_no_sense_is_one_line(field: tuple[str, ...], game: str, line: str) -> None:
    """Before anything is played."""
    with pytest.raises(RefereeError, match=line):
        plan(*field, game=game)


@pytest.mark.slow
def test_twins_among_others_do_not_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same bot as A and as B has the same decks, seats and neighbours: the same values."""
    words = [BRISK, BRISK, "--with", BRISK, "--game", FIVE]
    more = ["--until", "10", "--sandbox", "bare", "--key", "x", "--records", str(tmp_path / "r")]
    assert run(["compare", *words, *more, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert found["field"] == [BRISK] * 4
    assert (found["blocks"], found["deals"]) == (10, 50)
    assert {tuple(block["values"]) for block in found["block_values"]} == {(0, 0)}
    for first in range(0, 10, 2):
        digests = []
        for ending in ("", "-b"):
            with RecordReader(tmp_path / "r" / f"blocks-{first:06}{ending}.jsonl") as reader:
                deals = list(Resimulation(reader).deals())
            digests.append([(deal.start.deck, deal.acts) for deal in deals])
        assert digests[0] == digests[1]


@pytest.mark.slow
def test_the_better_bot_among_others_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """In words, with what counts beside it."""
    words = ["sample:greedy", BRISK, "--with", BRISK, "--game", FIVE]
    assert run(["compare", *words, "--until", "12", "--sandbox", "bare", "--key", "y"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"greedy (A) is better than {BRISK.partition(':')[2]} (B)")
    assert "more than B" in said
