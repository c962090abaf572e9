"""Whatever is frozen can be exported, and is the same bot wherever it is imported."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from ladder.archive.export import export
from ladder.archive.load import take_in
from ladder.core.facts import Submission
from ladder.store.location import where_of
from ladder.store.store import Store
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.frozen_bots import BOTS, freeze, is_whole, keep, scratch
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.errors import RefereeError
from support import ladders

pytestmark = pytest.mark.slow

LONGEST_PART = 255

ODD = st.text("ab.\\ :~\n\x1b\x7f\u00e9\u20ac\u202e\U0001f0a1", min_size=1, max_size=6)
LONG = st.builds(lambda text, times: text * times, ODD, st.integers(20, 90))
PARTS = st.one_of(ODD, LONG, st.sampled_from(["__pycache__", ".git", "bot.toml", "\udcff"]))
NAMES = st.one_of(
    st.lists(PARTS, min_size=1, max_size=6),
    st.integers(45, 56).map(lambda depth: ["d"] * depth),
    st.lists(LONG, min_size=4, max_size=8),
)
Files = list[tuple[list[str], bool]]
BOTS_AT_ONCE = st.lists(st.lists(st.tuples(NAMES, st.booleans()), max_size=3), max_size=12)


def written(folder: Path, name: list[str], *, runs: bool) -> None:
    """A file as a build may leave it, if there can be one of this name at all."""
    parts = [os.fsencode(part)[:LONGEST_PART] for part in name]
    if any(part in {b".", b".."} for part in parts):
        return
    path = os.path.join(os.fsencode(folder), *parts)
    with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o755 if runs else 0o644)
        os.write(descriptor, parts[-1])
        os.close(descriptor)


def frozen(built: Path, store: Store) -> str | None:
    """The hash of a bot that is frozen; None if it is refused."""
    try:
        with scratch(store.files / BOTS) as folder:
            freeze(built, toml_of("x"), folder, "x")
            return keep(folder, find(str(folder), Settings()).hash).name
    except RefereeError:
        return None


def submission(number: int, digest: str) -> Submission:
    """A bot that was taken in."""
    return Submission(
        entrant=number,
        bot=number,
        name=f"odd{number}",
        author="author",
        version=1,
        hash=digest,
        source="0" * 64,
        at_ms=1,
    )


@settings(max_examples=6)
@given(BOTS_AT_ONCE)
@example(
    [
        [(["\udcff"], False)],
        [(["d"] * 51, False)],
        [(["d"] * 52, False)],
        [(["\u20ac" * 85] * 4, True)],
        [(["d" * 204] * 5, True)],
        [(["d" * 204] * 4 + ["d" * 205], True)],
    ]
)
def test_what_is_frozen_can_be_exported_and_imported(bots: list[Files]) -> None:
    """By its names, lengths and levels; what cannot is refused before it is a bot of the ladder."""
    with TemporaryDirectory() as name:
        home = Path(name).resolve()
        with ladders.made(home / "here", bots=()) as store:
            hashes = dict[str, None]()
            for number, files in enumerate(bots):
                built = home / f"built-{number}"
                built.mkdir()
                for parts, runs in files:
                    written(built, parts, runs=runs)
                digest = frozen(built, store)
                event("refused" if digest is None else "frozen")
                if digest is not None:
                    hashes[digest] = None
            store.add(lambda *_: [submission(at, one) for at, one in enumerate(hashes, 1)])
            export(store, home / "ladder.zip", bots=True)
        assert take_in(where_of(str(home / "there")), home / "ladder.zip").bots == len(hashes)
        assert all(is_whole(home / "there", digest) for digest in hashes)
