"""How a cluster does is said in a few lines, however many machines it has."""

import io
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from ladder.cluster.board import ROWS, board
from ladder.cluster.pace import LATELY_S, Pace
from ladder.cluster.peers import Peer
from ladder.runner.progress import shown
from referee.terminal.board import Board
from support.clusters import FakeMachine, cluster, here, job


def peer(name: str, matches: int, *, cores: int = 1, blocks: int = 2) -> Peer:
    """A machine that has played so many matches, one a second."""
    found = Peer(f"tls://{name}", replace(here(name), cores=cores), 0.0)
    for at in range(matches):
        found.pace.add(blocks, float(at))
    return found


def test_each_of_few_machines_has_a_line() -> None:
    """With what it has played, how fast it plays, and what it plays now."""
    first, other = peer("one", 10), peer("other", 4, cores=4)
    first.busy, other.busy = 2, 3
    gone = peer("gone", 20).pace

    assert board([first, other], gone, 10.0) == (
        "2 machines: 4 matches under way, 20 played, 4.0 blocks/s",
        "  one         10 played       2.0 blocks/s  1 under way",
        "  other        4 played       0.8 blocks/s  3 under way",
    )


def test_of_many_machines_the_slowest_have_one() -> None:
    """By core; a hundred machines take ten lines."""
    machines = [peer(f"m{at}", at + 1, cores=2) for at in range(100)]
    lines = board(machines, Pace(0.0), 100.0)

    assert len(lines) == ROWS + 2
    assert lines[0].startswith("100 machines: ")
    assert lines[-1] == "  and 92 machines more, each of which plays more by core"
    lone = peer("big", 20, cores=64)
    shown_first = board([*machines[80:], lone], Pace(0.0), 100.0)[1]
    assert shown_first.startswith("  big ")


def test_why_a_machine_gets_no_matches_stands_in_its_line() -> None:
    liar, slow = peer("liar", 1), peer("slow", 1)
    liar.left_out, slow.too_slow = "its record does not hold", "a round trip takes 50 us"

    first, *rows = board([liar, slow], Pace(0.0), 1.0)
    assert first.startswith("0 machines: ")
    assert [row.rpartition("blocks/s  ")[2] for row in rows] == ["left out", "too slow for now"]


def test_what_was_played_long_ago_says_nothing_of_how_fast_it_goes_now() -> None:
    pace = Pace(0.0)
    pace.add(10, 1.0)
    pace.add(30, 2.0)

    assert pace.of_late(10.0) == 4.0
    assert pace.of_late(LATELY_S + 1.5) == 1.0
    assert pace.of_late(100.0) == 0.0
    assert (pace.matches, pace.blocks, pace.in_all(80.0)) == (2, 40, 0.5)


async def test_in_the_end_it_is_said_what_each_machine_has_played(tmp_path: Path) -> None:
    """And nothing, where nothing was played."""
    said: list[str] = []
    machines = [FakeMachine(tmp_path, name) for name in "ab"]
    found, connection = await cluster(*machines, said=said)
    del said[:]
    found.tell_what_was_played()
    assert said == []
    await found.play(job())
    await found.play(job())
    del connection.machines["tls://a"]
    await found.look()
    found.tell_what_was_played()
    gone, stayed, both = said
    assert gone.startswith("machine a has gone, after ")
    assert stayed.startswith("machine b: ")
    assert both.startswith("cluster: 2 matches, 2 blocks, ")


def test_machines_stand_below_the_bar_on_a_terminal_only() -> None:
    """What they call themselves cannot act there, and no line is broken."""
    for terminal in (True, False):
        file, lines = io.StringIO(), Board()
        talk = Console(file=file, force_terminal=terminal, width=40)
        with shown(talk, 10, lines):
            lines.show(("2 machines: all is well", "\x1b[2J" + "x" * 99))
        said = file.getvalue()
        assert ("2 machines: all is well" in said) is terminal
        assert ("\\x1b[2Jxxx" in said) is terminal
        assert "\x1b[2J" not in said
