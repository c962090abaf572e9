"""`referee check`: the usual mistakes are found and named, with a way to mend them."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from referee.bots.find import BotSpec
from referee.check.conversation import CheckFinding, Level
from referee.check.examine import examination, examine
from referee.check.unknown_fields import greased
from referee.cli import run
from referee.games import catalogue
from referee.match.clock import parse_time
from referee.match.leg import Leg
from referee.match.plan import MatchPlan
from referee.play.last_seen import LastSeen
from referee.sandbox.bare import Bare
from referee.sandbox.core_time import CoreUse
from support.matches import processes_with
from support.sandboxes import python_bot

PUPIL = Path(__file__).parents[1] / "support" / "bots" / "pupil.py"
TOKEN = f"pupil-of-{os.getpid()}"
"""In the command lines of our pupils: another process may run tests of this module, too."""


KEY = "check"
QUICK = "start=2s,move=1s,bank=0s,soft=0ms"


def pupil(mistake: str) -> BotSpec:
    command = (sys.executable, "-S", str(PUPIL), mistake, TOKEN)
    return BotSpec("pupil", command, str(PUPIL.parent), "0" * 64, mistake)


PROBLEMS = {
    "no_flush": ("did you flush", "flush stdout after every line"),
    "reads_all": ("did you flush", "reads all of stdin before it answers"),
    "writes_nothing": ("no answer within 2000 ms", "writes nothing, not even"),
    "prints": ("starting up", "stdout is for answers only"),
    "version_field": ("Expected `int`, got `str` - at `$.protocol`", "ready"),
    "answers_deal": ("after `deal`, which wants no answer", "nothing else"),
    "answers_deal_end": ("after `deal_end`, which wants no answer", "nothing else"),
    "answers_later": ("after `deal_end`, which wants no answer", "nothing else"),
    "no_id": ("Object missing required field `id`", "copy the `id`"),
    "counts_ids": ("the id of the open act is", "copy the `id`"),
    "python_dict": ("not JSON", "one JSON object a line"),
    "lower_case": ("is not one of the legal", "to the letter"),
    "divides_by_zero": ("ZeroDivisionError", "must live until `end`"),
    "ignores_end": ("on `end` it leaves not at all", "exit when `end` comes"),
    "leaves_at_eof": ("on `end` it leaves only at the end of its input", "exit when `end`"),
    "strict": ("unknown fields or messages upset it", "ignore every field"),
}
WAITED_FOR = ("writes_nothing", "reads_all", "ignores_end", "leaves_at_eof", "slow_start")
"""What is seen only after seconds; with much time."""
WARNINGS = {
    "slow_start": ("which is slow", "start faster"),
    "own_fields": ('unknown fields: {"confidence":3}', "`note`"),
    "exit_status": ("it ends with exit status 4", "exit with status 0"),
}


def patiently(mistakes: Iterable[str]) -> list[ParameterSet]:
    """All of them; those that take long only where there is time."""
    return [
        pytest.param(one, marks=pytest.mark.thorough) if one in WAITED_FOR else pytest.param(one)
        for one in mistakes
    ]


def asked(game: str = "briscola-2") -> MatchPlan:
    """Two deals of a game under a short clock, always the same."""
    return examination(game, {}, parse_time(QUICK), KEY)


async def found(mistake: str) -> list[CheckFinding]:
    return await examine(pupil(mistake), asked(), Bare())


async def test_time_counts_as_in_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one core, and without what the core waits for the disk: 60 ms of 50."""
    cores = os.sched_getaffinity(0)
    seen = []

    def waits_for_the_disk(_: LastSeen) -> CoreUse:
        seen.append(len(os.sched_getaffinity(0)))
        return CoreUse(0, 60_000, 60_000)

    monkeypatch.setattr(LastSeen, "core_use", waits_for_the_disk)
    plan = examination("briscola-2", {}, parse_time("start=2s,move=50ms,bank=0s,soft=0ms"), KEY)
    findings = await examine(pupil("reads_the_disk"), plan, Bare())

    assert [finding for finding in findings if finding.level is Level.PROBLEM] == []
    assert set(seen) == {1}
    assert os.sched_getaffinity(0) == cores


@pytest.mark.slow
async def test_what_a_program_sees_in_a_sandbox_is_said_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a file of its own may want others beside it; a folder, or a zip of one, has them."""
    monkeypatch.setattr(Bare, "name", "a sandbox")
    (tmp_path / "x.py").write_text("#!/usr/bin/env python3")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    told = {"x.py": "only /usr and its own file:", "x.zip": "its own folder", "": "its own folder"}
    for name, line in told.items():
        bot = BotSpec("x", ("/bin/false",), str(tmp_path), "0" * 64, str(tmp_path / name))
        (problem,) = await examine(bot, asked(), Bare())
        assert line in problem.mend
        assert ("bot.toml" in problem.mend) == (name == "x.py")


@pytest.mark.slow
@pytest.mark.parametrize("mistake", patiently(PROBLEMS))
async def test_a_mistake_is_named_and_can_be_mended(mistake: str) -> None:
    """Exactly one problem comes out, in words, with what to do."""
    what, mend = PROBLEMS[mistake]
    problems = [one for one in await found(mistake) if one.level is Level.PROBLEM]

    assert len(problems) == 1
    assert what in problems[0].what
    assert mend in problems[0].mend
    assert not processes_with(TOKEN)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", patiently(WARNINGS))
async def test_what_is_only_unwise_is_a_warning(mistake: str) -> None:
    """No problem, one warning."""
    what, mend = WARNINGS[mistake]
    findings = await found(mistake)
    warnings = [one for one in findings if one.level is Level.WARNING]

    assert not [one for one in findings if one.level is Level.PROBLEM]
    assert len(warnings) == 1
    assert what in warnings[0].what
    assert mend in warnings[0].mend


SOME = ("briscola-2", "briscola-6", "bisca-tres", "mariagio", "briscola-chiamata-mixed")


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        game if game in SOME else pytest.param(game, marks=pytest.mark.thorough)
        for game in catalogue()
    ],
)
async def test_a_bot_without_mistakes_passes_in_every_game(game: str) -> None:
    """Nothing but ok, whatever is played."""
    findings = await examine(pupil("none"), examination(game, {}, key=KEY), Bare())

    assert {one.level for one in findings} == {Level.OK}
    assert len(findings) == 5


@pytest.mark.slow
def test_the_command_says_it_in_lines_and_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A line a finding; exit code 0 or 1."""
    assert run(["check", "sample:first-c", "--key", "a b"]) == 0
    said = capsys.readouterr().out
    assert said.count("\nok ") == 4
    assert said.endswith("\nthe same cards, ids and seed again: --key 'a b'\n")
    assert run(["check", "sample:first", "--json", "--key", KEY]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {one["level"] for one in report["findings"]} == {"ok"}
    assert report["key"] == KEY


@pytest.mark.slow
def test_the_conversation_can_be_kept(tmp_path: Path) -> None:
    """Both of it: the plain one, and that with what no bot knows."""
    tee = tmp_path / "tee"
    assert run(["check", "sample:first-c", "--sandbox", "bare", "--tee", str(tee)]) == 0
    lines = tee.read_text().splitlines()
    assert sum(line.startswith('0 < {"type":"ready"') for line in lines) == 2
    assert {line[:4] for line in lines} == {"0 > ", "0 < "}
    assert any("x_grease" in line for line in lines)


SPARES_ONE_SEED = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        spared = message["seed"] == "SEED"
        print('{"type":"ready","protocol":1,"name":"cheat"}', flush=True)
    if message["type"] == "act":
        action = message["legal"][0] if spared else "XX"
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    if message["type"] == "end":
        break
"""


@pytest.mark.slow
def test_who_behaves_under_a_key_that_is_known_is_found_under_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Keys are drawn; the one that a report names finds the same again."""
    leg = Leg(asked().leg(0))
    leg.next_deal()
    seed = json.loads(leg.greet(0).line)["seed"]
    check = ["check", python_bot(tmp_path / "bot", SPARES_ONE_SEED.replace("SEED", seed))]
    check += ["--sandbox", "bare", "--json"]

    assert run([*check, "--key", KEY]) == 0
    capsys.readouterr()
    reports = []
    for _ in range(2):
        assert run(check) == 1
        reports.append(json.loads(capsys.readouterr().out))
    assert reports[0]["key"] != reports[1]["key"]
    assert run([*check, "--key", reports[0]["key"]]) == 1
    assert json.loads(capsys.readouterr().out) == reports[0]


@pytest.mark.slow
def test_the_command_fails_a_bot_that_fails(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exit code 1, and an arrow before what to do."""
    toml = f'name = "p"\ncommand = "{sys.executable} pupil.py no_id"\n'
    (tmp_path / "pupil.py").write_text(PUPIL.read_text())
    (tmp_path / "bot.toml").write_text(toml)

    assert run(["check", str(tmp_path), "--sandbox", "bare", "--key", KEY]) == 1
    said = capsys.readouterr().out
    assert said.startswith("problem deal 1, act 0: malformed: Object missing required field `id`")
    assert "\n         -> copy the `id` of the act into the answer" in said


def test_grease_adds_what_nobody_can_know_and_keeps_the_rest() -> None:
    """The message is the same but for its unknown fields, behind an unknown message."""
    line = b'{"type":"act","id":"a","view":{"seat":0},"legal":["7D"],"events":[],"time":{}}\n'
    unknown, known = (json.loads(one) for one in greased(line).splitlines())
    original = json.loads(line)

    assert unknown["type"] == "x_grease"
    assert {key: known[key] for key in ("type", "id", "legal")} == {
        key: original[key] for key in ("type", "id", "legal")
    }
    assert known["view"]["seat"] == 0
    assert set(known) - set(original) == {"x_grease", "x_grease_too"}


AUCTION_MISTAKES = {
    "bids_61": "a bid that does not beat the one that stands",
    "calls_nothing": "a call that is none",
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", AUCTION_MISTAKES)
async def test_a_bot_has_to_bid_and_to_call(mistake: str) -> None:
    """What a bot does wrong in an auction is found: it opens, it is outbid, and it calls."""
    findings = await examine(pupil(mistake), asked("briscola-chiamata-points"), Bare())

    assert [f.level for f in findings] == [Level.PROBLEM]
    assert "is not one of the legal" in findings[0].what


@pytest.mark.slow
def test_options_of_the_game_can_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """Signals, seats, or a blind trick: whatever `match` takes; nonsense is refused."""
    options = ["-o", "seats=4", "-o", "signals=on"]
    assert run(["check", "sample:random", "--game", "bisca-tres", *options, "--key", KEY]) == 0
    assert "plays 2 deals of bisca-tres" in capsys.readouterr().out
    assert run(["check", "sample:first", "--game", "sueca", "-o", "signals=on"]) == 2
