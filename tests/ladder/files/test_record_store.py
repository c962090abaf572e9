"""The vault of a ladder: a record is there whole or not at all, and what is wrong is named."""

import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path

import pytest
import zstandard

from ladder.files import record_store
from ladder.files.record_store import check, keep, keep_packed, path_of, remove, sweep
from referee.errors import HostError, RefereeError
from referee.record.stderr_log import stderr_file
from support import disks

DAY = 86_400.0


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A file that does not become much smaller."""
    path = tmp_path / "plain"
    path.write_bytes(random.Random(1).randbytes(200_000))
    return path


def everything(folder: Path) -> list[Path]:
    """All files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def never(_: str) -> bool:
    """The facts speak of no record."""
    return False


def grown_old(path: Path) -> None:
    """As if it had been kept a week ago."""
    then = path.stat().st_mtime - 7 * DAY
    os.utime(path, (then, then))


def test_a_record_is_kept_under_its_hash_compressed_and_can_be_read_back(
    tmp_path: Path, plain: Path
) -> None:
    """One frame with a checksum, which nobody may write to; the record itself stays."""
    sha, size = keep(tmp_path / "ladder", plain)
    path = tmp_path / "ladder" / "records" / sha[:2] / f"{sha}.jsonl.zst"
    data = path.read_bytes()

    assert everything(tmp_path / "ladder") == [path]
    assert path == path_of(tmp_path / "ladder", sha)
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (sha, size)
    assert zstandard.get_frame_parameters(data).has_checksum
    assert zstandard.ZstdDecompressor().decompressobj().decompress(data) == plain.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o444
    assert check(tmp_path / "ladder", sha, size) is None


def test_to_keep_it_again_changes_nothing_and_mends_a_damaged_one(
    tmp_path: Path, plain: Path
) -> None:
    """A hash has one file."""
    kept = keep(tmp_path, plain)
    path = path_of(tmp_path, kept[0])
    path.chmod(0o644)
    path.write_bytes(b"damaged")

    assert keep(tmp_path, plain) == kept
    assert check(tmp_path, *kept) is None
    assert everything(tmp_path / "records") == [path]


def test_what_is_compressed_already_is_kept_as_it_is(tmp_path: Path) -> None:
    """So comes the record of another ladder."""
    sha, size = keep_packed(tmp_path, iter([b"ab", b"", b"c"]))

    assert (sha, size) == (hashlib.sha256(b"abc").hexdigest(), 3)
    assert path_of(tmp_path, sha).read_bytes() == b"abc"


@pytest.mark.parametrize("sha", ["", "0" * 63, "A" * 64, f"{'0' * 64}\n", "../../" + "0" * 58])
def test_what_is_no_hash_names_no_file(sha: str, tmp_path: Path) -> None:
    """Facts may come from a stranger, and lead nowhere out of the vault."""
    with pytest.raises(RefereeError, match="that is no SHA-256"):
        path_of(tmp_path, sha)
    assert "that is no SHA-256" in (check(tmp_path, sha, 1) or "")


def test_what_is_wrong_with_a_record_is_named(tmp_path: Path, plain: Path) -> None:
    """Missing, cut, longer, changed in any one byte, or something else than a file."""
    sha, size = keep(tmp_path, plain)
    path = path_of(tmp_path, sha)
    path.chmod(0o644)
    data = path.read_bytes()
    said = {}
    for name, changed in {
        "cut": data[:-1],
        "longer": data + b"x",
        "first": bytes([data[0] ^ 1]) + data[1:],
        "last": data[:-1] + bytes([data[-1] ^ 128]),
    }.items():
        path.write_bytes(changed)
        said[name] = check(tmp_path, sha, size) or ""
    path.unlink()
    missing = check(tmp_path, sha, size)
    os.mkfifo(path)
    pipe = check(tmp_path, sha, size)

    where = f"record {str(path)!r}"
    assert said["cut"] == f"{where} is cut: {size - 1} bytes instead of {size}"
    assert said["longer"] == f"{where} was changed: {size + 1} bytes instead of {size}"
    assert said["first"].startswith(f"{where} was changed: its SHA-256 is ")
    assert said["last"].startswith(f"{where} was changed: its SHA-256 is ")
    assert missing == f"{where} is missing"
    assert pipe == f"{where} is cut: 0 bytes instead of {size}"


def test_a_record_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """And nothing is left."""
    with pytest.raises(HostError, match=r"^record '.*/none': No such file or directory$"):
        keep(tmp_path, tmp_path / "none")
    assert everything(tmp_path) == []


def test_a_record_that_is_too_large_is_not_kept(
    tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written of it goes; one that just fits is kept."""
    _, size = keep(tmp_path / "one", plain)
    monkeypatch.setattr(record_store, "LARGEST_RECORD", size)
    keep(tmp_path / "two", plain)
    monkeypatch.setattr(record_store, "LARGEST_RECORD", size - 1)
    with pytest.raises(HostError, match=f"more than {size - 1} bytes compressed: not kept"):
        keep(tmp_path / "three", plain)

    assert everything(tmp_path / "three") == []


def test_an_error_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C included."""

    def pieces() -> Iterator[bytes]:
        yield b"some"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep_packed(tmp_path, pieces())
    assert everything(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    with disks.small_disk(tmp_path / "small", 64) as folder:
        yield folder


def test_a_full_disk_is_one_line_and_leaves_no_file(small_disk: Path, plain: Path) -> None:
    """What was kept before is whole; once there is room, it works."""
    small = plain.with_name("small-record")
    small.write_bytes(plain.read_bytes()[:10_000])
    before = keep(small_disk, small)
    files = everything(small_disk)
    line = f"record {str(small_disk / 'records')!r}: {os.strerror(ENOSPC)}"
    for _ in range(3):
        with pytest.raises(HostError, match=f"^{re.escape(line)}$"):
            keep(small_disk, plain)
        assert everything(small_disk) == files
    assert check(small_disk, *before) is None
    path_of(small_disk, before[0]).unlink()
    small.write_bytes(plain.read_bytes()[:50_000])

    assert check(small_disk, *keep(small_disk, small)) is None


def test_what_bots_wrote_to_stderr_goes_and_stays_with_the_record(
    plain: Path, tmp_path: Path
) -> None:
    """It lies beside it under the same name, and is removed with it."""
    stderr_file(plain).write_bytes(b"hm")
    sha, _ = keep(tmp_path, plain)
    beside = stderr_file(path_of(tmp_path, sha))

    assert beside.read_bytes() == b"hm"
    assert not stderr_file(plain).exists()
    assert remove(tmp_path, [sha]) == 1
    assert not beside.exists()


def test_a_sweep_removes_orphans_and_nothing_else(tmp_path: Path) -> None:
    """Not what the facts know, nor what is young, nor what others have put there."""
    known, orphan, young = (keep_packed(tmp_path, [text])[0] for text in (b"a", b"b", b"c"))
    for sha in (known, orphan):
        grown_old(path_of(tmp_path, sha))
    strange = [
        tmp_path / "records" / "notes.txt",
        tmp_path / "records" / "ab" / "notes.jsonl.zst",
        tmp_path / "records" / "zz" / f"{'0' * 64}.jsonl.zst",
    ]
    for path in strange:
        path.parent.mkdir(exist_ok=True)
        path.write_text("a person's")
        grown_old(path)

    assert sweep(tmp_path, known.__eq__, DAY) == 1
    kept = [path_of(tmp_path, sha) for sha in (known, young)]
    assert everything(tmp_path) == sorted([*kept, *strange])
    assert not path_of(tmp_path, orphan).exists()
    assert sweep(tmp_path, known.__eq__, DAY) == 0


def test_a_sweep_of_nothing_finds_nothing(tmp_path: Path) -> None:
    """A ladder that was never played has no records."""
    assert sweep(tmp_path, never, 0) == 0


def test_a_record_that_is_kept_again_while_a_sweep_looks_stays(tmp_path: Path) -> None:
    """Between the question whether the facts know it and the removal, it may become young."""
    sha, size = keep_packed(tmp_path, [b"a"])
    grown_old(path_of(tmp_path, sha))

    def known(_: str) -> bool:
        keep_packed(tmp_path, [b"a"])
        return False

    assert sweep(tmp_path, known, DAY) == 0
    assert check(tmp_path, sha, size) is None


KEEPS = """
import sys
from pathlib import Path
from ladder.files.record_store import keep_packed

def pieces():
    yield b"some"
    print("begun", flush=True)
    sys.stdin.read()
    yield b" more"

print(*keep_packed(Path(sys.argv[1]), pieces()))
"""


@pytest.mark.slow
def test_only_dead_processes_leave_something_to_sweep(tmp_path: Path) -> None:
    """A file under way stays however often others sweep; that of a killed process goes."""
    command = [sys.executable, "-c", KEEPS, str(tmp_path)]
    pipe = subprocess.PIPE
    lives, dies = (subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(2))
    for one in (lives, dies):
        assert one.stdout is not None
        assert one.stdout.readline() == "begun\n"
    assert len(everything(tmp_path)) == 2
    assert sweep(tmp_path, never, 0) == 0
    dies.send_signal(signal.SIGKILL)
    dies.communicate()
    swept = sweep(tmp_path, never, 0)
    sha, size = lives.communicate(timeout=20)[0].split()

    assert swept == 1
    assert check(tmp_path, sha, int(size)) is None
    assert everything(tmp_path) == [path_of(tmp_path, sha)]


@pytest.mark.slow
def test_many_keep_while_one_sweeps(tmp_path: Path) -> None:
    """Nothing that was kept a moment ago is missing, though the facts know none of it."""
    done = threading.Event()
    found: list[int] = []

    def sweeps() -> None:
        while not done.is_set():
            found.append(sweep(tmp_path, never, DAY))

    kept: list[tuple[str, int]] = []

    def keeps() -> None:
        for number in range(40):
            sha, size = keep_packed(tmp_path, [b"%d" % (number % 5)])
            kept.append((sha, size))
            grown_old(path_of(tmp_path, keep_packed(tmp_path, [b"old"])[0]))

    sweeper = threading.Thread(target=sweeps)
    sweeper.start()
    keeps()
    done.set()
    sweeper.join()
    found.append(sweep(tmp_path, never, DAY))

    assert [check(tmp_path, *one) for one in kept] == [None] * 40
    assert sum(found) > 0
    assert [path.name[0] for path in everything(tmp_path)].count(".") == 0
