"""A bot's rating over time: its scale, what is left of it, and how it is drawn."""

import io
import json
import math
import re
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from ladder.show.history_json import history_json
from ladder.show.history_plot import history_plots
from ladder.show.history_terminal import LEGEND, print_history
from ladder.show.html_templates import macro
from ladder.show.page import page
from ladder.standings.heading import Heading
from ladder.standings.history import History, Step, history, on_scale
from ladder.standings.pool import pool_standings
from support.json_objects import object_of
from support.simulations import dice
from support.synthetic import blobs, entrants, pool

DAY = 86_400_000
SEP_1 = 1_788_220_800_000
"""2026-09-01, 00:00 UTC."""


def steps(count: int, *, every: int = 3_600_000, versions: int = 1) -> list[Step]:
    """A bot that wanders upwards, and begins anew with each version."""
    roll, found = dice("steps"), []
    for at in range(count):
        version = at * versions // count + 1
        since = at - (version - 1) * count // versions
        mu = 25 + 4 * (1 - math.exp(-since / 30)) + float(roll.normal(0, 0.3))
        sigma = 25 / 3 / math.sqrt(1 + since)
        found.append(Step(at + 1, SEP_1 + every * at, version, mu, sigma))
    return found


def told(found: History, width: int) -> str:
    to = Console(file=io.StringIO(), width=width)
    print_history(to, found)
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@pytest.fixture(scope="module")
def long() -> History:
    return history("briscola-2", "greedy", steps(5000, versions=3))


def test_ratings_are_on_the_scale_of_elo() -> None:
    """A difference of mu is so much Elo as openskill's model gives it chances to win."""
    one, other = on_scale(25 + 3, 0.5), on_scale(25 - 1, 0)
    chance = 1 / (1 + math.exp(-4 / (math.sqrt(2) * 25 / 6)))

    assert one.value - other.value == pytest.approx(-400 * math.log10(1 / chance - 1), abs=0.2)
    assert one.low is not None
    assert one.high is not None
    assert one.high - one.value == pytest.approx(one.value - one.low, abs=0.11)
    assert one.high - one.value == pytest.approx(on_scale(26, 0).value, abs=0.11)
    assert (on_scale(25, 0).value, other.low, other.high) == (0, other.value, other.value)
    assert on_scale(35, 1, 3).value == pytest.approx(
        on_scale(35, 1).value * (2 / 3) ** 0.5, abs=0.1
    )


def test_a_long_history_is_thinned(long: History) -> None:
    """There are 200 points: the first, the last, the first of each version, and some between."""
    numbers = [point.match for point in long.points]

    assert len(numbers) <= 200
    assert numbers == sorted(set(numbers))
    assert (numbers[0], numbers[-1], long.matches) == (1, 5000, 5000)
    assert [point.version for point in long.versions] == [1, 2, 3]
    assert set(long.versions) <= set(long.points)
    assert max(after - before for before, after in pairwise(numbers)) <= 27


@given(st.integers(0, 900), st.integers(1, 40), st.integers(2, 300))
def test_thinning_keeps_what_it_must(count: int, versions: int, most: int) -> None:
    """Few enough points, unless there are more versions; all extremes are of all matches."""
    given = steps(count, versions=versions)
    found = history("x", "y", given, most=most)
    values = [on_scale(step.mu, 0).value for step in given]

    assert len(found.points) <= max(most, len(found.versions) + 1)
    assert len(found.versions) == len({step.version for step in given})
    assert found.points[:1] == found.versions[:1]
    assert [point.match for point in found.points[-1:]] == [step.match for step in given[-1:]]
    assert (found.low, found.high) == (min(values, default=None), max(values, default=None))


@pytest.mark.parametrize("width", [40, 60, 80, 400])
def test_a_chart_fits_the_terminal(long: History, width: int) -> None:
    """Its lines are as wide as it is, and not wider than a hundred columns in a pipe."""
    text = told(long, width)
    chart = text.split("\n\n")[1].splitlines()

    assert max(map(cell_len, chart)) <= min(width, 100)
    assert len(chart) == 12 + 3
    assert "░" in text
    assert "●" in text
    assert chart[-1].split() == ["2026-09-01", "2027-03-28"]
    assert chart[-2].split() == ["v1", "v2", "v3"]
    assert [line.split()[0] for line in chart if "┤" in line][-1].lstrip("+-").isdigit()
    assert "5,000 matches" in text
    assert "\x1b" not in text


def test_a_chart_says_how_it_stands(long: History) -> None:
    """The rating now with two sigma, the extremes, the versions, and what the signs are."""
    lines = told(long, 200).splitlines()

    assert lines[0] == "greedy  briscola-2"
    assert any(re.fullmatch(r"now \+\d+ ±\d+; lowest -?\d+, highest \+\d+", one) for one in lines)
    assert "3 versions: v1 2026-09-01 to v3 2027-01-17" in lines
    assert lines[-1] == LEGEND


def test_a_chart_goes_up_where_the_rating_does() -> None:
    """The line is in the top line at the end, and in the lowest one with a label at the start."""
    rising = [Step(at, SEP_1 + at, 1, 25 + at, 0.01) for at in range(50)]
    chart = told(history("x", "y", rising), 60).split("\n\n")[1].splitlines()
    body = [line.partition("│")[2] or line.partition("┤")[2] for line in chart[:12]]

    assert body[0].rstrip()[-1] == "●"
    assert body[-1][0] == "●"
    assert [line.index("●") for line in body] == sorted(line.index("●") for line in body)[::-1]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_short_histories_can_be_shown(count: int) -> None:
    """A bot that has played nothing, or once, or twice at the same moment."""
    found = history("x", "y", steps(count, every=0))
    text, plot = told(found, 60), macro("plots.html", "histories", history_plots([found]))

    assert ("no matches yet" in text) == (count == 0)
    assert ("svg" in plot) == (count > 0)
    assert object_of(history_json(found))["matches"] == count
    if count == 1:
        assert "1 match\n" in text
        assert "2026-09-01 00:00" in text


def test_a_clock_that_went_back_harms_nothing() -> None:
    """The points stay in their order and inside the chart."""
    back = [
        Step(1, SEP_1, 1, 25, 8),
        Step(2, SEP_1 - DAY, 1, 26, 7),
        Step(3, SEP_1 + DAY, 1, 27, 6),
    ]
    plot = macro("plots.html", "histories", history_plots([history("x", "y", back)]))

    assert told(history("x", "y", back), 60)
    assert min(map(float, re.findall(r"[ \"](-?[\d.]+),", plot))) >= 0


def test_a_page_has_the_best_bots_over_time(long: History) -> None:
    """A picture each under their pool, all inside their boxes; none where there is nothing."""
    found = pool_standings(pool(2), entrants(3), blobs(3, 30, 2, 1).results())
    heading = Heading(kind="ladder", name="L")
    evil = history("x", "<script>", steps(3))
    text = page(heading, [found, found], [[long, evil], []])

    assert text.count("Rating over time") == 1
    assert text.count("<polyline") == 3 + 1
    assert "<script>" not in text
    assert "5,000 matches, 3 versions" in text
    lines = re.findall(r'points="([^"]+)"', text)
    assert len(lines) >= 4
    for points in lines:
        places = [tuple(map(float, point.split(","))) for point in points.split()]
        assert all(0 <= x <= 1000 and 0 <= y <= 150 for x, y in places)
    assert page(heading, [found]) == page(heading, [found], [[]])


def test_json_has_the_points(long: History) -> None:
    """With their moments, and all numbers as they are drawn."""
    found = json.loads(msgspec.json.encode(history_json(long)))

    assert (found["bot"], found["pool"], found["matches"]) == ("greedy", "briscola-2", 5000)
    assert [one["version"] for one in found["versions"]] == [1, 2, 3]
    assert found["points"][0]["at_ms"] == SEP_1
    assert all(one["low"] < one["rating"] < one["high"] for one in found["points"])
    assert found["lowest"] <= min(one["rating"] for one in found["points"])


def test_a_version_that_plays_again_is_counted_once() -> None:
    """A match of an old version may end when the next one has begun."""
    first, second, late = steps(3)
    played = [first, msgspec.structs.replace(second, version=2), late]
    found = history("briscola-2", "greedy", played)
    assert [point.version for point in found.versions] == [1, 2, 1]
    (plot,) = history_plots([found])
    assert plot.told.endswith("after 3 matches, 2 versions")
