"""What bots write to stderr is kept beside the record, with its act, within bounds."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
import zstandard

from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.record.stderr_log import (
    DEAL_MOST,
    MATCH_MOST,
    Moment,
    StderrChunk,
    StderrLog,
    read_stderr,
    stderr_by_act,
    stderr_file,
)

LOUD = """#!/usr/bin/env -S python3 -S
import json, sys
print("begins", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"loud"}', flush=True)
    elif message["type"] == "act":
        print("act", message["id"], file=sys.stderr, flush=True)
        more = {"note": "the first", "eval": len(message["legal"])}
        print(json.dumps({"id": message["id"], "action": message["legal"][0], **more}), flush=True)
    elif message["type"] == "end":
        print("ends", file=sys.stderr)
        break
"""


def test_the_log_lies_beside_its_record() -> None:
    """As files of records are called, in a folder of an organiser and in a ladder."""
    assert stderr_file(Path("a/x.jsonl")) == Path("a/x.stderr.zst")
    assert stderr_file(Path("ab/12.jsonl.zst")) == Path("ab/12.stderr.zst")
    assert stderr_file(Path("record")) == Path("record.stderr.zst")


def test_what_is_written_comes_back_with_its_act(tmp_path: Path) -> None:
    """Also a character whose bytes come apart; where nothing is written there is no file."""
    path, moments = tmp_path / "log", [Moment(0, 1, 3), Moment(0, 1, 5), Moment(1, 0, 0)]
    silent = StderrLog(path)
    silent.close()
    assert not path.exists()
    assert stderr_by_act(path) == {}
    log = StderrLog(path)
    for moment, data in zip(moments, (b"one \xc3", b"\xa9 two", b"\xff"), strict=True):
        log.add(moment, 1, 0, data)
    log.close()

    assert list(read_stderr(path)) == [
        StderrChunk(0, 1, 3, 1, 0, "one "),
        StderrChunk(0, 1, 5, 1, 0, "é two"),
        StderrChunk(1, 0, 0, 1, 0, "\\xff"),
    ]
    assert stderr_by_act(path, bot=0) == {
        (0, 1): {3: ["one "], 5: ["é two"]},
        (1, 0): {0: ["\\xff"]},
    }
    assert stderr_by_act(path, bot=1) == stderr_by_act(path, place=0) == {}


def test_what_is_beyond_the_bounds_is_counted(tmp_path: Path) -> None:
    """In a deal by process, in a match by bot; others are not concerned."""
    path = tmp_path / "log"
    log = StderrLog(path)
    log.add(Moment(0, 1, 0), 0, 0, b"x" * (DEAL_MOST + 10))
    log.add(Moment(0, 1, 1), 1, 1, b"y")
    log.add(Moment(0, 2, 0), 0, 0, b"z")
    for deal in range(3, 3 + MATCH_MOST // DEAL_MOST):
        log.add(Moment(0, deal, 0), 0, 0, b"x" * DEAL_MOST)
    log.close()
    chunks = list(read_stderr(path))
    first, _, third, *_, last = chunks

    assert (len(first.text), first.left_out) == (DEAL_MOST, 10)
    assert (third.text, third.left_out) == ("z", 0)
    assert sum(len(one.text) for one in chunks if one.bot == 0) == MATCH_MOST
    assert (last.text, last.left_out) == ("", DEAL_MOST)
    assert sum(one.left_out for one in chunks if one.bot == 0) == 10 + 1 + DEAL_MOST
    assert path.stat().st_size < 10_000


def test_a_log_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """A killed referee loses the deal under way at most."""
    path = tmp_path / "log"
    log = StderrLog(path)
    log.add(Moment(0, 1, 0), 0, 0, b"kept")
    log.add(Moment(0, 2, 0), 0, 0, b"perhaps not")
    there = path.read_bytes()
    log.close()
    path.write_bytes(there)
    assert [one.text for one in read_stderr(path)][:1] == ["kept"]

    for wrong in (b"no log", path.read_bytes()[:4] + b"\xff" * 40):
        path.write_bytes(wrong)
        with pytest.raises(RefereeError, match="log"):
            list(read_stderr(path))


def forged(path: Path, chunks: Iterable[StderrChunk]) -> Path:
    """A file that no referee has written."""
    lines = b"".join(msgspec.json.encode(chunk) + b"\n" for chunk in chunks)
    path.write_bytes(zstandard.ZstdCompressor().compress(lines))
    return path


@pytest.mark.parametrize(
    "chunks",
    [
        [StderrChunk(0, 1, 0, 0, 0, "A" * 100_000)] * 20,
        [StderrChunk(0, deal, 0, 0, 0, "A" * 100_000) for deal in range(1, 400)],
        [StderrChunk(0, 1, 0, 0, 0, "", 1)] * 150_000,
        [StderrChunk(0, deal, 0, 0, 0, "é" * 16_000) for deal in range(1, 700)],
        [
            StderrChunk(0, deal, 0, place, place, "A" * 100_000)
            for place in range(16)
            for deal in range(1, 100)
        ],
    ],
)
def test_a_file_with_more_than_a_referee_keeps_is_refused(
    chunks: list[StderrChunk], tmp_path: Path
) -> None:
    """A small file of a stranger can unpack to any size: it is read no further than it can be."""
    path = forged(tmp_path / "x.stderr.zst", chunks)
    with pytest.raises(RefereeError, match="holds more than a referee keeps"):
        stderr_by_act(path)


@pytest.mark.parametrize("place", [-1, 16, 1 << 40])
def test_a_place_that_no_game_has_is_in_no_log(place: int, tmp_path: Path) -> None:
    """Each would have bounds of its own."""
    path = forged(tmp_path / "x.stderr.zst", [StderrChunk(0, 1, 0, place, 0, "A")])
    with pytest.raises(RefereeError, match="has no stderr of bots"):
        list(read_stderr(path))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """Neither a file nor what a link names, nor is a pipe waited for; whenever it has come."""
    victim, link = tmp_path / "victim", tmp_path / "link"
    link.symlink_to(victim)
    with pytest.raises(RefereeError, match="exists already"):
        StderrLog(link)
    link.unlink()
    log = StderrLog(link)
    link.symlink_to(victim)
    with pytest.raises(HostError, match="File exists"):
        log.add(Moment(0, 1, 0), 0, 0, b"text")
    assert not victim.exists()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RefereeError, match="exists already"):
        StderrLog(tmp_path / "pipe")


def test_a_match_writes_no_log_over_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said before play, and no record is begun."""
    (tmp_path / "r.stderr.zst").write_text("of another match")
    words = ["--deals", "1", "--sandbox", "bare", "--record", str(tmp_path / "r.jsonl")]
    assert run(["match", "sample:first", "sample:first", *words]) == 2
    assert "exists already; it is not written over" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["r.stderr.zst"]


def test_brackets_without_end_are_no_log(tmp_path: Path) -> None:
    """Where no bot's text is, either: one line says so."""
    path = tmp_path / "x.stderr.zst"
    line = b'{"leg":0,"deal":1,"act":0,"place":0,"bot":0,"more":' + b"[" * 100_000 + b"\n"
    path.write_bytes(zstandard.ZstdCompressor().compress(line))
    with pytest.raises(RefereeError, match="has no stderr of bots"):
        list(read_stderr(path))


def test_all_that_a_referee_keeps_is_read(tmp_path: Path) -> None:
    """Of every deal as much as there can be, even if none of it is text."""
    path = tmp_path / "x.stderr.zst"
    log = StderrLog(path)
    for deal in range(1, 140):
        log.add(Moment(0, deal, 0), 0, 0, b"\xff" * (DEAL_MOST + 1))
    log.close()
    found = stderr_by_act(path)
    texts = [text for acts in found.values() for each in acts.values() for text in each]
    assert sum(text.count("\\xff") for text in texts) == MATCH_MOST


def test_a_line_that_was_read_in_pieces_is_one(tmp_path: Path) -> None:
    """As Python's `print` writes it; of two bots at one act each has lines of its own."""
    path, moment = tmp_path / "log", Moment(0, 1, 3)
    log = StderrLog(path)
    for bot, text in (
        (0, b"act"),
        (0, b" 7"),
        (0, b"\nmo"),
        (1, b"other"),
        (0, b"re\n"),
        (0, b"x\n"),
    ):
        log.add(moment, bot, bot, text)
    log.close()
    assert stderr_by_act(path)[0, 1] == {3: ["act 7\nmo", "other", "re\n", "x\n"]}
    assert stderr_by_act(path, bot=0)[0, 1] == {3: ["act 7\nmore\n", "x\n"]}


@pytest.mark.slow
@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
def test_every_act_of_a_match_has_its_own(
    quick: bool,  # one of two ways
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whether it takes less than a millisecond or more; so have the start and the end."""
    bot, record = tmp_path / "loud", tmp_path / "r.jsonl"
    slow = "" if quick else "import time; time.sleep(0.002)"
    bot.write_text(LOUD.replace("        more =", f"        {slow}\n        more ="))
    bot.chmod(0o755)
    words = ["--deals", "1", "--sandbox", "bare", "--record", str(record), "--dealer", "1"]
    assert run(["match", str(bot), "sample:first", *words]) == 0
    found = stderr_by_act(stderr_file(record))
    acts = found[0, 1]

    assert len(acts) == 20
    assert "".join(acts[0]).startswith("begins\n")
    assert all("act " in "".join(texts) for texts in acts.values())
    assert "".join(found[0, 0][0]) == "ends\n"

    capsys.readouterr()
    assert run(["replay", str(record), "--bot", "loud"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("  eval ") == shown.count("  the first\n") == 20
    assert shown.count("      | act ") == 20
    assert "hands 0:" in shown
    assert "1:first" in shown
    assert "hands 1:" not in shown
    assert run(["replay", str(record), "--bot", "first"]) == 0
    other = capsys.readouterr().out
    assert "eval" not in other
    assert "| act" not in other
    assert run(["replay", str(record), "--seat", "0"]) == 0
    assert capsys.readouterr().out.count("      | act ") == 20
