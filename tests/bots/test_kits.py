"""What `referee new` makes: a bot in each language, tested, checked, and played."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.bots.kits import KITS, TESTS, kit_files
from referee.cli import run
from referee.games import catalogue, find
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.matches import match, verified
from support.sandboxes import lacking, need, with_rust

TOOLS: Final = {
    "python": ["python3"],
    "c": ["gcc"],
    "cpp": ["g++"],
    "rust": ["rustc"],
    "go": ["go"],
    "java": ["javac", "java"],
    "javascript": ["node"],
    "ruby": ["ruby"],
    "lua": ["lua5.4"],
    "csharp": ["mcs", "mono"],
    "perl": ["perl"],
    "shell": ["sh"],
}
"""What each language takes; the Makefile installs it for `make ci`."""

BUILT_BY_HAND: Final = ("csharp",)
"""Whose compiler starts in no sandbox; the command for the test builds the bot, too."""

FEW: Final = ("briscola-3", "briscola-chiamata-mixed", "sueca")
"""Games that all kits play, however little time there is: a talon, an auction, a suit to follow."""

THE_SAME: Final[dict[str, str]] = {}
"""By game, the digest of the match that the kit for Python has played; all decide alike."""

of_each_language = pytest.mark.parametrize("language", TESTS)


def made(language: str, parent: Path, name: str = "mine") -> Path:
    """A new bot's folder."""
    need(*TOOLS[language])
    if language == "rust" and subprocess.run(["rustc", "--version"], check=False).returncode != 0:
        lacking("rustc has no toolchain in this HOME")
    assert run(["new", name, "--language", language, "--folder", str(parent)]) == 0
    folder = parent / name
    if language in BUILT_BY_HAND:
        done = subprocess.run(["sh", "-c", TESTS[language]], cwd=folder, check=False)
        assert done.returncode == 0
    return folder


async def digest(language: str, game: str, folder: Path, sandbox: Sandbox | None = None) -> str:
    """Plays a match of a kit's bot with samples; the game digest, once the record has verified."""
    path = folder / game
    others = ["sample:first-c"] * (find(game).seats[0] - 1)
    bots = [str(folder / "mine"), *others]
    result = await match(path, game, *bots, key=game, time="", dealer=None, sandbox=sandbox)
    verified(path)

    assert result.totals.faults == [], language
    return result.end.game_digest


def test_every_kit_has_a_test_and_a_tool() -> None:
    """No kit is left out of what is tried here, and none is named that is not there."""
    folders = {path.name for path in KITS.iterdir() if path.is_dir()}

    assert folders == set(TESTS) == set(TOOLS)


@of_each_language
def test_files_are_plain_and_have_the_name_put_in(language: str) -> None:
    """No kit has a byte order mark or the line ends of another system; the name is in three files.

    Those are bot.toml, the README, and the one that says `ready`.
    """
    files = kit_files(language, "x.y_Z-0")
    named = [name for name, text in files.items() if b"x.y_Z-0" in text]

    assert {"bot.toml", "README.md"} < set(named)
    assert len(named) == 3
    for name, text in files.items():
        assert text.isascii(), name
        assert b"\r" not in text, name
        assert b"my-bot" not in text, name
    assert f"`{TESTS[language]}`" in files["README.md"].decode()


@pytest.mark.slow
@of_each_language
def test_its_own_test_passes(language: str, tmp_path: Path) -> None:
    """The one command of its README says that the decision is right."""
    folder = made(language, tmp_path)
    command = ["sh", "-c", TESTS[language]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@of_each_language
@pytest.mark.parametrize("game", ["briscola-2", "briscola-chiamata-points"])
def test_check_finds_nothing(
    language: str, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new bot keeps to the protocol, in an auction too, without so much as a warning."""
    folder = made(language, tmp_path)
    capsys.readouterr()
    code = run(["check", str(folder), "--game", game, "--sandbox", "bare", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]

    assert (code, {one["level"] for one in findings}) == (0, {"ok"}), findings


@pytest.mark.slow
@of_each_language
async def test_kits_play_every_game_alike(language: str, tmp_path: Path, many_cases: bool) -> None:
    """A new bot plays whole matches without a fault, and decides as those in other languages do."""
    made(language, tmp_path)
    (tmp_path / "python").mkdir()
    made("python", tmp_path / "python")
    for game in catalogue() if many_cases else FEW:
        if game not in THE_SAME:
            THE_SAME[game] = await digest("python", game, tmp_path / "python")

        assert await digest(language, game, tmp_path) == THE_SAME[game], game


@pytest.mark.slow
@pytest.mark.thorough
@of_each_language
async def test_kits_are_built_and_play_in_a_sandbox(language: str, tmp_path: Path) -> None:
    """What a build needs is at hand where there is no network and no home."""
    need("bwrap")
    folder = made(language, tmp_path)
    async with opened(SandboxName.BWRAP, with_rust()) as sandbox:
        for game in FEW:
            await digest(language, game, folder.parent, sandbox)


UNKNOWN: Final = (
    r'"x":{"id":"not this","legal":["ZZ"],"view":{"hand":["ZZ"]},"options":{}}',
    r'"x":"a\"b\\","y":"\\\"},{\"id\":\"1","z":"é \ud83d\ude00 * [ ] { } , : \\\\"',
    r'"x":[[],{},[{"a":[]}],null,-1.5e+3,true,"]","}",",","hand"],"y":{},"z":[]',
    f'"x":"{"long " * 2400}"',
)
"""What may stand anywhere among the fields that a bot knows."""


@pytest.mark.slow
@pytest.mark.thorough
@of_each_language
def test_what_is_unknown_is_skipped_whatever_it_holds(language: str, tmp_path: Path) -> None:
    """Before, between and behind known fields, in the view, and as whole messages (SPEC 3.1)."""
    folder = made(language, tmp_path)
    toml = msgspec.toml.decode((folder / "bot.toml").read_bytes())
    subprocess.run(shlex.split(toml.get("build", "true")), cwd=folder, check=True)
    view = '"phase":"play","seat":0,"dealer":0,"hand":["AD","5C","QS"],"trump":null,"turn_up":null,'
    view += '"talon":0,"leader":1,"trick":["2"],"points":[0,0],"leaders":[],"tricks":[]'
    time = '"time":{"move_ms":1,"bank_ms":1,"strikes":3}'
    lines = ['{"type":"hello","protocol":[1],"game":"any","options":{"rank_profile":"it3"}}']
    for x in UNKNOWN:
        deal = '"deal":1,"seats":[0,1],"seat":0,"dealer":0,"game":"any","scores":[0,0]'
        options = f'"options":{{{x},"rank_profile":"gen7"}}'
        lines += [f'{{{x},"type":"other","id":7}}', f'{{{x},"type":"deal",{deal},{options},{x}}}']
        act = f'"view":{{{x},{view}}},{x},"legal":["AD","5C","QS"],"events":[{{"type":"o",{x}}}]'
        lines.append(f'{{{x},"type":"act",{x},"id":"0123456789abcdef",{act},{x},{time}}}')
    lines += ['{"type":"fault","id":null,"code":"late","detail":""}', '{"type":"end"}']
    done = subprocess.run(
        shlex.split(toml["command"]),
        cwd=folder,
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        check=True,
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]

    assert said[0]["name"] == "mine"
    assert said[1:] == [{"id": "0123456789abcdef", "action": "5C"}] * len(UNKNOWN), done.stderr
    assert done.stderr == b""


REFUSED: Final = [
    (["a/b", "--language", "c"], "name 'a/b': it must be 1 to 32 of A-Z a-z 0-9 _ . - and"),
    (["x" * 33, "--language", "c"], "it must be 1 to 32 of"),
    (["", "--language", "c"], "name '': it must be"),
    (["..", "--language", "c"], "name '..': it must be"),
    (["bot\n", "--language", "c"], "it must be 1 to 32 of"),
    (["caffè", "--language", "c"], "it must be 1 to 32 of"),
    (
        ["bot", "--language", "cobol"],
        "no kit in 'cobol'; there are python, c, cpp, rust, go, java,",
    ),
    (["bot"], "Missing option '--language'"),
    (["here", "--language", "c"], "there is already something at 'here'"),
    (["file", "--language", "c"], "there is already something at 'file'"),
    (["link", "--language", "c"], "there is already something at 'link'"),
    (
        ["bot", "--language", "c", "--folder", "no"],
        "cannot make 'no/bot': No such file or directory",
    ),
    (["bot", "--language", "c", "--folder", "file"], "cannot make 'file/bot': Not a directory"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_made_is_refused_and_leaves_nothing(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line says why, and all that was there is as it was."""
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    Path("file").write_text("mine")
    Path("link").symlink_to("nowhere")
    capsys.readouterr()
    code = run(["new", *words])
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "here", "link"]
    assert Path("file").read_text() == "mine"


def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that could not be finished is not there, and the disk gets the blame."""

    def full(path: Path, text: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)

    assert run(["new", "bot", "--language", "c", "--folder", str(tmp_path)]) == 3
    assert "No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_to_type_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three commands, or JSON that has them with the files; a folder with a blank is quoted."""
    parent = tmp_path / "my bots"
    parent.mkdir()
    words = ["--language", "python", "--folder", str(parent)]
    capsys.readouterr()
    assert run(["new", "one", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert run(["new", "two", *words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert lines == [
        f"(cd '{parent}/one' && python3 -m unittest)",
        f"referee check '{parent}/one'",
        f"referee match '{parent}/one' sample:greedy",
    ]
    assert said["commands"] == [line.replace("/one", "/two") for line in lines]
    assert (said["folder"], said["language"]) == (f"{parent}/two", "python")
    assert said["files"] == sorted(path.name for path in (parent / "two").iterdir())
