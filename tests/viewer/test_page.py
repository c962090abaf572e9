"""The page of a film, and the command that writes it."""

import json
import re
from pathlib import Path

import pytest

from referee.cli import run
from referee.errors import RefereeError
from referee.record.deal_choice import DealChoice
from referee.viewer.page import film_json, page, printable_json
from referee.viewer.record_film import Film, film_of


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of two legs, of bots of one name."""
    path = tmp_path_factory.mktemp("film") / "record"
    words = ["match", "sample:greedy", "sample:greedy", "--deals", "2", "--seating", "full"]
    assert run([*words, "--key", "film", "--sandbox", "bare", "--record", str(path)]) == 0
    return path


def film_in(text: str) -> dict[str, object]:
    """The film that a page has."""
    found = re.search(r'id="viewer-film">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    film = json.loads(found[1])
    assert isinstance(film, dict)
    return film


def test_a_film_has_all_deals_of_all_legs(record: Path) -> None:
    film = film_of(record)
    assert [deal.called for deal in film.deals] == ["1.1", "1.2", "2.1", "2.2"]
    assert film.bots == ("greedy#1", "greedy#2")
    assert film.result is not None
    assert (film.viewer, film.trouble) == (None, None)


def test_a_bot_s_film_is_seen_from_where_it_sits(record: Path) -> None:
    film = film_of(record, "greedy#2")
    assert film.viewer == "greedy#2"
    assert {deal.bots[deal.viewer] for deal in film.deals if deal.viewer is not None} == {1}
    first = film.deals[0].frames[0].hands
    assert isinstance(first, dict)
    assert [len(first[seat].cards) for seat in (0, 1)] in ([0, 3], [3, 0])
    assert [first[seat].covered for seat in (0, 1)] in ([3, 0], [0, 3])


def test_one_deal_can_be_asked_for(record: Path) -> None:
    film = film_of(record, only=DealChoice.typed("2.1"))
    assert [deal.called for deal in film.deals] == ["2.1"]
    assert film.result is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"bot": "nobody"}, "the record has greedy#1, greedy#2"),
        ({"place": 2}, "the seats are 0 to 1"),
        ({"only": DealChoice.typed("9")}, "the record has no such deal"),
    ],
)
def test_what_a_record_does_not_have_is_named(
    record: Path, asked: dict[str, object], told: str
) -> None:
    with pytest.raises(RefereeError, match=re.escape(told)):
        film_of(record, **asked)  # type: ignore[arg-type]  # one of several kinds


def test_the_film_of_a_torn_record_ends_where_it_does(record: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn"
    torn.write_bytes(record.read_bytes()[:4000])
    film = film_of(torn)
    assert film.trouble is not None
    assert film.deals
    assert film.result is None


def test_a_page_needs_nothing_else(record: Path) -> None:
    """No address of anything stands in it, but the names of XML."""
    text = page(film_of(record))
    found = set(re.findall(r"[a-z]+://[^\s\"'<>]+", text))
    assert found == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"(?!data:)", text)


def test_the_same_record_gives_the_same_page(record: Path) -> None:
    assert page(film_of(record)) == page(film_of(record))


def test_what_bots_write_can_do_nothing_to_a_page() -> None:
    """Neither ends a script, nor turns round what stands beside it."""
    evil = "</script><script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}\N{LINE SEPARATOR}&"
    film = Film(
        game="briscola-2",
        options=(),
        bots=(evil, "other"),
        viewer=None,
        deals=(),
        result=None,
        trouble=None,
    )
    text = page(film)
    assert "<script>alert" not in text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
    assert film_in(text)["bots"] == [evil, "other"]
    assert json.loads(film_json(film))["bots"] == [evil, "other"]


def test_characters_beyond_the_first_plane_come_through() -> None:
    text = json.dumps({"a": "\U0001f0a1 \U000e0041"}, ensure_ascii=False)
    assert json.loads(printable_json(text)) == json.loads(text)
    assert "\U000e0041" not in printable_json(text)


def test_the_command_writes_a_page(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.html"
    assert run(["replay", str(record), "--html", str(path)]) == 0
    assert "4 deals of briscola-2" in capsys.readouterr().out
    assert len(film_in(path.read_text())["deals"]) == 4  # type: ignore[arg-type]  # a list
    assert run(["replay", str(record), "--html", str(path), "--deal", "1.2", "--seat", "0"]) == 0
    film = film_in(path.read_text())
    assert film["viewer"] == "seat 0"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--json"], "does not go with"),
        (["--verify"], "does not go with"),
        (["--step"], "does not go with"),
        (["--seat", "7"], "the seats are 0 to 1"),
        (["--bot", "x"], "the record has"),
        (["--deal", "99"], "no such deal"),
    ],
)
def test_what_does_not_go_with_a_page_is_said(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    path = tmp_path / "page.html"
    assert run(["replay", str(record), "--html", str(path), *words]) == 2
    assert told in capsys.readouterr().err
    assert not path.exists()


def test_a_page_that_cannot_be_written_is_refused_at_once(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(record), "--html", str(tmp_path)]) == 2
    assert run(["replay", str(record), "--html", str(tmp_path / "no" / "page")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_an_unfinished_record_gives_a_page_and_exit_code_1(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torn, path = tmp_path / "torn", tmp_path / "page.html"
    torn.write_bytes(record.read_bytes()[:4000])
    assert run(["replay", str(torn), "--html", str(path)]) == 1
    assert film_in(path.read_text())["trouble"]
    assert "torn" in capsys.readouterr().err
