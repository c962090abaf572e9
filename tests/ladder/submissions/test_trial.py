"""Bots are built, tried and frozen in a sandbox, and what was submitted never runs outside one."""

import os
import re
import shlex
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.submissions import unzip_program
from ladder.submissions.accept import Frozen, taken_in
from ladder.submissions.copy_in import HandedIn
from ladder.submissions.trial import at_home, examined, played
from referee.bots.find import BotSource, find
from referee.bots.settings import Bounds, Settings
from referee.errors import HostError, RefereeError
from referee.match.clock import DEFAULT_TIME
from referee.sandbox import Sandbox
from referee.sandbox.bubblewrap.sandbox import Bubblewrap
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.workers.player import Player
from support.pools import pool_of
from support.sandboxes import need
from support.terms import job_of
from support.uploads import C_BOT, python_bot, said_to
from support.zips import good, overlapping

pytestmark = pytest.mark.slow

GOOD = "print(first, flush=True)"


@pytest.fixture
async def bare() -> AsyncIterator[Sandbox]:
    async with opened(SandboxName.BARE) as sandbox:
        yield sandbox


async def hand_in(
    path: Path | str,
    files: Path,
    sandbox: Sandbox,
    pools: Sequence[Pool] = (),
    name: str | None = None,
) -> Frozen:
    """Takes in a bot; whatever comes of it, only frozen bots are left."""
    try:
        return await taken_in(
            *(str(path), files, pools or (pool_of(),), sandbox, Settings()),
            say=lambda _: None,
            name=name,
        )
    finally:
        assert all(len(one) == 64 for one in os.listdir(files / "bots"))


async def test_a_bot_is_tried_in_all_games_and_frozen(bwrap: Sandbox, tmp_path: Path) -> None:
    """It is said what is going on; what is frozen can be found, and is not built again."""
    said, say = said_to()
    pools = [
        pool_of(),
        pool_of("briscola-3", time="move=1s", pace=1),
        pool_of("briscola-4", places=2, seating=pool_of().terms.seating),
    ]
    settings = Settings()
    frozen = await taken_in("sample:first", tmp_path, pools, bwrap, settings, say=say)
    assert said == [
        "taking in sample:first",
        *("checking it with briscola-2", "playing briscola-2 against itself"),
        *("checking it with briscola-3", "playing briscola-3 against itself"),
        *("checking it with briscola-4", "playing briscola-4 against itself"),
        f"frozen as {frozen.hash}",
    ]
    found = find(str(frozen.folder), settings)
    assert (frozen.name, frozen.hash, frozen.folder.name) == ("first", found.hash, found.hash)
    assert frozen.folder.parent == tmp_path / "bots"
    assert (found.words, found.build) == (("python3", "-I", "first_bot.py"), ())
    assert os.listdir(tmp_path / "bots") == [frozen.hash]


@pytest.mark.thorough
async def test_a_bot_is_built_here_and_nowhere_else(bwrap: Sandbox, tmp_path: Path) -> None:
    """Folder and zip, under two names, are one frozen bot, with the limits that it asked for."""
    need("gcc")
    one, two = tmp_path / "one", tmp_path / "two" / "inner"
    for folder, name in ((one, "a"), (two, "b")):
        shutil.copytree(C_BOT, folder)
        toml = (folder / "bot.toml").read_text().replace("first-c", name)
        (folder / "bot.toml").write_text(f"{toml}[limits]\nmemory = 100\n")
    shutil.make_archive(str(tmp_path / "two"), "zip", two.parent)
    first = await hand_in(one, tmp_path / "files", bwrap)
    second = await hand_in(tmp_path / "two.zip", tmp_path / "files", bwrap)
    assert (first.name, second.name) == ("a", "b")
    assert first.source != second.source
    assert (first.hash, first.folder) == (second.hash, second.folder)
    found = find(str(first.folder), Settings())
    assert (found.build, found.words, found.bounds) == ((), ("./first",), Bounds(memory=100))
    assert (first.folder / "first").stat().st_mode & 0o7777 == 0o555

    job = job_of(
        game="briscola-2", bots=(str(first.folder),) * 2, key="k", first=0, blocks=1, submitted=True
    )
    outcome = (await Player(bwrap, Settings()).play(job)).outcome
    assert len(outcome.blocks) == 1
    assert sum(outcome.faults) == 0


@pytest.mark.thorough
async def test_two_can_hand_in_the_same_at_once(bwrap: Sandbox, tmp_path: Path) -> None:
    """They get the same folder."""
    bot = python_bot(tmp_path / "bot", GOOD)
    frozen: list[Frozen] = []

    async def one() -> None:
        frozen.append(
            await taken_in(
                str(bot), tmp_path / "files", [pool_of()], bwrap, Settings(), say=lambda _: None
            )
        )

    async with trio.open_nursery() as nursery:
        nursery.start_soon(one)
        nursery.start_soon(one)
    assert frozen[0] == frozen[1]
    assert os.listdir(tmp_path / "files" / "bots") == [frozen[0].hash]


def spoiled(folder: Path, old: str, new: str) -> None:
    toml = folder / "bot.toml"
    toml.write_text(toml.read_text().replace(old, new))


ILLEGAL = 'print(first.replace(act["legal"][0], "ZZ"), flush=True)'
LATER = """if number > 45:
            sys.exit('had enough\\x1b[2J')
        print(first, flush=True)"""


async def test_a_bot_that_does_not_pass_check_is_refused(bwrap: Sandbox, tmp_path: Path) -> None:
    """It is said what failed, how to mend it, and how to see it at home."""
    bot = python_bot(tmp_path / "my bot", ILLEGAL)
    with pytest.raises(RefereeError) as refused:
        await hand_in(bot, tmp_path / "files", bwrap)
    text = str(refused.value)
    where = "deal 1, act 0"
    assert text.startswith(f"bot '{bot}' does not pass `check` of briscola-2: {where}: illegal: ")
    _, mend, home = text.splitlines()
    assert mend.startswith("what to do: answer with one of the strings in `legal`")
    start, _, key = home.rpartition(" ")
    assert start == (
        f"see it at home: referee check '{bot}' --game briscola-2 --time move=2s "
        "--sandbox bwrap --key"
    )
    assert re.fullmatch("[0-9a-f]{32}", key)


MISTAKES: dict[str, tuple[str, list[str]]] = {
    "a syntax error": (
        "for line in sys.stdin\n",
        ["startup: .*SyntaxError.*bot.py:1", "what to do: mend that error", "referee check"],
    ),
    "a missing module": (
        "import numpyy\n",
        ["startup: .*ModuleNotFoundError", "what to do: .*it sees only /usr", "referee check"],
    ),
    "a debug line": (
        "print('debug: hello')\n",
        ["startup: .*the bot wrote: debug: hello", "what to do: stdout is for", "referee check"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_refusal_is_a_finding_then_advice_that_fits_then_a_command(
    bwrap: Sandbox, tmp_path: Path, mistake: str
) -> None:
    """A line each; of what a sandbox hides only where something was not found."""
    text, lines = MISTAKES[mistake]
    bot = python_bot(tmp_path / "bot", GOOD)
    (bot / "bot.py").write_text(text)
    with pytest.raises(RefereeError) as refused:
        await hand_in(bot, tmp_path / "files", bwrap)
    said = str(refused.value).splitlines()
    assert len(said) == 3
    assert all(re.search(line, one) for line, one in zip(lines, said, strict=True))
    assert ("/usr" in said[1]) is (mistake == "a missing module")


async def test_a_zip_without_a_bot_toml_says_what_belongs_there(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bot.py").write_text("pass")
    shutil.make_archive("my bot", "zip", "in")
    with pytest.raises(RefereeError) as refused:
        await hand_in("my bot.zip", tmp_path / "files", bwrap)
    finding, mend, home = str(refused.value).splitlines()
    assert finding.startswith("bot 'my bot.zip': it has no bot.toml")
    assert 'command = "python3 bot.py"' in mend
    assert home == "see it at home: unzip -l 'my bot.zip'"


async def test_a_script_without_its_first_line_is_told_what_belongs_there(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    script = tmp_path / "bot.py"
    script.write_text("print(1)\n")
    script.chmod(0o755)
    with pytest.raises(RefereeError, match="does not say what runs it, as #!/usr/bin/env python3"):
        await hand_in(script, tmp_path / "files", bwrap)


SLOW = "time.sleep(1.2); print(first, flush=True)"


async def test_who_is_too_slow_for_a_tight_clock_is_so_at_home(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """The clock is that of the pool, here and in the command that is told."""
    bot = python_bot(tmp_path / "bot", SLOW)
    tight = pool_of(time="move=500ms,bank=0s,soft=0ms")  # of less, a busy host takes a part
    with pytest.raises(
        RefereeError, match=r"does not pass `check` of briscola-2: deal 1, act \d+: late: "
    ) as caught:
        await hand_in(bot, tmp_path / "files", bwrap, [tight])

    referee, *words = shlex.split(str(caught.value).partition("\nsee it at home: ")[2])
    program = Path(sys.executable).parent / referee
    done = await trio.run_process([program, *words], capture_stdout=True, check=False)
    assert done.returncode == 1
    assert b": late: " in done.stdout


async def test_the_clock_at_home_is_said_where_the_pool_says_none(
    bare: Sandbox, tmp_path: Path
) -> None:
    """A match's own: that of `referee check` is another one."""
    upload = HandedIn(tmp_path, "", "bot", "bot")
    told = at_home(upload, pool_of(time=""), bare, "k")
    start = f"referee check bot --game briscola-2 --time {DEFAULT_TIME} --sandbox bare"
    assert told == f"{start} --key k"


@pytest.mark.thorough
async def test_a_fault_in_the_match_refuses_and_can_be_seen_again(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Code, detail, the error on its stderr; and the command that is told shows the same."""
    bot = python_bot(tmp_path / "bot", LATER)
    with pytest.raises(RefereeError) as refused:
        await hand_in(bot, tmp_path / "files", bwrap)
    text = str(refused.value)
    assert text.replace("\n", "").isprintable()
    told, _, command = text.partition("\nsee it at home: ")
    assert told.startswith(f"bot '{bot}' was faulted in a match of briscola-2 against itself, deal")
    assert "crashed: " in told
    assert told.splitlines()[0].endswith(r"on its stderr: had enough\x1b[2J")

    referee, *words = shlex.split(command)
    words += ["--json", "--record", str(tmp_path / "record")]
    program = Path(sys.executable).parent / referee
    done = await trio.run_process(
        [program, *words], capture_stdout=True, capture_stderr=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert b"crashed" in done.stdout


async def test_a_zip_is_unpacked_in_the_sandbox_and_plays(bwrap: Sandbox, tmp_path: Path) -> None:
    """Its frozen folder is that of the folder it was made of; one that breaks a rule is refused."""
    folder = python_bot(tmp_path / "in" / "my-bot", GOOD)
    shutil.make_archive(str(tmp_path / "bot"), "zip", tmp_path / "in")
    found = await hand_in(tmp_path / "bot.zip", tmp_path / "files", bwrap)
    assert found.hash == (await hand_in(folder, tmp_path / "files", bwrap)).hash
    (tmp_path / "bad.zip").write_bytes(overlapping())
    with pytest.raises(RefereeError, match=r"'b\.toml' overlaps with what is before it$"):
        await hand_in(tmp_path / "bad.zip", tmp_path / "files", bwrap)


@pytest.mark.parametrize(
    "program",
    ["", "import os; os.abort()", "raise ValueError('our\\x1bmistake\\n' + '\\u202e' * 9999)"],
)
async def test_an_unpacker_that_breaks_is_no_mistake_of_the_zips_author(
    program: str, bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told in one line that can be read."""
    (tmp_path / "broken.py").write_text(program)
    monkeypatch.setattr(unzip_program, "__file__", str(tmp_path / "broken.py"))
    (tmp_path / "bot.zip").write_bytes(good())
    with pytest.raises(HostError) as told:
        await hand_in(tmp_path / "bot.zip", tmp_path / "files", bwrap)
    assert len(str(told.value)) < 400
    assert str(told.value).isprintable()


@pytest.mark.thorough
async def test_a_zip_is_unpacked_by_the_command_that_is_told(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it works at home as it is."""
    need("unzip")
    monkeypatch.chdir(tmp_path)
    python_bot(tmp_path / "in" / "my-bot", ILLEGAL)
    shutil.make_archive("my bot", "zip", "in")
    with pytest.raises(RefereeError) as refused:
        await hand_in("my bot.zip", tmp_path / "files", bwrap)
    command = str(refused.value).partition("\nsee it at home: ")[2]
    assert command.startswith("unzip -q 'my bot.zip' -d './my bot.unpacked' && referee check ")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = await trio.run_process(
        ["sh", "-c", command], env={**os.environ, "PATH": path}, capture_stdout=True, check=False
    )
    assert done.returncode == 1
    assert b"problem" in done.stdout
    assert b"illegal" in done.stdout


@pytest.mark.parametrize(
    ("toml", "line"),
    [
        ("build = \"sh -c 'echo no gold >&2; exit 3'\"", "the build failed: .*\n.*no gold"),
        ('build = "makes-nothing"', "no program 'makes-nothing' in the sandbox"),
        ('build = "ln -s /etc env"', "its build has made: 'env' is a link out of the folder"),
        ('build = "rm bot.py"', "does not pass `check`"),
        ("[limits]\nmemory = 4096", "memory = 4096: at most 1024 here"),
        ("build = 1", "Expected `str`, got `int`"),
        ('image = "theirs"', "image 'theirs' is not among those of settings.toml"),
    ],
)
@pytest.mark.thorough
async def test_what_cannot_be_built_is_refused(
    toml: str, line: str, bwrap: Sandbox, tmp_path: Path
) -> None:
    """In its author's words, not in those of our folders."""
    bot = python_bot(tmp_path / "bot", GOOD)
    with (bot / "bot.toml").open("a") as file:
        file.write(toml)
    with pytest.raises(RefereeError, match=line) as refused:
        await hand_in(bot, tmp_path / "files", bwrap)
    text = str(refused.value)
    assert text.startswith(f"bot '{bot}'")
    assert str(tmp_path / "files") not in text
    built = "build = " in toml and "rm" not in toml and "build = 1" not in toml
    if "ln -s" in toml:  # no command of ours would find fault with it
        assert text.splitlines()[-1] == f"see it at home: cd {bot} && ln -s /etc env"
    elif built:
        home = f"see it at home: referee check {bot} --game briscola-2 --time move=2s"
        assert text.splitlines()[-1] == f"{home} --sandbox bwrap"


async def test_a_build_has_no_network(bwrap: Sandbox, tmp_path: Path) -> None:
    """Not even this machine's own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        reach = f"python3 -c 'import socket; socket.create_connection((\\\"127.0.0.1\\\", {port}))'"
        await trio.run_process(shlex.split(reach.replace("\\", "")))
        bot = python_bot(tmp_path / "bot", GOOD)
        with (bot / "bot.toml").open("a") as file:
            file.write(f'build = "{reach}"\n')
        with pytest.raises(RefereeError, match="the build failed"):
            await hand_in(bot, tmp_path / "files", bwrap)


async def test_a_bot_without_a_name_is_asked_for_one(bwrap: Sandbox, tmp_path: Path) -> None:
    """Before it is built; a name that was chosen must be one."""
    bot = python_bot(tmp_path / "bot", GOOD)
    spoiled(bot, '"x"', '"Бот"')
    with pytest.raises(RefereeError, match="no name can be made of 'Бот': say --name"):
        await hand_in(bot, tmp_path / "files", bwrap)
    assert (await hand_in(bot, tmp_path / "files", bwrap, name="bot")).name == "bot"
    with pytest.raises(RefereeError, match="bot name 'a b': 1 to 32 of the characters"):
        await hand_in(bot, tmp_path / "files", bwrap, name="a b")


def submitted(folder: Path) -> BotSource:
    """A bot that leaves a trace wherever it is built or run, and that a stranger has handed in."""
    trace = folder.parent / "trace"
    python_bot(folder, GOOD, before=f"open({str(trace)!r}, 'w')")
    with (folder / "bot.toml").open("a") as file:
        file.write(f'build = "touch {trace}"\n')
    return replace(find(str(folder), Settings()), submitted=True)


async def test_a_submitted_bot_is_never_built_or_run_bare(bare: Sandbox, tmp_path: Path) -> None:
    """Whoever asks for it, and however."""
    found = submitted(tmp_path / "bot")
    for one in (found, replace(found, build=())):
        with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
            await bare.prepare(one)
        with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
            async with bare.temporarily(one):
                pass
    own = await bare.prepare(replace(found, submitted=False, build=()))
    assert not own.submitted
    upload = HandedIn(tmp_path / "bot", "", "bot", "bot")
    for trial in (examined, played):
        with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
            await trial(replace(own, submitted=True), pool_of(), bare, upload)
    with pytest.raises(RefereeError, match="built and tried in a sandbox only"):
        await taken_in(
            str(tmp_path / "bot"), tmp_path, [pool_of()], bare, Settings(), say=lambda _: None
        )
    assert sorted(os.listdir(tmp_path)) == ["bot"]


async def test_a_sandbox_hands_on_that_a_bot_was_submitted(
    bwrap: Sandbox, bare: Sandbox, tmp_path: Path
) -> None:
    """To the build, which does not run bare either, and to the bot that was built."""
    found = submitted(tmp_path / "bot")
    assert isinstance(bwrap, Bubblewrap)
    with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
        await bwrap._copies.prepare(found, bare)
    assert not (tmp_path / "trace").exists()
    spec = await bwrap.prepare(replace(found, build=()))
    assert spec.submitted
    with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
        await bare.launch(spec)
    assert not (tmp_path / "trace").exists()


async def test_a_job_of_strangers_is_not_played_bare(bare: Sandbox, tmp_path: Path) -> None:
    """Even where the same bots, as one's own, have just been."""
    bot = str(python_bot(tmp_path / "bot", GOOD))
    player = Player(bare, Settings())
    own = job_of(game="briscola-2", bots=(bot, "sample:first"), key="k", first=0, blocks=1)
    assert len((await player.play(own)).outcome.blocks) == 1
    for bots in ((bot, "sample:first"), ("sample:first", bot)):
        with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
            await player.play(replace(own, bots=bots, submitted=True))
    assert len((await player.play(own)).outcome.blocks) == 1


@pytest.mark.thorough
async def test_docker_does_it_too(docker_host: str, tmp_path: Path) -> None:
    """Builds, tries and freezes."""
    need("gcc")
    async with opened(SandboxName.DOCKER) as sandbox:
        frozen = await hand_in(C_BOT, tmp_path, sandbox)
        assert find(str(frozen.folder), Settings()).words == ("./first",)
        bot = python_bot(tmp_path / "bot", ILLEGAL)
        with pytest.raises(RefereeError, match="--sandbox docker"):
            await hand_in(bot, tmp_path, sandbox)
