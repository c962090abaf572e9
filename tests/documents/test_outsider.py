"""What SPEC.md says how to compute is computed here by scripts that use nothing of ours.

Each is what somebody with the text alone would write; our own functions only make what is checked.
"""

import hashlib
import json
import os
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ladder.archive.export import export
from ladder.files import record_store
from ladder.store.receipts import as_json, receipt_of
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.frozen_bots import freeze, hash_of, keep, scratch
from referee.cli import run
from referee.games import find
from referee.match.leg import Leg
from referee.match.lines import VoidLine
from referee.match.luck import VALUES, Reckoner, luck_of
from referee.match.seating import Seating
from referee.match.verdict import OnFault
from referee.rules.plain_game import PlainGame
from support import ladders
from support.matches import lines_of, match, rogue, verified

# The game digest (SPEC 9.1), of what `referee replay --json` prints and the lines of the record.


def printed_match(record: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What `referee replay FILE --json` prints."""
    capsys.readouterr()
    assert run(["replay", str(record), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def game_digest(record: Path, printed: dict[str, Any]) -> str:
    """From a record's lines, and the object that the command prints of it."""
    sha, faults, ends = hashlib.sha256(), 0, list[tuple[int, list[str]]]()
    for line in map(json.loads, record.read_bytes().splitlines()):
        match next(iter(line)):
            case "deal":
                faults = 0
            case "fault":
                faults += 1
            case "deal_end":
                ends.append((faults, line["sent"]))
    for deal, (faults, sent) in zip(printed["deals"], ends, strict=True):
        begun = [deal[name] for name in ("deck", "dealer", "seats", "acts")]
        found = [
            {name: fault[name] for name in ("seat", "code", "act")}
            for fault in deal["faults"][:faults]
        ]
        sha.update(written([*begun, found, deal["points"], deal["scores"], sent]))
    sha.update(written([printed["result"][name] for name in ("scores", "winner", "reason")]))
    return sha.hexdigest()


def written(value: object) -> bytes:
    """JSON without blanks, and a newline."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def told(path: Path) -> str:
    """The game digest that a record ends with."""
    return str(json.loads(path.read_bytes().splitlines()[-1])["game_digest"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "bots", "deals", "seating"),
    [
        ("briscola-2", ("sample:random", "sample:greedy"), 3, Seating.FULL),
        ("briscola-2", ("sample:random", "sample:greedy"), None, Seating.ONE),
        ("briscola-4", ("sample:random", "sample:greedy"), 2, Seating.FULL),
        ("briscolone", ("sample:random", "sample:greedy"), None, Seating.ONE),
        ("biscambiggia-3", ("sample:random", "sample:greedy", "sample:first"), None, Seating.ONE),
        ("auction-biscambiggia", ("sample:random",) * 5, 2, Seating.ONE),
    ],
)
async def test_the_game_digest_follows_from_what_is_printed(
    game: str,
    bots: tuple[str, ...],
    deals: int | None,
    seating: Seating,
    *,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In games of all kinds, with one process a bot and several, to their end and deck by deck."""
    path = tmp_path / "record"
    await match(path, game, *bots, deals=deals, seating=seating)

    assert game_digest(path, printed_match(path, capsys)) == told(path)


@pytest.mark.slow
@pytest.mark.parametrize("does", ["illegal", "exits", "no_answer"])
@pytest.mark.parametrize("on_fault", [None, *OnFault])
async def test_the_game_digest_of_a_record_with_faults_follows_from_what_is_printed(
    does: str, on_fault: OnFault | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The acts that the referee played for seats at fault and unplayed deals have their part."""
    path = tmp_path / "record"
    bots = (rogue(does), "sample:random", "sample:greedy")
    soon = "move=100ms,bank=0s,inc=1ms,start=20s"  # who else is late has its part, too
    await match(path, "biscambiggia-3", *bots, deals=4, on_fault=on_fault, time=soon)

    assert any(deal.faults for deal in verified(path))
    assert game_digest(path, printed_match(path, capsys)) == told(path)


@pytest.mark.slow
async def test_the_game_digest_of_a_record_with_faults_after_its_last_deals_follows_without_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are printed with the last deal of a leg, behind that deal's own faults."""
    path = tmp_path / "record"
    bots = (rogue("speaks_at_the_end"), rogue("illegal"))
    await match(path, "briscola-2", *bots, deals=1, seating=Seating.FULL)
    printed = printed_match(path, capsys)

    assert [len(deal["faults"]) for deal in printed["deals"]] == [2, 2]
    assert game_digest(path, printed) == told(path)


@pytest.mark.slow
async def test_the_game_digest_of_a_record_with_a_void_deal_follows_from_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was done in a void deal has no part in it."""
    path, check_answer, asked = tmp_path / "record", Leg.check_answer, []

    def fail_once(leg: Leg, *answer: Any) -> Any:
        asked.append(leg)
        if len(asked) == 10:
            raise RuntimeError("planted")
        return check_answer(leg, *answer)

    monkeypatch.setattr("referee.play.conductor._BACK_OFF_S", 0)
    monkeypatch.setattr("referee.play.conductor.play_usual", lambda *_: None)
    monkeypatch.setattr(Leg, "check_answer", fail_once)
    await match(path, "briscola-2", "sample:random", "sample:greedy", deals=2)
    monkeypatch.undo()

    assert sum(isinstance(line, VoidLine) for line in lines_of(path)) == 1
    assert game_digest(path, printed_match(path, capsys)) == told(path)


# The hash of a frozen bot (docs/results.md, 6).


def bot_hash(folder: Path) -> str:
    """From the files of a folder."""
    sha = hashlib.sha256()

    def add(here: Path, above: bytes) -> None:
        names = sorted(os.listdir(os.fsencode(here)))
        paths = {name: here / os.fsdecode(name) for name in names}
        for name, path in paths.items():
            if path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest().encode()
                runs = b"x" if path.stat().st_mode & 0o111 else b"-"
                whole = above + name
                sha.update(b"%d:%s %s %s\n" % (len(whole), whole, runs, content))
        for name, path in paths.items():
            if path.is_dir():
                add(path, above + name + b"/")

    add(folder, b"")
    return sha.hexdigest()


def test_the_hash_of_a_frozen_bot_follows_from_its_files(tmp_path: Path) -> None:
    """Names, the right to run and contents, in their order; nothing else, no date and no owner."""
    built, bots = tmp_path / "built", tmp_path / "bots"
    files = ("b.py", "a b\n.txt", "a/z", "a/b/c", "a.d/x", "B", "é", "z/__init__.py", "\uff41")
    for name in (*files, "bot.toml", "__pycache__/x.pyc", "a/__pycache__/y.pyc"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_text(f"of {name}")
    (built / "b.py").chmod(0o755)
    (built / "a/z").chmod(0o654)
    (built / "link").symlink_to("a/b/c")
    with scratch(bots) as folder:
        freeze(built, toml_of("python3 b.py"), folder, "it")
        kept = keep(folder, hash_of(folder))
    there = {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()}

    assert there == {*files, "bot.toml", "link"}
    assert bot_hash(kept) == kept.name


# Luck (docs/results.md, 2), of what `referee replay --json` and `referee games --json` print.


CARD_POINTS = {
    "it3": {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2},
    "gen7": {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2},
    "pt7": {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2},
}
GAMES = {
    "briscola-2": ("it3", 3, 1, 1),
    "biscambiggia-3": ("gen7", 3, 1, 1),
    "briscola-4": ("it3", 3, 1, 1),
    "briskula-dupla": ("it3", 4, 2, 2),
    "briscola-scoperta": ("it3", 3, 1, 1),
    "briscolone": ("it3", 5, 1, 1),
    "sueca": ("pt7", 10, 10, 1),
}
"""By game: its ranks, the cards of a hand, of a packet, and of a seat in a trick (SPEC 11)."""


def luck_by_seat(game: dict[str, Any], deal: dict[str, Any]) -> list[int]:
    """The luck of each seat in thousandths, from a game's and a deal's JSON."""
    ranks, hand, packet, each = GAMES[game["id"]]
    points, trump, deck = CARD_POINTS[ranks], deal["trump"], deal["deck"]
    tenths = {row["card"]: row for row in game["luck"]["tenths"]}
    sides, dealer = deal["sides"], deal["dealer"]
    seats = sum(map(len, sides))
    side_of = {seat: at for at, side in enumerate(sides) for seat in side}

    def worth(card: str, when: str, trump: str | None) -> int:
        kind = "trump" if card[1] == trump else "plain"
        return int(tenths[f"{kind} {points.get(card[0], 0)}"][when])

    own = [Fraction(0)] * len(sides)
    for at, card in enumerate(deck[: hand * seats]):
        own[side_of[(dealer + 1 + at // packet) % seats]] += worth(card, "dealt", trump)
    talon = deck[hand * seats :]
    if trump is not None and not talon:
        more = [
            worth(card, "dealt", card[1])
            - Fraction(sum(worth(other, "dealt", card[1]) for other in others), len(others))
            for card in deck
            for others in [[other for other in deck if other != card]]
        ]
        own[side_of[dealer]] -= sum(more, Fraction(0)) / len(deck)
    elif trump is not None:
        talon = talon[1:]
    drawn = [Fraction(worth(card, "drawn", trump)) for card in talon]
    shown = game["id"] == "briscola-scoperta"
    for number, trick in enumerate(deal["tricks"]):
        for turn in range(seats * each):
            at = number * seats * each + turn
            if at < len(drawn) and not (shown and turn == 0):
                surprise = drawn[at] - sum(drawn[at:], Fraction(0)) / len(drawn[at:])
                own[side_of[(trick["winner"] + turn) % seats]] += surprise
    rounded = [floor(100 * one + Fraction(1, 2)) for one in own]
    return [len(sides) * rounded[side_of[seat]] - sum(rounded) for seat in range(seats)]


def printed_game(game: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What `referee games ID --json` prints."""
    assert run(["games", game, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_luck_and_its_rounding_follow_from_what_is_printed(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the last thousandth, by the text of SPEC alone."""
    path, seats = tmp_path / "record", int(game[-1]) if game[-1].isdigit() else 2
    bots = ["sample:random"] * (2 if seats == 4 else seats)
    words = ["--game", game, "--deals", "12", "--record", str(path), "--sandbox", "bare"]
    assert run(["match", *bots, *words, "--json"]) == 0
    capsys.readouterr()
    rules = printed_game(game, capsys)
    found = [luck_by_seat(rules, deal) for deal in printed_match(path, capsys)["deals"]]

    assert found == [list(luck_of(deal) or ()) for deal in verified(path)]
    assert any(any(luck) for luck in found)


def test_halves_of_a_thousandth_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the sign: half a thousandth is one, and half a thousandth less is nought."""
    game = find("briscola-2").rules_of({})[0].game
    assert isinstance(game, PlainGame)
    counts = Reckoner(game.layout, VALUES["two"])
    half = counts.parts // 200
    monkeypatch.setattr(Reckoner, "by_side", lambda *_: [half, -half])

    assert counts.parts % 200 == 0
    assert counts.luck((), 0, ()) == (1, -1)


@pytest.mark.slow
def test_the_luck_of_a_block_is_the_sum_over_its_deals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the bots of the match, with nothing rounded once more."""
    with ladders.made(tmp_path / "it", bots=("random", "greedy")) as store:
        (match,) = ladders.filled(store, 1, really=True)
        record = record_store.path_of(store.files, match.record)
    rules, wanted = printed_game("briscola-2", capsys), [[0, 0] for _ in match.outcome.blocks]
    for number, deal in enumerate(printed_match(record, capsys)["deals"]):
        for bot, luck in zip(deal["seats"], luck_by_seat(rules, deal), strict=True):
            wanted[number % len(wanted)][bot] += luck

    assert [list(block.luck) for block in match.outcome.blocks] == wanted


# Receipts (docs/results.md, 7).


def test_a_receipt_is_checked_with_an_export_and_ed25519(tmp_path: Path) -> None:
    """Its signature, its head, and the fact that it is of; from a ladder that has gone on."""
    with ladders.made(tmp_path / "it", bots=("first", "random")) as store:
        submission = store.roster.entrants[2]
        slip = json.loads(as_json(receipt_of(store, submission, lambda _: None)))
        ladders.filled(store, 2)
        export(store, tmp_path / "it.zip")
    with ZipFile(tmp_path / "it.zip") as archive:
        facts = [json.loads(line) for line in archive.read("facts.jsonl").splitlines()]
    receipt, head = slip["receipt"], slip["receipt"]["head"]
    text = written(receipt).removesuffix(b"\n")

    assert list(slip) == ["receipt", "public_key", "signature"]
    assert list(receipt) == ["name", "fact", "submission", "head"]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(slip["public_key"]))
    key.verify(bytes.fromhex(slip["signature"]), b"briscola-referee ladder receipt 1\n" + text)
    assert facts[head["facts"] - 1]["hash"] == head["hash"]
    assert facts[receipt["fact"] - 1]["fact"] == receipt["submission"]
    assert receipt["submission"]["name"] == "random"
    assert receipt["fact"] <= head["facts"] < len(facts)
