"""The log of an event: what holds it together, and what is done when it does not."""

import json
import os
from errno import ENOSPC
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.core.seal import commitment
from ladder.event.key import kept_key
from ladder.event.log import LOG, Contents, EventLog
from ladder.event.log_lines import (
    EventChain,
    EventEnd,
    EventHeader,
    MatchLine,
    decode,
    round_line,
)
from ladder.event.plan import EventPlan
from ladder.results import Pairing, Round
from referee.errors import HostError, RefereeError
from referee.match.chance import event_key
from support.events import KEY, event_of, event_text, outcome
from support.terms import job_of


@pytest.fixture
def plan(tmp_path: Path) -> EventPlan:
    return event_of(tmp_path, event_text()).plan


def match(table: int) -> MatchLine:
    job = job_of(game="briscola-2", bots=("a", f"b{table}"), key=KEY, first=0, blocks=3)
    return MatchLine((0, 0, table, 0), outcome(job))


def written(folder: Path, plan: EventPlan) -> Path:
    """A finished log with three matches."""
    with EventLog(folder) as log:
        log.begin(plan)
        log.write(
            round_line(0, 0, Round((Pairing((0, 1)), Pairing((2, 3))), 0, 3, label="round 1"))
        )
        for table in range(3):
            log.write(match(table))
        log.write(EventEnd("0" * 64, KEY))
    return folder / LOG


def test_what_is_written_is_read_again(tmp_path: Path, plan: EventPlan) -> None:
    """Plan, rounds, matches and the end."""
    found = Contents(written(tmp_path, plan))

    assert found.header == EventHeader(1, plan.digest(), plan)
    assert found.rounds[0, 0].tables == ((0, 1), (2, 3))
    assert [found.matches[0, 0, table, 0] for table in range(3)] == [match(at) for at in range(3)]
    assert found.end == EventEnd("0" * 64, KEY)
    assert found.torn is None


def test_an_outcome_survives_the_log() -> None:
    """All but the traceback of a bug comes back."""
    played = outcome(job_of(game="briscola-2", bots=("a", "b"), key=KEY, first=7, blocks=3))

    line = EventChain().sealed(MatchLine((0, 0, 0, 0), played))

    assert decode(line.rstrip()) == MatchLine((0, 0, 0, 0), played)


def test_any_changed_byte_is_found(tmp_path: Path, plan: EventPlan) -> None:
    """The reader names the line; a newline that is gone makes one line of two."""
    path = written(tmp_path, plan)
    whole = path.read_bytes()
    for at in range(0, len(whole) - 1, 29):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        with pytest.raises(RefereeError, match=r"line \d+: |has format"):
            Contents(path)


def test_lines_cannot_be_left_out_or_exchanged(tmp_path: Path, plan: EventPlan) -> None:
    """The chain holds them in their order."""
    path = written(tmp_path, plan)
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in ([*lines[:2], *lines[3:]], [*lines[:2], lines[3], lines[2], *lines[4:]]):
        path.write_bytes(b"".join(changed))
        with pytest.raises(RefereeError, match="line 3: its hash does not fit"):
            Contents(path)


def test_a_torn_last_line_is_cut_wherever_it_was_torn(tmp_path: Path, plan: EventPlan) -> None:
    """Any beginning of a log can be gone on with; what is whole in it stays."""
    path = written(tmp_path, plan)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for size in [*range(0, len(whole), 97), len(whole) - 1, len(lines[0]) - 1]:
        path.write_bytes(whole[:size])
        with EventLog(tmp_path) as log:
            kept = whole[:size].count(b"\n")
            assert log.found.torn == (kept + 1 if whole[:size].rpartition(b"\n")[2] else None)
            assert path.read_bytes() == b"".join(lines[:kept])
            log.begin(plan)
            if kept == 3:
                log.write(match(1))
        assert Contents(path).torn is None


def test_a_log_in_use_is_refused(tmp_path: Path, plan: EventPlan) -> None:
    """One clear line for the second; when the first has gone, the next may."""
    with EventLog(tmp_path) as log:
        log.begin(plan)
        with pytest.raises(RefereeError, match="another process is playing this event already"):
            EventLog(tmp_path)
    with EventLog(tmp_path) as log:
        assert log.found.header is not None


def test_another_events_log_is_not_gone_on_with(tmp_path: Path, plan: EventPlan) -> None:
    """The line names what differs and how; the log stays as it is."""
    path = written(tmp_path, plan)
    before = path.read_bytes()
    entrants = (replace(plan.entrants[0], hash="00"), *plan.entrants[1:])
    sections = (replace(plan.sections[0], blocks=7),)
    with EventLog(tmp_path) as log:
        with pytest.raises(RefereeError, match=r"begun with other files of bot 'bot 0'; put it"):
            log.begin(replace(plan, entrants=entrants))
        with pytest.raises(RefereeError, match=r"sections\[0\]\.blocks was 20, is now 7; put it"):
            log.begin(replace(plan, sections=sections))
        with pytest.raises(RefereeError, match=r"entrants was \[.*\.\.\., is now"):
            log.begin(replace(plan, entrants=entrants[1:]))
    assert path.read_bytes() == before


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """Whoever wrote it knows more than we do."""
    (tmp_path / LOG).write_text('{"event":2,"news":true,"hash":"00"}\n')

    with pytest.raises(RefereeError, match="has format 2; this referee reads up to 1"):
        Contents(tmp_path / LOG)


@pytest.mark.parametrize(
    "text", ["hello\n", "{}\n", '{"event":"x"}\n', '{"match":[]}\n', "\n", "hello", '{"match']
)
def test_another_file_is_no_log(tmp_path: Path, text: str) -> None:
    """The line is named, and nothing is cut off."""
    (tmp_path / LOG).write_text(text)

    with pytest.raises(RefereeError, match="line 1: "):
        EventLog(tmp_path)
    assert (tmp_path / LOG).read_text() == text


def test_a_full_disk_is_the_hosts(
    tmp_path: Path, plan: EventPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be written is no result; what was written of it is cut off later."""

    def half(file: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return write(file, data[: len(data) // 2])

    write = os.write
    with EventLog(tmp_path) as log:
        log.begin(plan)
        size = log.path.stat().st_size
        monkeypatch.setattr("ladder.event.log.os.write", half)
        with pytest.raises(HostError, match="No space left on device"):
            log.write(match(0))
        monkeypatch.undo()
        assert log.path.stat().st_size > size
    with EventLog(tmp_path) as log:
        assert log.found.torn == 2
        assert log.path.stat().st_size == size


def test_a_file_without_lines_is_no_torn_log(tmp_path: Path) -> None:
    """Nothing is cut off what we did not write."""
    with (tmp_path / LOG).open("wb") as file:
        file.truncate(17 * 1024 * 1024)

    with pytest.raises(RefereeError, match="line 1: it is longer than 16777216 bytes"):
        EventLog(tmp_path)


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    """A file in the way of the folder."""
    (tmp_path / "in the way").write_text("")
    with pytest.raises(RefereeError, match=r"in the way/event.*Not a directory"):
        EventLog(tmp_path / "in the way" / "event")


def test_the_key_is_published_at_the_end_only(tmp_path: Path, plan: EventPlan) -> None:
    """Before, nothing in the log is the key, or what decks are made from; it can be checked."""
    path = written(tmp_path, plan)
    *before, end = path.read_text().splitlines()

    assert json.loads(end)["key"] == KEY
    assert plan.commitment == commitment(KEY)
    for secret in (KEY, event_key(KEY).hex()):
        assert secret not in "".join(before)


def test_a_key_is_drawn_once_and_kept_for_its_owner(tmp_path: Path) -> None:
    """128 bits in a file that nobody else may read; without it a begun event cannot go on."""
    drawn = kept_key(tmp_path, begun=False)

    assert len(drawn) == 32
    assert kept_key(tmp_path, begun=True) == drawn
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "key").unlink()
    with pytest.raises(RefereeError, match="the event's key is gone"):
        kept_key(tmp_path, begun=True)
