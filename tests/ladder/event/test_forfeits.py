"""Who plays no more inside a round: the rule, whatever the order in which matches end."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.benching import Misconduct
from ladder.event.forfeits import Forfeits
from ladder.event.log_lines import MatchLine, ScheduleKey
from ladder.event.schedule import Part, parts
from ladder.results import Pairing, Round
from referee.match.outcome import MatchOutcome, nothing_played
from support.sections import block

LEAST = 4
BLOCKS = 2
"""Of a match."""

Faulty = Mapping[ScheduleKey, Sequence[int]]
"""By match, in how many of its blocks each place has a fault."""


def schedule_of(bots: int, blocks: int) -> list[Part]:
    """A round of everybody against everybody."""
    tables = tuple(Pairing((one, other)) for one in range(bots) for other in range(one))
    return parts(0, 0, Round(tables, 0, blocks), BLOCKS)


def outcome(part: Part, faulty: Faulty) -> MatchOutcome:
    blocks = [
        block(part.first + at, (0, 0), faults=[at < one for one in faulty[part.place]])
        for at in range(part.blocks)
    ]
    return replace(nothing_played(2, ""), blocks=tuple(blocks))


def in_order(schedule: Sequence[Part], faulty: Faulty) -> dict[ScheduleKey, MatchLine]:
    """The round as one player plays it, one match after the other."""
    forfeits, lines = Forfeits(schedule, [Misconduct()] * 5, LEAST), {}
    for part in schedule:
        out = forfeits.of(part)
        assert out is not None
        lines[part.place] = MatchLine(part.place, outcome(part, faulty), out)
        forfeits.add(lines[part.place])
    return lines


rounds = st.tuples(st.integers(2, 5), st.integers(1, 12)).map(lambda of: schedule_of(*of))


@given(st.data(), rounds, st.integers(1, 6))
def test_the_order_in_which_matches_end_changes_nothing(
    data: st.DataObject, schedule: list[Part], players: int
) -> None:
    """Several under way, each ending when it likes: all is as if they were played in turn."""
    figures = st.lists(st.integers(0, BLOCKS), min_size=2, max_size=2)
    faulty = {part.place: data.draw(figures) for part in schedule}
    forfeits = Forfeits(schedule, [Misconduct()] * 5, LEAST)
    waiting, playing, lines = list(schedule), list[MatchLine](), dict[ScheduleKey, MatchLine]()
    while waiting or playing:
        for part in list(waiting):
            out = forfeits.of(part) if len(playing) < players else None
            if out is not None:
                waiting.remove(part)
                playing.append(MatchLine(part.place, outcome(part, faulty), out))
        ended = playing.pop(data.draw(st.integers(0, len(playing) - 1)))
        lines[ended.match] = ended
        forfeits.add(ended)

    assert lines == in_order(schedule, faulty)


def test_who_faults_in_most_of_its_blocks_forfeits_what_follows() -> None:
    """Bot 1 has four faulty blocks in its first two matches; nothing else is forfeited."""
    schedule = schedule_of(3, 6)
    faulty = {part.place: [BLOCKS * (bot == 1) for bot in part.bots] for part in schedule}
    lines = in_order(schedule, faulty)
    own = [lines[part.place] for part in schedule if 1 in part.bots]

    assert [[one.bot for one in line.forfeits] for line in own] == [[], [], [1], [1], [1], [1]]
    assert {one.reason for line in own for one in line.forfeits} == {"faults in 4 of 4 blocks"}
    assert not any(lines[part.place].forfeits for part in schedule if 1 not in part.bots)


def test_a_match_of_bots_that_play_well_waits_for_none() -> None:
    """Once as many blocks were played as are under way, matches wait for none."""
    schedule = schedule_of(2, 12)
    forfeits = Forfeits(schedule, [Misconduct()] * 2, LEAST)
    clean = {part.place: [0, 0] for part in schedule}
    first, second, third, *_ = schedule

    assert forfeits.of(second) == ()
    assert forfeits.of(third) is None
    forfeits.add(MatchLine(first.place, outcome(first, clean)))
    assert forfeits.of(third) == ()


def test_earlier_rounds_count_and_0_benches_no_bot() -> None:
    """Two faulty blocks of an earlier round, and two of this; with bench = 0 all play on."""
    (first, second) = schedule_of(2, 4)
    faulty = {part.place: [2, 0] for part in (first, second)}
    for least, before, benched in ((LEAST, 2, [1]), (LEAST, 0, []), (0, 9, [])):
        counts = [Misconduct(), Misconduct(before, before)]
        forfeits = Forfeits([first, second], counts, least)
        forfeits.add(MatchLine(first.place, outcome(first, faulty)))
        out = forfeits.of(second)
        assert out is not None
        assert [one.bot for one in out] == benched
        assert forfeits.counts()[1] == Misconduct(before + 2, before + 2, 4)
