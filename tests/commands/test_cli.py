"""The command line: what a person gets for what they type, wrong input above all."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.bots.find import SAMPLES
from referee.cli import run
from referee.games import catalogue
from support.conversation import DECK
from support.matches import ROGUE, processes_with
from support.processes import REFEREE
from support.sandboxes import need_sandbox


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in an empty folder, where records go."""
    monkeypatch.chdir(tmp_path)


def folder(name: str, toml: str | None, **files: str) -> str:
    Path(name).mkdir()
    if toml is not None:
        (Path(name) / "bot.toml").write_text(toml)
    for file, text in files.items():
        (Path(name) / file).write_text(text)
    return name


def rogue_folder(where: str, words: str, name: str = "") -> str:
    toml = f'name = "{name or where}"\ncommand = "{sys.executable} rogue.py {words}"\n'
    return folder(where, toml, **{"rogue.py": ROGUE.read_text()})


PAIR = ["sample:first", "sample:first"]
BARE = ["--sandbox", "bare"]
"""For bots of ours where the sandbox is not what a test is about."""

WRONG = [
    (["match"], "Missing argument 'BOT...'"),
    (["nonsense"], "No such command 'nonsense'"),
    (["match", *PAIR, "--nonsense"], "No such option: --nonsense"),
    (["match", *PAIR, "--game", "poker"], "no game 'poker'; there are bisca-tres, bisca-sete,"),
    (["match", *PAIR, "--game", "Briscola-2"], "no game 'Briscola-2'; there are briscola-2"),
    (["match", *PAIR, "-o", "colour=red"], "briscola-2 has no option 'colour'; it has rank_pro"),
    (["match", *PAIR, "-o", "removed_two=H"], "briscola-2 has no option 'removed_two'"),
    (["match", *PAIR, "-o", "match=best-of:4"], "option match=best-of:4: it can be best-of:3,"),
    (["match", *PAIR, "-o", "match=points:0"], "option match=points:0: it can be"),
    (["match", *PAIR, "-o", "match"], "option 'match': write it NAME=VALUE"),
    (["match", *PAIR, "-o", "target=9", "-o", "target=8"], "option target is given twice: 9 and 8"),
    (["match", *PAIR, "-o", "target=9"], "target=9 needs match=points:N, not match=best-of:3"),
    (
        ["match", *PAIR, "-o", "target=9", "-o", "match=points:8"],
        "target=9 and match=points:8 say different things",
    ),
    (
        ["match", *PAIR, "-o", "deal_scoring=cumulative", "-o", "match=best-of:3"],
        "match=best-of:3: deal_scoring=cumulative is played to points:N",
    ),
    (
        ["match", *PAIR * 2, "--game", "biscambiggia-4", "-o", "match=deals:5"],
        "match=deals:5: partners play an even number of deals",
    ),
    (["match", "sample:first"], "a match of briscola needs 2, 3, 4 or 6 bots; got 1"),
    (["match", *PAIR, "--game", "briscola"], "no game 'briscola'; there are briscola-2, brisco"),
    (["match", *PAIR, "--deck", "nofile.txt"], "'nofile.txt' is neither a file nor a list of"),
    (["match", *PAIR, "-o", "match=first-to:51"], "50 deals cannot bring that much"),
    (["match", *PAIR, "-o", "deal_scoring=pennycook", "-o", "target=151"], "cannot bring that"),
    (["match", *PAIR, "--deck", "4H" * 3000], "neither a file nor a list of cards"),
    (["match", *PAIR, "-o", "target=abc"], "it can be N (N is a whole number from 1 to 9999)"),
    (["match", "sample:first", "--game", "briscola-2"], "briscola-2 wants 2 bots; got 1"),
    (
        ["match", *PAIR, "sample:first", "--game", "briscola-4"],
        "briscola-4 wants 4 bots, or 2: one a side; got 3",
    ),
    (["match", *PAIR, "--deals", "0"], "deals=0: at least one"),
    (["match", *PAIR, "--deals", "99999999999"], "deals=99999999999: at most 1000000"),
    (["match", *PAIR, "--deals", "x"], "Invalid value for '--deals'"),
    (["match", *PAIR, "--deck", DECK[3:]], "the deck needs 40 different cards: 4H missing"),
    (["match", *PAIR, "--deck", DECK + " 4H"], "4H doubled"),
    (["match", *PAIR, "--deck", DECK.replace("4H", "8H")], "8H not in this game's pack; 4H miss"),
    (["match", *PAIR, "--deck", DECK.replace("4H", "1H")], "'1H' is no card: a rank of A 2 3"),
    (["match", *PAIR, "--deck", ""], "there is no deck in it"),
    (["match", *PAIR, "--deck", DECK, "--deals", "2"], "deals=2: there are only 1 deck"),
    (
        ["match", *PAIR, "sample:first", "--game", "briscola-3", "--deck", DECK],
        "the deck needs 39 different cards: 2S not in this game's pack",
    ),
    (
        ["match", *PAIR * 3, "--game", "briscola-6", "--deck", DECK],
        "the deck needs 36 different cards: 2S 2C 2D 2H not in this game's pack",
    ),
    (["match", *PAIR, "--deck", "decks.txt"], "deck file 'decks.txt', line 2: the deck needs 40"),
    (["match", *PAIR, "--deck", "huge.txt"], "deck file 'huge.txt': more than 16777216 bytes"),
    (["match", *PAIR, "--dealer", "2"], "dealer 2: the seats are 0 to 1"),
    (["match", *PAIR, "--dealer", "-1"], "dealer -1: the seats are 0 to 1"),
    (["match", *PAIR, "--key", ""], "key: it must not be empty"),
    (["match", *PAIR, "--time", "move=fast"], "time move='fast' is no duration"),
    (["match", *PAIR, "--seating", "rotate"], "seating rotate: it needs --deals"),
    (["match", *PAIR, "--seating", "round"], "Invalid value for '--seating'"),
    (["match", *PAIR, "--sandbox", "chroot"], "Invalid value for '--sandbox'"),
    (["match", *PAIR, "--freeze", "maybe"], "Invalid value for '--freeze'"),
    (["match", *PAIR, "--pace", "-1"], "pace -1: from 0 to 60000 milliseconds"),
    (["match", *PAIR, "--on-fault", "cry"], "Invalid value for '--on-fault'"),
    (["match", "./missing", "sample:first"], "bot './missing': there is no such file or folder"),
    (["match", "notes.txt", "sample:first"], "bot 'notes.txt' cannot be run: it is not executable"),
    (["match", "sample:best", "sample:first"], "no sample bot 'best'; there are first, first-c,"),
    (["match", "sample:first=3", "sample:first"], "the sample first takes no argument"),
    (["match", "sample:script", "sample:first"], "write sample:script=FILE"),
    (["match", "sample:script=no", "sample:first"], "there is no such file 'no'"),
    (["match", "empty", "sample:first"], "bot 'empty': the folder has no bot.toml"),
    (["match", "badtoml", "sample:first"], "bot 'badtoml': bot.toml: "),
    (["match", "badkey", "sample:first"], "bot 'badkey': bot.toml: Object contains unknown field"),
    (["match", "liar", "sample:first"], "unknown field `x\\nreferee: all is well`"),
    (["match", "nocommand", "sample:first"], "bot.toml: Object missing required field `command`"),
    (["match", "noprogram", "sample:first", *BARE], "bot.toml: command: no program './bot'"),
    (["match", "nocompiler", "sample:first", *BARE], "build: no program 'no-such-compiler'"),
    (["match", "x" * 300, "sample:first"], "File name too long"),
    (["match", "toobig", "sample:first"], "bot.toml has more than 16384 bytes"),
    (["match", "nested", "sample:first"], "bot 'nested': bot.toml: "),
    (["match", "control", "sample:first"], "control characters have no place in it"),
    (["match", *PAIR, "--key", "\udcff"], "is not UTF-8"),
    (["match", *PAIR, "--record", "/proc/no/record"], "record '/proc/no/record': "),
    (["match", *PAIR, "--record", "."], "record '.': Is a directory"),
    (["match", *PAIR, "--record", "notes.txt"], "record 'notes.txt' exists already"),
    (["replay"], "Missing argument 'FILE'"),
    (["replay", "missing"], "record 'missing': No such file or directory"),
    (["replay", "."], "'.' is a folder: only --verify takes all of its records"),
    (["replay", "notes.txt"], "'notes.txt' is no record"),
    (["replay", "newer"], "record 'newer' has format 5; this referee reads 4"),
    (["games", "poker"], "no game 'poker'"),
    (["check", "./missing"], "bot './missing': there is no such file or folder"),
    (["check", "sample:first", "--game", "poker"], "no game 'poker'"),
    (["check", "sample:first", "--time", "move=fast"], "time move='fast' is no duration"),
    (["check", "a.zip"], "bot 'a.zip' is a zip: unpack it and name the folder"),
    (["match", "a.zip", "sample:first"], "bot 'a.zip' is a zip: unpack it and name the folder"),
    (["replay", "notes.txt", "--no-verify"], "No such option: --no-verify"),
    (["replay", "notes.txt", "--no-step"], "No such option: --no-step"),
]


@pytest.mark.parametrize(("arguments", "line"), WRONG, ids=lambda value: str(value)[:60])
def test_wrong_input_gets_one_line_and_exit_code_2(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The line names what is wrong; nothing was played and nothing was written."""
    Path("notes.txt").write_text("hello\n")
    Path("decks.txt").write_text(f"{DECK}\n{DECK[3:]}\n")
    Path("huge.txt").touch()
    os.truncate("huge.txt", 1 << 40)
    Path("a.zip").write_bytes(b"PK\x03\x04 and so on")
    header = '{"record":5,"referee":"9","terms":{"game":"briscola-2","options":{},'
    header += '"time":{"start_ms":1,"move_ms":1,"bank_ms":1,"inc_ms":1,"soft_ms":1,"strikes":1}},'
    header += '"rules":{"id":"briscola-2","revision":1,"digest":""},"bots":[],"decks":null,'
    Path("newer").write_text(header + '"given":false,"legs":1}\n')
    folder("empty", None)
    folder("badtoml", "name = [")
    folder("badkey", 'name = "x"\ncommand = "x"\ncolour = "red"\n')
    folder("liar", 'name = "x"\ncommand = "x"\n"x\\nreferee: all is well" = 1\n')
    folder("nocommand", 'name = "x"\n')
    folder("noprogram", 'name = "x"\ncommand = "./bot"\n')
    folder("nocompiler", 'name = "x"\ncommand = "./bot"\nbuild = "no-such-compiler x"\n')
    folder("toobig", "#" * 20_000)
    folder("nested", "name = " + "[" * 10_000)
    folder("control", 'name = "x\\u001b[31m"\ncommand = "x"\n')
    before = sorted(tmp_path.rglob("*"))
    code = run(arguments)
    said = capsys.readouterr()

    assert code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("referee: ")
    assert line in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failed_build_shows_the_compilers_last_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the compiler said comes with the line, and no half-built bot stays."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    toml = 'name = "x"\ncommand = "./bot"\nbuild = "gcc -o bot bot.c"\n'
    bot = folder("broken", toml, **{"bot.c": "int main(void) { return x; }\n"})

    assert run(["match", bot, "sample:first", *BARE]) == 2
    said = capsys.readouterr().err
    assert said.startswith("referee: bot 'broken': the build failed: gcc -o bot bot.c\n")
    assert "undeclared" in said
    assert list((tmp_path / "cache").rglob("*bot*")) == []


@pytest.mark.parametrize(
    ("build", "line"),
    [("odd x", "build: no program 'odd'"), ("./odd", "build: './odd' is not executable")],
)
def test_a_build_that_may_not_be_run_is_the_bots_mistake(
    build: str, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what lies on PATH without its executable bit, nor in the folder, is our trouble."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("cache").absolute()))
    bot = folder("bot", f'name = "x"\ncommand = "./bot"\nbuild = "{build}"\n', odd="")
    monkeypatch.setenv("PATH", f"{Path(bot).absolute()}:{os.environ['PATH']}")

    assert run(["match", bot, "sample:first", *BARE]) == 2
    assert capsys.readouterr().err == f"referee: bot 'bot': {line}\n"


@pytest.mark.parametrize("sandbox", ["bare", "bwrap"])
def test_a_build_that_leaves_processes_does_not_hold_us_up(
    sandbox: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Loops of links, pipes and background processes in a folder neither hang nor grow."""
    need_sandbox(sandbox)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    token = f"left-by-a-build-{os.getpid()}"
    source = (SAMPLES / "first_bot.py").read_text()
    toml = f'name = "x"\ncommand = "{sys.executable} bot.py"\n'
    toml += f"build = \"sh -c 'yes | head -c 9000000; sleep 77 {token} & :'\"\n"
    bot = folder("odd", toml, **{"real.py": source})
    for name, target in (("loop", "."), ("loop2", "."), ("dead", "nowhere"), ("bot.py", "real.py")):
        Path(bot, name).symlink_to(target)
    os.mkfifo(Path(bot, "pipe"))

    deal = ["--deals", "1", "--key", "k", "--sandbox", sandbox]
    assert run(["match", bot, "sample:first", *deal]) == 0
    assert "winner" in capsys.readouterr().out
    assert processes_with(token) == []


@pytest.mark.slow
def test_what_strangers_write_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Markup and escape sequences of a bot reach no terminal."""
    bot = rogue_folder("rogue", "markup", name="[/red] x")

    assert run(["match", bot, "sample:first", "--deals", "1", "--record", "r[/x]", *BARE]) == 1
    said = capsys.readouterr().out
    assert "[/red] x" in said
    assert "\\x1b]0;title" in said
    assert "\x1b" not in said
    assert run(["replay", "r[/x]"]) == 0
    assert "0:[/red] x" in capsys.readouterr().out


@pytest.mark.slow
def test_trouble_of_the_host_is_no_fault_of_a_bot() -> None:
    """Where processes cannot be started, nobody loses: exit code 3 and one line."""
    shell = f"ulimit -n 20; exec {REFEREE} match sample:first sample:first --deals 1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "Too many open files" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bare", "bwrap"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_check_can_be_interrupted(how: signal.Signals, sandbox: str) -> None:
    """Exit code 130 and no bot left."""
    need_sandbox(sandbox)
    token = f"checked-{os.getpid()}-{how}"
    bot = rogue_folder("slow", f"no_answer {token}")
    command = [str(REFEREE), "check", bot, "--sandbox", sandbox]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    until = time.monotonic() + 20
    while time.monotonic() < until and not processes_with(token):
        time.sleep(0.05)  # the outside world: there is no clock of ours to move
    process.send_signal(how)
    _, said = process.communicate(timeout=10)

    assert process.returncode == 130
    assert said == b"referee: interrupted\n"
    assert not processes_with(token)


def test_a_folder_bot_plays(capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with a bot.toml and no build runs where it is."""
    source = (SAMPLES / "first_bot.py").read_text()
    bot = folder(
        "mine", f'name = "mine"\ncommand = "{sys.executable} bot.py"\n', **{"bot.py": source}
    )

    assert run(["match", bot, "sample:first", "--deals", "2", "--json", *BARE]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in shown["bots"]] == ["mine", "first"]


def test_an_executable_plays(capsys: pytest.CaptureFixture[str]) -> None:
    """A file with its executable bit set is a bot; one that cannot be run is found before play."""
    source = (SAMPLES / "first_bot.py").read_text()
    Path("bot.py").write_text(f"#!{sys.executable}\n{source}")
    Path("bot.py").chmod(0o755)
    Path("noise").write_bytes(b"\x00\x01\x02")
    Path("noise").chmod(0o755)

    assert run(["match", "./bot.py", "./noise", "--deals", "1"]) == 2
    said = capsys.readouterr().err
    assert "bot './noise' cannot be run: its first line does not say what runs it" in said
    assert run(["match", "./bot.py", "sample:first", "--deals", "1", "--sandbox", "bare"]) == 0
    assert "bare" in capsys.readouterr().err


def test_games_lists_all_and_prints_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The catalogue has a line a game; one game has its rules, options and sources."""
    assert run(["games"]) == 0
    assert capsys.readouterr().out.count("\n") == 1 + len(catalogue())
    assert run(["games", "briscola-3"]) == 0
    said = capsys.readouterr().out
    assert "39 cards: one two is left out" in said
    assert "three_hand_40" in said
    assert "removed_two" in said
    assert run(["games", "briscola-3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["max_acts"] == 40


@pytest.mark.slow
def test_replay_shows_deals_seats_and_troubles(capsys: pytest.CaptureFixture[str]) -> None:
    """All hands, or one seat's; one deal, or all; exit code 1 for what does not hold."""
    assert run(["match", *PAIR, "--deals", "2", "--key", "k", "--record", "r"]) == 0
    capsys.readouterr()
    assert run(["replay", "r"]) == 0
    said = capsys.readouterr().out
    assert said.count("\nDeal ") == 2
    assert said.count("takes") == 40
    assert run(["replay", "r", "--deal", "2", "--seat", "1"]) == 0
    said = capsys.readouterr().out
    assert "Deal 2" in said
    assert "hands 1:" in said
    assert " 0:" not in "".join(line for line in said.splitlines() if "hands" in line)
    for more in ([], ["--json"]):
        assert run(["replay", "r", "--deal", "3", *more]) == 2
        said_of_none = capsys.readouterr()
        assert said_of_none.out == ""
        assert said_of_none.err == "referee: deal 3: the record has deals 1 to 2\n"
    assert run(["replay", "r", "--seat", "2"]) == 2
    assert run(["replay", "r", "--json", "--step"]) == 2
    assert run(["replay", "r", "--verify", "--deal", "1"]) == 2
    capsys.readouterr()
    data = Path("r").read_bytes()
    Path("r").write_bytes(data.replace(b'"dealer":0', b'"dealer":1', 1))
    assert run(["replay", "r", "--verify"]) == 1
    assert "does not verify: line " in capsys.readouterr().err
    in_a_line = data.index(b'{"act":', data.index(b'{"deal":2') + 900) + 10
    Path("r").write_bytes(data[:in_a_line])
    assert run(["replay", "r"]) == 1
    cut = capsys.readouterr()
    assert "Deal 2" in cut.out
    assert "score by side none, it has no end" in cut.out
    assert "is torn and was left out" in cut.err
    Path("r").write_bytes(data[:-50])
    assert run(["replay", "r", "--verify", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verified"] is False
    assert run(["replay", "r"]) == 1
    assert "unfinished" in capsys.readouterr().err


@pytest.mark.slow
def test_match_json_is_one_object_with_the_cost_of_an_act(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Twice with the same key: the same game digest; what it cost stands beside it."""
    shown = []
    for _ in range(2):
        assert run(["match", *PAIR, "--deals", "3", "--key", "a", "--json"]) == 0
        said = capsys.readouterr()
        assert "sandbox" in said.err
        shown.append(json.loads(said.out))

    assert shown[0]["game_digest"] == shown[1]["game_digest"]
    assert shown[0]["acts"] == 120
    assert shown[0]["wall_us_per_act"] > 0
    assert Path(shown[0]["record"]).is_file()
    assert shown[0]["record"] != shown[1]["record"]


@pytest.mark.slow
def test_a_fault_is_exit_code_1_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Who was faulted, when and why is told where the result is."""
    bot = rogue_folder("rogue", "illegal")

    assert run(["match", bot, "sample:first", "--deals", "1", *BARE]) == 1
    said = capsys.readouterr().out
    assert re.search(r"fault: rogue, deal 1, act \d+: illegal: 'XX' is not one of", said)
    assert re.search(r"look at it: referee debug .* --deal 1 --act \d+ --sandbox bare -- ", said)


def test_a_fault_is_named_by_its_leg_and_deal_where_decks_come_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As the table has them, and as replay takes them."""
    bot = rogue_folder("rogue", "illegal")
    words = ["match", bot, "sample:first", "--sandbox", "bare", "--seating", "full"]
    assert run([*words, "--deals", "1", "--record", "r"]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"fault: rogue, deal 2\.1, act \d+: illegal: ", printed)
    assert run(["replay", "r", "--deal", "2.1"]) == 0
    shown = capsys.readouterr().out
    assert "Deal 2.1 " in shown
    assert "Deal 1.1 " not in shown
    for wrong, said in (
        ("2.2", "deal 2.2: the record has deals 1 to 2 in 2 legs"),
        ("x", "LEG.DEAL"),
    ):
        assert run(["replay", "r", "--deal", wrong]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bare", "bwrap"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_bots_and_closes_the_record(
    how: signal.Signals, sandbox: str
) -> None:
    """Exit code 130, no process left, and a record that shows as unfinished."""
    need_sandbox(sandbox)
    token = f"interrupted-{os.getpid()}-{how}"
    bot = rogue_folder("slow", f"no_answer {token}")
    arguments = [bot, "sample:first", "--deals", "5", "--record", "r", "--time", "move=60s"]
    command = [str(REFEREE), "match", *arguments, "--sandbox", sandbox]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while time.monotonic() < until and Path("r").exists() is False:
        time.sleep(0.05)  # the outside world: there is no clock of ours to move
    while time.monotonic() < until and Path("r").read_bytes().count(b'{"act"') < 4:
        time.sleep(0.05)
    process.send_signal(how)
    process.send_signal(how)  # people are impatient

    assert process.wait(10) == 130
    assert processes_with(token) == []
    assert run(["replay", "r", "--verify"]) == 1
    assert Path("r").read_bytes().rstrip().splitlines()[-1].startswith(b'{"end":"interrupted"')


@pytest.mark.slow
def test_a_terminal_gets_colour_and_a_pipe_plain_text() -> None:
    """The same table twice: with escape sequences on a terminal, without in a pipe."""
    command = [str(REFEREE), "match", *PAIR, "--deals", "1", "--key", "a"]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=30).stdout
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(command[0], command)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
    os.waitpid(pid, 0)
    os.close(terminal)

    assert b"\x1b[" in shown
    assert b"\x1b" not in piped
    assert b"winner" in piped or b"drawn" in piped


@pytest.mark.slow
@pytest.mark.parametrize("command", [["games", "--json"], ["replay", "r", "--json"], ["games"]])
def test_nobody_listens_at_all(command: list[str]) -> None:
    """Output into a pipe that is closed from the start is no bug of the referee."""
    assert run(["match", *PAIR, "--deals", "1", "--record", "r"]) == 0
    with subprocess.Popen(
        [str(REFEREE), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["games", "games briscola-3", "replay r"])
def test_whoever_has_read_enough_may_leave(command: str) -> None:
    """A closed pipe is no trouble: nothing on stderr."""
    assert run(["match", *PAIR, "--deals", "40", "--record", "r"]) == 0
    shell = f"{REFEREE} {command} | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)

    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command explains itself."""
    for command in ([], ["games"], ["match"], ["replay"], ["check"], ["ladder"], ["ladder", "run"]):
        told = []
        for option in ("--help", "-h"):
            assert run([*command, option]) == 0
            told.append(capsys.readouterr().out)
        assert "Usage: referee" in told[0]
        assert told[0] == told[1]
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "0.1.0"
