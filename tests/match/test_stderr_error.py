"""The part of stderr that says what went wrong is found, as languages print it."""

import json
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
