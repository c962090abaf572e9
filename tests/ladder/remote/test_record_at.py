"""A record by the address of its match: fetched, and read as any file."""

from pathlib import Path

import httpx2
import pytest

from ladder.remote import record_at
from ladder.remote.record_at import find
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.record import by_id
from support.ladders import filled, made
from support.sites import served

SITE = "https://ladder.test"


def answering(content: bytes, status: int = 200) -> httpx2.MockTransport:
    def answer(request: httpx2.Request) -> httpx2.Response:
        assert str(request.url) == f"{SITE}/matches/12/record"
        return httpx2.Response(status, content=content)

    return httpx2.MockTransport(answer)


@pytest.mark.parametrize(
    "address", ["/matches/12", "/matches/12/record", "/matches/12?bot=1#deal=2&act=3"]
)
def test_the_record_is_fetched_by_any_address_of_its_match(address: str) -> None:
    assert find(SITE + address, answering(b"record")).read_bytes() == b"record"


@pytest.mark.parametrize(
    "url", [SITE, f"{SITE}/matches", f"{SITE}/matches/12/deals", "https:///matches/1", f"{SITE}/x"]
)
def test_what_is_no_match_is_said_in_a_line(url: str) -> None:
    with pytest.raises(RefereeError, match="write the address of a match") as caught:
        find(url)
    assert "\n" not in str(caught.value)


def test_what_the_site_says_is_told() -> None:
    with pytest.raises(RefereeError, match="Match 12 has no record"):
        find(f"{SITE}/matches/12", answering(b'{"problem":"Match 12 has no record."}', 404))

    def gone(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route")

    with pytest.raises(HostError, match="cannot be reached: no route"):
        find(f"{SITE}/matches/12", httpx2.MockTransport(gone))


def test_a_site_sends_no_more_than_a_record_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_at, "LARGEST", 10)
    with pytest.raises(RefereeError, match="larger than"):
        find(f"{SITE}/matches/12", answering(b"x" * 11))


def test_nothing_else_is_taken_for_an_address(tmp_path: Path) -> None:
    """An address goes with no ladder, and a file may be called as it likes."""
    path = tmp_path / "https:" / "x"
    assert by_id.record_file(path, None) == path
    with pytest.raises(RefereeError, match="is no id of a match"):
        by_id.record_file(Path(f"{SITE}/matches/12"), "here")


@pytest.mark.slow
def test_a_match_is_proved_by_its_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "ladder"
    with made(folder) as store:
        filled(store, 1, really=True)
    with served(folder, "--no-run", "--no-uploads") as url:
        assert run(["replay", f"{url}/matches/1", "--verify"]) == 0
        assert "match-1: verified, 4 deals" in capsys.readouterr().out
        assert run(["replay", f"{url}/matches/2"]) == 2
        assert "There is no match 2." in capsys.readouterr().err
