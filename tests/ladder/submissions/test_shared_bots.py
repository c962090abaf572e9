"""Frozen bots in a store that machines share: brought whole, or not at all."""

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS, hash_of
from ladder.submissions.pack import unzip
from referee.errors import RefereeError
from support.ladders import frozen
from support.shared_stores import machine


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return machine(tmp_path, "here")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return machine(tmp_path, "there")


def test_a_bot_is_the_same_on_another_machine(here: Path, there: Path, tmp_path: Path) -> None:
    """Read-only, as it was frozen; and two machines pack it into the same bytes."""
    digest = frozen(here, "greedy")
    shared_bots.share(here, digest)
    packed = tmp_path / "store" / BOTS / f"{digest}.zip"
    first = packed.read_bytes()

    found = shared_bots.found(there, digest)
    assert hash_of(found) == digest
    modes = {path.name: path.stat().st_mode for path in (here / BOTS / digest).iterdir()}
    assert {path.name: path.stat().st_mode for path in found.iterdir()} == modes
    packed.unlink()
    shared_bots.share(there, digest)
    assert packed.read_bytes() == first
    assert [path.name for path in (there / BOTS).iterdir()] == [digest]


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_zip_that_was_changed_anywhere_is_refused_in_a_line_or_the_same(
    changes: list[tuple[int, int]],
) -> None:
    """Whatever zipfile raises over it."""
    data = bytearray(with_entries("bot.toml", "bot", method=zipfile.ZIP_DEFLATED))
    for at, value in changes:
        data[at % len(data)] = value
    with TemporaryDirectory() as folder, suppress(ValueError):
        unzip(bytes(data), Path(folder) / "it")


def test_a_bot_that_is_nowhere_is_not_there(here: Path) -> None:
    assert not shared_bots.found(here, "a" * 64).exists()


def with_entries(*names: str, method: int = zipfile.ZIP_STORED) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        for name in names:
            archive.writestr(name, "x")
    return whole.getvalue()


def flagged(data: bytes) -> bytes:
    """As if it were encrypted."""
    at = data.index(b"PK\1\2")
    return data[: at + 8] + b"\1" + data[at + 9 :]


@pytest.mark.parametrize(
    "twist",
    [
        lambda _: b"",
        lambda _: b"no zip",
        lambda data: data[:-40],
        lambda data: data[:200] + b"X" + data[201:],
        lambda _: with_entries("other"),
        lambda _: with_entries("../outside"),
        lambda _: with_entries("/etc/outside"),
        lambda _: with_entries("a", "a/b"),
        lambda _: with_entries("a", method=zipfile.ZIP_LZMA),
        lambda _: flagged(with_entries("bot.toml")),
        lambda _: with_entries(*map(str, range(20_001))),
    ],
    ids=[
        *("empty", "text", "cut", "flipped", "other", "above", "absolute", "file-and-folder"),
        *("lzma", "encrypted", "many"),
    ],
)
def test_what_the_store_has_in_the_place_of_a_bot_gets_no_name_here(
    twist: Callable[[bytes], bytes], here: Path, there: Path, tmp_path: Path
) -> None:
    digest = frozen(here, "greedy")
    shared_bots.share(here, digest)
    packed = tmp_path / "store" / BOTS / f"{digest}.zip"
    data = twist(packed.read_bytes())
    packed.unlink()
    packed.write_bytes(data)

    with pytest.raises(RefereeError) as failure:
        shared_bots.found(there, digest)
    assert "\n" not in str(failure.value)
    assert list((there / BOTS).iterdir()) == []
    assert not (tmp_path / "outside").exists()
