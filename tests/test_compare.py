"""`referee compare`: when it stops, what it says, and how the command ends."""

import json
import random
import signal
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio

from ladder.commands.compare import exit_code
from ladder.comparing import batches, compare
from ladder.comparison import Comparison, ComparisonPlan, Ending, make_comparison
from ladder.comparison_report import answer, report
from ladder.sequential import Decision
from ladder.sprt import SprtPlan, Verdict
from referee.bots import find
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.games import catalogue
from referee.games import find as find_game
from referee.rules import Game
from referee.settings import Settings
from referee.verdict import Family, FaultCode, OnFault
from referee.workers.jobs import BlockResult, FaultFound, Job, Outcome
from support.processes import REFEREE
from support.simulations import dice
from support.strategies import likely

NAMES = ("greedy", "first")
ALONE = ("--sandbox", "bare", "--workers", "1")


def job(*bots: str, game: str = "briscola-2", on_fault: OnFault | None = None) -> Job:
    both = bots or ("sample:greedy", "sample:first")
    return Job(game=game, bots=both, key="k", first=0, blocks=1, on_fault=on_fault)


class Dice:
    """Plays blocks by rolling dice, each of its own; later ones may be finished first."""

    def __init__(self, mean: float, *, size: int = 2, faulty: int = 0, fails: int = 10**9) -> None:
        self.size = size
        self.played: list[int] = []
        self._mean = mean
        self._faulty = faulty
        self._fails = fails

    async def play(self, job: Job, /) -> Outcome:
        for _ in range(int(dice("slow", job.first, self.size).integers(1, 5))):
            await trio.lowlevel.checkpoint()
        self.played.append(job.first)
        done = range(job.first, min(job.first + job.blocks, self._fails))
        whole = len(done) == job.blocks
        faults = (0, self._faulty)
        return Outcome(
            blocks=tuple(self._block(index) for index in done),
            acts=80 * len(done),
            used_us=(1000 * len(done), 2000 * len(done)),
            wall_us=0,
            fault_list=(FaultFound(1, FaultCode.LATE, "no answer"),) * self._faulty,
            voids=(0, 0),
            given_up=None if whole else (Family.HOST, "the disk is full"),
            game_digest="0" * 64,
            sandbox="bare",
            faults=faults,
        )

    def _block(self, index: int) -> BlockResult:
        value = 2 * round(dice("block", index, self._mean).normal(self._mean, 18))
        return BlockResult(index, 2, (value, -value), (500 * value, -500 * value), (0, 0))


def plan(until: str = "decided", **more: object) -> ComparisonPlan:
    return make_comparison(job(), until=until, **more)  # type: ignore[arg-type]  # as named


async def played(asked: ComparisonPlan, pool: Dice) -> Comparison:
    comparison = Comparison(asked)
    await compare(comparison, pool)
    return comparison


async def test_the_better_bot_is_found() -> None:
    """A or B, as soon as the interval says so; the block that decided is the last that counts."""
    for mean, decision in ((9, Decision.A), (-9, Decision.B)):
        found = await played(plan(), Dice(mean))
        assert found.decision is decision
        assert found.ending is Ending.DECIDED
        assert 10 < len(found.blocks) < 500
        low, high = found.interval()
        assert low > 0 or high < 0
        assert exit_code(found) == 0


async def test_workers_and_their_haste_change_nothing() -> None:
    """However many there are, the same blocks count, in their order, and all figures are equal."""
    one, two, eight = [await played(plan(), Dice(4, size=size)) for size in (1, 2, 8)]

    assert [block.block for block in one.blocks] == list(range(len(one.blocks)))
    assert one.blocks == two.blocks == eight.blocks
    assert one.used_us == two.used_us == eight.used_us
    assert one.acts == two.acts == eight.acts


async def test_bots_that_differ_little_do_not_differ() -> None:
    """With --within, an interval inside of that is an answer."""
    found = await played(plan(within=6.0), Dice(0))

    assert found.decision is Decision.NO_DIFFERENCE
    assert answer(found, NAMES) == "no difference beyond 6.0 a deal"
    assert exit_code(found) == 0


async def test_it_is_given_up_at_last() -> None:
    """After so many blocks it stays undecided, which is a no."""
    found = await played(plan(most=60), Dice(0))

    assert len(found.blocks) == 60
    assert found.ending is Ending.BLOCKS
    assert answer(found, NAMES) == "undecided: either may be better"
    assert exit_code(found) == 1


async def test_a_fixed_number_of_blocks_is_played_whatever_they_say() -> None:
    """Also beyond a decision; then that is what all of them say."""
    clear, open_ = await played(plan("300"), Dice(30)), await played(plan("20"), Dice(0))

    assert len(clear.blocks) == 300
    assert clear.decision is Decision.A
    assert exit_code(clear) == 0
    assert open_.decision is Decision.UNDECIDED
    assert exit_code(open_) == 0


async def test_a_sequential_test_decides_where_it_is_asked_for() -> None:
    """And nothing else does."""
    hypotheses = SprtPlan(elo0=0, elo1=60)
    better, equal = [await played(plan(sprt=hypotheses), Dice(mean)) for mean in (5, 0)]

    assert better.sprt is not None
    assert equal.sprt is not None
    assert (better.sprt.verdict, equal.sprt.verdict) == (Verdict.H1, Verdict.H0)
    assert answer(better, NAMES) == "H1 accepted: greedy (A) is better by elo1 = 60"
    assert answer(equal, NAMES) == "H0 accepted: greedy (A) is no better than elo0 = 0"
    assert exit_code(equal) == 0


async def test_a_bot_at_fault_is_a_no() -> None:
    """Whatever was decided; faults after the last deal count too."""
    found = await played(plan(), Dice(9, faulty=1))

    assert found.faults[0] == 0
    assert found.faults[1] > 0
    assert exit_code(found) == 1


async def test_what_the_host_gave_up_ends_it_with_what_there_is() -> None:
    """The blocks before count; the command ends as for a host that failed."""
    found = await played(plan(), Dice(0, fails=40))

    assert found.ending is Ending.HOST
    assert [block.block for block in found.blocks] == list(range(40))
    assert found.given_up == (Family.HOST, "the disk is full")
    assert exit_code(found) == 3


async def test_what_goes_wrong_in_a_worker_ends_it() -> None:
    """An error is raised as it is, and nothing goes on."""

    class Broken(Dice):
        async def play(self, job: Job, /) -> Outcome:
            raise HostError("no more processes")

    with pytest.raises(HostError, match="no more processes"):
        await played(plan(), Broken(0))


async def test_interrupted_it_says_what_it_has() -> None:
    """Blocks that were taken in are kept, and no more are played."""
    comparison = Comparison(plan())
    with trio.CancelScope() as scope:
        await compare(comparison, Dice(0), lambda _: scope.cancel())
    comparison.interrupt()

    assert comparison.ending is Ending.INTERRUPTED
    assert 10 <= len(comparison.blocks) < 1000
    assert exit_code(comparison) == 130


def test_batches_grow_and_leave_nothing_out() -> None:
    """Ten blocks first, five hundred at most; together all of them."""
    found = list(batches(5000))

    assert found[:3] == [(0, 10), (10, 15), (25, 22)]
    assert max(size for _, size in found) == 500
    assert sum(size for _, size in found) == 5000
    assert all(one + size == two for (one, size), (two, _) in pairwise(found))


async def test_the_report_has_everything() -> None:
    """As JSON: raw, luck and adjusted side by side, the interval that always holds, and so on."""
    comparison = await played(plan("200"), Dice(5))
    bots = (find("sample:greedy", Settings()), find("sample:first", Settings()))
    found = json.loads(json.dumps(report(comparison, bots)))

    assert found["answer"] == answer(comparison, NAMES)
    assert found["adaptive"] is False
    assert found["blocks"] == 200
    assert found["deals"] == 400
    assert found["luck"] + found["adjusted"]["value"] == pytest.approx(
        found["mean"]["value"], abs=0.01
    )
    assert found["gain"] == 0.25
    low, high = found["always_valid"]
    assert low < found["mean"]["interval"][0] < found["mean"]["interval"][1] < high
    assert [bot["used_ms"] for bot in found["bots"]] == [200, 400]
    assert found["won"] + found["level"] + found["lost"] == 200


def test_without_a_block_there_is_still_a_report() -> None:
    """Interrupted at once."""
    comparison = Comparison(plan())
    comparison.interrupt()
    bots = (find("sample:greedy", Settings()), find("sample:first", Settings()))

    assert report(comparison, bots)["always_valid"] == [-120, 120]


WRONG = [
    (["sample:first"], "Missing argument 'B'"),
    (["sample:first", "sample:first", "--until", "soon"], "until 'soon': `decided`, or a number"),
    (["sample:first", "sample:first", "--until", "0"], "until '0': `decided`, or a number"),
    (["sample:first", "sample:first", "--within", "0"], "within 0: between 0 and 120"),
    (["sample:first", "sample:first", "--within", "nan"], "within nan: between 0 and 120"),
    (["sample:first", "sample:first", "--max-blocks", "0"], "max-blocks 0: from 1 to"),
    (["sample:first", "sample:first", "--until", "9", "--max-blocks", "9"], "--until 9 says alre"),
    (["sample:first", "sample:first", "--sprt", "elo9=1"], "there are elo0, elo1, alpha, beta"),
    (["sample:first", "sample:first", "--sprt", "", "--within", "1"], "goes with neither --within"),
    (["sample:first", "sample:first", "--game", "briscola-3"], "briscola-3 wants 3 bots; got 2"),
    (["sample:first", "sample:first", "--game", "poker"], "no game 'poker'"),
    (["sample:first", "nobody"], "bot 'nobody': there is no such file"),
    (["sample:first", "sample:first", "--on-fault", "end-match"], "on-fault end-match: blocks are"),
    (["sample:first", "sample:first", "--workers", "0"], "workers=0: at least one"),
    (["sample:first", "sample:first", "--workers", "100000"], "workers=100000: at most"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_what_is_wrong_is_said_in_a_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found before play: one line on stderr, exit code 2."""
    assert run(["compare", *arguments]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert "\n" not in said


def test_two_sides_are_needed() -> None:
    """Every other game is refused by what it has."""
    bots = ("sample:first",) * 5
    with pytest.raises(
        RefereeError, match="two sides with a bot each; briscola-chiamata-rank has 5"
    ):
        make_comparison(job(*bots, game="briscola-chiamata-rank"))


def two_sided() -> list[str]:
    """Every game that a comparison can be of."""
    return [
        id_ for id_ in catalogue() if 2 in {len(game_of(id_, at).partners) for at in seats(id_)}
    ]


def seats(game_id: str) -> tuple[int, ...]:
    return find_game(game_id).seats


def game_of(game_id: str, count: int) -> Game[Any]:
    options = {"seats": str(count)} if len(seats(game_id)) > 1 else {}
    return find_game(game_id).rules_of(options)[0].game


@pytest.mark.parametrize("game_id", two_sided())
def test_no_deal_brings_more_than_the_bound(game_id: str) -> None:
    """What the bets rest on: deal values keep to the scale, whatever is played or given up."""
    roll = random.Random(game_id)
    for count in seats(game_id):
        game = game_of(game_id, count)
        bound = -game.stakes.worst_value
        for _ in range(6 if len(game.partners) == 2 else 0):
            deck = list(game.pack)
            roll.shuffle(deck)
            state, _ = game.deal(deck, roll.randrange(count))
            found = [game.forfeit(state, seat) for seat in range(count)]
            while game.to_move(state) is not None:
                state, _ = game.apply(state, likely(game.legal(state), roll))
            for tally in (*found, game.tally(state)):
                assert all(-bound <= value <= bound for value in tally.values)


def test_partnerships_have_two_sides() -> None:
    """A bot holds a whole side, and plays each deck from both."""
    found = make_comparison(job(game="sueca"))

    assert (found.deals, found.bound) == (2, 120)


@pytest.mark.slow
def test_a_comparison_of_real_bots_ends_with_an_answer(tmp_path: Path) -> None:
    """The greedy bot is better than the one that plays its first card."""
    done = subprocess.run(
        [REFEREE, "compare", "sample:greedy", "sample:first", *ALONE, "--key", "k"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("greedy (A) is better than first (B)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.thorough
def test_twins_do_not_differ() -> None:
    """Two copies of one deterministic bot: every block is level, and that is said."""
    done = subprocess.run(
        [REFEREE, "compare", *["sample:greedy"] * 2, "--within", "1.0", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)

    assert found["answer"] == "no difference beyond 1.0 a deal"
    assert found["level"] == found["blocks"]


@pytest.mark.slow
@pytest.mark.thorough
def test_interrupted_the_command_prints_what_it_has() -> None:
    """Ctrl-C: exit code 130, the report on stdout."""
    with subprocess.Popen(
        [REFEREE, "compare", "sample:first", "sample:first", *ALONE, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert "sandbox" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()

    assert process.returncode == 130
    assert json.loads(said)["ending"] == "interrupted"
