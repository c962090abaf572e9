"""Records in a store that machines share: there before they are spoken of, compared when read."""

import os
import random
import time
from pathlib import Path

import pytest

from ladder.files import record_store, shared_records
from ladder.files.disk_limits import DiskLimits, write_limits
from ladder.files.object_store import ObjectStore, note
from referee.errors import RefereeError
from referee.record.stderr_log import stderr_file
from support.shared_stores import machine

DAY = 86_400.0


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return machine(tmp_path, "here")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return machine(tmp_path, "there")


def kept(files: Path, number: int = 1, said: bytes = b"") -> str:
    """A record that was kept on a machine, with what bots wrote; not shared yet."""
    plain = files / "plain"
    plain.write_bytes(random.Random(number).randbytes(1000))
    if said:
        stderr_file(plain).write_bytes(said)
    sha, _ = record_store.keep(files, plain)
    plain.unlink()
    return sha


def in_store(tmp_path: Path) -> dict[str, Path]:
    store = tmp_path / "store"
    found = (path for path in store.glob("*/**/*") if path.is_file())
    return {str(path.relative_to(store)): path for path in found}


def test_what_one_machine_shares_another_finds_with_what_bots_wrote(
    here: Path, there: Path, tmp_path: Path
) -> None:
    sha = kept(here, said=b"said")
    assert not shared_records.found(there, sha).exists()
    shared_records.share(here, sha)

    assert set(in_store(tmp_path)) == {
        f"records/{sha[:2]}/{sha}.jsonl.zst",
        f"stderr/{sha[:2]}/{sha}",
    }
    assert record_store.check(there, sha, os.stat(record_store.path_of(here, sha)).st_size)
    found = shared_records.found(there, sha)
    assert found == record_store.path_of(there, sha)
    assert found.read_bytes() == record_store.path_of(here, sha).read_bytes()
    assert shared_records.found_stderr(there, sha).read_bytes() == b"said"


def test_a_folder_without_a_store_has_what_it_has(tmp_path: Path) -> None:
    sha = kept(machine(tmp_path, "one"))
    note(tmp_path / "one", None)
    shared_records.share(tmp_path / "one", sha)
    assert in_store(tmp_path) == {}
    assert shared_records.found(tmp_path / "one", sha).exists()
    assert not shared_records.found_stderr(tmp_path / "one", sha).exists()


def test_what_the_store_has_damaged_gets_no_name_here(
    here: Path, there: Path, tmp_path: Path
) -> None:
    sha = kept(here, said=b"said")
    shared_records.share(here, sha)
    for path in in_store(tmp_path).values():
        path.chmod(0o600)
        path.write_bytes(b"x" + path.read_bytes()[1:])

    with pytest.raises(RefereeError, match=f"record {sha} was changed: its SHA-256 is"):
        shared_records.found(there, sha)
    with pytest.raises(RefereeError, match="was changed"):
        shared_records.found_stderr(there, sha)
    left = [path for path in (there / "records").rglob("*") if path.is_file()]
    assert left == []


def test_what_the_policy_lets_go_is_gone_on_this_machine_and_in_the_store(
    here: Path, there: Path, tmp_path: Path
) -> None:
    first, second = kept(here, 1, b"said"), kept(here, 2)
    for sha in (first, second):
        shared_records.share(here, sha)
    assert shared_records.remove(there, [first]) == 0  # none was there
    assert shared_records.remove(here, [first]) == 1  # the copy here
    assert set(in_store(tmp_path)) == {f"records/{second[:2]}/{second}.jsonl.zst"}
    assert not record_store.path_of(here, first).exists()


def test_what_is_held_here_is_not_removed_from_the_store(here: Path, tmp_path: Path) -> None:
    sha = kept(here)
    shared_records.share(here, sha)
    with record_store.held(here):
        assert shared_records.remove(here, [sha]) is None
    assert len(in_store(tmp_path)) == 1


def test_a_record_of_no_match_goes_once_it_is_old(here: Path, tmp_path: Path) -> None:
    """Those that matches have stay, and so does what is not ours."""
    mine, orphan, young = (kept(here, number, b"said") for number in (1, 2, 3))
    for sha in (mine, orphan, young):
        shared_records.share(here, sha)
        record_store.path_of(here, sha).unlink()
    (tmp_path / "store" / "records" / "notes.txt").write_text("ours")
    for name, path in in_store(tmp_path).items():
        if young not in name:
            os.utime(path, (1, time.time() - 2 * DAY))

    assert shared_records.sweep(here, {mine}.__contains__, DAY) == 1
    left = set(in_store(tmp_path))
    assert not any(orphan in name for name in left)
    assert len(left) == 5


def test_copies_that_were_not_used_for_longest_go_and_come_again(
    here: Path, tmp_path: Path
) -> None:
    """Those of the last hour stay, however much they take."""
    write_limits(here, DiskLimits(copies=1))
    hashes = []
    for number in range(4):
        plain = here / "plain"
        plain.write_bytes(random.Random(number).randbytes(600 << 10))
        sha, _ = record_store.keep(here, plain)
        shared_records.share(here, sha)
        hashes.append(sha)
    for age, sha in zip((9, 8, 7, 0), hashes, strict=True):
        os.utime(record_store.path_of(here, sha), (1, time.time() - age * 3600))
    shared_records.found(here, hashes[0])  # it is used: now it is the newest

    assert shared_records.trim(here) == 2
    there = [record_store.path_of(here, sha).exists() for sha in hashes]
    assert there == [True, False, False, True]
    assert shared_records.found(here, hashes[1]).exists()


def test_a_copy_that_the_store_has_not_stays(here: Path, tmp_path: Path) -> None:
    """As one that the ladder has let go elsewhere: it is not to come back, nor the last to go."""
    write_limits(here, DiskLimits(copies=1))
    for number in range(3):
        plain = here / "plain"
        plain.write_bytes(random.Random(number).randbytes(600 << 10))
        sha, _ = record_store.keep(here, plain)
        os.utime(record_store.path_of(here, sha), (1, time.time() - DAY))
    assert shared_records.trim(here) == 0
    assert in_store(tmp_path) == {}
    assert len(list((here / "records").rglob("*.zst"))) == 3


def test_a_damaged_copy_takes_the_place_of_nothing(here: Path, tmp_path: Path) -> None:
    """Where the store has it whole; and where the store's is cut, the copy takes its place."""
    damaged, whole = kept(here, 1), kept(here, 2)
    for sha in (damaged, whole):
        shared_records.share(here, sha)
    path = record_store.path_of(here, damaged)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b"x")
    cut = record_store.path_of(tmp_path / "store", whole)
    cut.chmod(0o600)
    cut.write_bytes(b"cut")
    before = record_store.path_of(tmp_path / "store", damaged).read_bytes()
    store = ObjectStore(f"file://{tmp_path}/store")

    assert shared_records.put_all(here, store, lambda _: True, lambda: None) == 1
    assert record_store.path_of(tmp_path / "store", damaged).read_bytes() == before
    assert cut.read_bytes() == record_store.path_of(here, whole).read_bytes()


def test_a_record_that_became_part_of_no_fact_is_gone_everywhere(
    here: Path, tmp_path: Path
) -> None:
    sha = kept(here, said=b"said")
    shared_records.share(here, sha)
    shared_records.discard(here, sha)
    assert in_store(tmp_path) == {}
    assert not record_store.path_of(here, sha).exists()


def test_a_hash_that_is_none_leads_nowhere(here: Path) -> None:
    with pytest.raises(RefereeError, match="no SHA-256"):
        shared_records.found(here, "../../etc/passwd")
