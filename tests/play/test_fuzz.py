"""Random damage to honest conversations and records: a value comes of it, never an exception.

The same with many more seeds is `make soak`.
"""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from protocol.connection import Connection, ConnectionState
from protocol.errors import RemoteProtocolError
from protocol.limits import LINE_FROM_BOT, MATCH_FROM_BOT
from protocol.messages import Answer, Ready
from referee.match.verdict import FaultCode
from referee.play import conductor
from support import fuzz
from support.drive import HELLO
from support.sandboxes import need

SOAKED = 60
"""How many matches a soak has where it is only seen whether it runs."""


def test_damaged_conversations_bring_verdicts_only(many_cases: bool) -> None:
    """Whatever a bot writes is an answer from `legal` or a fault, and the record verifies."""
    found = fuzz.fuzz_conversations(range(3000 if many_cases else 1000))

    wanted = {FaultCode.MALFORMED, FaultCode.PROTOCOL, FaultCode.ILLEGAL, FaultCode.OUTPUT}
    assert wanted <= set(found)


def test_damaged_conversations_through_everything_but_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No act lasts longer than it may, however bytes drip, stop and end; the records verify."""
    monkeypatch.setattr(conductor, "Seat", fuzz.Watched)
    found = fuzz.fuzz_matches(range(40))

    wanted = {FaultCode.MALFORMED, FaultCode.PROTOCOL, FaultCode.LATE, FaultCode.CRASHED}
    assert wanted <= set(found)


def test_damaged_records_are_found_out(many_cases: bool) -> None:
    """Any change is found, and what a forger has hashed anew brings a line and no traceback."""
    many = 1000 if many_cases else 250
    seen, holds = fuzz.fuzz_records(range(many))

    assert seen == many
    assert holds < seen // 5  # times and notes can be forged, play cannot


@pytest.mark.parametrize("deal", [1, 2])
def test_a_fault_at_the_first_act_of_a_deal_verifies(deal: int, tmp_path: Path) -> None:
    """The process has played before, and is at fault in this deal's first act all the same."""
    scene = fuzz.setting(4)
    said = [scene.from_deal(place, 0) for place in range(len(scene.said))]
    for place in range(len(said)):
        before = said[place].index(scene.said[place][deal - 1])
        said[place] = said[place][:before] + b"nonsense\n"
    record = fuzz.Conductor(scene, said, Random(0)).play()

    assert b"nonsense" in record
    assert fuzz.trouble(record, tmp_path / "record") is None


@pytest.mark.thorough
def test_a_short_soak_leaves_everything_flat() -> None:
    """Some matches in bwrap in one process, then some mutations: nothing is more than before."""
    need("bwrap")
    soak = Path(__file__).parents[1] / "soak.py"
    words = ["--matches", str(SOAKED), "--mutations", "1000"]
    words += ["--nulls", "0"]  # those have tests of their own, and take minutes
    done = subprocess.run(
        [sys.executable, str(soak), *words], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SOAKED} matches: " in done.stdout


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_what_is_kept_of_a_flood_is_bounded(piece: int) -> None:
    """Never more than a line and a read, and no more in all than a match may have."""
    connection = Connection()
    connection.send(HELLO)
    most = 0
    for _ in range(0, MATCH_FROM_BOT, piece):
        try:
            connection.receive(b"x" * piece)
            most = max(most, len(connection.unread()))
            connection.next_message()
        except RemoteProtocolError:
            break

    assert connection.state is ConnectionState.BROKEN
    assert LINE_FROM_BOT <= most <= LINE_FROM_BOT + piece


def test_the_same_seed_brings_the_same_conversation() -> None:
    """What is found once can be found again."""
    once, again = (
        [fuzz.Conductor(*fuzz.conversation(seed)).play() for seed in range(40)] for _ in range(2)
    )

    assert once == again


def test_a_fuzzer_that_cannot_find_anything_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A referee that raises something else in one case of hundreds is caught, with the seed."""

    real = Connection._read

    def planted(self: Connection, line: bytes) -> Ready | Answer:
        if b"\xff" in line:
            raise KeyError("planted")
        return real(self, line)

    monkeypatch.setattr(Connection, "_read", planted)
    with pytest.raises(AssertionError, match=r"seed \d+: KeyError\('planted'\)"):
        fuzz.fuzz_conversations(range(3000))
