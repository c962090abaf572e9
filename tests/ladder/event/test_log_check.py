"""A log that somebody has written anew, chain and all, must still fit its own plan."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ladder.event import conductor
from ladder.event.conductor import Way, check_against_plan, play_event
from ladder.event.log import LOG, Contents, EventLog
from ladder.event.log_lines import (
    EventEnd,
    EventHeader,
    EventRound,
    Forfeit,
    Line,
    MatchLine,
    decode,
)
from referee.errors import RefereeError
from support.events import KEY, Silent, ToyPool, event_of, event_text
from support.pools import brought

Change = Callable[[Any], Line | None]  # of the kind of line that the case names


async def finished(folder: Path) -> list[Line]:
    """The lines of an event that is over."""
    event = event_of(folder, event_text(4, ["briscola-2", "sueca"], top="blocks = 3"))
    with EventLog(folder) as log:
        log.begin(event.plan)
        await play_event(event.plan, Way(event.bots, KEY, None), log, ToyPool(), Silent())
    return [decode(line) for line in (folder / LOG).read_bytes().splitlines()]


@contextmanager
def rewritten(folder: Path, lines: list[Line]) -> Iterator[Path]:
    """A log with these lines, whose hashes fit."""
    with EventLog(folder) as log:
        for line in lines:
            log.write(line)
    yield folder / LOG


def block(**changes: Any) -> Change:  # of fields of any type
    def changed(line: MatchLine) -> MatchLine:
        first, *others = line.outcome.blocks
        return brought(line, blocks=(replace(first, **changes), *others))

    return changed


def section(**changes: Any) -> Change:  # of fields of any type
    def changed(line: EventHeader) -> EventHeader:
        first, *others = line.plan.sections
        plan = replace(line.plan, sections=(replace(first, **changes), *others))
        return replace(line, plan=plan, digest=plan.digest())

    return changed


def forfeited(line: MatchLine) -> MatchLine:
    return replace(line, forfeits=(Forfeit(0, "faults in 10 of 10 blocks"),))


FORGED: list[tuple[type[Line], Change, str]] = [
    (EventHeader, lambda line: replace(line, digest="0" * 64), "the digest of the plan is another"),
    (MatchLine, forfeited, "who forfeits it"),
    (EventHeader, section(seats=10**12), "do not share out the seats"),
    (EventHeader, section(partners=((0,), (1, 2)), seats=3), "sides of different sizes"),
    (EventHeader, section(places=1), "tables of another size"),
    (EventHeader, section(seats=1, partners=((0,),), places=1), "tables of another size"),
    (EventRound, lambda line: replace(line, tables=line.tables * 170_000), "1,000,000 matches"),
    (EventRound, lambda line: replace(line, round=(9, 0)), "there is no such section"),
    (EventRound, lambda line: replace(line, round=(0, 5)), "a round is missing"),
    (EventRound, lambda line: replace(line, tables=((0, 9),)), "who sits at a table"),
    (EventRound, lambda line: replace(line, tables=((0, -2),)), "who sits at a table"),
    (EventRound, lambda line: replace(line, tables=((1, 1),)), "who sits at a table"),
    (EventRound, lambda line: replace(line, tables=((),)), "who sits at a table"),
    (EventRound, lambda line: replace(line, blocks=10**12), "its blocks"),
    (EventRound, lambda line: replace(line, blocks=4), "its blocks"),
    (MatchLine, lambda line: replace(line, match=(0, 0, 99, 0)), "is of no round"),
    (MatchLine, lambda line: brought(line, used_us=(1,)), "used_us"),
    (MatchLine, lambda line: brought(line, voids=(0, -1)), "voids"),
    (MatchLine, lambda line: brought(line, acts=-1), "acts or time"),
    (MatchLine, block(values=(1, 2, 3)), "block 0"),
    (MatchLine, block(values=(2**63, 0)), "block 0"),
    (MatchLine, block(deals=0), "block 0"),
    (MatchLine, block(faults=(-1, 0)), "block 0"),
    (MatchLine, block(block=2**62), "which blocks"),
    (EventEnd, lambda line: replace(line, key="another"), "the key is not the one"),
    (EventEnd, lambda line: replace(line, end="0" * 64), "its last line is of other matches"),
]


@pytest.mark.parametrize(("kind", "change", "words"), FORGED, ids=map(str, range(len(FORGED))))
async def test_what_does_not_fit_is_named(
    kind: type[Line], change: Change, words: str, tmp_path: Path
) -> None:
    """In one line, and nothing else is raised."""
    (tmp_path / "true").mkdir()
    lines = await finished(tmp_path / "true")
    at = next(at for at, line in enumerate(lines) if isinstance(line, kind))
    changed = change(lines[at])
    assert changed is not None
    lines[at] = changed
    with rewritten(tmp_path / "forged", lines) as path, pytest.raises(RefereeError, match=words):
        check_against_plan(Contents(path), path)


async def test_an_event_of_more_matches_than_fit_is_ended_before_they_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a line, while its log is still one that can be read."""
    monkeypatch.setattr(conductor, "MOST_MATCHES", 5)
    with pytest.raises(RefereeError, match=r"6 matches, and 5 are allowed"):
        await finished(tmp_path)


async def test_what_is_true_fits(tmp_path: Path) -> None:
    """Finished or not."""
    lines = await finished(tmp_path)
    for end in (len(lines), len(lines) - 1, len(lines) // 2, 1):
        with rewritten(tmp_path / str(end), lines[:end]) as path:
            check_against_plan(Contents(path), path)


@pytest.mark.parametrize(("kind", "words"), [(EventEnd, "nothing belongs"), (MatchLine, "second")])
async def test_nothing_stands_there_twice(kind: type[Line], words: str, tmp_path: Path) -> None:
    """Neither a match, nor anything behind the end."""
    lines = await finished(tmp_path)
    at = next(at for at, line in enumerate(lines) if isinstance(line, kind))
    with (
        rewritten(tmp_path / "forged", [*lines[: at + 1], lines[at]]) as path,
        pytest.raises(RefereeError, match=words),
    ):
        Contents(path)


async def test_sections_never_meet_each_others_decks(tmp_path: Path) -> None:
    """The same game twice is twice as much to learn from."""
    event = event_of(tmp_path, event_text(3, ["briscola-2", 'briscola-2\nname = "again"']))
    pool = ToyPool()
    with EventLog(tmp_path) as log:
        log.begin(event.plan)
        await play_event(event.plan, Way(event.bots, KEY, None), log, pool, Silent())
    half = len(pool.jobs) // 2
    blocks = [{at for one in jobs for at in range(one.first, one.first + one.blocks)}
              for jobs in (pool.jobs[:half], pool.jobs[half:])]  # fmt: skip

    assert len(pool.jobs) == 2 * 3 * 20 // event.plan.match_blocks
    assert [len(found) for found in blocks] == [20, 20]
    assert blocks[0].isdisjoint(blocks[1])
