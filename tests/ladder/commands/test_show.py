"""What a ladder shows is right in every shape, and wrong questions get one clear line."""

import csv
import fcntl
import io
import json
import os
import re
import sqlite3
import stat
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Fact, Submission
from ladder.core.roster import Roster
from ladder.store.store import Store
from referee.cli import run
from support import ladders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three games, of two and three seats and of partners; a bot of two versions, one retired,
    two of one name, one with a name that begins a formula, one for a single game.
    """
    folder = tmp_path_factory.mktemp("ladder") / "it"
    pools = ladders.usual_pools("briscola-2", "briscola-3", "briscola-4")
    with ladders.made(folder, pools) as store:
        for pool in (1, 2, 3):
            ladders.filled(store, 6, pool=pool)
        ladders.submit(store, "greedy", "author-of-greedy", "first")
        ladders.submit(store, "greedy", "other", "random")
        ladders.submit(store, "-1.x", "other", "first")
        store.add(lambda _, now: [Decision(deed=Deed.RETIRED, entrant=2, reason="so", at_ms=now)])
        _submit_for(store, "choosy", "briscola-2")
        ladders.filled(store, 20)
    return str(folder)


def _submit_for(store: Store, name: str, game: str) -> None:
    """Takes in a bot that plays in one game only."""

    def make(roster: Roster, now_ms: int) -> list[Fact]:
        entrant = len(roster.entrants) + 1
        (like, *_) = roster.entrants.values()
        return [
            replace(
                like,
                entrant=entrant,
                bot=entrant,
                name=name,
                author=name,
                games=(game,),
                at_ms=now_ms,
            )
        ]

    (found,) = store.add(make)
    assert isinstance(found, Submission)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that ends well."""
    assert run(["ladder", *words]) == 0
    return capsys.readouterr().out


def names(section: dict[str, list[dict[str, str]]]) -> list[str]:
    """The bots of a section, sorted."""
    return sorted(bot["bot"] for bot in section["bots"])


def test_a_bot_is_in_the_tables_of_the_games_that_it_was_handed_in_for(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who was submitted for one game has no row in another one's table, with --all neither."""
    for every in ((), ("--all",)):
        two, three, four = json.loads(
            told(capsys, "standings", "--json", *every, "--ladder", ladder)
        )["sections"]
        assert "choosy" in names(two)
        assert "choosy" not in names(three)
        assert "choosy" not in names(four)


def test_versions_and_retired_bots_are_shown_when_all_are(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usual table has those who play, --all the others too; no two have one name."""
    section = ("standings", "--json", "--game", "briscola-2", "--ladder", ladder)
    (few,) = json.loads(told(capsys, *section))["sections"]
    (all_,) = json.loads(told(capsys, *section, "--all"))["sections"]
    added = {"random", "greedy (author-of-greedy) v1", "greedy (author-of-greedy) v2"}

    assert set(names(all_)) - set(names(few)) == added
    assert set(names(few)) - set(names(all_)) == {"greedy (author-of-greedy)"}
    assert len(set(names(all_))) == len(all_["bots"]) == 8


def test_places_are_shared_where_bots_cannot_be_told_apart(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spans of places hold the row they are of, and leave out those only who are surely better
    or worse: whoever has played little can stand above others and yet have a wider span.

    All pairs together may be told apart wrongly with a risk of 5 %, so each with its part of that.
    """
    found = json.loads(told(capsys, "standings", "--json", "--all", "--ladder", ladder))
    for section in found["sections"]:
        rated = [bot for bot in section["bots"] if bot["rating"] is not None]
        assert len(rated) > 2
        spans = [(bot["place"], bot["last_place"]) for bot in rated]
        assert all(
            1 <= first <= at <= last <= len(spans) for at, (first, last) in enumerate(spans, 1)
        )
        chances = [row[: len(rated)] for row in section["probability_better"][: len(rated)]]
        pairs = sum(chance is not None for row in chances for chance in row) // 2
        for one, (first, last) in enumerate(spans):
            above = [row[one] or 0 for row in chances]
            below = [chance or 0 for chance in chances[one]]
            for beyond, row in ((first - 1, above), (len(spans) - last, below)):
                assert surely(row, pairs, -1e-4) >= beyond >= surely(row, pairs, 1e-4)


def surely(chances: list[float], pairs: int, rounding: float) -> int:
    """How many of them are sure enough among so many pairs."""
    return sum(chance >= 1 - 0.025 / pairs + rounding for chance in chances)


def test_a_bot_that_has_not_played_has_no_place(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands after all that have, with nothing where numbers are."""
    two, three, _ = json.loads(told(capsys, "standings", "--json", "--ladder", ladder))["sections"]
    idle = [bot for bot in three["bots"] if not bot["blocks"]]

    assert idle
    assert three["bots"][-len(idle) :] == idle
    assert {(bot["place"], bot["last_place"], bot["rating"]) for bot in idle} == {(None,) * 3}
    assert all(bot["place"] for bot in two["bots"] if bot["blocks"])
    rows = csv.DictReader(io.StringIO(told(capsys, "standings", "--csv", "--ladder", ladder)))
    assert {row["place"] == "" for row in rows if row["blocks"] == "0"} == {True}
    assert re.search(r"^ *· +-1\.x ", told(capsys, "standings", "--ladder", ladder), re.MULTILINE)


def test_csv_has_as_many_fields_in_each_row_and_begins_no_formula(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row a bot and game; a name with a minus is text."""
    rows = list(csv.reader(io.StringIO(told(capsys, "standings", "--csv", "--ladder", ladder))))

    assert {len(row) for row in rows} == {len(rows[0])}
    assert "'-1.x" in {row[rows[0].index("bot")] for row in rows}


class Strict(HTMLParser):
    """Wants every element closed in order, once-only attributes and ids, and no reference left."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = [name for name, _ in attrs]
        assert len(given) == len(set(given)), tag
        assert not any(name.startswith("on") for name in given), tag
        assert tag not in ("script", "link", "img", "iframe"), tag
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("every", [(), ("--all",)])
def test_the_page_is_well_formed(ladder: str, tmp_path: Path, every: tuple[str, ...]) -> None:
    """Elements are nested as they should be, ids are there once, and nothing is fetched."""
    file = tmp_path / "page.html"
    assert run(["ladder", "standings", "--html", str(file), *every, "--ladder", ladder]) == 0
    page, parser = file.read_text(), Strict()
    parser.feed(page)
    parser.close()

    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids)) >= 3
    assert "nan" not in re.findall("[a-z]+", page.lower())
    assert page.count("<strong>greedy (author-of-greedy)</strong>") <= 3  # once a game
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", [".", "..", "folder", "/", "missing/page.html"])
def test_a_page_that_cannot_be_written_is_told_in_a_line(
    ladder: str,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A folder is no file, and nothing is left beside it."""
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)

    assert run(["ladder", "standings", "--html", name, "--ladder", ladder]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_page_goes_into_a_pipe_that_stays_one(ladder: str, tmp_path: Path) -> None:
    """What is no file is written into, and never replaced: /dev/stdout, /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR)  # nobody waits for the other end
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, 1 << 20)
    assert run(["ladder", "standings", "--html", str(pipe), "--ladder", ladder]) == 0

    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.read(reading, 15) == b"<!doctype html>"
    os.close(reading)


def test_a_page_behind_a_link_is_written_where_the_link_points(ladder: str, tmp_path: Path) -> None:
    """The link stays."""
    link, file = tmp_path / "link.html", tmp_path / "page.html"
    link.symlink_to(file)
    assert run(["ladder", "standings", "--html", str(link), "--ladder", ladder]) == 0

    assert link.is_symlink()
    assert file.read_text().startswith("<!doctype html>")


WRONG = [
    ("standings", "--game", "no-game"),
    ("standings", "--json", "--csv"),
    ("history", "nobody"),
    ("history", "greedy"),
    ("history", "#99"),
    ("history", ""),
    ("match", "0"),
    ("match", "99999999999999999999999999"),
    ("match", "²"),
    ("match", "%%%%%%%%"),
    ("match", "abc"),
    ("verify", "--sample", "-1"),
    ("verify", "--against", "missing"),
    ("verify", "--public-key", "00"),
    ("verify", "--head", "--json"),
    ("export", "missing/ladder.zip"),
    ("import", "missing.zip"),
    ("import", "."),
    ("retire", "nobody"),
    ("rollback", "-1.x"),
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_a_wrong_question_is_answered_in_a_line(
    ladder: str,
    tmp_path: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, and no file anywhere."""
    monkeypatch.chdir(tmp_path)
    where = str(tmp_path / "new") if words[0] == "import" else ladder

    options = any(word.startswith("--") for word in words)
    asked = [words[0], "--ladder", where, *([] if options else ["--"]), *words[1:]]

    assert run(["ladder", *asked]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_history_has_both_versions_and_one_without_matches_is_empty(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each version begins anew; who has not played has no points, and no lowest rating."""
    bot = ("history", "author-of-greedy/greedy", "--json", "--ladder", ladder)
    two, three, _ = json.loads(told(capsys, *bot))["games"]
    assert two["bot"] == "greedy (author-of-greedy)"  # as tables have it
    assert [one["version"] for one in two["versions"]] == [1, 2]
    assert [one["version"] for one in three["versions"]] == [1]

    late = json.loads(told(capsys, "history", "other/greedy", "--json", "--ladder", ladder))
    assert late["games"][1]["points"] == []
    assert late["games"][1]["lowest"] is None
    assert "no matches yet" in told(capsys, "history", "other/greedy", "--ladder", ladder)


def test_a_history_of_a_game_has_the_matches_of_that_game(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a game it has those of all, the newest first."""
    bot = ("history", "author-of-greedy/greedy", "--json", "--ladder", ladder)
    for game, matches in (("briscola-2", set(range(1, 7))), ("briscola-3", set(range(7, 13)))):
        found = json.loads(told(capsys, *bot, "--game", game))["last_matches"]
        assert found
        assert set(found) <= matches | (set(range(19, 39)) if game == "briscola-2" else set())
    last = json.loads(told(capsys, *bot))["last_matches"]
    assert last == sorted(last, reverse=True)


def test_a_number_of_no_game_is_answered_with_those_that_there_are(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever counts from 0 sees that it is from 1."""
    assert run(["ladder", "standings", "--game", "#9", "--ladder", ladder]) == 2
    assert capsys.readouterr().err == (
        "referee: game '#9': this ladder has #1 briscola-2, #2 briscola-3, #3 briscola-4\n"
    )


def test_faults_of_a_bot_are_told_with_their_game(
    ladder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is more than one."""
    seen = "".join(told(capsys, "bots", f"#{one}", "--ladder", ladder) for one in (1, 2, 3, 4))
    found = re.findall(r"v1 in (\S+): illegal: 'XX' is not legal.*\n +look: .* replay (\d+)", seen)
    assert found
    for game, match in found:
        assert told(capsys, "match", match, "--ladder", ladder).startswith(
            f"match {match}: {game},"
        )

    with ladders.made(tmp_path / "small") as store:
        (match, *_) = ladders.filled(store, 7)[-1:]
    bot = f"#{match.job.entrants[0]}"
    seen = told(capsys, "bots", bot, "--ladder", str(tmp_path / "small"))
    assert "v1: illegal: 'XX' is not legal" in seen


def test_partners_are_listed_where_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As tables call them; a ladder without any has no such column."""
    folder = str(tmp_path / "ladder")
    with ladders.made(folder, bots=("first", "random")) as store:
        assert "partners" not in told(capsys, "bots", "--ladder", folder)
        ladders.submit(store, "first", "other")
        like = store.refresh().entrants[3]
        allied = replace(like, entrant=4, bot=4, name="ally", partners=(1, 3))
        store.add(lambda _, now: [replace(allied, at_ms=now)])
    heading, *_, ally, _ = told(capsys, "bots", "--ladder", folder).splitlines()
    assert heading.endswith("partners")
    assert ally.endswith("first (author-of-first), first (other)")


@pytest.mark.parametrize("bots", [(), ("first",)])
def test_a_ladder_in_which_nothing_was_played_is_shown_in_every_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bots: tuple[str, ...]
) -> None:
    """An empty one, and one with a single bot."""
    ladders.made(tmp_path / "ladder", bots=bots).close()
    where = ("--ladder", str(tmp_path / "ladder"))
    page, strict = tmp_path / "page.html", Strict()

    assert "0 matches" in told(capsys, "standings", *where)
    assert len(told(capsys, "standings", "--csv", *where).splitlines()) == 1 + len(bots)
    (section,) = json.loads(told(capsys, "standings", "--json", *where))["sections"]
    assert [bot["rating"] for bot in section["bots"]] == [None] * len(bots)
    told(capsys, "standings", "--html", str(page), *where)
    strict.feed(page.read_text())
    assert not strict.open
    assert "all of it holds" in told(capsys, "verify", *where)
    told(capsys, "rebuild", *where)


@pytest.mark.parametrize("column", ["blocks", "counts"])
def test_standings_of_damaged_rows_are_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    """Rows that cannot be read are no bug of ours, and the line names who finds them."""
    with ladders.made(tmp_path / "ladder") as store:
        ladders.filled(store, 2)
    with closing(sqlite3.connect(tmp_path / "ladder" / "ladder.db")) as database, database:
        database.execute(f"update match set {column} = x'00' where number = 2")  # noqa: S608  # ours

    assert run(["ladder", "standings", "--ladder", str(tmp_path / "ladder")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "referee ladder verify" in said


def test_bots_are_told_with_all_that_was_said_of_them(
    ladder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By their own numbers and those of their versions; for which games, and what was handed in."""
    found = json.loads(told(capsys, "bots", "--all", "--json", "--ladder", ladder))
    by_entrant = {one["entrant"]: one for one in found}
    greedy = [one for one in found if one["author"] == "author-of-greedy"]

    assert [one["version"] for one in greedy] == [1, 2]
    assert {one["number"] for one in greedy} == {greedy[0]["entrant"]}
    assert all(by_entrant[one["number"]]["version"] == 1 for one in found)
    assert {one["bot"]: one["games"] for one in found if one["games"]} == {"choosy": ["briscola-2"]}
    assert all(len(one["source"]) == 64 and one["partners"] == [] for one in found)


def test_decisions_are_told_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever scripts them learns which version it was and whether it plays, as `bots` says it."""
    ladders.made(tmp_path / "ladder", bots=("first", "random")).close()
    where = ("--json", "--ladder", str(tmp_path / "ladder"))

    retired = json.loads(told(capsys, "retire", "first", "--reason", "cheats", *where))
    assert (retired["entrant"], retired["playing"]) == (1, False)
    assert retired["why_not"] == "retired: cheats"
    assert retired == json.loads(told(capsys, "bots", "first", *where))[0]

    back = json.loads(told(capsys, "rollback", "first", *where))
    assert (back["entrant"], back["playing"], back["why_not"]) == (1, True, None)

    schema = json.loads(told(capsys, "migrate", *where))
    assert schema["before"] == schema["after"] > 0
    assert schema["ladder"] == where[-1]


def test_findings_do_not_go_where_a_head_is_to_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a file goes a signed head or nothing; what does not hold is said on stderr."""
    with ladders.made(tmp_path / "ladder") as store:
        ladders.filled(store, 2)
    ask = ["ladder", "verify", "--head", "--ladder", str(tmp_path / "ladder")]
    assert run(ask) == 1  # the records of what is invented prove nothing
    said = capsys.readouterr()
    assert said.out == ""
    assert "it does not hold" in said.err

    ladders.made(tmp_path / "new").close()
    assert run([*ask[:-1], str(tmp_path / "new")]) == 0
    assert json.loads(capsys.readouterr().out)["head"]["facts"] > 0


def test_a_ladder_without_bots_has_an_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so in a line of its own."""
    where = ("--ladder", str(tmp_path / "it"))
    assert run(["ladder", "open", "--game", "briscola-3", *where]) == 0
    capsys.readouterr()
    assert run(["ladder", "standings", *where]) == 0
    assert "\nno bots yet\n\n" in capsys.readouterr().out
