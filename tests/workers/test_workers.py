"""Workers: what a job brings, whoever plays it, and that nothing of them outlives their parent."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio
from msgspec import json
from msgspec.structs import replace

from referee.bots.settings import Settings
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.games import catalogue, find
from referee.match.leg import Ask, DealReason, DealResult, Leg
from referee.match.lines import DealLine
from referee.match.outcome import BlockResult, MatchOutcome
from referee.match.plan import MatchPlan, make_plan
from referee.match.seating import Seating
from referee.match.totals import Totals
from referee.match.verdict import ATTEMPTS, FaultCode, OnFault, Verdict
from referee.play import conductor
from referee.rules.match_end import Reason
from referee.sandbox.bare import Bare
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.choose import opened_for
from referee.sandbox.folders import work_folder
from referee.sandbox.janitor import run_of
from referee.sandbox.names import SandboxName
from referee.workers.block_sums import Blocks
from referee.workers.jobs import BrokenOff, Job, Unready
from referee.workers.line_reader import Lines
from referee.workers.player import Player
from referee.workers.pool import WorkerBug, WorkerPool, opened_pool
from support.drive import CRASH, play
from support.invariants import nothing_left
from support.matches import BRISK, has_tool, lines_of, processes_with, verified
from support.processes import until
from support.sandboxes import Troubled, bot_that, need
from support.strategies import likely
from support.terms import config_of, job_of

TABLES = [(game, seats) for game in catalogue() for seats in find(game).seats]


def job(*bots: str, game: str = "briscola-2", blocks: int = 2, **more: object) -> Job:
    """A job with a key of its own."""
    usual = {"key": "k", "first": 0, "blocks": blocks, "time": "move=20s,start=20s"}
    return job_of(game=game, bots=bots, **{**usual, **more})


def seats_of(game: str, seats: int) -> tuple[str, ...]:
    """The option that says how many sit, where that is open."""
    return (f"seats={seats}",) if len(find(game).seats) > 1 else ()


async def played(wanted: Job, sandbox: Bare | None = None) -> MatchOutcome:
    """A job that is played in this process, bare."""
    return (await Player(sandbox or Bare(), Settings()).play(wanted)).outcome


def add(path: Path, text: str) -> None:
    """Writes to the end of a file."""
    with path.open("a") as file:
        file.write(text)


def names_in(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(os.listdir(folder))


def plan_of(game: str, seats: int, bots: int, **more: object) -> MatchPlan:
    """The plan of some blocks."""
    usual = {"deals": 3, "seating": Seating.ROTATE, "options": seats_of(game, seats)}
    return make_plan(config_of(game=game, bots=bots, key="k", **{**usual, **more}))


def blocks_of(
    plan: MatchPlan, choose: Callable[[Ask, tuple[str, ...]], str | Verdict], first: int = 0
) -> Blocks:
    """Plays without processes; makes sure that the blocks add up to the result of the match."""
    bots = max(map(max, plan.seatings)) + 1
    assert plan.decks is not None
    blocks, totals = Blocks(first, plan.decks, bots, len(plan.seatings)), Totals(bots)
    faults = [0] * bots
    for number in range(len(plan.seatings)):
        leg = Leg(plan.leg(number), faults)
        for deal in play(leg, choose)[0]:
            totals.add_deal(deal)
            blocks.add(deal)
        totals.end_leg(leg)
        faults = leg.course.faults
    found = blocks.finished()
    assert len(found) == plan.decks
    assert totals.result(len(plan.seatings)).end == Reason.DEALS
    assert sums(found, "values") == totals.scores
    return blocks


def sums(blocks: Sequence[BlockResult], what: str) -> tuple[int, ...]:
    """Figures of blocks, added up by bot."""
    return tuple(map(sum, zip(*(getattr(block, what) for block in blocks), strict=True)))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_values_of_the_blocks_are_those_of_the_match(
    game: str, seats: int, many_cases: bool
) -> None:
    """Whoever holds a seat or a side, with deals that are void, faulted or not played."""
    partners = len(plan_of(game, seats, seats).rules.game.partners)
    for bots in {seats, partners}:  # as many bots as seats, or as sides
        dice = random.Random(bots)
        for share in (0.0, 0.02) if many_cases else (0.02,):
            blocks_of(
                plan_of(game, seats, bots, deals=9 if many_cases else 2),
                lambda _, legal: CRASH if dice.random() < share else likely(legal, dice),  # noqa: B023  # called at once
            )


def test_a_benched_bots_deals_are_played_by_the_stand_in() -> None:
    """After three faults it is charged for them, told from faults; others have what they win."""
    plan = plan_of("briscola-3", 3, 3, deals=4, seating=Seating.ONE)
    place = plan.seatings[0].index(1)
    found = blocks_of(plan, lambda ask, legal: CRASH if ask.place == place else legal[0])
    fair = blocks_of(plan, lambda _, legal: legal[0]).finished()[3].values

    *faulted, unplayed = found.finished()
    assert [block.faults for block in faulted] == [(0, 1, 0)] * 3
    assert [block.unplayed for block in faulted] == [()] * 3
    assert unplayed == BlockResult(3, 1, (fair[0], -120, fair[2]), (), (0, 0, 0), (0, 1, 0))


@pytest.mark.parametrize("game", ["briscola-3", "sueca-italiana", "sueca"])
def test_a_block_is_the_same_in_whichever_job(game: str) -> None:
    """Its key, deck and dealer follow from its index, not from where a job begins."""

    def starts(first: int, deals: int) -> list[tuple[str, object, int]]:
        plan = plan_of(game, find(game).seats[0], find(game).seats[0], first=first, deals=deals)
        dealt = play(Leg(plan.leg(1)), lambda _, legal: legal[0])[0]
        return [(deal.start.key, deal.start.deck, deal.start.dealer) for deal in dealt]

    assert starts(0, 9) == [*starts(0, 4), *starts(4, 1), *starts(5, 4)]


def test_blocks_have_numbers_only_where_decks_stand_alone() -> None:
    """Anything else is a mistake of whoever asks."""
    for first, deals in ((-1, 3), (1, None)):
        with pytest.raises(RefereeError, match=f"first={first}: "):
            make_plan(config_of(game="briscola-2", bots=2, key="k", first=first, deals=deals))


def test_luck_is_added_up_by_bot_or_left_out() -> None:
    """By the seats that the bots have in each leg; a block with a deal of unknown luck has none."""

    def luck_of(deal: DealResult) -> tuple[int, ...] | None:
        if deal.start.deal == 2 and deal.start.bots[0] == 1:
            return None
        return tuple(1000 * deal.start.deal + seat for seat in range(4))

    plan = plan_of("briscola-4", 4, 2)
    blocks = Blocks(0, 3, 2, 2, luck_of)
    for number in range(2):
        for deal in play(Leg(plan.leg(number)), lambda _, legal: legal[0])[0]:
            blocks.add(deal)

    assert [block.luck for block in blocks.finished()] == [(2001, 2001), (), (6001, 6001)]


async def test_a_line_may_be_longer_than_a_pipe() -> None:
    """The report of a thousand blocks comes whole, and what follows it is not lost."""
    mine, theirs = map(trio.lowlevel.FdStream, os.pipe())
    lines, long = Lines(mine), b"x" * 300_000
    async with mine, theirs, trio.open_nursery() as nursery:
        nursery.start_soon(theirs.send_all, long + b"\na\nb\nc")
        assert [await lines.next() for _ in range(3)] == [long, b"a", b"b"]
        await theirs.aclose()
        assert await lines.next() is None


@pytest.mark.slow
async def test_a_record_that_begins_with_a_later_block_verifies(tmp_path: Path) -> None:
    """It has its name when it is complete, replaces an older one, and nothing else is left."""
    path = tmp_path / "record"
    add(path, "of a worker that was killed before anybody knew that it had finished")
    add(tmp_path / "record.part", "of a worker that was killed")
    wanted = job("sample:first", "sample:greedy", first=7, record=str(path))
    outcome = await played(wanted)
    deals = verified(path)

    assert names_in(tmp_path) == ["record"]
    assert run(["replay", str(path), "--verify"]) == 0
    assert [block.block for block in outcome.blocks] == [7, 8]
    assert [sum(block.values) for block in outcome.blocks] == [0, 0]
    plan = make_plan(config_of(game="briscola-2", bots=2, deals=9, key="k"))
    keys = [plan.leg(0).block(number)[0] for number in (7, 8)]
    assert [line.key for line in lines_of(path) if isinstance(line, DealLine)] == keys * 2
    assert deals[0].start.dealer == (plan.dealer + 7) % 2
    assert [len(block.luck) for block in outcome.blocks] == [2, 2]
    again = await played(replace(wanted, record=None, luck=False))
    assert again.game_digest == outcome.game_digest
    assert again.blocks[0].luck == ()


async def test_a_job_in_which_faults_would_take_blocks_from_others_is_refused() -> None:
    """One that ended the match, or at a larger table the deal."""
    with pytest.raises(RefereeError, match="on-fault end-match: blocks are played to their end"):
        await played(job("sample:first", "sample:first", on_fault=OnFault.END_MATCH))
    three = job(*["sample:first"] * 3, game="briscola-3", on_fault=OnFault.END_DEAL)
    with pytest.raises(RefereeError, match="on-fault end-deal: at a table of three and more"):
        await played(three)


async def test_a_bot_that_has_changed_since_it_was_looked_at_is_not_run() -> None:
    """What plays is what the log names."""
    with pytest.raises(RefereeError, match="'sample:first' is no longer what it was before play"):
        await played(job("sample:first", "sample:first", hashes=("0" * 64, "0" * 64)))


@pytest.mark.slow
async def test_a_bot_that_crashes_is_at_fault_in_its_blocks(tmp_path: Path) -> None:
    """Code, count and value; once it is benched, its deals are not played."""
    crashes = bot_that(tmp_path / "crashes", "sys.exit(3)")
    outcome = await played(job("sample:first", crashes, game="briscola-2", blocks=2))
    first, second = outcome.blocks

    assert (first.values, first.faults, first.unplayed) == ((240, -240), (0, 2), ())
    assert (second.values, second.faults, second.unplayed) == ((240, -240), (0, 1), (0, 1))
    assert outcome.faults == (0, 3)
    assert [(one.bot, one.code) for one in outcome.fault_list] == [(1, FaultCode.CRASHED)] * 3
    assert "exit status 3" in outcome.fault_list[0].detail


@pytest.mark.slow
async def test_who_is_benched_before_the_first_card_is_charged_without_a_start(
    tmp_path: Path,
) -> None:
    """Where it holds a side its deals are not played, else the stand-in plays; no faults of it."""
    ran = tmp_path / "ran"
    forfeiting = bot_that(tmp_path / "bot", f"open({str(ran)!r}, 'w').close()")
    two, three = ("sample:first", forfeiting), ("sample:first", forfeiting, "sample:greedy")
    for bots, game in ((two, "briscola-2"), (three, "briscola-3")):
        path = tmp_path / game
        outcome = await played(job(*bots, game=game, benched=(1,), record=str(path)))
        assert [block.unplayed[1] for block in outcome.blocks] == [outcome.blocks[0].deals] * 2
        assert all(block.unplayed[0] == 0 == sum(block.faults) for block in outcome.blocks)
        assert outcome.faults == (0,) * len(bots)
        reasons = {deal.reason for deal in verified(path)}
        assert reasons == {DealReason.UNPLAYED if bots is two else DealReason.PLAYED}
        worst = -120 * outcome.blocks[0].deals
        assert {block.values[1] for block in outcome.blocks} == {worst}

    assert not ran.exists()


@pytest.mark.slow
async def test_what_is_found_at_the_farewell_is_in_no_block(tmp_path: Path) -> None:
    """A bot cannot, once it knows how the last block went, take it away from the others."""
    late = bot_that(tmp_path / "late")
    add(tmp_path / "late" / "bot.py", "print('and another thing', flush=True)\n")
    outcome = await played(job("sample:first", late, seating=Seating.ONE, blocks=1))

    assert outcome.blocks[0].faults == (0, 0)
    assert outcome.faults == (0, 1)


@pytest.mark.slow
async def test_a_job_that_is_given_up_has_the_blocks_that_were_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In all their seatings; it says whose doing it was, and the record verifies as unfinished."""
    monkeypatch.setattr(conductor, "_BACK_OFF_S", 0.0)
    path = tmp_path / "record"
    wanted = job("sample:first", "sample:greedy", blocks=3, record=str(path))
    outcome = await played(wanted, Troubled(5))
    whole = await played(replace(wanted, record=None))

    assert outcome.given_up == "host: the daemon is gone"
    assert outcome.blocks == whole.blocks[:2]
    assert whole.given_up == ""
    assert run(["replay", str(path), "--verify"]) == 1


@pytest.mark.slow
async def test_our_own_mistake_in_a_deal_is_told_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It voids the deal, and whoever asked for the job can tell us."""
    monkeypatch.setattr(conductor, "_BACK_OFF_S", 0.0)
    asked = 0

    def ask(leg: Leg) -> Ask | None:
        nonlocal asked
        asked += 1
        if asked == 7:
            raise ZeroDivisionError
        return original(leg)

    original = Leg.ask
    monkeypatch.setattr(Leg, "ask", ask)
    monkeypatch.setattr(conductor, "play_usual", lambda *_: None)
    result = await Player(Bare(), Settings()).play(job("sample:first", "sample:greedy", blocks=1))

    assert result.outcome.given_up == ""
    assert sum(result.outcome.voids) == 1
    assert "ZeroDivisionError" in result.bug.splitlines()[-1]


async def test_a_stranger_is_not_run_bare_where_no_sandbox_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox was opened before anybody knew of the bot: it is looked at all the same."""
    monkeypatch.setattr(bubblewrap, "PROGRAMS", "/no/such/folder")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    stranger = bot_that(tmp_path / "stranger")
    os.chmod(tmp_path / "stranger" / "bot.py", 0o777)  # noqa: S103  # anybody might have written it
    async with opened_for(SandboxName.AUTO, (), Settings()) as sandbox:
        player = Player(sandbox, Settings())
        with pytest.raises(RefereeError, match=r"it would run as root|any user may") as caught:
            await player.play(job("sample:first", stranger))
    assert "no program 'bwrap': install the package bubblewrap (" not in str(caught.value)
    assert "no program 'bwrap': install the package bubblewrap" in str(caught.value)


def runs(pids: Sequence[int]) -> list[str]:
    """The names of workers' runs, by which what belongs to them is known."""
    return [run_of(pid) for pid in pids]


def nothing_of(runs: Sequence[str]) -> bool:
    """Whether runs have left neither control groups nor folders."""
    places = ("/sys/fs/cgroup/*/briscola-referee", "/sys/fs/cgroup/briscola-referee", work_folder())
    folders = [name for place in places for name in Path("/").glob(f"{place}/*".removeprefix("/"))]
    return not {folder.name for folder in folders} & set(runs)


@pytest.mark.slow
async def test_the_same_job_is_the_same_in_every_worker(tmp_path: Path) -> None:
    """Each is pinned to a core; signals of the terminal do not reach them; nothing is left."""
    mine, empty = bot_that(tmp_path / "mine"), tmp_path / "empty"
    empty.mkdir()
    wanted = job("sample:greedy", mine, first=3)
    found: list[MatchOutcome] = []

    async def collect(pool: WorkerPool, one: Job) -> None:
        found.append((await pool.play(one)).outcome)

    with nothing_left(tmp_path / "mine", empty):
        async with opened_pool(2, SandboxName.BARE) as pool:
            left = runs(pool.pids)
            cores = [os.sched_getaffinity(pid) for pid in pool.pids]
            for pid in pool.pids:
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    os.kill(pid, number)
            async with trio.open_nursery() as nursery:
                for _ in range(2):
                    nursery.start_soon(collect, pool, wanted)
        assert nothing_of(left)

    assert all(len(core) == 1 for core in cores)
    assert len(set(map(tuple, cores))) == min(2, len(os.sched_getaffinity(0)))
    here = await played(wanted)
    assert {one.game_digest for one in found} == {here.game_digest}
    assert [one.blocks for one in found] == [here.blocks] * 2
    assert found[0].sandbox == "bare: no isolation"


@pytest.mark.slow
async def test_what_is_wrong_with_a_job_is_raised_and_the_worker_lives(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A missing bot in the words of `referee match`; a bug of ours costs the worker its place."""
    assert run(["match", "no/such/bot", "sample:first"]) == 2
    line = capsys.readouterr().err.removeprefix("referee: ").strip()
    async with opened_pool(1, SandboxName.BARE) as pool:
        pids = pool.pids
        with pytest.raises(RefereeError) as caught:
            await pool.play(job("no/such/bot", "sample:first"))
        assert str(caught.value) == line
        with pytest.raises(Unready) as unready:
            await pool.play(job("sample:first", "no/such/bot"))
        assert (str(unready.value), unready.value.bot) == (line, 1)
        with pytest.raises(RefereeError, match="record '/proc/none/record"):
            await pool.play(job("sample:first", "sample:first", record="/proc/none/record"))
        with pytest.raises(HostError, match=r"record '.*': Is a directory"):
            await pool.play(job("sample:first", "sample:first", blocks=1, record=str(tmp_path)))
        assert pool.pids == pids
        with pytest.raises(WorkerBug) as bug:
            await pool.play(job("sample:first", "sample:first", record="\0"))
        assert "ValueError: embedded null byte" in bug.value.__notes__[0]
        assert (await pool.play(job("sample:first", "sample:first"))).outcome.given_up == ""
        assert pool.pids != pids


@pytest.mark.slow
async def test_a_sandbox_that_does_not_work_is_known_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the words of `referee match`, before there is any job."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    with pytest.raises(RefereeError, match="sandbox docker: no Docker daemon listens at /no/such"):
        async with opened_pool(1, SandboxName.DOCKER):
            pytest.fail("it was opened")


@pytest.mark.slow
async def test_a_job_outlives_its_worker(tmp_path: Path) -> None:
    """Killed in mid-deal, it is replaced, and the job brings what it always brings."""
    flag, empty = tmp_path / "flag", tmp_path / "empty"
    empty.mkdir()
    kills = bot_that(
        tmp_path / "kills",
        f"""
        if acts == 7 and not os.path.exists({str(flag)!r}):
            open({str(flag)!r}, "w").close()
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        """,
    )
    record = tmp_path / "record"
    wanted = job("sample:greedy", kills, record=str(record))
    with nothing_left(tmp_path / "kills", empty):
        async with opened_pool(1, SandboxName.BARE) as pool:
            left = runs(pool.pids)
            result = await pool.play(wanted)
            left += runs(pool.pids)
        assert nothing_of(left)

    assert flag.exists()
    assert left[0] != left[1]
    verified(record)
    here = await played(replace(wanted, record=None))
    assert (result.outcome.game_digest, result.outcome.blocks) == (here.game_digest, here.blocks)


@pytest.mark.thorough
async def test_a_job_that_kills_every_worker_is_the_hosts_failure(tmp_path: Path) -> None:
    """It is played no more than three times."""
    kills = bot_that(tmp_path / "kills", "os.kill(os.getppid(), signal.SIGKILL)")
    async with opened_pool(1, SandboxName.BARE) as pool:
        with pytest.raises(HostError, match=f"{ATTEMPTS} workers ended .* killed by SIGKILL"):
            await pool.play(job("sample:greedy", kills))


async def test_a_job_that_is_to_be_played_once_ends_one_worker(tmp_path: Path) -> None:
    """None else deals its decks again; the next job has a worker."""
    kills = bot_that(tmp_path / "kills", "os.kill(os.getppid(), signal.SIGKILL)")
    async with opened_pool(1, SandboxName.BARE) as pool:
        with pytest.raises(BrokenOff, match=r"^a worker ended .* killed by SIGKILL"):
            await pool.play(replace(job("sample:greedy", kills), once=True))
        await pool.play(job("sample:greedy", "sample:random"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "sandbox", [pytest.param("bare", marks=pytest.mark.thorough), "bwrap"], ids=str
)
async def test_whoever_stops_waiting_ends_the_bots(sandbox: str, tmp_path: Path) -> None:
    """At once, in the middle of an act; the next job gets a worker again."""
    if sandbox == "bwrap":
        need("bwrap")
    empty = tmp_path / "empty"
    empty.mkdir()
    record = tmp_path / "records" / "record"
    slow = bot_that(tmp_path / "slow", "time.sleep(60)")

    def plays() -> bool:
        part = Path(f"{record}.part")
        return part.exists() and b'{"start"' in part.read_bytes()

    with nothing_left(tmp_path / "slow", empty):
        async with opened_pool(1, SandboxName(sandbox)) as pool:
            left = runs(pool.pids)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pool.play, job(slow, "sample:first", record=str(record)))
                await until(plays)
                nursery.cancel_scope.cancel()
            assert pool.pids == ()
            assert nothing_of(left)
            assert names_in(record.parent) == []
            assert (await pool.play(job("sample:first", "sample:first"))).outcome.given_up == ""


PARENT = """
import sys, msgspec, trio
from referee.sandbox.choose import SandboxName
from referee.workers.jobs import Job
from referee.workers.pool import opened_pool

async def main(sandbox, wanted):
    job = msgspec.json.decode(wanted, type=Job)
    async with opened_pool(2, SandboxName(sandbox)) as pool:
        print(*pool.pids, flush=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pool.play, job)
            nursery.start_soon(pool.play, job)

trio.run(main, *sys.argv[1:])
"""


@pytest.mark.slow
def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    """With -9, in the middle of a deal: workers and bots end by themselves."""
    token = f"orphan-{os.getpid()}"
    flag = tmp_path / "flag"
    add(flag, "")
    slow = bot_that(tmp_path / "slow", f"open({str(flag)!r}, 'a').write('x'); time.sleep(60)")
    toml = tmp_path / "slow" / "bot.toml"
    toml.write_text(toml.read_text().replace("bot.py", f"bot.py {token}"))
    wanted = json.encode(job(slow, "sample:first", time="move=60s")).decode()
    words = [sys.executable, "-P", "-c", PARENT, "bare", wanted]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        left = runs(pids)
        trio.run(until, lambda: len(flag.read_text()) == 2)
        assert len(processes_with(token)) == 2
        parent.kill()
    trio.run(until, lambda: not processes_with(token) and nothing_of(left))
    trio.run(until, lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in pids))


def level(outcome: MatchOutcome) -> bool:
    """Whether every block has ended level."""
    blocks = outcome.blocks
    return len(blocks) > 0 and all(len(set(block.values)) == 1 for block in blocks)


QUICK = (("briscola-2", 2, 2), ("briscola-3", 3, 3), ("sueca", 4, 2), ("sueca-italiana", 5, 5))


@pytest.mark.slow
async def test_copies_of_a_bot_end_every_block_level(many_cases: bool) -> None:
    """In every game, with every number of bots: whoever sits everywhere has no luck."""
    tables = {
        (game, seats, bots)
        for game, seats in TABLES
        for bots in (seats, len(plan_of(game, seats, seats).rules.game.partners))
    }
    assert tables >= set(QUICK)
    unlevel: list[tuple[str, int, int]] = []

    async def look(table: tuple[str, int, int]) -> None:
        game, seats, bots = table
        seating = Seating.FULL if bots <= 3 else Seating.ROTATE
        one = job(
            *["sample:greedy" if many_cases else BRISK] * bots,
            game=game,
            options=seats_of(game, seats),
            seating=seating,
            blocks=2 if many_cases else 1,
        )
        if not level((await pool.play(one)).outcome):
            unlevel.append(table)

    async with opened_pool(sandbox=SandboxName.BARE) as pool, trio.open_nursery() as nursery:
        for table in sorted(tables) if many_cases else QUICK:
            nursery.start_soon(look, table)
    assert unlevel == []


@pytest.mark.thorough
async def test_a_long_job_keeps_its_worker_small(tmp_path: Path) -> None:
    """A thousand blocks come as one outcome; what it takes does not grow with the deals."""
    name = "sample:first-c" if has_tool("first-c") else "sample:first"

    def resident_mib(pid: int) -> int:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20

    async with opened_pool(1, SandboxName.BARE) as pool:
        await pool.play(job(name, name, blocks=200))
        before = resident_mib(pool.pids[0])
        result = await pool.play(job(name, name, blocks=1000))
        assert resident_mib(pool.pids[0]) - before < 3
    assert len(result.outcome.blocks) == 1000
