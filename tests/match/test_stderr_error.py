"""The part of stderr that says what went wrong is found, as languages print it."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.stderr_error import error_of

SAMPLES = json.loads(Path(__file__).with_name("stderr_samples.json").read_text())
"""What programs with a mistake have printed, by their language."""


@pytest.mark.parametrize("language", SAMPLES)
def test_the_error_is_named_with_its_place(language: str) -> None:
    """Whatever stands behind it: a stack, a hint, a version."""
    sample = SAMPLES[language]

    assert error_of(sample["stderr"]) == sample["error"]
    if sample["error"]:
        assert error_of("thinking ...\n" * 3 + sample["stderr"]) == sample["error"]


def _repeated(text: str) -> str:
    return "".join(text for _ in range(100_000 // len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "AError\n" * 5 + ("    at " + ":1" * 246 + "x\n") * 3,
        "AError\n" + "    at " + "(:1" * 160 + "x\n",
        "panic: x\n\t" + ".go:1" * 98 + " \n",
        "Caused by: x\n\tat " + "a(" * 240 + "\n",
        " at a line 1" * 40 + "\n",
        "x: y:1: " + ": Assertion " * 40 + "\n",
        "thread '" + "' panicked at 'a', x:1" * 22 + "\n",
        ":1:in `" + "': a " * 98 + "\n",
        ":1" * 245 + "\n",
        "  a\n" + "A" * 490 + "\n",
    ],
)
def test_text_made_to_keep_the_reader_busy_does_not(text: str) -> None:
    """A bot wrote it: patterns go over each line once, not once from each of its characters."""
    began = time.process_time()
    error_of(_repeated(text))

    assert time.process_time() - began < 5  # a tenth of a second; one of them took 16


@given(
    st.lists(
        st.sampled_from([line for one in SAMPLES.values() for line in one["stderr"].splitlines()])
    )
)
def test_whatever_is_written_there_is_something_to_show(lines: list[str]) -> None:
    """One line, not too long, and none where nothing was written."""
    found = error_of("\n".join(lines))

    assert len(found) <= 200
    assert "\n" not in found
    assert bool(found) == any(line.strip() for line in lines)
