"""`referee compare`: when it stops, what it says, and how the command ends."""

import csv
import io
import json
import random
import shlex
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace
from rich.console import Console

from ladder.commands.compare import exit_code
from ladder.compare.comparison import (
    PART,
    Comparison,
    ComparisonEnd,
    ComparisonPlan,
    make_comparison,
)
from ladder.compare.conductor import compare
from ladder.compare.report import answer, print_report, report
from ladder.stats.confidence_sequence import Conclusion
from ladder.stats.sprt import SprtPlan, SprtResult
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.games import catalogue
from referee.games import find as find_game
from referee.match.outcome import BlockResult, FaultFound, MatchOutcome, nothing_played
from referee.match.verdict import FaultCode, OnFault
from referee.rules.game import Game
from referee.workers.jobs import Job, JobResult
from support.json_objects import object_of
from support.matches import BRISK
from support.processes import REFEREE
from support.simulations import dice
from support.strategies import likely
from support.terms import job_of

NAMES = ("greedy", "first")
ALONE = ("--sandbox", "bare", "--workers", "1")


def job(*bots: str, game: str = "briscola-2", on_fault: OnFault | None = None) -> Job:
    both = bots or ("sample:greedy", "sample:first")
    return job_of(game=game, bots=both, key="k", first=0, blocks=1, on_fault=on_fault)


class Dice:
    """Plays blocks by rolling dice, each of its own; later parts may be finished first."""

    def __init__(self, mean: float, *, size: int = 2, faulty: int = 0, fails: int = 10**9) -> None:
        self.size = size
        self.played: list[tuple[int, int]] = []
        self._mean = mean
        self._faulty = faulty
        self._fails = fails

    async def play(self, job: Job, /) -> JobResult:
        for _ in range(int(dice("slow", job.first, self.size).integers(1, 5))):
            await trio.lowlevel.checkpoint()
        self.played.append((job.first, job.blocks))
        done = range(job.first, min(job.first + job.blocks, self._fails))
        whole = len(done) == job.blocks
        faults = (0, self._faulty)
        return JobResult(
            MatchOutcome(
                blocks=tuple(self._block(index) for index in done),
                acts=80 * len(done),
                used_us=(1000 * len(done), 2000 * len(done)),
                wall_us=0,
                fault_list=(FaultFound(0, 1, 0, 1, 1, FaultCode.LATE, "no answer"),) * self._faulty,
                voids=(0, 0),
                given_up="" if whole else "host: the disk is full",
                game_digest="0" * 64,
                sandbox="bare",
                faults=faults,
            )
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


def indexes(found: Comparison) -> list[int]:
    """The blocks that count."""
    return [block.block for part in found.parts for block in part]


async def test_the_better_bot_is_found() -> None:
    """A or B, as soon as the interval says so; the part that decided is the last that counts."""
    for mean, decision in ((9, Conclusion.A), (-9, Conclusion.B)):
        found = await played(plan(), Dice(mean))
        assert found.decision is decision
        assert found.ending is ComparisonEnd.DECIDED
        assert 10 < found.blocks < 500
        low, high = found.interval()
        assert low > 0 or high < 0
        assert exit_code(found) == 0


async def test_workers_and_their_haste_change_nothing() -> None:
    """However many there are, the same parts count, in their order, and all figures are equal."""
    one, two, eight = [await played(plan(), Dice(4, size=size)) for size in (1, 2, 8)]

    assert indexes(one) == list(range(one.blocks))
    assert one.parts == two.parts == eight.parts
    assert one.used_us == two.used_us == eight.used_us
    assert one.acts == two.acts == eight.acts


async def test_bots_that_differ_little_do_not_differ() -> None:
    """With --within, an interval inside of that is an answer."""
    found = await played(plan(within=6.0), Dice(0))

    assert found.decision is Conclusion.NO_DIFFERENCE
    assert answer(found, NAMES) == "no difference beyond 6.0 a deal"
    assert exit_code(found) == 0


async def test_it_is_given_up_at_last() -> None:
    """After so many blocks it stays undecided, which is a no."""
    found = await played(plan(most=60), Dice(0))

    assert found.blocks == 60
    assert found.ending is ComparisonEnd.BLOCKS
    assert answer(found, NAMES) == "undecided: either may be better"
    assert exit_code(found) == 1


async def test_a_fixed_number_of_blocks_is_played_whatever_they_say() -> None:
    """Also beyond a decision; then that is what all of them say."""
    clear, open_ = await played(plan("300"), Dice(30)), await played(plan("20"), Dice(0))

    assert clear.blocks == 300
    assert clear.decision is Conclusion.A
    assert exit_code(clear) == 0
    assert open_.decision is Conclusion.UNDECIDED
    assert exit_code(open_) == 0


async def test_a_sequential_test_decides_where_it_is_asked_for() -> None:
    """And nothing else does."""
    hypotheses = SprtPlan(elo0=0, elo1=60)
    better, equal = [await played(plan(sprt=hypotheses), Dice(mean)) for mean in (5, 0)]

    assert better.sprt is not None
    assert equal.sprt is not None
    assert (better.sprt.verdict, equal.sprt.verdict) == (SprtResult.H1, SprtResult.H0)
    assert answer(better, NAMES) == "H1 accepted: greedy (A) is better by elo1 = 60"
    assert answer(equal, NAMES) == "H0 accepted: greedy (A) is no better than elo0 = 0"
    assert exit_code(equal) == 0


async def test_a_bot_at_fault_is_a_no() -> None:
    """Whatever was decided; faults after the last deal count too."""
    found = await played(plan(), Dice(9, faulty=1))

    assert found.faults[0] == 0
    assert found.faults[1] > 0
    assert exit_code(found) == 1


@pytest.mark.parametrize("fails", [40, 41])
async def test_what_the_host_gave_up_ends_it_with_what_there_is(fails: int) -> None:
    """Whole parts before count; the command ends as for a host that failed.

    A part that was cut short does not count: its processes lived shorter than others.
    """
    found = await played(plan(), Dice(0, fails=fails))

    assert found.ending is ComparisonEnd.HOST
    assert indexes(found) == list(range(40))
    assert found.given_up == "host: the disk is full"
    assert exit_code(found) == 3


async def test_what_goes_wrong_in_a_worker_ends_it() -> None:
    """An error is raised as it is, and nothing goes on."""

    class Broken(Dice):
        async def play(self, job: Job, /) -> JobResult:
            raise HostError("no more processes")

    with pytest.raises(HostError, match="no more processes"):
        await played(plan(), Broken(0))


async def test_interrupted_it_says_what_it_has() -> None:
    """Parts that were taken in are kept, and no more are played."""
    comparison = Comparison(plan())
    with trio.CancelScope() as scope:
        await compare(comparison, Dice(0), lambda _: scope.cancel())
    comparison.interrupt()

    assert comparison.ending is ComparisonEnd.INTERRUPTED
    assert PART <= comparison.blocks < 1000
    assert exit_code(comparison) == 130


@pytest.mark.parametrize(("part", "blocks"), [(1, 30), (2, 60), (6, 60), (60, 60)])
async def test_match_parts_are_equally_long_and_leave_nothing_out(part: int, blocks: int) -> None:
    """Each of them has processes of its own, for as many blocks as was asked for."""
    pool = Dice(0)
    found = await played(plan(str(blocks), part=part), pool)

    assert sorted(pool.played) == [(first, part) for first in range(0, blocks, part)]
    assert indexes(found) == list(range(blocks))
    assert {len(blocks) for blocks in found.parts} == {part}


def test_a_comparison_that_is_given_up_is_given_up_after_whole_parts() -> None:
    """The usual number of blocks is less where it is no multiple of a part."""
    assert plan(part=7).parts * 7 == 19_999 // 7 * 7


class Moody(Dice):
    """One of the two plays badly for twenty blocks at a time: A in six of the first twenty."""

    def __init__(self) -> None:
        super().__init__(0)

    def _block(self, index: int) -> BlockResult:
        mood = -30 if index // 20 in {3, 5, 8, 11, 13, 18} else 30
        value = 2 * round(dice("block", index, "moody").normal(mood, 18))
        return BlockResult(index, 2, (value, -value), (), (0, 0))


@pytest.mark.parametrize("asked", [{"until": "400"}, {"most": 400}], ids=str)
async def test_what_lives_as_long_as_a_process_is_one_observation(asked: dict[str, Any]) -> None:
    """Equal bots that have a mood for each match are not told apart; by block they would be."""
    found = await played(plan(**asked, part=20), Moody())

    assert found.blocks == 400
    assert found.decision is Conclusion.UNDECIDED
    assert (await played(plan(**asked, part=1), Moody())).decision is Conclusion.A


BOTS = (find("sample:greedy", Settings()), find("sample:first", Settings()))


async def test_the_report_of_a_fixed_number_has_everything() -> None:
    """As JSON: raw, luck and adjusted side by side, and one interval for each figure."""
    comparison = await played(plan("200"), Dice(5))
    found = object_of(report(comparison, BOTS, ()))

    assert found["answer"] == answer(comparison, NAMES)
    assert found["adaptive"] is False
    assert (found["match_blocks"], found["matches"]) == (2, 100)
    assert (found["blocks"], found["deals"], found["unplayed"]) == (200, 400, [0, 0])
    assert found["luck"] + found["adjusted"]["value"] == pytest.approx(
        found["mean"]["value"], abs=0.01
    )
    assert found["gain"] == 0.25
    assert found["interval"] == found["mean"]["interval"]
    assert found["interval"][0] < found["mean"]["value"] < found["interval"][1]
    assert found["elo"]["interval"][0] < found["elo"]["value"] < found["elo"]["interval"][1]
    assert found["los"] > 0.9
    assert [bot["used_ms"] for bot in found["bots"]] == [200, 400]
    assert found["won"] + found["level"] + found["lost"] == 200


async def test_the_report_of_an_adaptive_comparison_has_the_one_interval_that_holds() -> None:
    """All times together: figures that lean towards the answer have none, and no LOS."""
    for asked in (plan(), plan(most=60), plan(sprt=SprtPlan(elo0=0, elo1=60))):
        comparison = await played(asked, Dice(5))
        found = object_of(report(comparison, BOTS, ()))

        assert found["adaptive"] is True
        assert found["interval"] == pytest.approx(comparison.interval(), abs=0.001)
        assert [found[name]["interval"] for name in ("mean", "adjusted", "elo")] == [None] * 3
        assert found["los"] is None
        assert "always_valid" not in found


async def test_a_fixed_number_that_was_not_reached_is_no_fixed_number() -> None:
    """What ended it may hang together with what was played, so the interval is the wide one."""
    whole, cut = await played(plan("60"), Dice(9)), await played(plan("80"), Dice(9, fails=60))

    assert whole.parts == cut.parts
    assert (whole.adaptive, cut.adaptive) == (False, True)
    assert cut.interval()[0] < whole.interval()[0] < whole.interval()[1] < cut.interval()[1]


def printed(comparison: Comparison) -> str:
    to = Console(file=io.StringIO(), width=200)
    print_report(to, comparison, BOTS)
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


async def test_a_fixed_number_prints_one_interval() -> None:
    """That of the table, which holds looked at once."""
    comparison = await played(plan("30"), Dice(5))
    said = printed(comparison)

    assert "95 % interval" in said
    assert comparison.decision is Conclusion.UNDECIDED
    assert "likelihood of superiority" not in said
    assert "A's true mean lies between" not in said
    assert "settled beforehand: the intervals hold" in said
    assert "15 matches with processes of their own, 30 blocks, 60 deals: " in said


async def test_the_likelihood_of_superiority_stands_beside_an_answer_only() -> None:
    """Beside "undecided" a high one would say the opposite."""
    comparison = await played(plan("30"), Dice(60))

    assert comparison.decision is Conclusion.A
    assert "likelihood of superiority 100" in printed(comparison)


async def test_a_handful_of_matches_tells_nothing() -> None:
    """Whatever they brought: two equal ones would have an interval without width."""
    comparison = await played(plan("8"), Dice(60))
    said = printed(comparison)
    found = object_of(report(comparison, BOTS, ()))

    assert comparison.decision is Conclusion.UNDECIDED
    assert said.startswith("undecided: too few, 5 matches are the least that tells anything\n")
    assert "too few" in said.splitlines()[4]
    assert "the intervals hold" not in said
    assert (found["mean"]["interval"], found["los"]) == (None, None)
    assert (await played(plan("10"), Dice(60))).decision is Conclusion.A


async def test_an_adaptive_comparison_prints_the_interval_that_holds_for_all_times() -> None:
    """And no other, since what was played decided when to stop."""
    comparison = await played(plan(), Dice(9))
    said = printed(comparison)

    low, high = comparison.interval()
    assert f"A's true mean lies between {low:+.2f} and {high:+.2f} a deal" in said
    assert "95 % interval" not in said
    assert "likelihood of superiority" not in said
    assert "only the interval above allows for that" in said


def remembering(gain: int, parts: int = 20) -> Comparison:
    """A comparison in which A gains so much in second legs."""
    comparison = Comparison(plan(str(2 * parts)))
    roll = dice("remembering", gain)
    for first in range(0, 2 * parts, 2):
        blocks = []
        for at in (first, first + 1):
            one, two = (round(number) for number in roll.normal((0, gain), 20))
            met = ((one, -one), (two, -two))
            value = one + two
            blocks.append(BlockResult(at, 2, (value, -value), (), (0, 0), meetings=met))
        comparison.add(replace(nothing_played(2, ""), blocks=tuple(blocks)))
    return comparison


def test_a_bot_that_gains_in_second_legs_is_named() -> None:
    """In JSON by bot, and in a line of warning; one that does not gain is not."""
    for gain, beyond in ((40, True), (0, False)):
        comparison = remembering(gain)
        one, other = object_of(report(comparison, BOTS, ()))["bots"]
        said = printed(comparison)

        assert one["second_meetings"]["blocks"] == 40
        assert one["second_meetings"]["beyond_chance"] is beyond
        assert other["second_meetings"]["beyond_chance"] is False
        assert ("warning: greedy is better in second meetings of a deck" in said) is beyond
        assert ("no bot is better in them beyond chance" in said) is not beyond


async def test_where_legs_were_not_counted_nothing_is_said_of_second_meetings() -> None:
    """As where each deck is played once."""
    comparison = await played(plan("20"), Dice(5))

    bots = object_of(report(comparison, BOTS, ()))["bots"]
    assert [bot["second_meetings"] for bot in bots] == [None, None]
    assert "second meetings" not in printed(comparison)


def test_deals_charged_unplayed_are_told() -> None:
    """Beside what was played, and by bot in JSON; those of one match are one observation."""
    comparison = Comparison(plan("4", part=2))
    for first in (0, 2):
        blocks = tuple(
            BlockResult(at, 2, (-240, 240), (), (3, 0), (2, 0)) for at in (first, first + 1)
        )
        comparison.add(replace(nothing_played(2, ""), blocks=blocks))

    assert "4 blocks, 8 deals, 8 deals of them charged unplayed: " in printed(comparison)
    found = object_of(report(comparison, BOTS, ()))
    assert (found["unplayed"], found["matches"]) == ([8, 0], 2)


def test_without_a_block_there_is_still_a_report() -> None:
    """Interrupted at once."""
    comparison = Comparison(plan())
    comparison.interrupt()

    found = object_of(report(comparison, BOTS, ()))
    assert (found["interval"], found["matches"], found["blocks"]) == ([-120, 120], 0, 0)


WRONG = [
    (["sample:first"], "Missing argument 'B'"),
    (["sample:first", "sample:first", "--until", "soon"], "until 'soon': `decided`, or a number"),
    (["sample:first", "sample:first", "--until", "0"], "until '0': `decided`, or a number"),
    (["sample:first", "sample:first", "--within", "0"], "within 0: between 0 and 120"),
    (["sample:first", "sample:first", "--within", "nan"], "within nan: between 0 and 120"),
    (["sample:first", "sample:first", "--max-blocks", "0"], "max-blocks 0: from 1 to"),
    (["sample:first", "sample:first", "--until", "9", "--max-blocks", "9"], "--until 9 says alre"),
    (
        ["sample:first", "sample:first", "--until", "9"],
        "until 9: processes live for 2 blocks (--ma",
    ),
    (["sample:first", "sample:first", "--max-blocks", "9"], "max-blocks 9: processes live for 2 b"),
    (["sample:first", "sample:first", "--match-blocks", "0"], "match-blocks 0: from 1 to 1000"),
    (["sample:first", "sample:first", "--sprt", "elo9=1"], "there are elo0, elo1, alpha, beta"),
    (["sample:first", "sample:first", "--sprt", "", "--within", "1"], "goes with neither --within"),
    (
        ["sample:first", "sample:first", "--game", "briscola-3"],
        "briscola-3 has 3: --with BOT says who else",
    ),
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
                game.apply(state, likely(game.legal(state), roll))
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
        [REFEREE, "compare", "sample:greedy", BRISK, *ALONE, "--key", "k"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"greedy (A) is better than {BRISK.partition(':')[2]} (B)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_decks_that_cost_most_are_named_with_what_shows_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands that are printed work, and the figures are those of the blocks."""
    records, table = tmp_path / "records", tmp_path / "blocks.csv"
    words = ["compare", "sample:first", "sample:greedy", "--until", "4", *ALONE, "--key", "k"]
    assert run([*words, "--records", str(records), "--csv", str(table), "--json"]) == 0
    blocks = json.loads(capsys.readouterr().out)["block_values"]
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [int(row["value_a"]) for row in rows] == [one["values"][0] for one in blocks]
    assert [row["record"] for row in rows] == [one["record"] for one in blocks]
    assert sorted(path.name for path in records.iterdir()) == [
        "blocks-000000.jsonl",
        "blocks-000002.jsonl",
    ]

    other = tmp_path / "others"
    assert run([*words, "--worst", "2", "--records", str(other)]) == 0
    said = capsys.readouterr().out.splitlines()
    at = said.index("the decks that cost first (A) most")
    costly = sorted(blocks, key=lambda one: one["values"][0] - one["values"][1])
    assert [line.split(":")[0] for line in said[at + 1 :: 3]] == [
        f"block {one['block']}" for one in costly[:2]
    ]
    for line in (said[at + 2], said[at + 3]):
        command = shlex.split(line)[1:]
        if "--" in command:
            at_end = command.index("--")
            command[at_end:at_end] = ALONE[:2]
        assert run(command) == 0
    shown = capsys.readouterr().out
    assert "first" in shown
    assert run([*words, "--records", str(records)]) == 2
    assert "the folder must be new, or empty" in capsys.readouterr().err


@pytest.mark.parametrize("counted", [0, 40])
def test_a_machine_that_fails_leaves_the_answer_to_what_was_played(
    counted: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As when a cluster goes away: exit code 3, why in a line, and what holds until then."""

    class Lost(Dice):
        async def play(self, job: Job, /) -> JobResult:
            if job.first >= counted:
                raise HostError("cluster tls://there:1: its scheduler has gone")
            return await super().play(job)

    @asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncIterator[Lost]:
        yield Lost(0, size=1)

    monkeypatch.setattr("ladder.commands.compare.opened_players", opened)
    assert run(["compare", "sample:greedy", "sample:first", "--until", "60", "--json"]) == 3
    found = capsys.readouterr()
    assert found.err.splitlines()[-1] == "referee: cluster tls://there:1: its scheduler has gone"
    assert bool(found.out) == (counted > 0)
    if counted:
        told = json.loads(found.out)
        assert PART <= told["blocks"] <= counted
        assert (told["ending"], told["adaptive"]) == ("host", True)


@pytest.mark.slow
@pytest.mark.thorough
def test_twins_do_not_differ() -> None:
    """Two copies of one deterministic bot: every block is level, and that is said."""
    done = subprocess.run(
        [REFEREE, "compare", *["sample:greedy"] * 2, "--within", "10.0", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)

    assert found["answer"] == "no difference beyond 10.0 a deal"
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
