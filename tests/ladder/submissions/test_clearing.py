"""What becomes of the files of bots that are refused, or play no more."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.archive.export import export
from ladder.archive.load import take_in
from ladder.audit.files import examine_bots
from ladder.audit.findings import AuditFindings
from ladder.commands import submit
from ladder.commands.shared import clear_bots
from ladder.core.facts import Decision, Deed, Submission
from ladder.core.roster import Roster
from ladder.files.disk_limits import KEPT_IN, DiskLimits, read_limits, write_limits
from ladder.game_files.pool_file import read_pools
from ladder.store.location import where_of
from ladder.store.store import Store
from ladder.submissions.accept import Frozen, taken_in
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.clearing import bots_in_use, clearing
from ladder.submissions.frozen_bots import BOTS, freeze, keep, scratch
from referee.bots.find import find
from referee.bots.settings import CopyLimits, Settings
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.sandbox import Sandbox
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.folders import store_folder
from referee.sandbox.janitor import end_marked, run_of
from support.ladders import hash_of, job, lease, made
from support.pools import pool_of
from support.sandboxes import Copying
from support.uploads import python_bot

GOOD = "print(first, flush=True)"
ILLEGAL = 'print(first.replace(act["legal"][0], "ZZ"), flush=True)'


def built_bot(folder: Path, build: str, answer: str = GOOD) -> Path:
    """A bot whose build is a line of a shell."""
    python_bot(folder, answer)
    with (folder / "bot.toml").open("a") as file:
        file.write(f"build = '''sh -c \"{build}\"'''\n")
    return folder


def filling(mib: int) -> str:
    """A build that leaves a file of so many MiB."""
    return f"head -c {mib << 20} /dev/zero > large"


async def hand_in(bot: Path, files: Path, box: Sandbox) -> Frozen:
    return await taken_in(str(bot), files, [pool_of()], box, Settings(), say=lambda _: None)


def left_in(box: Copying, files: Path) -> list[str]:
    """All that lies where bots are copied, built and frozen."""
    stored = set(os.listdir(box.store)) - {".cards"}
    cards = os.listdir(box.store / ".cards") if (box.store / ".cards").exists() else []
    return sorted([*stored, *cards, *os.listdir(files / BOTS)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "answer", "line"),
    [
        (filling(2), ILLEGAL, "does not pass `check`"),
        (
            filling(65),
            GOOD,
            r"left 6[56]\.. MiB or more in . files? or more; at most 64 MiB and 2,000 files",
        ),
        (f"{filling(2)}; exit 3", GOOD, "the build failed"),
        (f"{filling(2)}; ln -s /etc out", GOOD, "'out' is a link out of the folder"),
        (f"{filling(2)}; rm bot.py", GOOD, "does not pass `check`"),
    ],
)
async def test_a_refused_bot_leaves_nothing(
    build: str, answer: str, line: str, tmp_path: Path
) -> None:
    """Neither its copy, nor what its build made, nor the copy that was tried."""
    box = Copying(tmp_path)
    bot = built_bot(tmp_path / "bot", build, answer)
    with pytest.raises(RefereeError, match=line):
        await hand_in(bot, tmp_path / "files", box)
    assert left_in(box, tmp_path / "files") == []


@pytest.mark.slow
async def test_a_bot_that_was_taken_in_leaves_its_frozen_folder_only(tmp_path: Path) -> None:
    """Runners make copies of it when they play it."""
    box = Copying(tmp_path)
    bot = built_bot(tmp_path / "bot", filling(2))
    frozen = await hand_in(bot, tmp_path / "files", box)
    assert left_in(box, tmp_path / "files") == [frozen.hash]


@pytest.mark.slow
async def test_a_refused_bot_leaves_no_copy_of_a_real_sandbox(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Where others have theirs."""
    bot = built_bot(tmp_path / "bot", filling(2), ILLEGAL)
    with pytest.raises(RefereeError, match="does not pass `check`"):
        await hand_in(bot, tmp_path / "files", bwrap)
    digest = find(str(bot), Settings()).hash
    assert [name for name in os.listdir(store_folder()) if digest in name] == []
    assert os.listdir(tmp_path / "files" / BOTS) == []


_SUBMITS = """
import sys
from pathlib import Path
import trio
from ladder.submissions.accept import taken_in
from referee.bots.settings import Settings
from support.pools import pool_of
from support.sandboxes import Copying
home = Path(sys.argv[1])
def say(line):
    print(line, flush=True)
trio.run(lambda: taken_in(
    str(home / "bot"), home / "files", [pool_of()], Copying(home), Settings(), say=say))
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["building", "checking"])
def test_what_a_killed_submission_has_left_goes_with_the_next(moment: str, tmp_path: Path) -> None:
    """In the middle of its build, or of its trial."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    waits = f"open({str(begun)!r}, 'w').close(); time.sleep(60)"
    if moment == "building":
        build = f"{filling(2)}; echo > {begun}; sleep 60"
        built_bot(tmp_path / "bot", build)
    else:
        built_bot(tmp_path / "bot", filling(2), waits)
    command = [sys.executable, "-c", _SUBMITS, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
        begun.open().close()  # until the bot is there
        run_name = run_of(process.pid)
        process.send_signal(signal.SIGKILL)
    end_marked(run_name)
    store = CopyStore(tmp_path / "store", CopyLimits())
    assert any(copy.unfinished and copy.size >= 2 << 20 for copy in store.copies())
    store.sweep()  # as whoever opens a sandbox does
    with scratch(tmp_path / "files" / BOTS):
        pass
    assert [name for name in os.listdir(store.folder) if name != ".cards"] == []
    assert os.listdir(tmp_path / "files" / BOTS) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "build", "line"),
    [
        (DiskLimits(build_size=3), filling(2), ""),
        (
            DiskLimits(build_size=1),
            filling(2),
            r"left 2\.0 MiB or more in . files? or more; at most 1 MiB and 2,000",
        ),
        (DiskLimits(build_files=5), "touch 1 2 3", ""),
        (
            DiskLimits(build_files=5),
            "touch 1 2 3 4",
            r"left \d+ B or more in 6 files or more; .* MiB and 5 files",
        ),
        (
            DiskLimits(),
            "truncate -s 200M sparse",
            r"left 200\.0 MiB or more in . files? or more; at most 64 MiB",
        ),
    ],
)
async def test_a_ladder_says_what_a_build_may_leave(
    limits: DiskLimits, build: str, line: str, tmp_path: Path
) -> None:
    """One line with size and limit, and the command that shows it at home."""
    write_limits(tmp_path / "files", limits)
    bot = built_bot(tmp_path / "bot", build)
    if not line:
        await hand_in(bot, tmp_path / "files", Copying(tmp_path))
        return
    with pytest.raises(RefereeError, match=line) as refused:
        await hand_in(bot, tmp_path / "files", Copying(tmp_path))
    told, home = str(refused.value).splitlines()
    assert told.startswith(f"bot '{bot}': the build left ")
    assert home.startswith("see it at home: ")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder without bots."""
    with made(tmp_path / "ladder", bots=()) as found:
        yield found


def version(store: Store, name: str, kib: int = 300) -> str:
    """Adds a version of a bot, of its own size; returns its hash."""
    number = len(store.refresh().entrants) + 1
    with scratch(store.files / BOTS) as built, scratch(store.files / BOTS) as folder:
        (built / "x.sh").write_bytes(b"exit 3\n" + os.urandom(kib << 10))
        freeze(built, toml_of("sh x.sh"), folder, name)
        digest = keep(folder, hash_of(folder)).name

    def make(roster: Roster, now_ms: int) -> list[Submission]:
        bot = roster.bot_of(name, "a")
        return [
            Submission(
                entrant=number,
                bot=number if bot is None else bot,
                name=name,
                author="a",
                version=1 if bot is None else len(roster.versions(bot)) + 1,
                hash=digest,
                source=digest,
                at_ms=now_ms,
            )
        ]

    store.add(make)
    return digest


def frozen(store: Store) -> set[str]:
    return set(os.listdir(store.files / BOTS))


def retire(store: Store, entrant: int) -> None:
    store.add(lambda _, at: [Decision(deed=Deed.RETIRED, entrant=entrant, reason="x", at_ms=at)])


def test_old_versions_go_the_oldest_first_and_the_last_of_each_bot_last(store: Store) -> None:
    """A bot with many versions crowds out no other bot's; what plays is not counted."""
    calm = [version(store, "calm") for _ in range(2)]
    busy = [version(store, "busy") for _ in range(5)]
    write_limits(store.files, DiskLimits(old_bots=1))  # three of 300 KiB
    clear_bots(store)
    assert frozen(store) == {*calm, *busy[2:]}
    write_limits(store.files, DiskLimits(old_bots=0))
    clear_bots(store)
    assert frozen(store) == {calm[-1], busy[-1]}


def test_a_retired_bot_is_kept_as_an_old_version_is(store: Store) -> None:
    """While there is room, `rollback` brings it back."""
    version(store, "retired", 600)
    retire(store, 1)
    clear_bots(store)
    assert len(frozen(store)) == 1
    write_limits(store.files, DiskLimits(old_bots=0))
    clear_bots(store)
    assert frozen(store) == set()


def test_a_bot_whose_match_is_under_way_stays(store: Store) -> None:
    """Whoever plays it may be on another machine."""
    write_limits(store.files, DiskLimits(old_bots=0))
    old = version(store, "a")
    other = version(store, "b")
    lease(store, job(store, [1, 2]))
    new = version(store, "a")
    clear_bots(store)
    assert frozen(store) == {old, other, new}


def test_what_two_bots_share_stays_for_the_one_that_plays(store: Store) -> None:
    """Frozen once, handed in twice."""
    write_limits(store.files, DiskLimits(old_bots=0))
    shared = version(store, "a")
    version(store, "b")
    store.add(
        lambda roster, at: [
            replace(roster.entrants[1], entrant=3, bot=2, name="b", version=2, at_ms=at)
        ]
    )
    retire(store, 1)
    clear_bots(store)
    assert frozen(store) == {shared}


def test_nothing_is_cleared_while_a_bot_is_taken_in(store: Store) -> None:
    """It may be the very one: frozen, and not yet among those that play."""
    write_limits(store.files, DiskLimits(old_bots=0))
    old, new = version(store, "a"), version(store, "a")
    with bots_in_use(store.files):
        clear_bots(store)
        assert frozen(store) == {old, new}
    with clearing(store.files) as alone:
        assert alone
    clear_bots(store)
    assert frozen(store) == {new}


def test_a_ladder_that_cannot_be_locked_is_named(store: Store) -> None:
    """One line, and nothing is cleared."""
    version(store, "a")
    (store.files / "bots.lock").mkdir()
    with pytest.raises(HostError, match=r"cannot lock '.*bots\.lock': Is a directory"):
        clear_bots(store)


def test_what_was_frozen_and_never_taken_in_goes_after_a_day(store: Store) -> None:
    """Its `submit` was killed in between."""
    plays = version(store, "a")
    for name, age_s in (("0" * 64, 90_000), ("1" * 64, 80_000)):
        folder = store.files / BOTS / name
        folder.mkdir()
        then = folder.stat().st_mtime - age_s
        os.utime(folder, (then, then))
    clear_bots(store)
    assert frozen(store) == {plays, "1" * 64}


def test_a_version_that_was_cleared_cannot_be_rolled_back_to(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what helps; while it is there, it can."""
    where = ("--ladder", store.where.typed)
    version(store, "a")
    version(store, "a")
    assert run(["ladder", "rollback", "a", "--to", "1", *where]) == 0
    write_limits(store.files, DiskLimits(old_bots=0))
    clear_bots(store)
    capsys.readouterr()
    assert run(["ladder", "rollback", "a", "--to", "2", *where]) == 2
    told = capsys.readouterr().err
    assert told.startswith("referee: a v2: its files are not in ")
    assert told.endswith("submit it again\n")
    assert told.count("\n") == 1


def test_a_ladder_without_old_bots_is_whole_and_can_move(store: Store, tmp_path: Path) -> None:
    """`verify` notes them, `export --with-bots` leaves them out, `import` takes that."""
    write_limits(store.files, DiskLimits(old_bots=0))
    hashes = [version(store, "a") for _ in range(3)]
    clear_bots(store)
    findings = AuditFindings()
    assert examine_bots(store.files, hashes, findings) == 1
    assert findings.in_order() == ()
    assert "2 of 3 frozen bots are not in" in findings.notes[0]
    archive = tmp_path / "ladder.zip"
    assert export(store, archive, bots=True).bots == 1
    there = where_of(str(tmp_path / "there"))
    assert take_in(there, archive).bots == 1
    with Store(there) as moved:
        assert frozen(moved) == {hashes[-1]}


def test_an_archive_needs_the_bots_that_play(store: Store, tmp_path: Path) -> None:
    """Only old ones may be missing."""
    digest = version(store, "a")
    frozen_folder = store.files / BOTS / digest
    frozen_folder.rename(frozen_folder.with_name("gone"))  # elsewhere takes root: it is read-only
    with pytest.raises(RefereeError, match="is missing, or is not what was frozen"):
        export(store, tmp_path / "ladder.zip", bots=True)


@pytest.mark.slow
def test_each_submission_clears_old_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So a ladder stays bounded where no runner runs; `ladder bots` shows its sizes."""

    @asynccontextmanager
    async def opened_for(*_: object, **__: object) -> AsyncIterator[Sandbox]:
        yield Copying(tmp_path)

    monkeypatch.setattr(submit, "opened_for", opened_for)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "games.toml"
    file.write_text('[disk]\nold_bots = 0\n[[game]]\nid = "briscola-2"\n')
    assert run(["ladder", "open", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["disk"]["old_bots"] == 0
    for size in (1, 2):
        (bot := tmp_path / str(size)).mkdir()
        built_bot(bot / "bot", filling(size))
        assert run(["submit", str(bot / "bot"), "--author", "a"]) == 0
    capsys.readouterr()
    assert run(["ladder", "bots", "--all", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["bytes"] is None
    assert 2 << 20 < second["bytes"] < 3 << 20
    assert run(["ladder", "bots"]) == 0
    assert "on disk: 2.0 MiB of bots that play, 0 B of others (at most 0 B)" in (
        capsys.readouterr().out
    )


def test_a_ladder_keeps_its_limits_until_it_is_given_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other games, or a file that does not speak of them, change nothing."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "games.toml"
    games = '[[game]]\nid = "briscola-2"\n'
    files = where_of("ladder").files
    assert files is not None
    assert read_limits(files) == DiskLimits()
    for text, limits in (
        (games, DiskLimits()),
        (f"{games}[disk]\nbuild_size = 7\n", DiskLimits(build_size=7)),
        (games, DiskLimits(build_size=7)),
        (f"{games}[disk]\n", DiskLimits()),
    ):
        file.write_text(text)
        assert run(["ladder", "open", str(file), "--ladder", "ladder"]) == 0
        assert read_limits(files) == limits


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("build_size = 0", "disk: build_size: at least 1"),
        ("build_size = 300", "disk: build_size: at most 256"),
        ("old_bots = -1", "disk: old_bots: at least 0"),
        ("old_bot = 1", "disk: there is no key 'old_bot'; did you mean 'old_bots'?"),
        ('build_files = "5"', "disk: build_files: it must be a whole number, not a text"),
    ],
)
def test_what_is_wrong_with_limits_is_named(text: str, line: str, tmp_path: Path) -> None:
    """As for all keys of the file."""
    file = tmp_path / "games.toml"
    file.write_text(f'[disk]\n{text}\n[[game]]\nid = "briscola-2"\n')
    with pytest.raises(RefereeError, match=line):
        read_pools(file)


def test_limits_that_are_damaged_are_named(tmp_path: Path) -> None:
    """And what helps."""
    (tmp_path / KEPT_IN).write_text('{"build_size":')
    with pytest.raises(RefereeError, match=r"disk\.json.*anew with `referee ladder open`"):
        read_limits(tmp_path)
    (tmp_path / KEPT_IN).unlink()
    (tmp_path / KEPT_IN).mkdir()
    with pytest.raises(HostError, match=r"disk\.json': Is a directory"):
        read_limits(tmp_path)
