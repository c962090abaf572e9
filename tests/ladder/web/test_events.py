"""Events on a site: their tables while they are played, their rounds, and the page for a wall."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import msgspec
import pytest

from ladder.event.conductor import Played, log_of, played_in
from ladder.event.log import LOG
from ladder.store.store import Store
from ladder.web import events
from ladder.web.events import Events
from ladder.web.pages.event import EventPageJson
from referee.cli import run
from referee.errors import RefereeError
from support.events import event_text
from support.ladders import made
from support.sites import opened

GAMES = ("briscola-2", 'briscola-2\nname = "Cup"\nformat = "knockout"')
TOP = 'format = "round-robin"\nblocks = 2\nsandbox = "bare"\nrecords = false\nworkers = 1'


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an event of two games that was played to its end."""
    path = tmp_path_factory.mktemp("event") / "cup.toml"
    path.write_text(event_text(4, GAMES, top=TOP))
    assert run(["event", "run", str(path), "--no-check"]) == 0
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=()) as found:
        yield found


def half_of(event: Path, folder: Path) -> Path:
    """The same event, when half of it had been played."""
    lines = (event.with_suffix("") / LOG).read_bytes().splitlines(keepends=True)
    folder.mkdir()
    (folder / LOG).write_bytes(b"".join(lines[: len(lines) // 2]))
    return folder


async def test_an_event_that_is_over_shows_tables_rounds_and_its_key(
    store: Store, event: Path
) -> None:
    async with opened(store, events=[str(event)]) as site:
        assert 'href="/events"' in (await site.get("/")).text
        listed = json.loads((await site.get("/events.json")).text)["events"]
        assert [(one["name"], one["state"]) for one in listed] == [("Test", "over")]
        text = (await site.get("/events/1")).text
        assert "Champion: <strong>bot " in text
        assert "0123456789abcdef" in text
        assert "may have drawn many" in text, "what the log cannot prove is said"
        rounds = re.findall(r"<h4>([^<]*)</h4>", text)
        assert (rounds[0], rounds[1], rounds[-1]) == ("round 1 of 1", "semi-final", "final")
        assert text.count('class="met"') >= 6 + 2 + 1  # and again, where they were level


async def test_an_event_under_way_keeps_its_key(store: Store, event: Path, tmp_path: Path) -> None:
    folder = half_of(event, tmp_path / "half")
    async with opened(store, events=[str(folder)]) as site:
        text = (await site.get("/events/1")).text
        assert "Not finished" in text
        assert "0123456789abcdef" not in text
        (found,) = json.loads((await site.get("/events.json")).text)["events"]
        assert found["state"] == "under way"


async def test_a_page_follows_what_is_played(store: Store, event: Path, tmp_path: Path) -> None:
    """From an event that was not begun to its end."""
    folder = tmp_path / "soon"
    folder.mkdir()
    async with opened(store, events=[str(folder)]) as site:
        assert "has not begun" in (await site.get("/events/1")).text
        assert "not begun" in (await site.get("/events")).text
        (folder / LOG).write_bytes((event.with_suffix("") / LOG).read_bytes())
        await site.news()
        assert "Champion" in (await site.get("/events/1")).text


async def test_a_wall_has_one_game_and_no_way_off(store: Store, event: Path) -> None:
    async with opened(store, events=[str(event)]) as site:
        for query, game in (("wall", "briscola-2"), ("wall=2", "Cup")):
            text = (await site.get(f"/events/1?{query}")).text
            assert 'class="wall"' in text
            assert f"<small>{game}" in text
            assert [f"bot {at}</th>" in text for at in range(4)] == [True] * 4
        assert (await site.get("/events/1?wall=3")).status_code == 404
        assert (await site.get("/events/1?wall=x")).status_code == 400
        assert (await site.get("/events/2")).status_code == 404


async def test_an_event_as_json_is_its_standings_and_its_check(store: Store, event: Path) -> None:
    async with opened(store, events=[str(event)]) as site:
        found = json.loads((await site.get("/events/1.json")).text)
        jsonschema.validate(found, msgspec.json.schema(EventPageJson))
        assert found["standings"]["event"] == "Test"
        assert [(one["what"], one["state"]) for one in found["findings"]] == [
            ("log", "holds"),
            ("pairings", "holds"),
            ("key", "holds"),
            ("seal", "open"),  # this event is not sealed
        ]
        paths = json.loads((await site.get("/openapi.json")).text)["paths"]
        assert {"/events.json", "/events/{event}.json"} <= set(paths)


async def test_a_damaged_log_is_for_the_organiser(
    store: Store, event: Path, tmp_path: Path
) -> None:
    folder = half_of(event, tmp_path / "half")
    log = folder / LOG
    log.write_bytes(log.read_bytes().replace(b"bot 1", b"bot x", 1))
    async with opened(store, events=[str(folder)]) as site:
        found = await site.get("/events/1")
        assert found.status_code == 503
        assert str(folder) not in found.text
        assert str(log) in site.troubles[0]


async def test_a_log_is_read_once_for_all_its_pages(
    store: Store, event: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many walls are asked for that there are not."""
    read: list[Path] = []

    def reads(path: Path) -> Played:
        read.append(path)
        return played_in(path)

    monkeypatch.setattr(events, "played_in", reads)
    async with opened(store, events=[str(event)]) as site:
        for path in ("", "/1", "/1.json", "/1?wall", *(f"/1?wall={n}" for n in range(3, 20))):
            await site.get(f"/events{path}")
    assert len(read) == 1


async def test_a_damaged_log_leaves_the_other_events_be(
    store: Store, event: Path, tmp_path: Path
) -> None:
    folder = half_of(event, tmp_path / "half")
    log = folder / LOG
    log.write_bytes(log.read_bytes().replace(b"bot 1", b"bot x", 1))
    async with opened(store, events=[str(folder), str(event)]) as site:
        listed = json.loads((await site.get("/events.json")).text)["events"]
        assert [one["state"] for one in listed] == ["damaged", "over"]
        assert (await site.get("/events/2")).status_code == 200


async def test_a_site_of_no_event_has_no_page_of_events(store: Store) -> None:
    async with opened(store) as site:
        assert "/events" not in (await site.get("/")).text
        assert (await site.get("/events")).status_code == 404


def test_an_event_is_meant_by_its_file_its_folder_or_its_log(event: Path) -> None:
    folder = event.with_suffix("")
    assert {log_of(str(one)) for one in (event, folder, folder / LOG)} == {folder / LOG}
    with pytest.raises(RefereeError, match="no such file"):
        Events(["none.toml"])
