"""The bound for the number of files in a folder of memory, as root."""

import ctypes
import os
from errno import EINVAL, ENOENT, EPERM

import pytest

from referee.sandbox.bubblewrap import file_bound


def test_a_folder_that_is_not_there_yet_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """On full cores a build once had no bound of its own; what it made was counted all the same."""
    seen, reached = iter((False, True, True)), iter((False, True))
    monkeypatch.setattr(file_bound, "_is_mounted", lambda *_: next(seen))
    monkeypatch.setattr(file_bound, "_is_bound", lambda *_: next(reached))
    file_bound.bound_files(os.getpid(), "/bot", 10)
    assert (list(seen), list(reached)) == ([], [])


@pytest.mark.parametrize(("error", "is_over"), [(ENOENT, False), (EINVAL, False), (EPERM, True)])
def test_what_is_forbidden_is_not_tried_again(
    error: int, is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every build would wait ten seconds for it."""

    class Libc:
        """A library of a system that does not let us."""

        def __init__(self, *_: object, **__: object) -> None:
            self.unshare = self.setns = lambda *_: 0

        def mount(self, *_: object) -> int:
            ctypes.set_errno(error)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", Libc)
    assert file_bound._is_bound(os.getpid(), "/bot", 10) is is_over


def test_a_process_that_is_gone_is_not_waited_for() -> None:
    """Its namespace went with it."""
    file_bound.bound_files(1 << 30, "/bot", 10)
