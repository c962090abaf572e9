"""`referee debug` as people and scripts use it."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli import run
from support.matches import ROGUE
from support.processes import REFEREE

pytestmark = pytest.mark.slow

BOT = '''#!/usr/bin/env -S python3 -S
"""Plays the first legal card, once it is in good shape."""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"mine"}', flush=True)
    elif message["type"] == "act":
        action = message["legal"][0]
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    elif message["type"] == "end":
        break
'''


def program(path: Path, text: str) -> Path:
    """A bot in a file of its own."""
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the record of a match of such a bot against a sample, and the bot."""
    folder = tmp_path_factory.mktemp("match")
    path, bot = folder / "record", program(folder / "mine", BOT)
    words = ["--deals", "2", "--seating", "full", "--sandbox", "bare", "--record", str(path)]
    assert run(["match", str(bot), "sample:greedy", *words, "--key", "a"]) == 0
    return folder


@pytest.fixture
def record(match: Path, tmp_path: Path) -> str:
    """That record, of two deals in two seatings, and the bot beside it."""
    shutil.copytree(match, tmp_path, dirs_exist_ok=True)
    return str(tmp_path / "record")


def bare(*words: str) -> int:
    """The exit code of `referee debug`, without a sandbox."""
    return run(["debug", *words, "--sandbox", "bare"])


@pytest.mark.parametrize("stop", [("--deal", "1"), ("--at-fault",), ("--until-diff",)])
def test_a_record_of_other_rules_is_named_in_one_line(
    stop: tuple[str, ...], record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `replay` does, whichever task has found it."""
    header, rest = Path(record).read_bytes().split(b"\n", 1)
    other = tmp_path / "other"
    other.write_bytes(header.replace(b'"revision":2', b'"revision":3') + b"\n" + rest)
    capsys.readouterr()
    assert bare(str(other), str(tmp_path / "mine"), *stop) == 2
    assert "does not verify: line 1: played by briscola-2 revision 3" in capsys.readouterr().err


def test_a_changed_bot_is_stopped_where_it_plays_otherwise(
    record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its files it is found where they are the same, by its name where they are not."""
    mine = tmp_path / "mine"
    capsys.readouterr()
    assert bare(record, str(mine)) == 0
    assert capsys.readouterr().out == "mine: no difference in 80 acts\n"

    program(mine, BOT.replace('legal"][0]', 'legal"][-1]'))
    assert bare(record, str(mine), "--json") == 1
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["stopped"], found["leg"], found["deal"]) == (True, 0, 1)
    assert found["answered"] != found["recorded"]
    assert found["answered"] == json.loads(found["told"].splitlines()[-1])["legal"][-1]
    assert json.loads(found["said"])["action"] == found["answered"]

    assert bare(record, str(mine)) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(f"deal 1.1, act {found['act']}, seat {found['seat']}: mine\n")
    assert f"the record has {found['recorded']}, now {found['answered']}" in shown
    for label in ("hand", "trick", "points", "legal", "told", "said", "took"):
        assert f"\n   {label}" in shown
    assert f"--deal 1.1 --act {found['act']} --sandbox bare -- {mine}" in shown


def test_any_act_can_be_asked_for(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As deals and acts are printed; a difference there is no failure."""
    capsys.readouterr()
    assert bare(record, "sample:greedy", "--deal", "2.2", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["leg"], first["deal"], first["difference"]) == (1, 2, None)
    assert '"type":"deal"' in first["told"]
    again = ["--deal", "4", "--act", str(first["act"])]
    assert bare(record, "sample:first", "--as", "greedy", *again) == 0
    assert "deal 2.2, act" in capsys.readouterr().out


def test_the_first_fault_is_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what the bot answers there now, and what it says of that on stderr."""
    path = tmp_path / "record"
    bot = program(tmp_path / "mine", BOT.replace("action = ", "action = 1 and 'XX' or "))
    words = ["--deals", "1", "--sandbox", "bare", "--record", str(path), "--dealer", "1"]
    assert run(["match", str(bot), "sample:first", *words]) == 1
    capsys.readouterr()
    assert bare(str(path), str(bot), "--at-fault") == 0
    shown = capsys.readouterr().out
    assert "recorded the fault illegal: 'XX' is not one of the legal" in shown
    assert "as in the record" in shown
    assert bare(str(path), "sample:first", "--at-fault") == 1
    assert "first: no fault in 0 acts" in capsys.readouterr().out


def test_a_late_act_that_is_mended_is_not_as_in_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No clock runs, so nothing is known to differ; but there was no answer, and now there is."""
    path = tmp_path / "record"
    slow = BOT.replace("        action =", "        import time; time.sleep(1)\n        action =")
    bot = program(tmp_path / "mine", slow)
    words = ["--deals", "1", "--sandbox", "bare", "--record", str(path)]
    clock = ["--time", "move=100ms,bank=0s,soft=0ms"]
    assert run(["match", str(bot), "sample:first", *words, *clock]) == 1
    program(bot, BOT)
    capsys.readouterr()
    assert bare(str(path), str(bot), "--at-fault") == 0
    shown = capsys.readouterr().out
    assert "the record has no answer in time; now " in shown
    assert "as in the record" not in shown


def test_all_that_is_said_can_be_written_down(record: str, tmp_path: Path) -> None:
    """Line by line, with the place and the direction."""
    tee = tmp_path / "tee"
    assert bare(record, "sample:greedy", "--tee", str(tee)) == 0
    lines = tee.read_text().splitlines()
    assert lines[0].startswith('1 > {"type":"hello"')
    assert lines[1].startswith('1 < {"type": "ready"')
    assert {line[:4] for line in lines} == {"0 > ", "0 < ", "1 > ", "1 < "}


def test_the_same_of_a_match_that_is_played(tmp_path: Path) -> None:
    """What `debug` writes of a bot is what `match` had written of it, times apart."""
    bot, record, tee = program(tmp_path / "mine", BOT), tmp_path / "r", tmp_path / "tee"
    words = ["--deals", "1", "--sandbox", "bare", "--record", str(record), "--tee", str(tee)]
    assert run(["match", str(bot), "sample:first", *words]) == 0
    again = tmp_path / "again"
    assert bare(str(record), str(bot), "--tee", str(again)) == 0
    own = [line for line in tee.read_text().splitlines() if line.startswith("0 ")]
    assert own == again.read_text().splitlines()
    assert len(own) > 40

    assert run(["match", str(bot), "sample:first", "--tee", "/no/such/folder/tee"]) == 2


def test_it_waits_for_a_debugger_before_the_act(record: str) -> None:
    """The process that it names is there, and has read all acts before."""
    words = [str(REFEREE), "debug", record, "sample:greedy", "--deal", "1", "--attach"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stderr is not None
        assert command.stdin is not None
        line = next(line for line in command.stderr if line.startswith("process "))
        assert "greedy_bot.py" in Path("/proc", line.split()[1], "cmdline").read_text()
        command.stdin.write("\n")
        command.stdin.close()
        assert command.stdout is not None
        assert "deal 1.1, act" in command.stdout.read()
    assert command.returncode == 0


def test_pdb_talks_on_the_terminal(record: str, tmp_path: Path) -> None:
    """While the bot's own standard streams are the referee's."""
    ours, theirs = pty.openpty()
    mine = program(
        tmp_path / "mine", BOT.replace("        action =", "        breakpoint()\n        action =")
    )
    words = [
        str(REFEREE),
        "debug",
        record,
        "--deal",
        "1",
        "--",
        sys.executable,
        "-m",
        "pdb",
        str(mine),
    ]
    with subprocess.Popen(
        words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        os.close(theirs)
        heard = b""
        for asked in (b"continue\n", b"p 'legal' in message\n", b"continue\n"):
            while not heard.endswith(b"(Pdb) "):
                heard += os.read(ours, 4096)
            os.write(ours, asked)
            heard = b""
            if asked.startswith(b"p"):
                while b"True" not in heard:
                    heard += os.read(ours, 4096)
        assert command.stdout is not None
        assert b"as in the record" in command.stdout.read()
    os.close(ours)


def test_a_deal_is_played_on_with_another_action(
    record: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against samples, or who is named; how it ends stands beside how it ended."""
    capsys.readouterr()
    at = ["--deal", "1.1", "--json"]
    assert bare(record, "sample:greedy", *at) == 0
    told = json.loads(capsys.readouterr().out)
    legal = json.loads(told["told"].splitlines()[-1])["legal"]
    other = next(action for action in legal if action != told["recorded"])
    assert bare(record, "sample:greedy", *at, "--what-if", other, "--against", "sample:first") == 0
    found = json.loads(capsys.readouterr().out)["what_if"]
    assert found["acts"][0][1] == found["action"] == other
    assert sum(found["by_seat"]) == sum(found["recorded"]) == 0
    assert bare(record, "sample:greedy", "--deal", "1.1", "--what-if", other) == 0
    shown = capsys.readouterr().out
    assert f"   with {other}: points by seat " in shown
    assert ", in the record " in shown


def test_an_action_is_tried_on_other_decks_beside_the_recorded_one(
    record: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same decks each time it is asked; the recorded action by itself needs no comparison."""
    capsys.readouterr()
    at = ["--deal", "1.1", "--json", "--worlds", "3"]
    assert bare(record, "sample:greedy", "--deal", "1.1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    legal = json.loads(told["told"].splitlines()[-1])["legal"]
    other = next(action for action in legal if action != told["recorded"])
    runs = []
    for _ in range(2):
        assert bare(record, "sample:greedy", *at, "--what-if", other) == 0
        runs.append(json.loads(capsys.readouterr().out)["worlds"])
    assert runs[0] == runs[1]
    assert runs[0]["recorded"] == told["recorded"]
    assert runs[0]["better"] + runs[0]["equal"] + runs[0]["worse"] == runs[0]["count"] == 3
    assert bare(record, "sample:greedy", *at, "--what-if", told["recorded"]) == 0
    assert json.loads(capsys.readouterr().out)["worlds"]["gain"] is None
    assert bare(record, "sample:greedy", *at[:2], *at[3:], "--what-if", other) == 0
    shown = capsys.readouterr().out
    assert "   on 3 decks that agree with what it knew" in shown
    assert "   gain     " in shown


WRONG = [
    (["--what-if", "7D"], "--what-if needs an act"),
    (["--deal", "1", "--what-if", "ZZ"], "--what-if 'ZZ': legal there are "),
    (["--against", "sample:first"], "--against goes with --what-if"),
    (["--worlds", "5"], "--worlds goes with --what-if"),
    (
        [
            "--deal",
            "1",
            "--what-if",
            "7D",
            "--against",
            "sample:first",
            "--against",
            "sample:first",
        ],
        "--against: the record has 1 other bot",
    ),
    (["--act", "3"], "--act goes with --deal"),
    (["--deal", "1", "--at-fault"], "only one of them"),
    (["--deal", "0"], "deal '0': a number, or LEG.DEAL"),
    (["--deal", "1", "--act", "400"], "act 400 of deal 1 is not the bot's: it has "),
    (["--as", "greedy#2"], "--as 'greedy#2': the record has mine, greedy"),
    (["--attach", "--sandbox", "docker"], "--sandbox bare"),
    (["--tee", "/no/such/folder/tee"], "--tee '/no/such/folder/tee': No such file"),
    (["--ladder", "x"], "is no id of a match"),
]


@pytest.mark.parametrize(("words", "line"), WRONG)
def test_wrong_input_is_one_line(
    words: list[str], line: str, record: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2."""
    capsys.readouterr()
    assert run(["debug", record, "sample:greedy", "--sandbox", "bare", *words]) == 2
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("inside", [False, True])
def test_what_strangers_handed_in_is_no_command(
    inside: bool,
    record: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A command runs bare; the files of a ladder's bots never do, from wherever it is typed."""
    folder = tmp_path / "ladder" / "bots" / ("0123456789abcdef" * 4)
    folder.mkdir(parents=True)
    theirs = program(folder / "mine", BOT)
    if inside:
        monkeypatch.chdir(folder)
    capsys.readouterr()
    assert run(["debug", record, "--", sys.executable, "mine" if inside else str(theirs)]) == 2
    assert "never runs without a sandbox" in capsys.readouterr().err


def test_what_cannot_be_fed_is_one_line(
    record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No such bot in the record, no program, no terminal for pdb, no record."""
    capsys.readouterr()
    assert bare(record, "sample:random") == 2
    assert "no bot of the record is called 'random': say --as NAME" in capsys.readouterr().err
    assert bare(record, "--", "no-such-program", "x") == 2
    assert "there is no program 'no-such-program'" in capsys.readouterr().err
    assert bare(str(ROGUE), "sample:first") == 2
    assert "is no record" in capsys.readouterr().err
    damaged = tmp_path / "damaged"
    damaged.write_bytes(Path(record).read_bytes().replace(b'"act":"', b'"act":"X', 3))
    assert bare(str(damaged), "sample:greedy") == 1
    assert "line " in capsys.readouterr().err
