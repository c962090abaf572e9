"""What a bot opens in its life before the first is taken note of, for as long as we like."""

import os
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox import opened_files
from referee.sandbox.opened_files import OpenedFiles


def test_a_bot_that_opens_files_without_end_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look comes to its end though there is always more: all else waits for it."""
    reads = 0
    event = opened_files._EVENT.pack(opened_files._EVENT.size, 3, 0, 24, 0x20, -1, os.getpid())

    def read(_: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        return event * (size // len(event))

    class Os:
        def __getattr__(self, name: str) -> Any:  # all else is as it is
            return read if name == "read" else getattr(os, name)

    with OpenedFiles(()) as opened:
        opened._news = os.open("/dev/null", os.O_RDONLY)
        monkeypatch.setattr(opened_files, "os", Os())
        opened.look(lambda: ())
        monkeypatch.undo()
    assert reads == opened_files._MOST_READS


def test_what_is_no_file_or_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    """A pipe by its name, and a file on a disk that has gone bad: no bot can read it either."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"x" * 10)
    with OpenedFiles(()) as opened:
        opened._take(os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK), wanted=True)
        assert not opened._files
        opened._take(os.open(tmp_path / "file", os.O_WRONLY), wanted=True)
        opened.bring()
        assert len(opened._files) == 1
