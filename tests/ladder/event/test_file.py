"""The file of an event: what it may say, and the line for what it may not."""

import inspect
import os
from pathlib import Path

import pytest

from ladder.commands import event as command
from ladder.event.file import event_path, read_event
from ladder.event.file_schema import BotTable, EventFile, SectionTable
from ladder.terms import FormatName, LuckUse
from referee.bots.find import SAMPLES
from referee.bots.settings import Settings
from referee.cli import run
from referee.errors import RefereeError
from referee.match.clock import parse_time
from referee.match.seating import Seating
from referee.match.verdict import Freeze, OnFault
from referee.sandbox.names import SandboxName
from support.events import KEY, event_of, event_text
from support.terms import terms_of

LEAST = 'name = "x"\n[[game]]\nid = "briscola-2"\n[[bot]]\npath = "sample:first"\n'
TWO = '[[bot]]\npath = "sample:first"\nname = "second"\n'


def changed(**top: str) -> str:
    return "".join(f"{key} = {value}\n" for key, value in top.items()) + LEAST + TWO


def with_game(game: str, *, top: str = "", bots: int = 2) -> str:
    return event_text(bots, [game], top=top)


WRONG = [
    ("", "the key 'name' is missing"),
    ("name = [", "event.toml': "),
    ("name = " + "[" * 10_000, "event.toml': "),
    ('name = "x"\n', "there is no [[game]]"),
    (LEAST, "at least two [[bot]] are needed"),
    (changed(colour='"red"'), "there is no key 'colour'"),
    (changed(block="3"), "there is no key 'block'; did you mean 'blocks'?"),
    (with_game('briscola-2\nheroes = ["x"]'), "game 1: there is no key 'heroes' here"),
    (with_game('briscola-2\npartners = "loose"'), "game 1: partners: it can be side, mixed"),
    (
        with_game('sueca\npartners = "mixed"\nformat = "knockout"', bots=4),
        "game 1: partners: partners win and lose together, so a knockout of single bots has no",
    ),
    (changed(blocks='"many"'), "blocks: it must be a whole number, not a text in quotes"),
    (changed(blocks="0"), "blocks: at least 1"),
    (changed(format='"league"'), "format: it can be round-robin, gauntlet"),
    (changed(partners='"loose"'), "partners: it can be side, mixed"),
    (changed(sandbox='"chroot"'), "sandbox: it can be auto, bwrap, docker, bare"),
    (changed(on_fault='"end-match"'), "on_fault: blocks are played to their end"),
    (changed(time='"fast"'), "game 1: time 'fast': write it like"),
    (changed(pace="70000"), "game 1: pace 70000: from 0 to 60000 milliseconds"),
    (changed(key='"secret"'), "key: an event needs 128 bits, as 32 hex digits or 22 of A-Z"),
    (changed(key=f'"{KEY[:31]}"'), "key: an event needs 128 bits"),
    (changed(key='"0101010101010101010101010101010101"'), "key: nobody has drawn that"),
    (changed(key='"correct horse battery staple"'), "key: an event needs 128 bits"),
    (changed(heroes='["first"]'), "heroes: only a gauntlet has them"),
    (changed(format='"gauntlet"'), "heroes: a gauntlet needs the names of the bots"),
    (changed(format='"gauntlet"', heroes='["last"]'), "there is no bot 'last'; there are first, "),
    (changed(format='"gauntlet"', heroes='["first", "first"]'), "hero 1 and hero 2 are both 'fi"),
    (changed(format='"gauntlet"', heroes='["first", "second"]'), "game 1: heroes: "),
    (changed(format='"knockout"', rounds="3"), "game 1: rounds=3: a knockout ends with its"),
    (LEAST + TWO.replace("second", "first"), "bot 1 and bot 2 are both 'first': give one a name"),
    (LEAST + TWO.replace("name", "alias"), "bot 2: there is no key 'alias'; there are path, name"),
    (LEAST + TWO.replace("sample:first", "sample:best"), "bot 2: no sample bot 'best'"),
    (LEAST + TWO.replace("sample:first", "mybot"), "/mybot': there is no such file or folder"),
    (LEAST + TWO.replace("second", "\\u001b[31m"), "bot 2: name: control characters"),
    (with_game("poker"), "game 1: no game 'poker'; there are"),
    (with_game('briscola-2\noptions = {colour = "red"}'), "game 1: briscola-2 has no option 'col"),
    (with_game("briscola-2\noptions = {team_view = true}"), "briscola-2 has no option 'team_vi"),
    (with_game("briscola-2\nblocks = 0"), "game 1: blocks: at least 1"),
    (with_game("briscola-2\nhands = 4"), "game 1: there is no key 'hands'"),
    (with_game("briscola-3"), "game 1: a table of briscola-3 has 3 bots; there are 2"),
    (with_game("sueca", top='partners = "mixed"', bots=3), "a table of sueca has 4 bots; there a"),
    (
        with_game("briscola-chiamata-rank", top='luck = "official"', bots=5),
        "luck: briscola-chiamata-rank has no values to count it by",
    ),
    (event_text(2, ["sueca", "sueca"]), "game 1 and game 2 are both 'sueca': give one a name"),
]


@pytest.mark.parametrize(("text", "line"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_gets_one_line_and_nothing_is_written(
    text: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line names the file and the key; exit code 2."""
    path = tmp_path / "event.toml"
    path.write_text(text)
    code = run(["event", "run", str(path)])
    said = capsys.readouterr()

    assert code == 2
    assert said.out == ""
    assert said.err.startswith(f"referee: event file '{path}': ")
    assert said.err.count("\n") == 1
    assert line in said.err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("missing.toml", "event file 'missing.toml': there is no such file (samples are written"),
        ("/", "event file '/': that is a folder"),
        ("sample:winter", "no sample event 'winter'; there are spring"),
    ],
)
def test_a_missing_file_is_named(typed: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2."""
    assert run(["event", "run", typed]) == 2
    assert line in capsys.readouterr().err


def test_what_is_left_out_has_a_sane_default(tmp_path: Path) -> None:
    """The least that can be said is an event."""
    event = event_of(tmp_path, LEAST + TWO)
    (section,) = event.plan.sections

    assert event.key is None
    assert (event.sandbox, event.workers, event.records) == (SandboxName.AUTO, None, True)
    assert (section.format, section.rounds, section.blocks) == (FormatName.ROUND_ROBIN, None, 20)
    assert (section.terms.seating, section.seatings, section.terms.pace_ms) == (Seating.FULL, 2, 0)
    assert (event.plan.luck, event.plan.bench) == (LuckUse.SHOWN, 10)
    assert event.plan.match_blocks == 5
    assert [entrant.name for entrant in event.plan.entrants] == ["first", "second"]


def test_the_help_has_the_numbers_that_are_left_out(tmp_path: Path) -> None:
    """Blocks of a round, blocks of a match, and blocks at fault, as they are without a word."""
    plan = event_of(tmp_path, LEAST + TWO).plan
    said = inspect.getdoc(command.run) or ""

    assert f"decks that a table plays in a round; {plan.sections[0].blocks}\n" in said
    assert f"after so many blocks a table has fresh processes; {plan.match_blocks}\n" in said
    assert f"bench a bot that plays no better; {plan.bench};" in said


def test_everything_can_be_said(tmp_path: Path) -> None:
    """For the whole event, and for one game."""
    top = (
        'format = "swiss"\nrounds = 3\nblocks = 7\nseating = "rotate"\ntime = "move=2s"\n'
        'freeze = "never"\npace = 5\non_fault = "play-on"\nsandbox = "bare"\nworkers = 3\n'
        'records = false\npartners = "mixed"\nluck = "official"\nbench = 4\nmatch_blocks = 9\n'
    )
    own = (
        'sueca\nname = "big"\nformat = "round-robin"\nrounds = 2\nblocks = 8\nseating = "one"\n'
        'time = "move=3s"\npace = 0\noptions = {void_keeps_dealer = true}'
    )
    event = event_of(tmp_path, event_text(4, ["briscola-2", own], top=top))
    small, big = event.plan.sections

    assert (event.sandbox, event.workers, event.records) == (SandboxName.BARE, 3, False)
    assert (small.terms.freeze, big.terms.on_fault) == (Freeze.NEVER, OnFault.PLAY_ON)
    assert (event.plan.luck, event.plan.bench) == (LuckUse.OFFICIAL, 4)
    assert event.plan.match_blocks == 9
    assert (small.format, small.rounds, small.blocks) == (FormatName.SWISS, 3, 7)
    assert small.terms == terms_of(
        "briscola-2",
        seating=Seating.ROTATE,
        time="move=2s",
        pace=5,
        freeze=Freeze.NEVER,
        on_fault=OnFault.PLAY_ON,
    )
    assert (big.name, big.terms.options["void_keeps_dealer"]) == ("big", "true")
    assert (big.format, big.rounds, big.blocks) == (FormatName.ROUND_ROBIN, 2, 8)
    assert (big.terms.seating, big.terms.pace_ms, big.places) == (Seating.ONE, 0, 4)
    assert big.terms.time == parse_time("move=3s")


@pytest.mark.parametrize(
    ("game", "partners", "expected"),
    [
        ("briscola-2", "side", (2, 2, 0)),
        ("briscola-3", "side", (3, 6, 0)),
        ("briscola-4", "side", (2, 2, 10)),
        ("briscola-4", "mixed", (4, 8, 10)),
        ("briscola-chiamata-rank", "side", (5, 120, 10)),
        ("bisca-tres", "side", (2, 2, 0)),
        ("bisca-tres\noptions = {seats = 4}", "side", (2, 2, 10)),
    ],
)
def test_tables_are_as_the_game_wants_them(
    game: str, partners: str, expected: tuple[int, int, int], tmp_path: Path
) -> None:
    """Entrants hold sides or seats; answers are paced where there are partners, or may be."""
    event = event_of(tmp_path, event_text(6, [game], top=f'partners = "{partners}"'))
    (section,) = event.plan.sections

    assert (section.places, section.seatings, section.terms.pace_ms) == expected


@pytest.mark.parametrize(("top", "own"), [("side", "mixed"), ("mixed", "side")])
def test_a_game_says_itself_what_its_bots_hold(top: str, own: str, tmp_path: Path) -> None:
    """One event has sides and mixed partners; what stands at the top is for the other games."""
    games = ["briscola-4", f'briscola-4\nname = "own"\npartners = "{own}"']
    event = event_of(tmp_path, event_text(6, games, top=f'partners = "{top}"'))
    places = {"side": 2, "mixed": 4}

    assert [section.places for section in event.plan.sections] == [places[top], places[own]]
    assert {bool(section.sides) for section in event.plan.sections} == {True, False}


def test_bots_are_found_from_the_files_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the command is called; jobs get the whole path, the plan what the file says."""
    bot = tmp_path / "events" / "bots" / "mine.py"
    bot.parent.mkdir(parents=True)
    bot.write_text(f"#!/usr/bin/env python3\n{(SAMPLES / 'first_bot.py').read_text()}")
    bot.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events" / "e.toml").write_text(LEAST + '[[bot]]\npath = "bots/mine.py"\n')
    event = read_event(Path("events/e.toml"), Settings())

    assert event.bots == ("sample:first", str(bot))
    assert event.plan.entrants[1].bot == "bots/mine.py"
    assert event.plan.entrants[1].name == "mine"
    assert event_path("events/e.toml")[1] == Path("events/e")


@pytest.mark.parametrize("key", [KEY, KEY.upper(), "Zm9vYmFyYmF6cXV4MTIzNA", "a-_/+=" + KEY])
def test_keys_with_128_bits_are_taken(key: str, tmp_path: Path) -> None:
    """In hex, or in an alphabet of 64."""
    assert event_of(tmp_path, event_text(2, key=key)).key == key


def test_equal_files_have_equal_plans_and_others_do_not(tmp_path: Path) -> None:
    """Where an event is played is no part of it; the key is."""
    one = event_of(tmp_path, event_text(3)).plan

    assert event_of(tmp_path, event_text(3, top="workers = 7")).plan.digest() == one.digest()
    for other in (
        event_text(4),
        event_text(3, top="blocks = 21"),
        event_text(3, top="bench = 0"),
        event_text(3, key=KEY[::-1]),
        event_text(3, ["briscola-2", "sueca"]),
    ):
        assert event_of(tmp_path, other).plan.digest() != one.digest()


def test_every_key_is_in_the_help() -> None:
    """Whoever writes a file finds all keys there."""
    words = (command.run.__doc__ or "").replace(",", " ").split()
    for table in (EventFile, SectionTable, BotTable):
        assert not {*table.__struct_fields__} - {"game", "bot"} - {*words}


def test_sample_events_are_events() -> None:
    """All that we ship can be read; they are found by name and played where one is."""
    files = sorted(SAMPLES.glob("events/*.toml"))
    assert "spring.toml" in [file.name for file in files]
    for file in files:
        path, folder = event_path(f"sample:{file.stem}")
        assert (path, folder) == (file, Path(file.stem))
        assert read_event(path, Settings()).plan.sections


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    """A pipe that nobody writes to and a device that never ends are refused."""
    path = tmp_path / "pipe" if kind == "pipe" else Path("/dev/zero")
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(RefereeError, match=r"event file .*: that is no file"):
        read_event(path, Settings())


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """It is not read at all."""
    (tmp_path / "e.toml").write_text("#" * 300_000)

    with pytest.raises(RefereeError, match="more than 262144 bytes"):
        read_event(tmp_path / "e.toml", Settings())
