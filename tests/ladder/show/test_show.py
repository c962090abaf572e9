"""Standings for people and programs: a terminal, JSON, CSV and one page of HTML."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from ladder.event.publish import write_results
from ladder.show.as_csv import COLUMNS, as_csv
from ladder.show.as_json import as_json
from ladder.show.html_templates import macro
from ladder.show.interval_plot import Mark, interval_plot
from ladder.show.page import page
from ladder.show.terminal import print_standings
from ladder.standings.heading import Heading
from ladder.standings.section import Benched, Section, standings
from ladder.standings.table import Standings
from ladder.stats.estimates import MOST_CROSSED, Estimate
from referee.errors import HostError
from referee.match.verdict import FaultCode
from referee.terminal.console import console
from support.json_objects import object_of
from support.sections import block, fault, played, round_robin, table, tables_of

HEADING = Heading(
    name="Sample cup",
    key="not a secret any more",
    commitment="c" * 64,
    digest="d" * 64,
    version="0.1.0",
    files=(("log", "cup/log.jsonl"),),
)
EVIL = ('<script>alert("1")</script>', "=1+1", "\x1b[2Jcls", "a & 'b' \N{RIGHT-TO-LEFT OVERRIDE}c")
_VOID = {"meta"}


def evil() -> Standings:
    """A section in which names, options and all that is told want to be more than text."""
    faults = [fault(0, FaultCode.MALFORMED, "<b>\x07"), fault(1)]
    first = table((0, 1), [block(0, (-9, 9), faults=(2, 1))], faults=faults)
    second = table((2, 3), [block(0, (5, -5))], given_up='host: "&<i>')
    return standings(
        Section(
            game="briscola-2",
            title="<h1>",
            options="o=<br>",
            format="<f>",
            names=EVIL,
            rounds=(played([first, second], blocks=2, label="<r>"),),
            benched=(Benched(0, "<why>"),),
            finished=False,
        )
    )


def printed(section: Standings, width: int, *, colour: bool = False) -> str:
    to = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
    )
    print_standings(to, HEADING, [section])
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@pytest.fixture(scope="module")
def eight() -> Standings:
    return standings(replace(round_robin(8), benched=(Benched(7, "faults in 12 of 20 blocks"),)))


class Reader(HTMLParser):
    """Reads a page: every tag is closed in its turn, and nothing comes from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        assert not {"src", "srcset", "data", "action", "onclick"} & found.keys()
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.links += [value for key, value in attrs if key.endswith("href") and value]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_a_page_is_whole_and_needs_nothing_else(eight: Standings) -> None:
    """It parses, has tables and plots, links only within itself, and no script."""
    text = page(HEADING, [eight, standings(tables_of(3, 6, tables=8, blocks=3))])
    reader = read(text)

    assert text.startswith("<!doctype html>\n")
    assert {"table", "svg", "figcaption", "style", "footer", "nav"} <= reader.tags
    assert not {"script", "link", "img", "iframe", "object"} & reader.tags
    assert {link.removeprefix("#") for link in reader.links} == set(reader.ids)
    assert not re.search(r"https?:|//|@import|url\(", text)
    for part in (HEADING.name, HEADING.key, HEADING.commitment, HEADING.digest, "counting-c"):
        assert part in reader.text


def test_a_page_shows_strange_names_as_text() -> None:
    """Nothing that somebody chose makes a tag, and nothing in it turns text round."""
    name = '"><svg onload=1>'
    text = page(replace(HEADING, name=name), [evil()])
    reader = read(text)

    assert not {"script", "b", "i", "br", "f", "r", "why"} & reader.tags
    assert EVIL[0] in reader.text
    assert name in reader.text
    assert not {"\x1b", "\x07", "\N{RIGHT-TO-LEFT OVERRIDE}"} & set(text)


def test_names_in_a_plot_stay_as_they_are() -> None:
    """Only numbers have a minus as printers have it."""
    below = Estimate(value=-2.5, low=-3.0, high=-2.0)
    plot = interval_plot("Rating", "told", [Mark("first-c", below)], digits=1)
    text = read(macro("plots.html", "estimates", plot)).text

    assert "first-c: \N{MINUS SIGN}2.5 (\N{MINUS SIGN}3.0 to \N{MINUS SIGN}2.0)" in text


def test_two_broken_bots_leave_the_others_room_in_a_plot() -> None:
    """They are drawn at the end of the axis, with an arrow; their numbers stand beside it."""
    good = [Mark(f"good{at}", Estimate(float(at), at - 1.0, at + 1.0)) for at in range(-4, 5)]
    broken = [Mark(f"broken{at}", Estimate(-120.0, -120.0, -119.0)) for at in range(2)]
    plot = interval_plot("Deal value", "told", good + broken, digits=1)
    places = [float(row.main.value.rstrip("%")) for row in plot.rows if row.main is not None]
    arrows = [row.main.beyond for row in plot.rows if row.main is not None]

    assert max(places[:9]) - min(places[:9]) > 50
    assert arrows == [""] * 9 + ["left"] * 2
    assert places[9:] == [2.0, 2.0]
    assert plot.rows[-1].whole.startswith("-120.0")
    assert "◂" in macro("plots.html", "estimates", plot)
    few = interval_plot("Deal value", "told", [*good[:2], *broken], digits=1)
    assert all(row.main is not None and not row.main.beyond for row in few.rows)


def test_the_same_standings_give_the_same_bytes() -> None:
    """Page, CSV and JSON are functions of the standings."""
    one, two = (standings(round_robin(5, blocks=8)) for _ in range(2))

    assert page(HEADING, [one]) == page(HEADING, [two])
    assert as_csv(HEADING, [one]) == as_csv(HEADING, [two])
    assert msgspec.json.encode(as_json(HEADING, [one])) == msgspec.json.encode(
        object_of(as_json(HEADING, [two]))
    )


def test_marks_of_a_plot_stay_inside_it(eight: Standings) -> None:
    """All positions are percentages of its width between 0 and 100."""
    found = [float(one) for one in re.findall(r'x[12]?="([-\d.]+)%"', page(HEADING, [eight]))]

    assert len(found) > 8 * 2 * 4
    assert 0 <= min(found) <= max(found) <= 100


def test_a_page_of_a_large_field_leaves_out_the_squares() -> None:
    """Sixty-five bots have a table, but no cross-table, and the plots show the first ones."""
    few = table((0, 1), [block(0, (3, -3))])
    names = tuple(f"bot-{at}" for at in range(65))
    found = standings(Section(game="x", names=names, rounds=(played([few], blocks=1),)))

    assert "Bot against bot" not in page(HEADING, [found])
    assert "bot-64" in page(HEADING, [found])


def test_json_keeps_what_depends_on_time_apart() -> None:
    """Without its times, the object of a slow run is that of a fast one, byte by byte."""
    fast, slow = (standings(round_robin(4, blocks=6, slow=slow)) for slow in (1, 9))
    objects = [json.loads(msgspec.json.encode(as_json(HEADING, [one]))) for one in (fast, slow)]

    assert objects[0]["times"] != objects[1]["times"]
    for one in objects:
        del one["times"]
    assert json.dumps(objects[0]) == json.dumps(objects[1])
    assert objects[0] == json.loads(msgspec.json.encode(as_json(HEADING, [fast], times=False)))


def test_json_has_a_bot_and_its_cells(eight: Standings) -> None:
    """Rows, cells and probabilities are in the order of the places."""
    found = json.loads(msgspec.json.encode(as_json(HEADING, [eight])))
    section = found["sections"][0]
    best = section["bots"][0]

    assert (found["event"], found["key"], found["finished"]) == (HEADING.name, HEADING.key, True)
    assert (best["bot"], best["place"], best["blocks"]) == ("greedy", 1, 280)
    assert best["mean"]["low"] < best["mean"]["value"] < best["mean"]["high"]
    assert section["cross_table"]["cells"][0][0] is None
    assert section["cross_table"]["cells"][0][1]["won"] > 0
    assert section["luck"]["helps"]
    assert found["times"][0]["bots"][0]["used_us"] > 0


def test_csv_is_a_row_a_bot_with_plain_numbers(eight: Standings) -> None:
    """Under the headings, with CRLF, and empty where nothing is known."""
    text = as_csv(HEADING, [eight, evil()])
    head, *rows = csv.reader(io.StringIO(text, newline=""))

    assert tuple(head) == COLUMNS
    assert len(rows) == 8 + 4
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert text.count("\r\n") == len(rows) + 1
    worst = dict(zip(head, rows[7], strict=True))
    assert float(worst["mean"]) < 0
    assert worst["benched"] == "faults in 12 of 20 blocks"
    assert {dict(zip(head, row, strict=True))["luck"] for row in rows[8:]} == {""}


def test_csv_begins_no_formula() -> None:
    """What a spreadsheet would calculate has an apostrophe before it; numbers have not."""
    rows = list(csv.DictReader(io.StringIO(as_csv(HEADING, [evil()]), newline="")))
    names = {row["bot"] for row in rows}

    assert "'=1+1" in names
    assert r"\x1b[2Jcls" in names
    for row in rows:
        for key, value in row.items():
            if value[:1] in {"=", "+", "-", "@"}:
                assert key.split("_")[0] in {"mean", "rating"}
                float(value)


def test_a_terminal_of_80_columns_is_wide_enough(eight: Standings) -> None:
    """Eight bots have all columns and the blocks under the differences, and no line is broken."""
    text = printed(eight, 80)
    lines = text.splitlines()
    told = ("log: ", "game digest: ", "key: ")

    assert max(cell_len(line) for line in lines if not line.startswith(told)) <= 80
    assert "place  bot         points  blocks  deal value  luck    adjusted" in text
    assert "won-level-lost" in text
    assert "benched: sleepy: faults in 12 of 20 blocks" in lines
    assert any(line.startswith("luck-adjusted: variance x0.") for line in lines)


@pytest.mark.parametrize("width", [50, 60])
def test_a_narrow_terminal_leaves_out_columns_and_cuts_names(eight: Standings, width: int) -> None:
    """Luck goes first; tables stay whole."""
    text = printed(eight, width)
    table_lines = text.split("\n\n")[1].splitlines()

    assert [line.startswith("places: ") for line in table_lines].index(True) == 9
    assert max(map(cell_len, table_lines)) <= width
    assert "luck " not in table_lines[0]
    assert "won-level-lost" not in text


def test_colours_are_for_terminals_only(eight: Standings) -> None:
    """In a pipe there is plain text."""
    assert "\x1b[" in printed(eight, 80, colour=True)
    assert "\x1b" not in printed(eight, 80)


def test_a_terminal_shows_strange_names_as_text() -> None:
    """Nothing that somebody chose acts upon it, and rich reads no markup in it."""
    text = printed(evil(), 200)

    assert not {"\x1b", "\x07", "\N{RIGHT-TO-LEFT OVERRIDE}"} & set(text)
    for part in (EVIL[0], r"\x1b[2Jcls", "<b>\\x07", 'host: "&<i>', "<why>", "not finished"):
        assert part in text
    assert "fault: =1+1, <r>: late: no answer" in text
    assert "... and 1 fault more" in text


def test_a_pipe_gets_whole_names(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal, nothing is cut."""
    long = "a-name-of-sixty-four-characters-that-somebody-found-a-good-idea-x"
    found = standings(replace(round_robin(2, blocks=3), names=(long, "b")))
    print_standings(console(), HEADING, [found])

    assert capsys.readouterr().out.count(long) == 4


def test_more_than_a_dozen_bots_have_no_cross_table_on_a_terminal() -> None:
    """It says so; JSON and the page have it."""
    found = standings(round_robin(13, blocks=1))
    text = printed(found, 80)

    assert "cross-table: left out" in text
    assert "Bot against bot" in page(HEADING, [found])


def cup(match_points: tuple[int, ...] = ()) -> Standings:
    """A knockout, or a Swiss, of five bots in which one rests and one pair meets again."""
    first = [table((0, 3), [block(0, (9, -9)), block(1, (-4, 4)), block(2, (1, -1))])]
    first.append(table((1, 2), [block(0, (5, -5)), block(1, (-5, 5)), block(2, (0, 0))]))
    again = [table((1, 2), [block(at, (2, -2)) for at in (3, 4, 5)])]
    final = [table((0, 1), [block(6, (8, -8))], given_up="host: gone")]
    rounds = [
        played(one, blocks=3, label=at)
        for one, at in zip((first, again, final), "abc", strict=True)
    ]
    rounds = [replace(one, round=replace(one.round, byes=(4,))) for one in rounds]
    names = ("greedy", "random", "first", "last", "sleepy")
    order = ((0,), (1,), (2, 3), (4,))
    return standings(
        Section(
            game="briscola-2",
            names=names,
            rounds=tuple(rounds),
            order=order,
            match_points=match_points,
        )
    )


ROUNDS = [
    "a: greedy 2-1 last (+1.0)",
    "a: random 1-1 first, 1 level (0.0)",
    "a: bye: sleepy",
    "b: random 3-0 first (+1.0)",
    "c: greedy 1-0 random (+4.0), 1 of 3 blocks (given up)",
    "c: bye: sleepy",
]


def test_a_knockout_tells_its_rounds() -> None:
    """Who met whom stands under the table with the champion, on the page, and in JSON."""
    found = cup()
    lines = printed(found, 80).splitlines()
    text = read(page(HEADING, [found])).text
    (section,) = json.loads(msgspec.json.encode(as_json(HEADING, [found])))["sections"]

    at = lines.index("champion: greedy")
    assert lines[at + 1 : at + 1 + len(ROUNDS)] == ROUNDS
    assert "places are those of the format" in lines
    assert all(line in text for line in (*ROUNDS, "Places are those of the format."))
    assert section["places_by"] == "format"
    assert [(one["label"], one["byes"]) for one in section["rounds"]] == [
        (label, ["sleepy"]) for label in "abc"
    ]
    assert section["rounds"][0]["tables"][1]["bots"][0] == {
        "bot": "random",
        "side": 0,
        "won": 1,
        "level": 1,
        "lost": 1,
        "mean": 0.0,
    }


def test_a_swiss_shows_what_it_is_sorted_by() -> None:
    """Match points have a column everywhere, and a line that says what they are."""
    found = cup((6, 4, 2, 2, 0))
    text = printed(found, 80)
    rows = list(csv.DictReader(io.StringIO(as_csv(HEADING, [found]), newline="")))
    (section,) = object_of(as_json(HEADING, [found]))["sections"]

    assert "match points" in text.splitlines()[3]
    assert "champion" not in text
    assert "by match points (2 for an opponent beaten over a round" in " ".join(text.split())
    assert "match points" in read(page(HEADING, [found])).text
    assert [row["match_points"] for row in rows] == ["6", "4", "2", "2", "0"]
    assert [row["match_points"] for row in section["bots"]] == [6, 4, 2, 2, 0]


def test_partners_stand_together_in_a_round() -> None:
    """At tables of many the best side comes first, each bot with its mean."""
    four = table((0, 1, 2, 3), [block(0, (-10, 10, -10, 10))])
    found = standings(
        Section(
            game="briscola-4",
            names=tuple("abcd"),
            sides=((0, 2), (1, 3)),
            rounds=(played([four], blocks=1),),
            order=((1, 3), (0, 2)),
        )
    )

    assert "round 1: b +5.0 & d +5.0, a -5.0 & c -5.0" in printed(found, 80).splitlines()


def test_many_rounds_are_cut_on_a_terminal_only() -> None:
    """The last ones are what decided; a round-robin has none there, but in JSON."""
    many = round_robin(10, blocks=1)
    found = standings(replace(many, order=tuple((bot,) for bot in range(10))))
    text = printed(found, 80)

    assert "... 13 lines about earlier rounds: left out of a terminal" in text
    assert text.count("round 1: ") == 32
    assert read(page(HEADING, [found])).text.count("round 1: ") == 45
    assert "round 1: " not in printed(standings(many), 80)
    (section,) = object_of(as_json(HEADING, [standings(many)]))["sections"]
    assert len(section["rounds"][0]["tables"]) == 45


def test_faults_are_told_shortly_and_do_not_contradict_each_other() -> None:
    """Alike ones in one line, ten lines at most, and what became of a bot that was given up."""
    found = [fault(0, FaultCode.CRASHED)] * 6 + [fault(1, detail=f"{at}") for at in range(12)]
    blocks = [block(0, (-9, 9), faults=(6, 12)), block(1, (-9, 9)), block(2, (9, -9))]
    blocks[1] = replace(blocks[1], unplayed=(2, 0))
    shown = standings(
        Section(
            game="x",
            names=("a", "b"),
            rounds=(played([table((0, 1), blocks, faults=found)], blocks=3),),
        )
    )
    lines = printed(shown, 80).splitlines()
    text = read(page(HEADING, [shown])).text

    given_up = "a: 6 faults, then given up: 2 deals charged unplayed, 2 of 3 blocks faulty"
    assert given_up in lines
    assert "fault: a, round 1: crashed: no answer x6" in lines
    assert sum(line.startswith("fault: ") for line in lines) == 10
    assert "... and 3 faults more" in lines
    assert "not played" not in "".join(lines)
    assert given_up in text


def test_numbers_and_rules_are_explained() -> None:
    """What they are stands under them, and what the places rest on: units, and the risk."""
    parted = table((0, 1, 2), [block(at, (6, 0, -6), deals=6) for at in range(4)], parts=(3, 1))
    found = standings(Section(game="x", names=tuple("abc"), rounds=(played([parted], blocks=4),)))
    said, text = printed(found, 300), read(page(HEADING, [found])).text
    rule = (
        "laces: that any two bots told apart anywhere here are told apart wrongly has a risk of "
        "5 %; counted as independent: 2 matches (processes of their own)"
    )

    assert "±: 95 % interval; points: a block won 1, level 1/2; rating: Elo-like, mean 0" in said
    assert "deal value: against the opponents that a bot had" in said
    assert "points are the share of opponents that a bot is ahead of" in said
    assert f"p{rule}" in said
    assert f"P{rule}." in text
    assert "Rating: Elo-like" in text


def test_a_page_says_what_one_observation_is(eight: Standings) -> None:
    """A match, with the processes that played it; not a block."""
    text = read(page(HEADING, [eight])).text

    assert "counted as independent is a match: blocks that the same processes played" in text
    assert "the one observation" not in text
    assert "bootstrap" not in text


def test_the_format_or_nothing_has_no_risk() -> None:
    """Where places are those of a knockout, or there are none yet, no bots are told apart."""
    empty = standings(Section(game="x", names=("a", "b"), rounds=(), finished=False))

    for found in (cup(), empty):
        assert "told apart anywhere" not in printed(found, 300)
        assert "told apart anywhere" not in read(page(HEADING, [found])).text


def test_a_block_with_a_fault_at_a_table_of_three_is_in_every_row_and_cell() -> None:
    """No line says that it would count for the bot at fault alone."""
    clean = block(0, (6, 0, -6), deals=6)
    faulty = block(1, (-720, 300, 0), deals=6, faults=(1, 0, 0))
    found = standings(
        Section(
            game="x",
            names=("a", "b", "c"),
            rounds=(played([table((0, 1, 2), [clean, faulty])], blocks=2),),
        )
    )
    said = printed(found, 200)

    assert "at fault only" not in said
    assert "at fault only" not in page(HEADING, [found])
    assert "mean difference of the deal values of the row's bot and the column's" in said
    (section,) = object_of(as_json(HEADING, [found]))["sections"]
    assert {bot["blocks"] for bot in section["bots"]} == {2}
    assert "blocks_for_bots_at_fault_only" not in section


def unlinked(most: int) -> Standings:
    """Groups of so many bots, and of two, without a common table; one bot has not played."""
    pairs = [(at, at + 1) for at in range(most - 1)] + [(most, most + 1)]
    tables = [table(pair, [block(at, (9, -9)) for at in range(20)]) for pair in pairs]
    names = tuple(f"bot-{at}" for at in range(most + 3))
    return standings(Section(game="x", names=names, rounds=(played(tables, blocks=20),)))


def test_groups_that_no_results_link_are_named_in_a_warning() -> None:
    """On a terminal, on the page and in JSON, where no two of different groups are compared."""
    found = unlinked(3)
    line = (
        "arning: no results link these groups, so they are not compared: bot-0, bot-1, bot-2; "
        "bot-3, bot-4"
    )
    (section,) = json.loads(msgspec.json.encode(as_json(HEADING, [found])))["sections"]
    names = [bot["bot"] for bot in section["bots"]]
    chances = dict(zip(names, section["probability_better"], strict=True))

    assert f"w{line}" in printed(found, 200).splitlines()
    assert f"W{line}." in read(page(HEADING, [found])).text
    assert section["unlinked_groups"] == [["bot-0", "bot-1", "bot-2"], ["bot-3", "bot-4"]]
    assert chances["bot-0"][names.index("bot-4")] is None
    assert chances["bot-0"][names.index("bot-2")] > 0.9


def test_a_warning_of_many_bots_names_the_first_of_each_group() -> None:
    """Eight of them, and how many there are more."""
    assert "bot-0, bot-1, bot-2, bot-3, bot-4, bot-5, bot-6, bot-7, 4 more; bot-12, bot-13" in (
        printed(unlinked(12), 300)
    )


def test_linked_bots_get_no_warning(eight: Standings) -> None:
    """Nor does a field that ratings explain."""
    (section,) = object_of(as_json(HEADING, [eight]))["sections"]

    assert "warning" not in printed(eight, 80)
    assert "Warning" not in page(HEADING, [eight])
    assert section["ordered_by_one_number"]
    assert len(section["unlinked_groups"]) == 0


def test_a_field_that_one_number_does_not_order_is_called_so() -> None:
    """Of rock, paper and scissors each beats one and loses to the other."""
    beats = [
        table(pair, [block(at, (9, -9) if at % 10 else (-9, 9)) for at in range(60)])
        for pair in ((0, 1), (1, 2), (2, 0))
    ]
    names = ("rock", "scissors", "paper")
    found = standings(Section(game="x", names=names, rounds=(played(beats, blocks=60),)))
    line = "arning: one number does not order these bots: who beats whom differs from any order"
    (section,) = object_of(as_json(HEADING, [found]))["sections"]

    assert f"w{line}" in printed(found, 300)
    assert "counted as independent: line-ups" in printed(found, 300)
    assert f"W{line}" in read(page(HEADING, [found])).text
    assert not section["ordered_by_one_number"]
    assert section["misfit"] < 0.001


def test_a_bot_that_has_not_played_has_no_place() -> None:
    """Nothing stands there in any shape."""
    found = unlinked(2)
    (section,) = object_of(as_json(HEADING, [found]))["sections"]
    last = section["bots"][-1]
    row = list(csv.DictReader(io.StringIO(as_csv(HEADING, [found]), newline="")))[-1]

    assert (last["bot"], last["place"], last["last_place"]) == ("bot-4", None, None)
    assert (row["bot"], row["place"], row["last_place"], row["match_parts"]) == (
        "bot-4",
        "",
        "",
        "0",
    )
    assert re.search(r"^ +· +bot-4 +0 +0 ", printed(found, 200), re.MULTILINE)


def test_units_stand_beside_what_they_make_certain() -> None:
    """Lives of processes, with faults and unplayed deals, in every shape."""
    blocks = [block(at, (9, -9)) for at in range(6)]
    blocks[5] = replace(blocks[5], faults=(0, 3), unplayed=(0, 4))
    parted = table((0, 1), blocks, parts=(2, 2, 2))
    found = standings(Section(game="x", names=("a", "b"), rounds=(played([parted], blocks=6),)))
    (section,) = object_of(as_json(HEADING, [found]))["sections"]
    rows = list(csv.DictReader(io.StringIO(as_csv(HEADING, [found]), newline="")))
    said = printed(found, 120)

    assert [row["match_parts"] for row in rows] == ["3", "3"]
    assert section["match_parts"] == 3
    assert [bot["match_parts"] for bot in section["bots"]] == [3, 3]
    assert re.search(r"^bot +matches +faults +unplayed +time", said, re.MULTILINE)
    assert re.search(r"^b +3 +3 +4 ", said, re.MULTILINE)
    assert "<th>matches</th>" in page(HEADING, [found]).replace(' scope="col"', "")


def test_a_field_without_squares_is_shown_in_every_shape() -> None:
    """JSON has none above so many bots, and nothing else is missing."""
    few = table((0, 1), [block(0, (3, -3))])
    names = tuple(f"bot-{at}" for at in range(MOST_CROSSED + 1))
    found = standings(Section(game="x", names=names, rounds=(played([few], blocks=1),)))
    (section,) = object_of(as_json(HEADING, [found]))["sections"]

    assert len(section["bots"]) == MOST_CROSSED + 1
    assert len(section["cross_table"]["cells"]) == len(section["probability_better"]) == 0
    assert "bot-100" in read(page(HEADING, [found])).text
    assert "bot-100" in printed(found, 80)
    assert "bot-100" in as_csv(HEADING, [found])


def test_an_event_that_has_not_begun_can_be_shown() -> None:
    """Everywhere, with rows and without numbers."""
    found = standings(Section(game="sueca", names=("a", "b"), rounds=(), finished=False))

    assert "not finished" in printed(found, 80)
    assert as_csv(HEADING, [found]).count("\r\n") == 3
    assert not object_of(as_json(HEADING, [found]))["finished"]
    assert "Not finished" in read(page(HEADING, [found])).text


def test_results_that_cannot_be_written_leave_nothing_half(tmp_path: Path) -> None:
    """A folder has the name of the page: those of before stay, and no other file is left."""
    (tmp_path / "results.html").mkdir()
    (tmp_path / "results.csv").write_text("of before")
    with pytest.raises(HostError, match=r"results '.*results.html': "):
        write_results(tmp_path, HEADING, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.csv", "results.html"]
    assert (tmp_path / "results.csv").read_text() == "of before"
