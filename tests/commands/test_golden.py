"""RULES 19 through the commands that people type: match with a given deck, then replay."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import run
from referee.games import find
from support.conversation import DECK

GOLDEN = [
    ("biscambiggia-2", "11000000110111110101", [50, 70], "6H", [-20, 20]),
    ("biscambiggia-4", "1300023002", [68, 13, 29, 10], "JH", [74, -74]),
    ("briscola-2", "11011000000000001000", [93, 27], "6H", [66, -66]),
    ("briscola-3", "1211112022110", [7, 72, 41], "4S", [-99, 96, 3]),
    ("briscola-6", "432204", [17, 0, 43, 27, 33, 0], "4C", [66, -66]),
    ("briscolone", "11000001111100000111", [60, 60], None, [0, 0]),
    ("bisca-sete", "10000001110011111110", [57, 63], "2C", [-6, 6]),
    ("bisca-nove", "11011010001000011010", [57, 63], "KH", [-6, 6]),
    ("sueca", "2301230133", [26, 26, 26, 42], "7S", [-16, 16]),
]


def played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, *more: str
) -> dict[str, Any]:
    """Plays a match by command; returns what `replay --json` prints, once it verifies."""
    record = str(tmp_path / "record")
    assert run(["match", *more, "--game", game, "--record", record]) == 0
    assert run(["replay", record, "--verify"]) == 0
    capsys.readouterr()
    assert run(["replay", record, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("game", "winners", "points", "turn_up", "values"), GOLDEN)
def test_golden_deal(
    game: str,
    *,
    winners: str,
    points: list[int],
    turn_up: str | None,
    values: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """RULES 19.6, in Python and C: everybody plays the card that came into the hand first."""
    rules = find(game).rules_of({})[0].game
    deck = " ".join(card for card in DECK.split() if card in rules.pack)
    bots = (["sample:first", "sample:first-c"] * 3)[: rules.seats]
    found = played(tmp_path, capsys, game, *bots, "--deck", deck, "--dealer", "0")
    (deal,) = found["deals"]

    assert "".join(str(trick["winner"]) for trick in deal["tricks"]) == winners
    assert deal["points"] == points
    assert deal["turn_up"] == turn_up
    assert deal["scores"] == values


def scripted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, deck: str, said: str, *more: str
) -> dict[str, Any]:
    """Plays actions in order, seat 0 first; "seat:action" says whose it is, where it is not."""
    scripts: list[list[str]] = [[] for _ in range(5)]
    for act in said.split(", "):
        whose, _, action = act.partition(":")
        scripts[int(whose)].append(action)
    bots = []
    for seat, actions in enumerate(scripts):
        path = tmp_path / f"seat {seat}"
        path.write_text("\n".join(actions))
        bots.append(f"sample:script={path}")
    more = (*more, "--deck", deck, "--dealer", "4")
    found = played(tmp_path, capsys, game, *bots, *more)
    acts = [f"{seat}:{action}" for seat, action in found["deals"][0]["acts"]]
    assert acts[: len(said.split(", "))] == said.split(", ")
    return found


def dealt(*hands: str) -> str:
    """The deck that deals these cards first to seats 0 to 4, in packets of four by seat 4."""
    wanted = [hand.split() for hand in hands]
    named = {card for hand in wanted for card in hand}
    rest = iter(card for card in DECK.split() if card not in named)
    full = [[*hand, *(next(rest) for _ in range(8 - len(hand)))] for hand in wanted]
    return " ".join(" ".join(hand[at : at + 4]) for at in (0, 4) for hand in full)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "said", "caller", "pledge"),
    [
        (
            "auction-biscambiggia",
            "0:bid 61, 1:bid 62, 2:pass, 3:bid 65, 4:pass, 0:bid 66, 1:bid 70, 3:pass, 0:pass, "
            "1:call 7H",
            1,
            70,
        ),
        (
            "briscola-chiamata-mixed",
            "0:bid 3, 1:bid K, 2:pass, 3:bid 4, 4:bid 2, 0:bid 2 65, 1:pass, 3:pass, 4:bid 2 70, "
            "0:pass, 4:call 2D",
            4,
            70,
        ),
        (
            "briscola-chiamata-mixed",
            "0:bid 7, 1:force 6, 2:bid 6 62, 3:pass, 4:pass, 0:pass, 1:bid 6 66, 2:pass, 1:call 6C",
            1,
            66,
        ),
        ("briscola-chiamata-points", "0:bid 61, 1:bid 120, 1:call AD 3D", 1, 120),
    ],
)
def test_golden_auction(
    game: str,
    *,
    said: str,
    caller: int,
    pledge: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """RULES 19.1 and 19.3, M1, M2 and M4: who calls, and for how much."""
    (deal,) = scripted(tmp_path, capsys, game, DECK, said)["deals"]
    bids = [act for act in said.split(", ") if ":call" not in act]

    assert [f"{seat}:{action}" for seat, action in deal["auction"]] == bids
    assert (deal["caller"], deal["pledge"]) == (caller, pledge)
    assert deal["called"] == said.rpartition("call ")[2].split()
    assert deal["trump"] == said[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "before", "refused"),
    [
        *(("auction-biscambiggia", "0:bid 61", f"bid {points}") for points in (61, 60, 121)),
        *(("briscola-chiamata-mixed", "0:bid 3", bid) for bid in ("bid A", "bid 3")),
        *(("briscola-chiamata-mixed", "0:bid 6", bid) for bid in ("bid 7", "bid 6")),
        *(("briscola-chiamata-mixed", "0:bid 2, 1:bid 2 65", bid) for bid in ("bid 2 65", "bid 4")),
        ("briscola-chiamata-mixed", "0:force 6", "bid 5"),
    ],
)
def test_golden_refusal(
    game: str,
    *,
    before: str,
    refused: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """RULES 19.1 and 19.3, M3: a bid that is not higher is not legal; the script passes instead."""
    acts = before.split(", ")
    seat = len(acts)
    for at in range(5):
        mine = [act.partition(":")[2] for act in acts if act.startswith(f"{at}:")]
        (tmp_path / f"seat {at}").write_text("\n".join([*mine, *([refused] if at == seat else [])]))
    bots = [f"sample:script={tmp_path / f'seat {at}'}" for at in range(5)]
    found = played(tmp_path, capsys, game, *bots, "--deck", DECK, "--dealer", "4")
    done = [f"{who}:{action}" for who, action in found["deals"][0]["acts"]]

    assert done[: seat + 1] == [*acts, f"{seat}:pass"]
    assert (
        f"the script says {refused}, which is not legal here" in (tmp_path / "record").read_text()
    )


BID_120 = "0:bid 61, 1:bid 120, 1:call 7H"
BID_70 = "0:bid 61, 1:bid 70, 2:pass, 3:pass, 4:pass, 0:pass, 1:call 7H"
HEARTS = "AH KH QH JH 6H 5H 4H 3H"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "hands", "sides", "tokens"),
    [
        (BID_70, ("", HEARTS, "", "7H", ""), [[1, 3], [0, 2, 4]], [-1, 2, -1, 1, -1]),
        (BID_70, ("", f"7H {HEARTS[:-3]}", "", "", ""), [[1], [0, 2, 3, 4]], [-1, 4, -1, -1, -1]),
        (BID_120, ("", "KH QH", "7H", "", ""), [[1, 2], [0, 3, 4]], [1, -2, -1, 1, 1]),
        (BID_120, ("", "7H", "", "", ""), [[1], [0, 2, 3, 4]], [1, -4, 1, 1, 1]),
    ],
    ids=["made with a partner", "made alone", "missed with a partner", "missed alone"],
)
def test_golden_settlement(
    said: str,
    *,
    hands: tuple[str, ...],
    sides: list[list[int]],
    tokens: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """RULES 19.1: who pays whom, when the pledge is made and when it is missed."""
    found = scripted(tmp_path, capsys, "auction-biscambiggia", dealt(*hands), said)

    assert found["result"]["scores"] == tokens
    assert found["deals"][0]["seat_scores"] == tokens
    assert found["deals"][0]["sides"] == sides


@pytest.mark.slow
def test_five_passes_are_a_void_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """RULES 19.3 M5: no card is played, nobody scores, and the next dealer deals."""
    bots = ["sample:first"] * 5
    options = ["--key", "x", "--dealer", "2"]
    found = played(tmp_path, capsys, "briscola-chiamata-rank", *bots, *options)
    first = found["deals"][0]

    assert first["acts"] == [[seat, "pass"] for seat in (3, 4, 0, 1, 2)]
    assert first["scores"] == [0] * 5
    assert [deal["dealer"] for deal in found["deals"]] == [(2 + at) % 5 for at in range(50)]
    assert found["result"]["reason"] == "cap"
    assert found["result"]["winner"] is None


@pytest.mark.slow
def test_golden_blind_trick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """RULES 19.4: covered twos are opened when the suit is named, and one of them wins."""
    deck = dealt("5C", "2D", "AC", "2S", "KC")
    said = "0:bid 2, 0:blind, 0:5C, 1:2D, 2:AC, 3:2S, 4:KC, 0:suit D"  # a two ends the auction
    game, blind = "briscola-chiamata-rank", ("-o", "blind_first_trick=on")
    (deal,) = scripted(tmp_path, capsys, game, deck, said, *blind)["deals"]
    trick = deal["tricks"][0]

    assert (trick["winner"], trick["points"]) == (1, 15)
    assert trick["cards"] == ["5C", "2D", "AC", "2S", "KC"]
    assert deal["trump"] == "D"
    assert deal["sides"][0] == [0, 1]
    assert deal["called"] == ["2D"]
