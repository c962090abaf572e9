"""Bots that misbehave: the right fault, an end in bounded time, and nothing left behind."""

import os
import subprocess
from pathlib import Path

import pytest

from referee.match.leg import Leg
from referee.match.seating import Seating
from referee.match.verdict import FaultCode, Freeze, OnFault, Verdict
from referee.play import conductor as match_module
from referee.sandbox.bare import Bare
from support.matches import lines_of, match, processes_with, rogue, verified
from support.processes import open_files

FAULTS = {
    "illegal": (FaultCode.ILLEGAL, "not one of the legal"),
    "not_json": (FaultCode.MALFORMED, "I play the seven"),
    "empty_line": (FaultCode.MALFORMED, "empty line"),
    "wrong_id": (FaultCode.PROTOCOL, "the id of the open act"),
    "answers_twice": (FaultCode.PROTOCOL, "the id of the open act"),
    "answers_deal": (FaultCode.MALFORMED, '{"ok":true}'),
    "no_answer": (FaultCode.LATE, "it slept"),
    "spins": (FaultCode.LATE, "still at work"),
    "has_a_thread_work": (FaultCode.LATE, "still at work"),
    "polls_beside": (FaultCode.LATE, "it slept"),
    "no_newline": (FaultCode.LATE, "newline"),
    "drips": (FaultCode.LATE, "newline"),
    "not_flushed": (FaultCode.LATE, "did you flush your answer?"),
    "stops_itself": (FaultCode.LATE, "no answer within 300 ms"),
    "closes_stdout": (FaultCode.LATE, "no answer within 300 ms"),
    "closes_stdin": (FaultCode.LATE, "no answer within 300 ms"),
    "never_reads": (FaultCode.LATE, "has not read the question"),
    "long_line": (FaultCode.OUTPUT, "16384"),
    "flood": (FaultCode.OUTPUT, "16384"),
    "vertical_tab": (FaultCode.MALFORMED, "not JSON"),
    "markup": (FaultCode.MALFORMED, "[/red]"),
    "real_time_signal": (FaultCode.CRASHED, "killed by signal"),
    "stderr_flood": (FaultCode.OUTPUT, "stderr"),
    "exits": (FaultCode.CRASHED, "exit status 0"),
    "segfaults": (FaultCode.CRASHED, "SIGSEGV"),
    "leaves_a_daemon": (FaultCode.CRASHED, "exit status 1"),
    "dies_at_once": (FaultCode.STARTUP, "exit status 3"),
    "stderr_then_dies": (FaultCode.STARTUP, "exit status 3"),
    "banner": (FaultCode.STARTUP, "Welcome to my bot"),
    "protocol_two": (FaultCode.STARTUP, "protocol 2"),
}


def faults_in(path: Path) -> list[Verdict]:
    return [line for line in lines_of(path) if isinstance(line, Verdict)]


@pytest.mark.slow
@pytest.mark.parametrize("mode", FAULTS)
async def test_each_fault_is_found_and_leaves_nothing(mode: str, tmp_path: Path) -> None:
    """The code and the words are right, the deal is forfeited, the process and its kin are gone."""
    code, words = FAULTS[mode]
    token = f"rogue-{mode}-{os.getpid()}"
    descriptors = open_files()
    path = tmp_path / "record"
    bot = rogue(mode, token)
    result = await match(path, "briscola-2", bot, "sample:first-c", deals=1)
    (fault,) = faults_in(path)

    assert fault.code is code
    assert words in fault.detail
    assert result.end.scores == (-120, 120)
    assert result.end.winner == (1,)
    assert [row.code for row in result.totals.faults] == [code]
    assert not processes_with(token)
    assert open_files() == descriptors
    assert [deal.reason for deal in verified(path)] == ["fault"]


@pytest.mark.slow
async def test_a_bot_that_is_never_ready_is_a_startup_fault(tmp_path: Path) -> None:
    """The start has a limit of its own."""
    path = tmp_path / "record"
    quick = "start=200ms"
    await match(path, "briscola-2", rogue("never_ready"), "sample:first-c", deals=1, time=quick)
    (fault,) = faults_in(path)

    assert fault.code is FaultCode.STARTUP
    assert "no answer within 200 ms" in fault.detail


@pytest.mark.slow
async def test_a_flood_of_empty_lines_is_found_at_its_first(tmp_path: Path) -> None:
    """However much comes, no more is read than it takes to see that it is wrong."""
    path = tmp_path / "record"
    await match(path, "briscola-2", rogue("flood_of_newlines"), "sample:first-c", deals=1)
    (fault,) = faults_in(path)

    assert fault.code in (FaultCode.MALFORMED, FaultCode.OUTPUT)


@pytest.mark.slow
async def test_evidence_holds_head_and_tail_of_stderr_and_the_last_lines(tmp_path: Path) -> None:
    """What a bot wrote for its author is kept, first and last 16 KiB, with what was said."""
    path = tmp_path / "record"
    await match(path, "briscola-2", rogue("stderr_then_dies"), "sample:first-c", deals=1)
    (fault,) = faults_in(path)
    evidence = fault.evidence

    assert evidence.stderr_head.startswith("first line\n")
    assert evidence.stderr_tail.endswith("last line\n")
    assert len(evidence.stderr_head) == len(evidence.stderr_tail) == 16384
    assert '"type":"hello"' in evidence.to_bot
    assert evidence.exit == "exit status 3"


@pytest.mark.slow
async def test_evidence_has_what_was_written_just_before_the_fault(tmp_path: Path) -> None:
    """stderr is read before the verdict is written, however quick the fault."""
    path = tmp_path / "record"
    await match(path, "briscola-2", rogue("stderr_then_illegal"), "sample:first-c", deals=1)
    (fault,) = faults_in(path)

    assert fault.evidence.stderr_head == "why I play this\n"


@pytest.mark.slow
async def test_a_fault_of_one_bot_leaves_the_helpers_of_the_other_alone(tmp_path: Path) -> None:
    """An innocent bot's engine lives on, even as an orphan; it is gone after the match."""
    path = tmp_path / "record"
    token = f"helper-{os.getpid()}"
    helped = rogue("has_a_helper", token)
    result = await match(path, "briscola-2", rogue("exits"), helped, deals=2)

    assert result.totals.fault_counts == [2, 0]
    assert not processes_with(token)


@pytest.mark.slow
async def test_a_flood_while_the_other_thinks_costs_the_other_nothing(tmp_path: Path) -> None:
    """It waits in its pipe until the flooder's own next act: read meanwhile, it would be too much.

    A bot that thinks for a fifth of a second has time for that, however busy the machine is.
    """
    path = tmp_path / "record"
    bots = (rogue("floods_stderr_off_turn"), rogue("thinks"))
    ample = "move=2s,bank=0s,soft=0ms,start=5s"
    result = await match(path, "briscola-2", *bots, deals=1, freeze=Freeze.NEVER, time=ample)

    assert faults_in(path) == []
    assert result.totals.voids == []


@pytest.mark.slow
async def test_a_fault_does_not_decide_between_the_sides_of_partners(tmp_path: Path) -> None:
    """The side wins that the cards say: the partner is not harmed, and does not win alone."""
    others = ["sample:first-c"] * 3
    winners = {}
    for key in "abcdefgh":
        path = tmp_path / key
        result = await match(path, "briscola-4", rogue("exits"), *others, deals=1, key=key)
        scores = result.end.scores
        assert scores[0] == -120
        assert scores[2] == -scores[1]
        assert scores[1] == scores[3]
        winners[scores[1] > 0] = result.end.winner

    assert winners == {True: (1, 3), False: (2,)}


@pytest.mark.slow
async def test_end_match_ends_all_legs(tmp_path: Path) -> None:
    """The other side has won, and no further leg is begun."""
    path = tmp_path / "record"
    bots = (rogue("illegal"), "sample:first-c")
    end_match = OnFault.END_MATCH
    result = await match(
        path, "briscola-2", *bots, deals=3, seating=Seating.ROTATE, on_fault=end_match
    )

    assert len(verified(path)) == 1
    assert (result.end.end, result.end.winner) == ("fault", (1,))


@pytest.mark.slow
async def test_nor_does_it_over_several_legs(tmp_path: Path) -> None:
    """Partners in every leg win together, but for the one that was charged."""
    path = tmp_path / "record"
    bots = (rogue("exits"), "sample:first-c", "sample:greedy", "sample:first-c")
    result = await match(path, "briscola-4", *bots, deals=6, key="b", seating=Seating.ROTATE)
    verified(path)

    assert result.totals.fault_counts == [3, 0, 0, 0]
    assert result.end.winner in ((2,), (1, 3))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["speaks_at_the_end", "speaks_at_the_end_and_stays"])
async def test_what_is_said_unasked_at_the_end_is_found_there(mode: str, tmp_path: Path) -> None:
    """A line after the last answer is a fault, but the cards have already spoken."""
    path = tmp_path / "record"
    result = await match(path, "briscola-2", rogue(mode), "sample:first-c", deals=1)
    (fault,) = faults_in(path)

    assert (fault.code, result.totals.fault_counts) == (FaultCode.PROTOCOL, [1, 0])
    assert "good game" in fault.detail
    assert [deal.reason for deal in verified(path)] == ["played"]


@pytest.mark.slow
async def test_a_bot_that_stays_after_the_end_is_ended(tmp_path: Path) -> None:
    """Nobody can make the referee wait for ever; to stay is no fault."""
    token = f"rogue-stays-{os.getpid()}"
    path = tmp_path / "record"
    result = await match(path, "briscola-2", rogue("stays", token), "sample:first-c", deals=1)

    assert result.totals.fault_counts == [0, 0]
    assert not processes_with(token)


@pytest.mark.slow
async def test_after_three_faults_the_rest_is_counted_without_play(tmp_path: Path) -> None:
    """The process is started afresh twice, then no more; every deal is lost all the same."""
    path = tmp_path / "record"
    result = await match(path, "briscola-2", rogue("exits"), "sample:first-c", deals=6)

    assert result.end.scores == (-720, 720)
    assert result.totals.fault_counts == [3, 0]
    assert [deal.reason for deal in verified(path)] == ["fault"] * 3 + ["unplayed"] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("game", "bots"), [("briscola-3", 3), ("briscola-4", 4)])
async def test_at_larger_tables_the_stand_in_plays_the_rest(
    game: str, bots: int, tmp_path: Path
) -> None:
    """The others have the deals that they would have had; the record proves it."""
    path = tmp_path / "record"
    others = ["sample:first-c"] * (bots - 1)
    result = await match(path, game, rogue("exits"), *others, deals=5)
    same = await match(tmp_path / "other", game, "sample:first-c", *others, deals=5)
    deals = verified(path)

    assert [deal.reason for deal in deals] == ["played"] * 5
    assert [deal.start.benched for deal in deals] == [()] * 3 + [(0,)] * 2
    assert result.totals.fault_counts == [3, *[0] * (bots - 1)]
    assert result.end.scores == (5 * -120, *same.end.scores[1:])
    assert [row.benched for row in result.totals.rows] == [()] * 3 + [(0,)] * 2


@pytest.mark.slow
async def test_of_a_bot_that_plays_no_more_no_process_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a table of three pairs it has two, and the other has done nothing wrong."""
    path, token, living = tmp_path / "record", f"rogue-pair-{os.getpid()}", []
    plays = match_module._MatchConductor._ask_all

    async def looks(conductor: match_module._MatchConductor, leg: Leg) -> None:
        living.append(len(processes_with(token)))
        await plays(conductor, leg)

    monkeypatch.setattr(match_module._MatchConductor, "_ask_all", looks)
    others = ["sample:first-c"] * 2
    options = ("seats=6", "teams=pairs")
    await match(path, "bisca-tres", rogue("exits", token), *others, deals=5, options=options)

    assert [bool(deal.start.benched) for deal in verified(path)] == [False] * 3 + [True] * 2
    assert living == [2, 2, 2, 0, 0]


@pytest.mark.slow
async def test_a_match_to_its_own_end_is_lost_by_faults(tmp_path: Path) -> None:
    """Forfeited deals are won deals for the other side."""
    path = tmp_path / "record"
    result = await match(path, "biscambiggia-2", rogue("illegal"), "sample:first-c")
    verified(path)

    assert (result.end.end, result.end.scores, result.end.winner) == ("target", (0, 2), (1,))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["biscambiggia-3", "briscola-4", "briscola-6"])
async def test_at_larger_tables_play_goes_on(game: str, tmp_path: Path) -> None:
    """The referee plays for the seat at fault; only its bot scores the least."""
    seats = int(game[-1])
    path = tmp_path / "record"
    others = ["sample:first-c"] * (seats - 1)
    result = await match(path, game, rogue("exits"), *others, deals=1)
    same = await match(tmp_path / "other", game, *["sample:first-c"] * seats, deals=1)
    (deal,), (fair,) = verified(path), verified(tmp_path / "other")

    assert deal.reason == "played"
    assert deal.account == fair.account
    assert result.end.scores[0] == -120
    if seats == 3:
        assert result.end.scores[1:] == same.end.scores[1:]
    else:
        assert result.end.scores[1:] == same.end.scores[1:]


@pytest.mark.slow
@pytest.mark.parametrize("rule", list(OnFault))
async def test_on_fault_decides_otherwise(rule: OnFault, tmp_path: Path) -> None:
    """play-on plays to the last card, end-deal goes on with the next deal, end-match stops."""
    path = tmp_path / "record"
    result = await match(
        path, "briscola-2", rogue("illegal"), "sample:first-c", deals=2, on_fault=rule
    )
    reasons = {
        OnFault.PLAY_ON: (["played", "played"], "deals"),
        OnFault.END_DEAL: (["fault", "fault"], "deals"),
        OnFault.END_MATCH: (["fault"], "fault"),
    }

    assert ([deal.reason for deal in verified(path)], result.end.end) == reasons[rule]
    assert result.end.winner == (1,)


@pytest.mark.slow
async def test_two_bots_at_fault_harm_nobody_else(tmp_path: Path) -> None:
    """At a table of three, two at fault score the least and the third what the cards say."""
    path = tmp_path / "record"
    result = await match(
        path, "briscola-3", rogue("exits"), "sample:first-c", rogue("illegal"), deals=1
    )
    (deal,) = verified(path)

    assert result.end.scores[0] == result.end.scores[2] == -120
    assert result.end.scores[1] == 3 * deal.account.points[1] - 120


def test_a_thread_of_ours_that_ends_meanwhile_hides_no_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Children are looked for again when the list of a thread is gone as it is read."""
    read = Path.read_text
    vanished: list[Path] = []

    def flaky(path: Path, *args: str) -> str:
        if path.name == "children" and len(vanished) < 3:
            vanished.append(path)
            raise FileNotFoundError(path)
        return read(path, *args)

    monkeypatch.setattr(Path, "read_text", flaky)
    with subprocess.Popen(["sleep", "9"]) as child:
        sandbox = Bare()
        child.kill()

    assert len(vanished) == 3
    assert child.pid in sandbox._innocent  # what it will not sweep away
