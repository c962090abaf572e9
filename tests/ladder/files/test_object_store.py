"""What a store by URL promises, be it a folder or a real server of S3."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.files import object_store
from ladder.files.object_store import Absent, ObjectStore, StoreAway, checked, named, note, store_of
from referee.errors import HostError, RefereeError
from support.s3 import S3, own_s3


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    with own_s3() as server:
        yield server


@pytest.fixture(params=["folder", "s3"])
def url(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of an empty store."""
    if request.param == "s3":
        server: S3 = request.getfixturevalue("s3")
        yield server.bucket(monkeypatch)
    else:
        yield f"file://{tmp_path}/store"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    return path


def read(store: ObjectStore, name: str, most: int = 1000) -> bytes:
    return b"".join(store.pieces(name, most))


def test_what_is_put_there_is_read_again_and_listed(url: str, file: Path) -> None:
    store = ObjectStore(url)
    store.put("records/ab/one", file)
    store.put("bots/two", file)

    assert read(store, "records/ab/one") == b"content"
    (found,) = store.listed("records")
    assert (found.name, found.size) == ("records/ab/one", 7)
    assert abs(found.at - file.stat().st_mtime) < 3600
    assert list(store.listed("nothing")) == []


def test_what_is_there_is_not_written_again(url: str, file: Path) -> None:
    store = ObjectStore(url)
    store.put("one", file)
    file.write_bytes(b"other")
    store.put("one", file)
    assert read(store, "one") == b"content"
    store.put("one", file, replaces=True)
    assert read(store, "one") == b"other"


def test_a_file_that_is_not_here_is_no_trouble_of_the_store(url: str, file: Path) -> None:
    """Else a runner would wait for it."""
    with pytest.raises(HostError, match="is missing") as failure:
        ObjectStore(url).put("one", file.with_name("none"))
    assert not isinstance(failure.value, StoreAway)


def test_a_folder_is_for_its_owner_alone(file: Path, tmp_path: Path) -> None:
    """Records show all hands."""
    store = ObjectStore(f"file://{tmp_path}/deep/store")
    store.put("records/ab/one", file)
    for path in (tmp_path / "deep" / "store", *(tmp_path / "deep" / "store").rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_folder_that_cannot_be_listed_is_away_and_not_empty(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the place of a folder, say: what is in it would be called missing."""
    store = ObjectStore(f"file://{tmp_path}/store")
    store.put("records/ab/one", file)

    def refuses(path: str) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuses)
    with pytest.raises(StoreAway, match="Permission denied"):
        list(store.listed("records"))


def test_a_bucket_that_is_gone_has_not_lost_its_files(
    s3: S3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is away: no bot is left out for it."""
    s3.bucket(monkeypatch)
    note(tmp_path, "s3://no-such-bucket/x")
    store = store_of(tmp_path)
    assert store is not None
    with pytest.raises(StoreAway, match="not there"):
        list(store.pieces("bots/one", 10))


def test_a_file_that_is_not_there_is_absent_and_can_be_removed(url: str, file: Path) -> None:
    store = ObjectStore(url)
    with pytest.raises(Absent):
        read(store, "one")
    store.put("one", file)
    store.remove(["one", "two"])
    store.remove([])
    with pytest.raises(Absent):
        read(store, "one")


def test_a_file_that_is_larger_than_it_may_be_is_refused(url: str, file: Path) -> None:
    store = ObjectStore(url)
    store.put("one", file)
    with pytest.raises(RefereeError, match="more than 6 bytes"):
        read(store, "one", 6)


def test_a_process_that_is_forked_asks_for_itself(url: str, file: Path, tmp_path: Path) -> None:
    """What talks to S3 outlives no fork: the child has one of its own, and the parent goes on."""
    ObjectStore(url).claim("it")
    note(tmp_path, url)
    store = store_of(tmp_path)
    assert store is not None
    store.put("one", file)
    child = os.fork()
    if child == 0:
        theirs = store_of(tmp_path)
        os._exit(theirs is None or theirs is store or next(theirs.pieces("one", 7)) != b"content")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert read(ObjectStore(url), "one") == b"content"


def test_a_bucket_that_is_not_there_is_told_in_a_line(
    s3: S3, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.bucket(monkeypatch)
    store = ObjectStore("s3://no-such-bucket/x")
    with pytest.raises(StoreAway, match=r"store 's3://no-such-bucket/x/one': .*bucket"):
        store.put("one", file)
    with pytest.raises(StoreAway, match="bucket"):
        list(store.listed("records"))


def test_a_server_that_does_not_answer_is_told_in_a_line(
    s3: S3, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = s3.bucket(monkeypatch)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(StoreAway, match=r"127\.0\.0\.1:9"):
        ObjectStore(url).put("one", file)


def test_a_folder_that_is_not_mounted_is_away_and_nothing_is_written_there(
    file: Path, tmp_path: Path
) -> None:
    url = f"file://{tmp_path}/store"
    ObjectStore(url).claim("it")
    note(tmp_path, url)
    store = store_of(tmp_path)
    assert store is not None
    store.put("one", file)
    (tmp_path / "store").rename(tmp_path / "away")
    (tmp_path / "store").mkdir()
    for asked in (
        lambda: store.put("two", file),
        lambda: list(store.pieces("one", 100)),
        lambda: list(store.listed("records")),
        lambda: store.remove(["one"]),
    ):
        with pytest.raises(StoreAway, match="not mounted"):
            asked()
    assert list((tmp_path / "store").iterdir()) == []


def test_a_store_is_one_ladders(url: str) -> None:
    ObjectStore(url).claim("it")
    ObjectStore(url).claim("it")
    with pytest.raises(RefereeError, match="another ladder's"):
        ObjectStore(url).claim("other")


def test_a_folder_that_cannot_be_written_is_told_in_a_line(file: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(StoreAway, match="taken"):
        ObjectStore(f"file://{tmp_path}/taken").put("one", file)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "no URL"),
        ("ladder-data", "no URL"),
        ("/srv/store", "no URL"),
        ("file://", "no URL"),
        ("file://host/srv", "no URL"),
        ("file:///srv/../etc", "no URL"),
        ("s3://", "no URL"),
        ("s3://B/x", "no URL"),
        ("s3://bucket/a b", "no URL"),
        ("s3://key:secret@bucket/x", "no user"),
        ("s3://bucket/x?token=1", "no user"),
        ("simplecache::s3://bucket/x", "no URL"),
        ("ssh://host/srv", "no URL"),
        ("github://someone:repo@main/x", "no user"),
        (f"s3://bucket/{'x' * 2000}", "no URL"),
    ],
    ids=str,
)
def test_what_is_no_store_is_refused_in_a_line_without_a_secret(typed: str, told: str) -> None:
    with pytest.raises(RefereeError, match=told) as failure:
        checked(typed)
    assert "secret" not in str(failure.value)
    assert len(str(failure.value)) < 200


def test_a_url_is_written_one_way() -> None:
    assert checked("s3://bucket/") == "s3://bucket"
    assert checked("s3://bucket/a/b/") == "s3://bucket/a/b"
    assert checked("file:///srv/store/") == "file:///srv/store"


def test_a_ladder_without_a_store_does_without_its_library(tmp_path: Path) -> None:
    """And one with a folder without the one for S3."""
    assert store_of(tmp_path) is None
    program = (
        "import sys; from pathlib import Path; from ladder.files import object_store\n"
        "object_store.store_of(Path(sys.argv[1]))\n"
        "assert not {'fsspec', 's3fs'} & set(sys.modules)\n"
        "object_store.note(Path(sys.argv[1]), f'file://{sys.argv[1]}/store')\n"
        "assert object_store.store_of(Path(sys.argv[1])) is not None\n"
        "assert 's3fs' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=True)


def test_a_file_that_names_no_store_is_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / object_store.KEPT_IN
    for text in ("", "{}", '{"url": "ssh://x/y"}', '{"url": "s3://bucket/x", "more": 1}'):
        path.write_text(text)
        with pytest.raises(RefereeError, match="store"):
            store_of(tmp_path)
        note(tmp_path, "s3://bucket/x")  # as opening the ladder does
        assert named(tmp_path) == "s3://bucket/x"
