"""How far a record may be shown while its match is played."""

import os
import time
from pathlib import Path

import pytest

from ladder.files.live_records import LiveRecord
from referee.cli import run

DECKS = 3


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A record of two legs, whose bots say things that look like lines."""
    path = tmp_path_factory.mktemp("live") / "record"
    words = ["match", "sample:greedy", "sample:random", "--deals", str(DECKS), "--seating", "full"]
    assert run([*words, "--key", "live", "--sandbox", "bare", "--record", str(path)]) == 0
    return path.read_bytes()


def over(written: bytes) -> tuple[int, int]:
    """How many deals are over, and how many decks in both legs, told in another way."""
    *lines, _ = written.split(b"\n")
    ends = [at for at, line in enumerate(lines) if line[:11] == b'{"deal_end"']
    legs = [at for at, line in enumerate(lines) if line[:6] == b'{"leg"']
    return len(ends), sum(at > legs[1] for at in ends) if len(legs) == 2 else 0


def test_a_deck_is_told_of_once_the_last_leg_has_dealt_it(record: bytes, tmp_path: Path) -> None:
    path, found = tmp_path / "record", []
    live = LiveRecord(path)
    live.look()
    assert (live.deals, live.decks(0)) == (0, 0)
    for size in range(0, len(record) + 1, 97):
        path.write_bytes(record[:size])
        live.look()
        assert (live.deals, live.decks(0)) == over(record[:size])
        found.append(live.decks(0))
    assert sorted(set(found)) == list(range(DECKS + 1))


def test_a_record_that_was_there_before_is_read_whole(record: bytes, tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(record)
    live = LiveRecord(path)
    live.look()
    assert (live.deals, live.decks(0)) == (2 * DECKS, DECKS)
    path.unlink()
    live.look()
    assert (live.deals, live.decks(0)) == (2 * DECKS, DECKS)


def test_a_deck_is_told_of_after_the_delay(record: bytes, tmp_path: Path) -> None:
    path, now = tmp_path / "record", time.time()
    ends = [at for at in range(len(record)) if record.startswith(b'\n{"deal_end"', at)]
    path.write_bytes(record[: record.index(b"\n", ends[DECKS] + 1) + 1])
    os.utime(path, (now - 100, now - 100))
    live = LiveRecord(path)
    live.look()
    path.write_bytes(record)
    live.look()
    assert [live.decks(delay) for delay in (1000, 50, 0)] == [0, 1, DECKS]


def test_what_is_no_record_or_a_link_is_not_read(record: bytes, tmp_path: Path) -> None:
    path, link = tmp_path / "record", tmp_path / "link"
    link.symlink_to(path)
    path.write_bytes(record)
    live = LiveRecord(link)
    live.look()
    assert (live.deals, live.decks(0)) == (0, 0)
    path.write_bytes(b"no record\n" + record)
    live = LiveRecord(path)
    live.look()
    assert (live.deals, live.decks(0)) == (0, 0)


def test_another_file_of_the_same_name_is_read_from_its_beginning(
    record: bytes, tmp_path: Path
) -> None:
    """As when a worker has died, and another one plays the same job."""
    path = tmp_path / "record"
    path.write_bytes(record)
    live = LiveRecord(path)
    live.look()
    assert live.decks(0) == DECKS
    for size in (len(record) // 3, len(record) // 2, len(record)):
        path.unlink()
        path.write_bytes(record[:size])
        live.look()
        assert (live.deals, live.decks(0)) == over(record[:size])
    path.write_bytes(record[:100])  # the same one, cut off
    assert not live.look()
    assert live.decks(0) == 0


def test_who_looks_no_more_leaves_no_file_open(record: bytes, tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(record)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        live = LiveRecord(path)
        live.look()
    live.close()
    del live
    assert len(os.listdir("/proc/self/fd")) == before
