"""Neither organiser nor authors choose the decks of a sealed event; who tries is seen."""

import hashlib
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import trio
from msgspec.structs import replace

from ladder.core.seal import Contributions, Seal, commitment_to, misfit, sealed_key, withheld
from ladder.event.check import State, check_event
from ladder.event.conductor import Way, play_event, played_in
from ladder.event.contribution import TOLD, drawn, told, told_for, wrong_in
from ladder.event.deck_keys import key_of_decks
from ladder.event.file import Event
from ladder.event.log import LOG, EventLog
from ladder.event.log_lines import EventEnd, EventHeader, EventRound, Line, MatchLine, decode
from ladder.event.plan import EventPlan
from referee.cli import run
from referee.errors import RefereeError
from referee.match.chance import block_key, event_key
from support.events import KEY, Silent, ToyPool, event_of, event_text

ADA, BOB = "a1" * 32, "b2" * 32
ROOT: Final = Path(__file__).parents[3]
BEACON: Final = "0123abcd"
TRIALS: Final = 400
TRIES: Final = 32
Change = Callable[[Any], Line | None]  # of the kind of line that the case names


def sealed_event(folder: Path) -> Event:
    """Four bots: of ada, of bob, of ada again, and of one who contributes nothing."""
    event = event_of(folder, event_text(4, top='blocks = 3\nbeacon = "Test beacon 7"'))
    seal = Seal(commitments=(*map(commitment_to, (ADA, BOB, ADA)), ""), beacon="Test beacon 7")
    return replace(event, plan=replace(event.plan, seal=seal))


GIVEN = Contributions(contributions=(ADA, BOB, ADA, ""), beacon=BEACON)


async def finished(folder: Path, given: Contributions = GIVEN) -> list[Line]:
    """The lines of a sealed event that is over."""
    event = sealed_event(folder)
    key = sealed_key(KEY, event.plan.digest(), given)
    with EventLog(folder) as log:
        log.begin(event.plan)
        log.write(given)
        way = Way(event.bots, key, None, secret=KEY)
        await play_event(event.plan, way, log, ToyPool(), Silent())
    return [decode(line) for line in (folder / LOG).read_bytes().splitlines()]


def rewritten(folder: Path, lines: Sequence[Line]) -> Path:
    """A log with these lines, whose hashes fit."""
    with EventLog(folder) as log:
        for line in lines:
            log.write(line)
    return folder / LOG


def states(path: Path) -> dict[str, State]:
    return {one.what: one.state for one in check_event(path, records=False)}


async def test_decks_follow_from_the_secret_and_every_contribution(tmp_path: Path) -> None:
    """And the log says so once it is over."""
    await finished(tmp_path)
    played = played_in(tmp_path / LOG)
    assert played.secret == KEY
    assert played.key == sealed_key(KEY, played.plan.digest(), GIVEN)
    others = [
        replace(GIVEN, contributions=(BOB, BOB, ADA, "")),
        replace(GIVEN, contributions=(ADA, BOB, "", "")),
        replace(GIVEN, beacon="0123abce"),
    ]
    keys = [key_of_decks(played.plan, KEY, one) for one in (GIVEN, *others)]
    keys += [sealed_key("other", played.plan.digest(), GIVEN), sealed_key(KEY, "0" * 64, GIVEN)]
    assert len({*keys}) == 6
    found = states(tmp_path / LOG)
    assert found.pop("beacon") is State.OPEN, "only its publisher can say"
    assert {*found.values()} == {State.HOLDS}
    assert [*found] == ["log", "pairings", "secret", "contributions", "decks"]


@pytest.mark.parametrize(
    ("program", "file"),
    [(sys.executable, "sealed_log.py"), ("node", "sealed_log.js"), ("perl", "sealed_log.pl")],
)
def test_who_has_none_of_our_code_proves_a_log_with_what_a_language_brings(
    program: str, file: str, tmp_path: Path
) -> None:
    """Each of the examples, of a log that is true and of one whose decks are others."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; make ci installs it")
    (tmp_path / "true").mkdir()
    lines = trio.run(finished, tmp_path / "true")
    words = [program, str(ROOT / "docs" / "examples" / file)]
    path = tmp_path / "true" / LOG
    done = subprocess.run([*words, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == played_in(path).key
    at, match = next((at, line) for at, line in enumerate(lines) if isinstance(line, MatchLine))
    lines[at] = replace(match, decks="0" * 64)
    forged = rewritten(tmp_path / "forged", lines)
    done = subprocess.run([*words, str(forged)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "other decks" in done.stderr


def test_the_key_is_as_it_is_written_down() -> None:
    """Computed here once more, word by word as in docs/results.md."""
    message = f"seal\n{'d' * 64}\n{ADA}\n\n{BEACON}\n".encode()
    secret = hashlib.sha256(KEY.encode()).digest()
    given = Contributions(contributions=(ADA, ""), beacon=BEACON)
    inner = bytes(one ^ 0x36 for one in secret.ljust(64, b"\0"))
    outer = bytes(one ^ 0x5C for one in secret.ljust(64, b"\0"))
    due = hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).hexdigest()
    assert sealed_key(KEY, "d" * 64, given) == due
    assert commitment_to(ADA) == hashlib.sha256(f"contribution:{ADA}".encode()).hexdigest()


# --- who tries to choose


def first_bit(key: str) -> int:
    """What a cheat wants of the decks: that this is 1."""
    return int(block_key(event_key(key), 0)[0], 16) >> 3


def drawn_by(dice: Random) -> str:
    return dice.randbytes(32).hex()


def by_chance(wins: int) -> bool:
    """Whether of `TRIALS` so many are won as a coin wins, within four standard deviations."""
    return abs(wins - TRIALS / 2) < 4 * math.sqrt(TRIALS / 4)


def test_an_organiser_who_draws_until_he_likes_the_decks_has_what_chance_gives() -> None:
    """Where the event is not sealed he has what he likes: that is what the seal is for."""
    dice = Random(1)
    unsealed = sealed = 0
    for _ in range(TRIALS):
        secrets = [drawn_by(dice) for _ in range(TRIES)]
        unsealed += any(map(first_bit, secrets))
        guess, honest = (Contributions(contributions=(drawn_by(dice),), beacon="") for _ in "ab")
        best = max(secrets, key=lambda one: first_bit(sealed_key(one, "plan", guess)))
        sealed += first_bit(sealed_key(best, "plan", honest))
    assert unsealed == TRIALS
    assert by_chance(sealed)


def test_an_author_who_draws_until_he_likes_the_decks_has_what_chance_gives() -> None:
    """He does not know the secret, and what he tells is what he committed to before."""
    dice = Random(2)
    wins = 0
    for _ in range(TRIALS):
        tried = [drawn_by(dice) for _ in range(TRIES)]
        guess, secret = drawn_by(dice), drawn_by(dice)

        def likes(one: str, secret: str) -> int:
            given = Contributions(contributions=(one,), beacon="")
            return first_bit(sealed_key(secret, "plan", given))

        best = max(tried, key=lambda one: likes(one, guess))  # used at once
        wins += likes(best, secret)
    assert by_chance(wins)
    seal = Seal(commitments=(commitment_to(ADA),), beacon="")
    assert "not the one" in misfit(seal, Contributions(contributions=(BOB,), beacon=""))


def test_who_withholds_has_what_chance_gives_and_is_named() -> None:
    """Though all others have told theirs before: what is between is the secret."""
    dice = Random(3)
    wins = 0
    for _ in range(TRIALS):
        others, own = drawn_by(dice), drawn_by(dice)
        choices = [Contributions(contributions=(others, one), beacon="") for one in (own, "")]
        guess, secret = drawn_by(dice), drawn_by(dice)
        best = max(
            choices,
            key=lambda one: first_bit(sealed_key(guess, "plan", one)),  # at once
        )
        wins += first_bit(sealed_key(secret, "plan", best))
    assert by_chance(wins)
    seal = Seal(commitments=(commitment_to(ADA), "", commitment_to(BOB)), beacon="")
    assert withheld(seal, Contributions(contributions=(ADA, "", ""), beacon="")) == (2,)


async def test_who_withholds_stops_nothing(tmp_path: Path) -> None:
    lines = await finished(tmp_path, replace(GIVEN, contributions=(ADA, "", ADA, "")))
    assert isinstance(lines[-1], EventEnd)
    (found,) = (
        one for one in check_event(tmp_path / LOG, records=False) if one.what == "contributions"
    )
    assert "withheld: bot 1" in found.told
    assert found.state is State.OPEN, "or left out, as the organiser liked"


def other_plan(line: EventHeader) -> EventHeader:
    plan = replace(line.plan, name="Other")
    return replace(line, plan=plan, digest=plan.digest())


def told_by(**changes: Any) -> Change:  # of fields of any type
    return lambda line: replace(line, **changes)


FORGED: dict[str, tuple[type[Line], Change, str]] = {
    "other secret": (EventEnd, told_by(key=KEY[::-1]), "not the one that was committed to"),
    "not told": (Contributions, lambda _: None, "before the contributions were told"),
    "other contribution": (
        Contributions,
        told_by(contributions=(BOB, BOB, ADA, "")),
        "entrant 0: not the one that was committed to",
    ),
    "left out": (Contributions, told_by(contributions=("", BOB, ADA, "")), "other decks"),
    "not due": (Contributions, told_by(contributions=(ADA, BOB, ADA, ADA)), "entrant 3: not the"),
    "too few": (Contributions, told_by(contributions=(ADA, BOB, ADA)), "another number"),
    "other beacon": (Contributions, told_by(beacon="0123abce"), "played with other decks"),
    "no beacon": (Contributions, told_by(beacon=""), "there must be one just where"),
    "odd beacon": (Contributions, told_by(beacon="a b"), "printable ASCII"),
    "no decks": (MatchLine, told_by(decks=""), "played with other decks"),
    "other plan": (EventHeader, other_plan, "played with other decks"),
}


@pytest.mark.parametrize("case", FORGED)
async def test_an_organiser_who_changes_what_was_agreed_is_seen(case: str, tmp_path: Path) -> None:
    """Though every hash of the chain is made anew."""
    kind, change, words = FORGED[case]
    (tmp_path / "true").mkdir()
    lines = await finished(tmp_path / "true")
    at = next(at for at, line in enumerate(lines) if isinstance(line, kind))
    changed = change(lines[at])
    lines[at : at + 1] = [] if changed is None else [changed]
    (found,) = check_event(rewritten(tmp_path / "forged", lines), records=False)
    assert found.state is State.WRONG
    assert words in found.told


async def test_an_organiser_who_pairs_as_he_likes_is_seen(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    lines = await finished(tmp_path / "true")
    at = next(at for at, line in enumerate(lines) if isinstance(line, EventRound))
    line = lines[at]
    assert isinstance(line, EventRound)
    first, second, *others = line.tables
    lines[at] = replace(line, tables=(second, first, *others))
    found = states(rewritten(tmp_path / "forged", lines))
    assert found["pairings"] is State.WRONG


async def test_an_organiser_who_ends_before_all_is_played_is_seen(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    lines = await finished(tmp_path / "true")
    without = [line for line in lines if not isinstance(line, MatchLine | EventRound | EventEnd)]
    end = EventEnd(hashlib.sha256(b"").hexdigest(), KEY)
    found = states(rewritten(tmp_path / "forged", [*without, end]))
    assert found["pairings"] is State.WRONG


async def test_contributions_are_told_before_play_and_once(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    header, given, *others = await finished(tmp_path / "true")
    for lines, words in (
        ([header, given, given], "second time"),
        ([header, *others[:1], given], "after play had begun"),
    ):
        (found,) = check_event(rewritten(tmp_path / words, lines), records=False)
        assert found.state is State.WRONG
        assert words in found.told


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout", "double-knockout"])
async def test_whatever_rounds_a_log_has_it_is_looked_at(form: str, tmp_path: Path) -> None:
    """Each line of a round changed in many ways: it is wrong, and nothing is raised."""
    (tmp_path / "true").mkdir()
    top = f'format = "{form}"\nblocks = 2\nmatch_blocks = 2'
    event = event_of(tmp_path / "true", event_text(6, top=top))
    with EventLog(tmp_path / "true") as log:
        log.begin(event.plan)
        await play_event(event.plan, Way(event.bots, KEY, None), log, ToyPool(), Silent())
    lines = [decode(line) for line in (tmp_path / "true" / LOG).read_bytes().splitlines()]
    assert states(tmp_path / "true" / LOG)["pairings"] is State.HOLDS
    dice, tried = Random(4), 0
    rounds = [at for at, line in enumerate(lines) if isinstance(line, EventRound)]
    for number in range(40):
        at = dice.choice(rounds)
        line = lines[at]
        assert isinstance(line, EventRound)
        tables = [dice.sample(range(6), 2) for _ in range(dice.randint(0, 4))]
        byes = dice.sample(range(6), dice.randint(0, 2))
        other = replace(
            line,
            tables=tuple(tuple(one) for one in tables),
            byes=tuple(byes),
            label=dice.choice(["", line.label, "final"]),
            first=dice.choice([0, line.first, 7]),
        )
        kept = [one for one in lines[at + 1 :] if dice.random() < 0.8]
        forged = [*lines[:at], other, *kept]
        found = check_event(rewritten(tmp_path / str(number), forged), records=False)
        assert other == line or any(one.state is State.WRONG for one in found)
        tried += other != line
    assert tried > 30


async def test_an_event_without_a_seal_says_who_has_drawn_its_key(tmp_path: Path) -> None:
    event = event_of(tmp_path, event_text(3))
    with EventLog(tmp_path) as log:
        log.begin(event.plan)
        await play_event(event.plan, Way(event.bots, KEY, None), log, ToyPool(), Silent())
    found = states(tmp_path / LOG)
    assert found == {
        "log": State.HOLDS,
        "pairings": State.HOLDS,
        "key": State.HOLDS,
        "seal": State.OPEN,
    }
    assert b'"seal"' not in (tmp_path / LOG).read_bytes()


# --- files and commands


@pytest.fixture
def plan(tmp_path: Path) -> EventPlan:
    return sealed_event(tmp_path).plan


def test_a_contribution_is_drawn_once_and_for_its_author_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    found = drawn(path)
    assert drawn(path) == found
    assert len({found.contribution, drawn(tmp_path / "other").contribution}) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_contribution_is_told_for_one_log_only(tmp_path: Path, plan: EventPlan) -> None:
    """Or an organiser who has it from a first log would choose the secret of a second one."""
    path = tmp_path / "mine"
    own = drawn(path).contribution
    with pytest.raises(RefereeError, match="no commitment to contribution"):
        told_for(path, plan)
    assert plan.seal is not None
    seal = replace(plan.seal, commitments=("", commitment_to(own), commitment_to(own), ""))
    first = replace(plan, seal=seal)
    assert told_for(path, first) == told_for(path, first) == (own, ("bot 1", "bot 2"))
    with pytest.raises(RefereeError, match="was told for another event"):
        told_for(path, replace(first, commitment="0" * 64))
    with pytest.raises(RefereeError, match="no such file"):
        told_for(tmp_path / "none", first)


def mine(tmp_path: Path, plan: EventPlan) -> tuple[Path, str, EventPlan]:
    """A file with a contribution, it itself, and a plan that has the commitment to it."""
    path = tmp_path / "mine"
    own = drawn(path).contribution
    assert plan.seal is not None
    seal = replace(plan.seal, commitments=(commitment_to(own), "", "", ""))
    return path, own, replace(plan, seal=seal)


def test_an_author_sees_that_a_log_has_the_contribution_that_was_told_for_it(
    tmp_path: Path, plan: EventPlan
) -> None:
    path, own, known = mine(tmp_path, plan)
    told_for(path, known)
    given = Contributions(contributions=(own, "", "", ""), beacon=BEACON)
    assert wrong_in(path, known, given) == ""


def test_an_author_sees_that_a_contribution_was_left_out_though_it_was_told(
    tmp_path: Path, plan: EventPlan
) -> None:
    """Only they can: to all others the organiser says that it was withheld."""
    path, _, known = mine(tmp_path, plan)
    without = Contributions(contributions=("",) * 4, beacon=BEACON)
    assert wrong_in(path, known, without) == "", "it was not told"
    told_for(path, known)
    assert "left out of this log, though this file has told it" in wrong_in(path, known, without)


def test_an_author_sees_that_a_contribution_is_in_a_log_that_it_was_not_told_for(
    tmp_path: Path, plan: EventPlan
) -> None:
    """Who knew it before has chosen the secret by the decks; the log alone does not show that."""
    path, own, known = mine(tmp_path, plan)
    given = Contributions(contributions=(own, "", "", ""), beacon=BEACON)
    assert "was not told for this log" in wrong_in(path, known, given)
    told_for(path, known)
    again = replace(known, commitment="0" * 64)
    assert "was not told for this log" in wrong_in(path, again, given)


@pytest.mark.parametrize(
    ("text", "missing", "words"),
    [
        ("[contributions", (), "toml"),
        ("colour = 3", (), "unknown field"),
        ('[contributions]\nx = "1"', (), "no bot 'x'"),
        (f'beacon = "x"\n[contributions]\n"bot 0" = "{ADA}"', (), "nothing of bot 1, bot 2 yet"),
        (f'beacon = "x"\n[contributions]\n"bot 0" = "{BOB}"', ("bot 1", "bot 2"), "entrant 0"),
        (f'[contributions]\n"bot 0" = "{ADA}"', ("bot 1", "bot 2"), "there must be one"),
        ("", ("bot 9",), "'bot 9': a contribution is due of bot 0, bot 1, bot 2 only"),
        ("", ("bot 3",), "'bot 3': a contribution is due of"),
    ],
)
def test_what_of_the_contributions_is_wrong_is_said_in_a_line(
    tmp_path: Path, plan: EventPlan, text: str, missing: Sequence[str], words: str
) -> None:
    (tmp_path / TOLD).write_text(text)
    assert plan.seal is not None
    with pytest.raises(RefereeError, match=words) as caught:
        told(tmp_path, plan, plan.seal, missing)
    assert "\n" not in str(caught.value)


def test_nothing_is_told_before_there_is_a_beacon_or_any_contribution(
    tmp_path: Path, plan: EventPlan
) -> None:
    """Unless nothing is due but what is withheld."""
    assert plan.seal is not None
    mute = ("bot 0", "bot 1", "bot 2")
    assert told(tmp_path, plan, plan.seal, ()) is None
    assert told(tmp_path, plan, plan.seal, mute) is None, "the beacon is due"
    alone = replace(plan.seal, beacon="")
    assert told(tmp_path, plan, alone, mute[:1]) is None
    none = Contributions(contributions=("",) * 4, beacon="")
    assert told(tmp_path, plan, alone, mute) == none


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_authors_and_organiser_seal_an_event_by_commands(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the drawing of contributions to the proof, records included."""

    def printed(*words: str, code: int = 0) -> str:
        assert run(list(words)) == code
        return capsys.readouterr().out.strip()

    seals = [printed("event", "contribute", name) for name in ("ada", "bob")]
    bots = [f'[[bot]]\npath = "sample:{name}"\n{seal}\n' for name, seal in
            zip(("first", "random"), seals, strict=True)]  # fmt: skip
    top = 'name = "Sealed"\nblocks = 1\nsandbox = "bare"\nbeacon = "Test beacon 7"\n'
    text = f'{top}[[game]]\nid = "briscola-2"\n{"".join(bots)}'
    (folder / "e.toml").write_text(text)
    assert printed("event", "contribute", "ada", "--log", "e.toml", code=2) == ""
    assert printed("event", "run", "e.toml", code=1) == ""
    found = [printed("event", "contribute", name, "--log", "e") for name in ("ada", "bob")]
    (folder / "e" / TOLD).write_text(
        f'beacon = "{BEACON}"\n[contributions]\nfirst = "{found[0]}"\n'
    )
    printed("event", "run", "e.toml", code=2)
    assert "nothing was played" in printed("event", "check", "e.toml")
    with (folder / "e" / TOLD).open("a") as file:
        file.write(f'random = "{found[1]}"\n')
    assert "game digest" in printed("event", "run", "e.toml")
    assert printed("event", "contribute", "ada", "--log", "e") == "", "nothing is wrong with it"
    forgotten = (folder / "ada").read_text().replace("told_for", "# told_for")
    (folder / "ada").write_text(forgotten)
    assert "not told for this log" in printed("event", "contribute", "ada", "--log", "e", code=1)
    said = printed("event", "check", "e", "--records")
    assert "2 as their authors have committed to" in said
    assert "1 record played again: decks and results are those of the log" in said
    (record,) = (folder / "e" / "records").rglob("*.jsonl")
    other = record.read_text().replace('"deal":', '"deal" :', 1)
    record.write_text(other)
    assert "records" in printed("event", "check", "e", "--records", code=1)


def test_contributions_that_are_there_before_the_log_are_refused(folder: Path) -> None:
    seal = f'seal = "{commitment_to(ADA)}"'
    bots = f'[[bot]]\npath = "sample:first"\n{seal}\n[[bot]]\npath = "sample:random"\n'
    (folder / "e.toml").write_text(f'name = "E"\nsandbox = "bare"\n[[game]]\nid = "sueca"\n{bots}')
    (folder / "e").mkdir()
    (folder / "e" / TOLD).write_text(f'[contributions]\nfirst = "{ADA}"\n')
    assert run(["event", "run", "e.toml"]) == 2


@pytest.mark.parametrize("seal", ["0" * 63, "G" * 64, "A" * 64])
def test_a_seal_of_the_file_is_a_commitment(folder: Path, seal: str) -> None:
    text = event_text(2).replace('name = "bot 1"', f'name = "bot 1"\nseal = "{seal}"')
    with pytest.raises(RefereeError, match="bot 2: seal: 64 hex digits"):
        event_of(folder, text)
