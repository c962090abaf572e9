"""What the organiser of a sealed ladder could choose is proved to be as it had to be, or counted.

Each test of a cheat rewrites the facts as an organiser could who hashes and rates them anew.
"""

import hashlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from ladder.archive.format import line_of
from ladder.audit.audit import Wanted, prove
from ladder.audit.findings import AuditReport
from ladder.commands.epoch_lines import epoch_lines
from ladder.core.facts import (
    Begun,
    Decision,
    Deed,
    Draw,
    DrawName,
    Fact,
    LadderJob,
    Match,
    Pool,
    Revealed,
    Sealed,
    Submission,
    as_bytes,
    unplayed,
)
from ladder.core.matchmaking import RULE
from ladder.store import chain
from ladder.store.bulk_import import import_facts
from ladder.store.location import where_of
from ladder.store.store import Store
from support.ladders import made, submit, usual_pools
from support.sealed import by_rule, counted, epoch, facts_of, settle, taken

ROOT: Final = Path(__file__).parents[3]
BOTS: Final = ("greedy", "first", "random", "cheat")


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two epochs that are over, of two games, with matches under way side by side.

    Between them bots are handed in and retired, and one match is begun again for a dead runner.
    """
    folder = tmp_path_factory.mktemp("sealed") / "it"
    pools = usual_pools("briscola-2", "briscola-3", blocks=1)
    with made(folder, pools, BOTS) as store:
        epoch(store, 8)
        submit(store, "late", "author-of-late", "greedy")
        counted(store, 4)
        submit(store, "greedy", "author-of-greedy")
        taken(store, owner="dead")
        counted(store, 3)
        lease = taken(store, dead={"dead"})
        assert lease is not None
        settle(store, lease)
        epoch(store, 6, beacon="2c3d")
        retired = Decision(deed=Deed.RETIRED, entrant=2, reason="so", at_ms=1)
        store.add(lambda _, now: [replace(retired, at_ms=now)])
        counted(store, 6)
        store.epochs.end()
    return folder


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("UPDATE epoch SET secret = 'other'", "its secret is not the one that was committed to"),
        ("UPDATE epoch SET key = 'other'", "its key is not that of its secret and its beacon"),
        ("UPDATE epoch SET seq = seq + 1", "its key is not that of its secret and its beacon"),
        ("UPDATE epoch SET draws = draws - 1", "draw 17 was taken, and would be again"),
        ("UPDATE epoch SET epoch = epoch + 7", "its secret is not the one that was committed to"),
    ],
)
def test_a_secret_that_was_changed_is_found_before_it_is_needed(
    order: str, found: str, ladder: Path, tmp_path: Path
) -> None:
    shutil.copy(ladder / "ladder.db", tmp_path)
    where = replace(where_of(str(tmp_path)), files=ladder)
    with closing(sqlite3.connect(where.database, isolation_level=None)) as connection:
        connection.execute(order)
    lines = [one.line for one in prove(where, Wanted(sample=0)).findings]
    assert any(line.startswith("epoch ") and found in line for line in lines)


Change = Callable[[list[Fact]], list[Fact]]


def proof(facts: list[Fact], to: Path) -> AuditReport:
    """Prove a ladder of these facts, apart from records, of which there are none."""
    where = where_of(str(to / "other"))
    import_facts(where, facts)
    return prove(where, Wanted(sample=0))


def told(report: AuditReport) -> str:
    """What was found but that files of bots and records are missing."""
    return "\n".join(
        one.line for one in report.findings if "match" in one.where or one.fact < 2**63
    )


@pytest.fixture(scope="module")
def facts(ladder: Path) -> list[Fact]:
    """Those of the ladder."""
    with Store(where_of(str(ladder))) as store:
        return facts_of(store)


def test_in_an_honest_ladder_every_key_and_every_table_had_to_be_so(ladder: Path) -> None:
    """With matches under way, after bots came and went, and after a runner had died."""
    report = prove(where_of(str(ladder)), Wanted(sample=0))
    first, second = report.epochs
    assert not [one.line for one in report.findings if "draw" in one.what or "key" in one.what]
    assert (first.matches, first.draws, first.broken, first.missing) == (16, 17, 1, 0)
    assert (second.matches, second.draws, second.broken, second.missing) == (12, 12, 0, 0)
    for one in report.epochs:
        assert one.proved
        assert (one.untold, one.left_out, one.omitted) == (0, 0, 0)
    assert (first.value, second.value) == ("0a1b", "2c3d")
    lines = list(epoch_lines(report.epochs))
    assert len(lines) == 3
    assert "16 matches of 17 draws; their keys had to be so" in lines[0]
    assert "1 match was broken off and played again with other decks" in lines[1]


def matches_of(facts: list[Fact], number: int) -> list[int]:
    """Where the matches of an epoch stand among the facts."""
    return [
        at
        for at, fact in enumerate(facts)
        if isinstance(fact, Match) and fact.job.draw and fact.job.draw.name.epoch == number
    ]


def with_job(fact: Fact, change: Callable[[LadderJob, Draw], LadderJob]) -> Fact:
    """A match of another job."""
    assert isinstance(fact, Match)
    assert fact.job.draw is not None
    return replace(fact, job=change(fact.job, fact.job.draw))


def other(facts: list[Fact], at: int, change: Callable[[LadderJob, Draw], LadderJob]) -> list[Fact]:
    """The facts with the job of one match changed."""
    return [with_job(fact, change) if here == at else fact for here, fact in enumerate(facts)]


def another_secret(facts: list[Fact]) -> list[Fact]:
    """Tell a secret by which the decks would be others."""
    return [
        replace(fact, secret="ab" * 32) if isinstance(fact, Revealed) else fact for fact in facts
    ]


def another_commitment(facts: list[Fact]) -> list[Fact]:
    """Commit to a secret that is told rightly, and that no deck was dealt by."""
    secret = "ab" * 32
    digest = hashlib.sha256(hashlib.sha256(secret.encode()).digest()).hexdigest()
    sealed = [replace(one, commitment=digest) if isinstance(one, Sealed) else one for one in facts]
    return [replace(one, secret=secret) if isinstance(one, Revealed) else one for one in sealed]


def another_beacon(facts: list[Fact]) -> list[Fact]:
    """Say that the beacon has published something else."""
    return [replace(fact, beacon="ffff") if isinstance(fact, Begun) else fact for fact in facts]


def a_key_of_choice(facts: list[Fact]) -> list[Fact]:
    """Deal what was liked."""
    return other(facts, matches_of(facts, 1)[2], lambda job, _: replace(job, key="ab" * 32))


def a_table_of_choice(facts: list[Fact]) -> list[Fact]:
    """Seat the bots the other way round."""

    def turned(job: LadderJob, _: Draw) -> LadderJob:
        return replace(job, entrants=job.entrants[::-1], hashes=job.hashes[::-1])

    return other(facts, matches_of(facts, 2)[3], turned)


def a_bot_that_knows_the_decks(facts: list[Fact]) -> list[Fact]:
    """Seat a bot that was handed in when the secret was there."""
    at = matches_of(facts, 1)[13]

    late_one = next(one for one in facts if isinstance(one, Submission) and one.name == "late")

    def late(job: LadderJob, _: Draw) -> LadderJob:
        entrants = (late_one.entrant, *job.entrants[1:])
        return replace(job, entrants=entrants, hashes=(late_one.hash, *job.hashes[1:]))

    return other(facts, at, late)


def a_match_without_a_draw(facts: list[Fact]) -> list[Fact]:
    """Count a match whose key was drawn at home."""
    return other(facts, matches_of(facts, 1)[3], lambda job, _: replace(job, draw=None))


def a_draw_twice(facts: list[Fact]) -> list[Fact]:
    """Play a draw again, and count both."""
    second = matches_of(facts, 1)[3]
    name = DrawName(1, 1)
    return other(facts, second, lambda job, draw: replace(job, draw=replace(draw, name=name)))


def a_later_situation(facts: list[Fact]) -> list[Fact]:
    """Say that a table was drawn when others had come."""
    at = matches_of(facts, 2)[-1]
    return other(facts, at, lambda job, draw: replace(job, draw=replace(draw, facts=at + 40)))


def an_earlier_situation(facts: list[Fact]) -> list[Fact]:
    """Say that a table was drawn before the one that came before it."""
    at = matches_of(facts, 1)[9]
    return other(facts, at, lambda job, draw: replace(job, draw=replace(draw, facts=7, beside=())))


def a_match_beside_that_was_over(facts: list[Fact]) -> list[Fact]:
    """Say that a match was under way, so that its author's bots are busy."""
    at = matches_of(facts, 1)[-1]
    gone = (DrawName(1, 1),)
    return other(facts, at, lambda job, draw: replace(job, draw=replace(draw, beside=gone)))


def a_table_before_its_epoch(facts: list[Fact]) -> list[Fact]:
    """Say that the first table was drawn before its epoch had begun."""
    at = matches_of(facts, 1)[0]
    return other(facts, at, lambda job, draw: replace(job, draw=replace(draw, facts=5, beside=())))


def a_table_of_a_bot_to_come(facts: list[Fact]) -> list[Fact]:
    """Say that a table was drawn when its bots were not there; and that it was beside itself."""
    at = matches_of(facts, 1)[4]
    beside = (DrawName(1, 1),)
    return other(
        facts, at, lambda job, draw: replace(job, draw=replace(draw, facts=2, beside=beside))
    )


def more_blocks(facts: list[Fact]) -> list[Fact]:
    """Play on while it goes well."""
    return other(facts, matches_of(facts, 2)[2], lambda job, _: replace(job, blocks=7))


def a_draw_that_was_broken_off_later(facts: list[Fact]) -> list[Fact]:
    """Say that a table was drawn by a key that came after."""
    later = (DrawName(2, 9),)
    at = matches_of(facts, 2)[3]
    return other(facts, at, lambda job, draw: replace(job, draw=replace(draw, broken=later)))


def fewer_draws(facts: list[Fact]) -> list[Fact]:
    """Say that there were not so many draws."""
    return [replace(fact, draws=3) if isinstance(fact, Revealed) else fact for fact in facts]


def a_match_of_an_epoch_that_is_over(facts: list[Fact]) -> list[Fact]:
    """Count what was kept back until the decks were known to all."""
    at = matches_of(facts, 1)[0]
    return [*facts[:at], *facts[at + 1 :], facts[at]]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (another_secret, "its secret is not the one that was committed to"),
        (another_commitment, "its key is not that of draw"),
        (another_beacon, "its key is not that of draw"),
        (a_key_of_choice, "its key is not that of draw"),
        (a_table_of_choice, "its draw seats"),
        (a_bot_that_knows_the_decks, "entrant 5 was handed in after its epoch was sealed"),
        (a_match_without_a_draw, "the ladder was sealed, and no draw has its key"),
        (a_draw_twice, "its draw is that of match"),
        (a_later_situation, "it was drawn when there were"),
        (an_earlier_situation, "it was drawn before match"),
        (a_match_beside_that_was_over, "was not under way when it was drawn"),
        (a_table_before_its_epoch, "epoch 1 was not under way, or a bot was not there"),
        (a_table_of_a_bot_to_come, "epoch 1 was not under way, or a bot was not there"),
        (more_blocks, "it has 7 blocks, more than its pool"),
        (a_draw_that_was_broken_off_later, "a later draw of it was broken off"),
        (fewer_draws, "there was a draw 17, and more"),
        (a_match_of_an_epoch_that_is_over, "epoch 1 was over before it counted"),
    ],
    ids=lambda one: one.__name__ if callable(one) else "",
)
def test_an_organiser_who_chooses_is_found(
    change: Change, found: str, facts: list[Fact], tmp_path: Path
) -> None:
    assert found in told(proof(change(facts), tmp_path))


def test_the_facts_as_they_are_hold(facts: list[Fact], tmp_path: Path) -> None:
    """So what was found before is of what was changed."""
    assert told(proof(facts, tmp_path)) == ""


def test_a_result_that_was_left_out_leaves_a_gap(facts: list[Fact], tmp_path: Path) -> None:
    """And so do two that follow each other; which ones is told."""
    gone = matches_of(facts, 2)[4:6]
    report = proof([fact for at, fact in enumerate(facts) if at not in gone], tmp_path)
    second = report.epochs[1]
    assert second.missing == 2
    assert sum(last - first + 1 for first, last in second.gaps) == 2
    assert any("2 draws have brought nothing (" in line for line in epoch_lines(report.epochs))


def lines_of(facts: list[Fact], to: Path) -> str:
    """What a proof says of the epochs of a ladder in which nothing is found."""
    report = proof(facts, to)
    assert "draw" not in told(report)
    return "\n".join(epoch_lines(report.epochs))


def test_results_that_were_left_out_at_the_end_leave_a_gap(
    facts: list[Fact], tmp_path: Path
) -> None:
    """As far as the organiser tells how many draws there were."""
    gone = matches_of(facts, 2)[-2:]
    said = lines_of([fact for at, fact in enumerate(facts) if at not in gone], tmp_path)
    assert "10 matches of 12 draws" in said
    assert "2 draws have brought nothing (11 to 12)" in said


def test_a_match_that_was_not_played_is_counted(facts: list[Fact], tmp_path: Path) -> None:
    """Whether runners ended over it, or the organiser disliked it."""
    at = matches_of(facts, 2)[-1]
    fact = facts[at]
    assert isinstance(fact, Match)
    said = lines_of(
        [*facts[:at], unplayed(fact.job, "why", fact.at_ms), *facts[at + 1 :]], tmp_path
    )
    assert "epoch 2: 1 match was not played to the end" in said


def test_a_table_that_counts_twice_is_counted(facts: list[Fact], tmp_path: Path) -> None:
    """With decks of choice: the draws in between look as if they were broken off."""
    at = matches_of(facts, 2)[-1]
    name = draw_of(facts[at]).name
    again = with_job(
        facts[at],
        lambda job, draw: replace(
            job, key="cd" * 32, draw=replace(draw, name=DrawName(2, 13), broken=(name,))
        ),
    )
    assert isinstance(again, Match)
    ended = facts[-1]
    assert isinstance(ended, Revealed)
    more = [*facts[:-1], again, replace(ended, draws=13)]
    (second,) = proof(more, tmp_path).epochs[1:]
    assert (second.repeated, second.broken, second.matches) == (1, 1, 13)
    assert "1 table counted more than once" in "\n".join(epoch_lines([second]))


def test_matches_with_fewer_blocks_are_counted(tmp_path: Path) -> None:
    """As `--blocks` plays the last one."""
    with made(tmp_path / "it", usual_pools(blocks=2), BOTS) as store:
        store.epochs.seal("a beacon, round 7")
        store.epochs.begin("0a1b")
        lease = store.take("we", 60_000, lambda _: True, by_rule(most=1))
        assert lease is not None
        settle(store, lease)
        report = prove(store.where, Wanted(sample=0))
    assert [one.short for one in report.epochs] == [1]
    assert "1 match had fewer blocks" in "\n".join(epoch_lines(report.epochs))


def test_the_order_in_which_matches_under_way_are_told_changes_no_table(
    facts: list[Fact], tmp_path: Path
) -> None:
    """Else it would be the organiser's to choose."""

    def turned(fact: Fact) -> Fact:
        if not isinstance(fact, Match):
            return fact
        return with_job(
            fact, lambda job, draw: replace(job, draw=replace(draw, beside=draw.beside[::-1]))
        )

    first_told = next(at for at, fact in enumerate(facts) if isinstance(fact, Sealed) and at > 9)
    report = proof([turned(fact) for fact in facts[:first_told]], tmp_path)
    assert told(report) == ""
    assert report.epochs[0].untold == 1


@pytest.mark.parametrize("strange", ["rule", "pool"])
def test_tables_of_another_rule_or_game_are_not_drawn_here(
    strange: str, facts: list[Fact], tmp_path: Path
) -> None:
    """They are counted: a later version of ours does not take them for tables of choice."""

    def other_one(fact: Fact) -> Fact:
        if strange == "rule":
            return replace(fact, rule=RULE + 1) if isinstance(fact, Sealed) else fact
        return replace(fact, seatings=99) if isinstance(fact, Pool) and fact.pool == 2 else fact

    first_told = next(at for at, fact in enumerate(facts) if isinstance(fact, Sealed) and at > 9)
    report = proof([other_one(fact) for fact in facts[:first_told]], tmp_path)
    assert "its draw seats" not in told(report)
    assert report.epochs[0].untold > 0


def test_an_epoch_whose_secret_was_never_told_is_no_whole_proof(
    facts: list[Fact], tmp_path: Path
) -> None:
    """Its keys could be any, and a proof says so at its end."""
    first_told = next(at for at, fact in enumerate(facts) if isinstance(fact, Revealed))
    report = proof(facts[:first_told], tmp_path)
    assert not report.is_whole
    line = "not proved: that the keys of 16 matches of epoch 1 had to be so: its secret is not told"
    assert line in report.unproved()


def test_keys_are_proved_before_their_secret_is_told_where_it_is_kept(tmp_path: Path) -> None:
    """By the organiser, whose database has been tampered with."""
    with made(tmp_path / "it", usual_pools(blocks=1), BOTS) as store:
        epoch(store, 2)
        where, facts = store.where, facts_of(store)
    assert prove(where, Wanted(sample=0)).holds
    changed = other(facts, len(facts) - 1, lambda job, _: replace(job, key="ab" * 32))
    body = as_bytes(changed[-1])
    with closing(sqlite3.connect(where.database, isolation_level=None)) as connection:
        connection.execute("UPDATE fact SET body = ? WHERE seq = ?", (body, len(facts)))
    assert "its key is not that of draw 2" in told(prove(where, Wanted(sample=0)))


def test_tables_beside_a_bot_that_was_erased_later_are_counted(tmp_path: Path) -> None:
    """Who was its author, on whom they depended, is known no more."""
    with made(tmp_path / "it", usual_pools(blocks=1), BOTS) as store:
        epoch(store, 4)
        store.erasure.erase("author-of-cheat", "wanted")
        counted(store, 4)
        (found,) = prove(store.where, Wanted(sample=0)).epochs
    assert (found.matches, found.untold) == (8, 4)


def test_a_bot_that_was_left_out_is_counted(facts: list[Fact], tmp_path: Path) -> None:
    def without(job: LadderJob, draw: Draw) -> LadderJob:
        return replace(job, draw=replace(draw, without=(4,)))

    report = proof(other(facts, matches_of(facts, 2)[0], without), tmp_path)
    assert report.epochs[1].left_out == 1
    assert any("drawn without a bot" in line for line in epoch_lines(report.epochs))


def test_a_match_under_way_that_is_not_told_of_is_counted(
    facts: list[Fact], tmp_path: Path
) -> None:
    """The organiser would have other bots be busy."""
    at = next(at for at in matches_of(facts, 2) if len(draw_of(facts[at]).beside) > 1)

    def omits(job: LadderJob, draw: Draw) -> LadderJob:
        return replace(job, draw=replace(draw, beside=draw.beside[1:]))

    report = proof(other(facts, at, omits), tmp_path)
    assert report.epochs[1].omitted == 1
    assert any("is not told of" in line for line in epoch_lines(report.epochs))


def draw_of(fact: Fact) -> Draw:
    """What a match was drawn by."""
    assert isinstance(fact, Match)
    assert fact.job.draw is not None
    return fact.job.draw


def test_before_its_secret_is_told_an_epoch_is_proved_but_for_its_keys(
    facts: list[Fact], tmp_path: Path
) -> None:
    first_told = next(at for at, fact in enumerate(facts) if isinstance(fact, Revealed))
    report = proof(facts[:first_told], tmp_path)
    assert told(report) == ""
    first, _ = report.epochs
    assert (first.matches, first.proved) == (16, False)
    assert first.untold == 1, "what has drawn the table of the one that was begun again"
    assert "cannot be proved before its secret is told" in next(epoch_lines(report.epochs))


def test_an_epoch_that_never_began_is_told_of(facts: list[Fact], tmp_path: Path) -> None:
    """Its organiser saw what its beacon brought, and sealed another."""
    at_ms = facts[-1].at_ms
    sealed = Sealed(
        epoch=3, commitment="ab" * 32, beacon="another, round 8", rule=RULE, at_ms=at_ms
    )
    report = proof([*facts, sealed, replace(sealed, epoch=4)], tmp_path)
    assert told(report) == ""
    assert report.epochs[2].value is None
    assert "it has not begun" in list(epoch_lines(report.epochs))[-1]


@pytest.fixture(scope="module")
def lines(ladder: Path) -> list[bytes]:
    """The ladder's facts, as an export has them."""
    with Store(where_of(str(ladder))) as store:
        before, found = chain.Tip(), []
        for fact in facts_of(store):
            link = chain.link(before, fact)
            before = chain.Tip(link.seq, link.at_ms, link.hash)
            found.append(line_of(link))
        assert before.hash == store.head().hash
    return found


@pytest.mark.parametrize(
    ("program", "file"),
    [
        (sys.executable, "sealed_ladder.py"),
        ("node", "sealed_ladder.js"),
        ("perl", "sealed_ladder.pl"),
    ],
)
def test_who_has_none_of_our_code_proves_the_keys_with_what_a_language_brings(
    program: str, file: str, lines: list[bytes], tmp_path: Path
) -> None:
    """Each of the examples, of facts that are true and of one whose key is another."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; make ci installs it")
    words = [program, str(ROOT / "docs" / "examples" / file)]
    path = tmp_path / "facts.jsonl"
    path.write_bytes(b"".join(lines))
    done = subprocess.run([*words, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["epoch 1: 16", "epoch 2: 12"]
    path.write_bytes(b"".join(lines).replace(b'"key":"', b'"key":"0', 1))
    done = subprocess.run([*words, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "another key" in done.stderr
