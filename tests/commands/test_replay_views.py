"""`referee replay` as a person reads it: auctions, hidden partners, signals, black hands."""

from pathlib import Path

import pytest

from referee.cli import run
from support.conversation import DECK

pytestmark = pytest.mark.slow


def recorded(tmp_path: Path, game: str, scripts: list[str], *more: str) -> str:
    """Plays scripted actions; returns the record."""
    bots = []
    for seat, text in enumerate(scripts):
        path = tmp_path / f"script {seat}"
        path.write_text("\n".join(text.split(", ")))
        bots.append(f"sample:script={path}")
    record = str(tmp_path / "record")
    assert run(["match", *bots, "--game", game, "--record", record, *more]) == 0
    return record


def shown(record: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert run(["replay", record, *more]) == 0
    return capsys.readouterr().out


def test_an_auction_names_the_partner_only_to_those_who_see_all_hands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole record tells with whom the caller plays; one seat's view does not."""
    scripts = ["bid 61", "bid 62, call 7H", "pass", "pass", "pass"]
    game, deal = "auction-biscambiggia", ["--deck", DECK, "--dealer", "4"]
    record = recorded(tmp_path, game, ["bid 61, pass", *scripts[1:]], *deal)
    everything = shown(record, capsys)
    assert "1:script#2 bid 62" in everything
    assert "1:script#2 plays for 62, called 7♥, with 2:script#3" in everything
    for seat in ("0", "1", "2"):
        said = shown(record, capsys, "--seat", seat)
        assert "1:script#2 plays for 62\n" in said
        assert "with 2:script#3" not in said
        assert "call 7♥" in said


def test_a_signal_is_shown_to_partners_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a seat did not see is not in its view of the record."""
    deck = ["--deck", DECK, "--dealer", "0", "-o", "signals=on"]
    scripts = ["", "4H, signal ace, signal king, 5C", "", ""]
    record = recorded(tmp_path, "briscola-4", scripts, *deck)
    assert "signal ace" in shown(record, capsys)
    assert "signal ace" in shown(record, capsys, "--seat", "1")
    assert "signal ace" in shown(record, capsys, "--seat", "3")
    assert "signal ace" not in shown(record, capsys, "--seat", "0")
    assert "signal ace" not in shown(record, capsys, "--seat", "2")


def test_covered_twos_are_turned_over_in_every_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Others see that a two lies covered, and with the suit what it was."""
    cards = [card for card in DECK.split() if card not in ("2D", "2S")]
    deck = " ".join([*cards[:3], "2D", *cards[3:7], "2S", *cards[7:]])
    options = ["--deck", deck, "--dealer", "4", "-o", "blind_first_trick=on"]
    scripts = ["bid 2, blind, 2D, suit S", "2S", "", "", ""]
    record = recorded(tmp_path, "briscola-chiamata-rank", scripts, *options)
    seen = shown(record, capsys, "--seat", "3")
    assert "0:script#1 2 (covered)" in seen
    assert "suit ♠ uncovers 2♦ 2♠" in seen
    assert "0:script#1 2♦" in shown(record, capsys, "--seat", "0")


def test_a_black_hand_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deal that ends before its first card says why, on the screen and in JSON."""
    wanted = ["4C", "AH", "5C", "3H", "6C", "KH", "2H"]
    deck = " ".join([*wanted, *(card for card in DECK.split() if card not in wanted)])
    options = ["--deck", deck, "--dealer", "0", "-o", "black_hand=automatic"]
    record = recorded(tmp_path, "briscola-2", ["", ""], *options)
    assert "0:script#1 shows the black hand and wins the deal" in shown(record, capsys)
    assert '"black_hand": 0' in shown(record, capsys, "--json")
    assert run(["replay", record, "--verify"]) == 0


def test_a_view_shows_the_evidence_of_its_own_faults_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the deck nor what another bot was told of its mistake is in a seat's view."""
    bot = tmp_path / "bot.sh"
    bot.write_text(
        "#!/bin/sh\nread -r _\n"
        'echo \'{"type":"ready","protocol":1,"name":"x"}\'\nread -r _\nread -r _\nexit 3\n'
    )
    bot.chmod(0o755)
    record = str(tmp_path / "record")
    others = ["sample:first"] * 2
    bots = [str(bot), *others, "--game", "briscola-3", "--sandbox", "bare"]
    assert run(["match", *bots, "--deals", "1", "--key", "a", "--record", record]) == 1
    everything = shown(record, capsys)
    assert "--deck" in everything
    assert "crashed" in everything
    other = shown(record, capsys, "--seat", "1")
    assert "--deck" not in other
    assert "crashed" not in other
    assert "crashed" in shown(record, capsys, "--seat", "0")
