"""Commands of a ladder as people type them, those of the README in processes of their own."""

import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from ladder.core.retiring import WITHDRAWN
from referee.errors import RefereeError
from support.commands import Tell
from support.processes import REFEREE
from support.sandboxes import need

pytestmark = pytest.mark.slow

PATIENCE_S: Final = 60


@pytest.fixture
def tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tell:
    """Runs a command in an empty folder; returns what it printed, if it ended with the code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REFEREE_LADDER", raising=False)

    return Tell(capsys)


def begun(*words: str, cwd: Path) -> "subprocess.Popen[str]":
    """A command under way, in a folder."""
    pipe = subprocess.PIPE
    return subprocess.Popen([str(REFEREE), *words], cwd=cwd, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize(
    "words",
    [
        ["sample:first", "--game", "sueca"],
        ["sample:first", "--partner", "nobody"],
        [""],
        ["nothing-there"],
        ["sample:first", "--name", "a b"],
        ["sample:first", "--author", ""],
        ["sample:first", "--author", "guest-ada"],
    ],
)
def test_a_mistyped_submit_makes_no_ladder(words: list[str], tell: Tell, tmp_path: Path) -> None:
    """One line, exit code 2, and nothing on the disk."""
    said = tell("submit", *words, "--ladder", "new", code=2)
    assert said.startswith("referee: ")
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_no_ladder_is_made_where_no_sandbox_is_to_be_had(
    tell: Tell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = RefereeError("no sandbox here is for the bots of strangers")
    monkeypatch.setattr("referee.sandbox.choose.opened_for", mock.Mock(side_effect=refusal))
    monkeypatch.setattr("ladder.commands.submit.opened_for", mock.Mock(side_effect=refusal))
    told = tell("submit", "sample:greedy", "--ladder", str(tmp_path / "new"), code=2)
    assert told == f"referee: {refusal}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "ladder"),
    [
        (".", ()),
        ("..", ()),
        ("../../link", ()),
        (".", ("--ladder", "new/er")),
        ("sub", ("--ladder", "sub")),
    ],
)
def test_no_ladder_is_made_in_a_bot(
    typed: str, ladder: tuple[str, ...], tell: Tell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next submission would take it along, with its key; the same if it is there."""
    (tmp_path / "up" / "bot" / "sub").mkdir(parents=True)
    for folder in ("up", "up/bot", "up/bot/sub"):
        (tmp_path / folder / "bot.toml").write_text('name = "x"\ncommand = "true"\n')
    (tmp_path / "link").symlink_to("up")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path / "up" / "bot")
    said = tell("submit", typed, *ladder, code=2)
    assert said.startswith(f"referee: bot {typed!r}: the ladder")
    assert "--ladder" in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_frozen_bot_that_was_damaged_is_one_refusal(tell: Tell, tmp_path: Path) -> None:
    """The others of the batch go on; what to do is said."""
    need("bwrap")
    tell("submit", "sample:first")
    (kept,) = (tmp_path / "ladder-data" / "bots").iterdir()
    kept.chmod(0o755)
    (kept / "more").touch()
    said = tell("submit", "sample:first", "sample:random", code=1)
    assert f"refused: bot 'sample:first': the frozen bot '{kept}' is no longer" in said
    assert f"rm -r {kept}" in said
    assert "random v1 by sample.random: plays briscola-2 as #2" in said


def test_a_file_says_what_is_done_while_a_bot_is_taken_in(tell: Tell, tmp_path: Path) -> None:
    """One that cannot be written stops no bot."""
    need("bwrap")
    stage = tmp_path / "stage"
    tell("submit", "sample:first", "--stage", str(stage))
    assert stage.read_text().startswith("frozen as ")
    tell("submit", "sample:random", "--stage", str(tmp_path / "none" / "stage"))


def test_an_interrupted_submit_tells_what_was_done_before(tmp_path: Path) -> None:
    """Whoever stops it in the third bot learns what became of the first two."""
    need("bwrap")
    (tmp_path / "refused").touch()
    (tmp_path / "endless").mkdir()
    toml = 'name = "endless"\ncommand = "sleep 1"\nbuild = "sleep 600"\n'
    (tmp_path / "endless" / "bot.toml").write_text(toml)
    bots = ["sample:first", "refused", "endless"]
    process = begun("submit", *bots, "--ladder", "new", "--sandbox", "bwrap", cwd=tmp_path)
    until = time.monotonic() + PATIENCE_S
    while not any("endless" in one.read_text() for one in tmp_path.glob("new/bots/.*/bot/*.toml")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "first v1 by sample.first" in out
    assert "refused: bot 'refused': it is neither" in said


def done(*words: str, cwd: Path, code: int = 0) -> str:
    """What a command printed that was to end so."""
    process = begun(*words, cwd=cwd)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, said
    return out + said


def test_five_commands_make_a_ladder_with_a_table(tmp_path: Path, many_cases: bool) -> None:
    """Those of the README, with the usual place, and bots in two languages."""
    need("bwrap", "gcc")
    samples = ["first-c", "greedy", "random"]
    samples += ["first", "first-perl", "first-sh"] if many_cases else []
    matches = 10 if many_cases else 3
    blocks = 5 * matches
    done("submit", *(f"sample:{name}" for name in samples), cwd=tmp_path)
    ran = done("ladder", "run", "--blocks", str(blocks), cwd=tmp_path)
    assert f"played {blocks} blocks in {matches} matches" in ran
    assert sum(" briscola-2 " in line for line in ran.splitlines()) == blocks
    table = done("ladder", "standings", cwd=tmp_path)
    assert f"{matches} matches, {blocks} blocks, {2 * blocks} deals" in table
    assert all(f"sample.{name}" in table for name in samples)
    assert "all of it holds" in done("ladder", "verify", cwd=tmp_path)
    assert ": verified, 10 deals" in done("replay", "3", "--verify", cwd=tmp_path)


def test_a_game_that_is_opened_again_goes_on(tell: Tell) -> None:
    """What is closed is said, can be shown, and is the same ranking when it comes back."""
    need("bwrap")
    tell("submit", "sample:first", "sample:random")
    tell("ladder", "run", "--blocks", "2")
    said = tell("ladder", "open", "--game", "sueca")
    assert "closed: #1 briscola-2" in said
    assert "2 blocks" in tell("ladder", "standings", "--game", "#1")
    again = tell("ladder", "open", "--game", "briscola-2")
    assert "#1 briscola-2" in again
    assert "closed: #2 sueca" in again
    assert "2 blocks" in tell("ladder", "standings")
    assert "all of it holds" in tell("ladder", "verify")


def test_whoever_is_retired_stays_so(tell: Tell) -> None:
    """Its author cannot bring it back by handing it in again; who can is told."""
    need("bwrap")
    tell("submit", "sample:first")
    assert "(unchanged)" in tell("submit", "sample:first")
    tell("ladder", "retire", "first", "--reason", "cheats")
    said = tell("submit", "sample:first", code=1)
    assert (
        "refused: first of sample.first is retired (cheats): the organiser brings it back" in said
    )
    tell("ladder", "rollback", "first")
    assert "plays briscola-2 as #1 (unchanged)" in tell("submit", "sample:first")


def test_what_its_author_withdrew_plays_again_once_it_is_handed_in_again(tell: Tell) -> None:
    """As its next version, though nothing of it has changed."""
    need("bwrap")
    tell("submit", "sample:first")
    tell("ladder", "retire", "first", "--reason", WITHDRAWN)
    assert "first v2 by sample.first: plays briscola-2 as #2" in tell("submit", "sample:first")


def test_a_run_without_a_table_says_why(tell: Tell) -> None:
    """Exit code 1, and the reason by the name of the game."""
    need("bwrap")
    tell("submit", "sample:first")
    said = tell("ladder", "run", "--blocks", "3", code=1)
    assert "briscola-2: a table has 2 places, and 1 bot plays" in said
    assert "played 0 blocks in 0 matches" in said


def test_a_bot_is_handed_in_for_a_game_by_its_name_its_id_or_its_number(
    tell: Tell, tmp_path: Path
) -> None:
    """As everywhere else; what is closed can be shown, but not played."""
    need("bwrap")
    games = '[[game]]\nid = "briscola-2"\n[[game]]\nid = "briscola-3"\nname = "three at a table"\n'
    (tmp_path / "games.toml").write_text(games)
    tell("ladder", "open", "--game", "briscola-2")
    tell("ladder", "open", "games.toml")
    by_id = tell("submit", "sample:first", "--game", "briscola-3")
    assert "first v1 by sample.first: plays three at a table as #1" in by_id
    by_number = tell("submit", "sample:first", "--game", "#2")
    assert "plays three at a table as #1 (unchanged)" in by_number

    tell("ladder", "open", "--game", "briscola-2")
    for closed in ("#2", "briscola-3", "three at a table"):
        said = tell("submit", "sample:first", "--game", closed, code=2)
        number = "#1 " if closed == "#2" else ""
        assert said == f"referee: game {closed!r}: this ladder has {number}briscola-2\n"


def test_partners_have_one_author(tell: Tell) -> None:
    """Those of two would never be seated together, whatever was declared."""
    need("bwrap")
    tell("submit", "sample:first")
    partner = ("submit", "sample:greedy", "--partner", "first")
    said = tell(*partner, "--author", "ann", code=2)
    assert said == (
        "referee: --partner 'first': it is a bot of sample.first, and 'sample:greedy' is of ann: "
        "partners have one author\n"
    )
    assert "greedy v1 by sample.first" in tell(*partner, "--author", "sample.first")


def test_no_build_keeps_the_bots_after_it_from_being_taken_in(tell: Tell, tmp_path: Path) -> None:
    """Whatever it leaves is its own refusal."""
    need("bwrap")
    deep = "python3 -c 'import os; [(os.mkdir(200 * chr(97)), os.chdir(200 * chr(97)))"
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "x.sh").touch()
    (tmp_path / "odd" / "bot.toml").write_text(
        f"""name = "odd"\ncommand = "sh x.sh"\nbuild = '''{deep} for _ in range(30)]''''\n"""
    )
    said = tell("submit", "odd", "sample:first", code=1)
    assert "refused: bot 'odd': the build" in said
    assert "first v1 by sample.first: plays briscola-2 as #1" in said


def test_a_zip_is_taken_in_where_the_path_of_the_ladder_has_a_link(
    tell: Tell, tmp_path: Path
) -> None:
    """Its program is opened through no link, so its place is told without any."""
    need("bwrap")
    tell("new", "mine", "--language", "python")
    shutil.make_archive("mine", "zip", "mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    said = tell("submit", "mine.zip", "--ladder", "link/ladder", "--sandbox", "bwrap")
    assert "mine v1 by " in said
