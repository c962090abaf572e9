"""A machine that runs out of something at any step: one line, exit code 3, and then it goes on.

Real limits and real disks, on the real commands, each in a process of its own: so many file
handles, pages of a disk or names in it are left that every next open, write or new file is the one
that fails, until there are enough. Where a step takes seconds, some are left out.
"""

import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct

from referee.bots.find import SAMPLES
from referee.sandbox.folders import store_folder, work_folder
from support import disks
from support.sandboxes import need
from support.shortage import Bounds, Ended, Machine, cold, machine

pytestmark = pytest.mark.slow

EVENT: Final = """
name = "Small"
key = "00112233445566778899aabbccddeeff"
blocks = 2
match_blocks = 1
workers = 1
sandbox = "bare"
pace = 0
time = "move=20s,start=20s"
[[game]]
id = "briscola-2"
[[bot]]
path = "sample:first"
[[bot]]
path = "sample:greedy"
"""
MATCH: Final = ("match", "sample:first", "sample:greedy", "--sandbox", "bare", "--key", "k")
BOXED: Final = ("--sandbox", "bwrap")
SUBMIT: Final = ("submit", "sample:greedy", *BOXED)
PLAY: Final = ("ladder", "run", "--blocks", "2", "--workers", "1", *BOXED)
IMPORT: Final = ("ladder", "import", "export.zip", "--ladder", "new")
EXPORT: Final = ("ladder", "export", "export.zip", "--with-bots")
ENOUGH: Final = 80
"""So many file handles, pages and names are always enough."""

ROOM_KIB: Final = 64 * 1024
"""A disk on which there is room for everything."""


class Work(Struct, frozen=True):
    """A command, and what it has to come to.

    Attributes:
        words: of the command.
        before: commands that prepare its folder.
        result: what is true of its folder when it has ended well, and of no other outcome.
        strides: from one number of file handles, pages and names to the next.
    """

    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]
    result: Callable[[Machine, Path], object]
    strides: tuple[int, int, int] = (1, 1, 1)


def _match_result(computer: Machine, folder: Path) -> object:
    """The game digest of a record that verifies."""
    ended = computer.run(("replay", "r", "--verify", "--json"), folder)
    assert ended.code == 0, ended
    return json.loads(ended.out)["game_digest"]


def _event_result(_: Machine, folder: Path) -> object:
    """What the log publishes, and that all results are there."""
    last = json.loads((folder / "e" / "log.jsonl").read_bytes().splitlines()[-1])
    names = {path.name for path in (folder / "e").glob("results.*")}
    assert names == {"results.html", "results.csv", "results.json"}
    return last["end"], last["key"]


def _proved(computer: Machine, folder: Path, ladder: str = "ladder-data") -> dict[str, int]:
    """What `verify` counts in a ladder, in which it finds nothing to complain of."""
    ended = computer.run(("ladder", "verify", "--ladder", ladder, "--json"), folder)
    report = json.loads(ended.out)
    assert (ended.code, report["findings"]) == (0, []), ended
    names = ("facts", "matches", "records", "bots")
    return {name: report[name] for name in names}


def _submit_result(computer: Machine, folder: Path) -> object:
    listed = computer.run(("ladder", "bots", "--json"), folder)
    frozen = len(list((folder / "ladder-data" / "bots").iterdir()))
    return _proved(computer, folder), len(json.loads(listed.out)), frozen


def _played(computer: Machine, folder: Path) -> int:
    """How many matches a ladder has; each was played to its end, and has its record."""
    counts = _proved(computer, folder)
    assert counts["matches"] == counts["records"] == counts["facts"] - 4
    return counts["matches"]


def _run_result(computer: Machine, folder: Path) -> object:
    return _played(computer, folder) >= 2


def _export_result(computer: Machine, folder: Path) -> object:
    words = ("ladder", "import", "export.zip", "--ladder", "copy")
    ended = computer.run(words, folder)
    assert ended.code == 0, ended
    return _proved(computer, folder, "copy")


def _import_result(computer: Machine, folder: Path) -> object:
    return _proved(computer, folder, "new")


def _page_result(_: Machine, folder: Path) -> object:
    return (folder / "page.html").read_text().endswith("</html>\n")


BOTS: Final = (("submit", "sample:first", *BOXED), SUBMIT)
WORKS: Final = {
    "match": Work((*MATCH, "--deals", "2", "--record", "r"), (), _match_result, (4, 1, 1)),
    "event": Work(("event", "run", "e.toml"), (), _event_result, (4, 2, 2)),
    "submit": Work(SUBMIT, BOTS[:1], _submit_result, (5, 3, 2)),
    "run": Work(PLAY, BOTS, _run_result, (4, 6, 2)),
    "verify": Work(("ladder", "verify"), (*BOTS, PLAY), _proved, (5, 1, 1)),
    "export": Work(EXPORT, (*BOTS, PLAY), _export_result, (3, 3, 1)),
    "import": Work(IMPORT, (*BOTS, PLAY, EXPORT), _import_result, (4, 20, 4)),
    "page": Work(
        ("ladder", "standings", "--html", "page.html"), (*BOTS, PLAY), _page_result, (3, 3, 1)
    ),
}
WRITERS: Final = [name for name in WORKS if name != "verify"]


class Lab:
    """Runs commands, and knows what they come to where nothing is wanting."""

    def __init__(self, computer: Machine, top: Path) -> None:
        """Has prepared nothing yet; folders come to be in `top`."""
        self.computer = computer
        self._top = top
        self._folders: dict[tuple[tuple[str, ...], ...], Path] = {}
        self._results: dict[str, object] = {}

    def copy(self, name: str, folder: Path) -> None:
        """Makes a folder in which a command finds what it needs."""
        before = self._prepared(WORKS[name].before)
        shutil.copytree(before, folder, symlinks=True, dirs_exist_ok=True)

    def _prepared(self, before: tuple[tuple[str, ...], ...]) -> Path:
        if before not in self._folders:
            folder = self._top / f"prepared-{len(before)}"
            if before:
                shutil.copytree(self._prepared(before[:-1]), folder, symlinks=True)
                ended = self.computer.run(before[-1], folder)
                assert ended.code == 0, ended
            else:
                folder.mkdir()
                (folder / "e.toml").write_text(EVENT)
            self._folders[before] = folder
        return self._folders[before]

    def undisturbed(self, name: str) -> object:
        """What a command comes to."""
        if name not in self._results:
            folder = self._top / f"undisturbed-{name}"
            self.copy(name, folder)
            ended = self.computer.run(WORKS[name].words, folder)
            assert ended.code == 0, ended
            self._results[name] = WORKS[name].result(self.computer, folder)
        return self._results[name]

    def goes_on(self, name: str, folder: Path) -> None:
        """Runs a command again, now that there is room, and compares what it has come to."""
        if name == "match":
            _is_whole_or_unfinished(self.computer, folder)
        ended = self.computer.run(WORKS[name].words, folder)
        assert ended.code == 0, ended
        assert _unfinished(folder) == []
        assert WORKS[name].result(self.computer, folder) == self.undisturbed(name)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A machine for all tests of a module."""
    with machine() as computer:
        yield Lab(computer, tmp_path_factory.mktemp("lab"))


def _unfinished(folder: Path) -> list[str]:
    """Names of files and folders that are not done yet."""
    names = (path.name for path in folder.rglob("*"))
    return [name for name in names if re.match(r"\.(playing|tmp)-|\.[^.]*-|.*\.part$", name)]


def _is_whole_or_unfinished(computer: Machine, folder: Path) -> None:
    """A record of a match that failed says so; it is not written over, so it goes."""
    record = folder / "r"
    if record.exists() and record.stat().st_size:
        ended = computer.run(("replay", "r", "--verify"), folder)
        assert ended.code == 1
        assert "unfinished" in ended.said[0]
    record.unlink(missing_ok=True)


def _check_told(ended: Ended, step: object) -> None:
    assert ended.told_in_a_line, (step, ended)


@pytest.mark.thorough
@pytest.mark.parametrize("name", WORKS)
def test_no_file_handles_left_at_any_step(name: str, lab: Lab, tmp_path: Path) -> None:
    """One line each, until there are enough; then the same comes of it as if nothing had been."""
    for files in count(3, WORKS[name].strides[0]):
        folder = tmp_path / str(files)
        lab.copy(name, folder)
        ended = lab.computer.run(WORKS[name].words, folder, Bounds(files=files))
        if ended.code == 0:
            break
        _check_told(ended, files)
        lab.goes_on(name, folder)
    assert 5 < files < ENOUGH
    assert WORKS[name].result(lab.computer, folder) == lab.undisturbed(name)


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["size", "nr_inodes"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full_at_any_step(name: str, what: str, lab: Lab, tmp_path: Path) -> None:
    """Of its pages, or of names for files, some are left; one line each, until there are enough."""
    stride = WORKS[name].strides[1 if what == "size" else 2]
    for left in count(0, stride):
        with disks.small_disk(tmp_path / f"disk-{left}", ROOM_KIB) as folder:
            lab.copy(name, folder)
            disks.leave(folder, what, left)
            ended = lab.computer.run(WORKS[name].words, folder)
            disks.resize(folder, f"size={ROOM_KIB}k,nr_inodes=10000")
            if ended.code == 0:
                assert WORKS[name].result(lab.computer, folder) == lab.undisturbed(name)
                break
            _check_told(ended, left)
            lab.goes_on(name, folder)
    assert 0 < left < ENOUGH


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_can_only_be_read(name: str, lab: Lab, tmp_path: Path) -> None:
    """One line and exit code 3; once it can be written to, it goes on."""
    with disks.small_disk(tmp_path / "disk", ROOM_KIB) as folder:
        lab.copy(name, folder)
        disks.resize(folder, "ro")
        _check_told(lab.computer.run(WORKS[name].words, folder), "ro")
        disks.resize(folder, "rw")
        lab.goes_on(name, folder)


MEMORY_MIB: Final = (0, 15, 17, 18, 20, 24, 40, 320, 330)
"""Beside what a process has; the first that is enough ends the search."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", WORKS)
def test_no_memory_left_at_some_steps(name: str, lab: Lab, tmp_path: Path) -> None:
    """One line each, until there is enough."""
    for mib in MEMORY_MIB:
        folder = tmp_path / str(mib)
        lab.copy(name, folder)
        ended = lab.computer.run(WORKS[name].words, folder, Bounds(memory=mib * 1024 * 1024))
        if ended.code == 0:
            assert WORKS[name].result(lab.computer, folder) == lab.undisturbed(name)
            break
        _check_told(ended, mib)
    else:
        lab.goes_on(name, folder)


COLD: Final = (Bounds(files=5), Bounds(files=9), Bounds(memory=20 << 20), Bounds(memory=48 << 20))


@pytest.mark.parametrize("bounds", COLD, ids=str)
def test_a_command_that_cannot_even_be_imported(bounds: Bounds, tmp_path: Path) -> None:
    """The installed command says in one line what it lacks; there is no traceback of an import."""
    _check_told(cold(WORKS["match"].words, tmp_path, bounds), bounds)
    assert not (tmp_path / "r").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("bounds", [*COLD, Bounds(memory=200 << 20), Bounds(memory=360 << 20)])
def test_an_event_that_cannot_even_be_imported(bounds: Bounds, tmp_path: Path) -> None:
    """Libraries for linear algebra would end it with exit code 1 for want of memory."""
    (tmp_path / "e.toml").write_text(EVENT)
    _check_told(cold(WORKS["event"].words, tmp_path, bounds), bounds)


def on_a_full_disk(folder: Path, names: int, words: tuple[str, ...], where: Path) -> Ended:
    """Runs the installed command where a folder is a disk with so many names for files.

    The mount is in a namespace of the command's own, so that no other referee meets it.
    """
    need("unshare", "mount", root=True)
    mount = f'mount -t tmpfs -o size=1m,mode=755,nr_inodes={names} tmpfs "$0" && exec "$@"'
    shell = ("unshare", "-m", "--propagation", "private", "sh", "-c", mount, str(folder))
    return cold(words, where, Bounds(), before=shell)


@pytest.mark.thorough
@pytest.mark.parametrize("names", [1, 2, 4, 9])
@pytest.mark.parametrize("folder", [work_folder(), store_folder().parent], ids=str)
def test_a_disk_that_is_full_where_a_run_keeps_its_things(
    folder: Path, names: int, tmp_path: Path
) -> None:
    """What /tmp is to an ordinary user, others can fill: one line, and the record is not begun."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ("match", "sample:first", "sample:greedy", "--record", "r", *BOXED)
    _check_told(on_a_full_disk(folder, names, words, tmp_path), names)
    assert not (tmp_path / "r").exists()


@pytest.mark.thorough
def test_a_full_folder_for_temporary_files_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zip is taken in, built, and plays, while TMPDIR has no room for a single file."""
    full = tmp_path / "full"
    full.mkdir()
    monkeypatch.setenv("TMPDIR", str(full))
    build = 'name = "x"\ncommand = "./x"\nbuild = "cp source x"\n'
    source = b"#!/usr/bin/python3 -S\n" + (SAMPLES / "first_bot.py").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr("bot.toml", build)
        entry = zipfile.ZipInfo("source")
        entry.external_attr = 0o100755 << 16
        file.writestr(entry, source)
    for words in (
        ("submit", "x.zip", "sample:greedy", *BOXED),
        PLAY,
        ("ladder", "verify"),
        EXPORT,
        IMPORT,
    ):
        assert on_a_full_disk(full, 1, words, tmp_path).code == 0, words
