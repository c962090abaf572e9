"""Looks what organiser and authors could choose of an event, by its published log alone.

Each finding names what was looked at. Records, where they are there, tie the log to the cards.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.audit.job_record import record_trouble
from ladder.audit.record_outcome import Unfinished
from ladder.benching import benched
from ladder.core.seal import Contributions, Seal, withheld
from ladder.event.conductor import RECORDS, NothingPlayed, Played, played_in
from ladder.event.log import Contents
from ladder.event.log_lines import MatchLine
from ladder.event.plan import EventPlan
from ladder.event.rounds import next_round
from ladder.event.schedule import Part, job, parts, record_name
from ladder.results import RoundResult
from referee.errors import RefereeError, check_means
from referee.match.luck import VALUES_DIGEST
from referee.record.proof import prove_any
from referee.record.reader import Mismatch, RecordReader
from referee.text import plural

_MOST_NAMED: Final = 3


class State(StrEnum):
    """What became of something that was looked at."""

    HOLDS = "holds"
    OPEN = "open"
    """It cannot be known yet, or only elsewhere."""
    WRONG = "wrong"


class Finding(Struct, frozen=True):
    """Something that was looked at: what, what became of it, and in words what that says."""

    what: str
    state: State
    told: str


def check_event(
    path: Path, *, records: bool, tell: Callable[[int], None] = lambda _: None
) -> list[Finding]:
    """Return what there is to find in the log of an event.

    Args:
        path: of the log; records lie beside it.
        records: whether they are played again.
        tell: is told how many records were, after each.

    Raises:
        NothingPlayed: there is no log, or nothing in it.
    """
    try:
        played = played_in(path)
    except NothingPlayed:
        raise
    except RefereeError as error:
        return [Finding("log", State.WRONG, str(error))]
    said = findings(played)
    if records:
        said.append(_records(Contents(path), played, path.parent / RECORDS, tell))
    return said


def findings(played: Played) -> list[Finding]:
    """Return what the log of an event says of itself, records left aside."""
    chained = "its lines are in a chain of hashes, and as its plan lets them be"
    return [Finding("log", State.HOLDS, chained), _pairings(played), *_seal(played)]


def _pairings(event: Played) -> Finding:
    """Whether each round is the one that follows from those before it."""
    plan, over, rounds = event.plan, bool(event.key), 0
    for at, played in enumerate(event.sections):
        for number in range(len(played) + 1):
            before = played[:number]
            if before and not _is_whole(before[-1]):
                break
            due = next_round(plan, at, before, benched(len(plan.entrants), plan.bench, before))
            is_there = number < len(played)
            there = played[number].round if is_there else None
            if (is_there or over) and due != there:
                where = f"round {number + 1} of {plan.sections[at].name}"
                return Finding("pairings", State.WRONG, f"{where} does not follow from the results")
            rounds += is_there
    told = f"{plural(rounds, 'round')}, each as it follows from the results before it"
    return Finding("pairings", State.HOLDS, told)


def _is_whole(last: RoundResult) -> bool:
    """Whether all matches of a round are over, those included that were given up."""
    return all(table.given_up or len(table.blocks) == last.round.blocks for table in last.tables)


def _seal(played: Played) -> Iterator[Finding]:
    """What can be said of who has chosen the decks."""
    plan, told = played.plan, played.told
    what, committed = "secret" if plan.seal else "key", f"commitment {plan.commitment}"
    if played.secret:  # it was compared when the log was read
        yield Finding(what, State.HOLDS, f"{played.secret}, as was committed to before play")
    else:
        yield Finding(what, State.OPEN, f"{committed}; published when the event is over")
    if plan.seal is None:
        drew = "the organiser alone has drawn the key, and may have drawn many"
        yield Finding("seal", State.OPEN, drew)
        return
    if told is None:
        yield Finding("contributions", State.OPEN, "not told yet; nothing was played")
        return
    if any(plan.seal.commitments):
        yield _contributions(plan, plan.seal, told)
    if plan.seal.beacon:
        said = f"{told.beacon}: compare it with what {plan.seal.beacon} has published"
        yield Finding("beacon", State.OPEN, said)
    if played.key:
        tables = [table for each in played.sections for one in each for table in one.tables]
        matches = plural(sum(len(table.parts) for table in tables), "match", "matches")
        yield Finding("decks", State.HOLDS, f"all of {matches} follow from key {played.key}")


def _contributions(plan: EventPlan, seal: Seal, told: Contributions) -> Finding:
    """What the log can say of the contributions; only their authors know when they were told."""
    given = sum(map(bool, told.contributions))
    said = f"{given} as their authors have committed to; each author can check whether theirs was "
    said += "told for this log (`referee event contribute FILE --log LOG`)"
    names = [plan.entrants[at].name for at in withheld(seal, told)]
    if not names:
        return Finding("contributions", State.HOLDS, said)
    lack = f"; withheld: {', '.join(names)}, or left out by the organiser, who knew what that does"
    return Finding("contributions", State.OPEN, said + lack)


def _records(found: Contents, played: Played, folder: Path, tell: Callable[[int], None]) -> Finding:
    """Whether records hold, have the decks of the key, and are those that the log counts."""
    wrong, missing, good = [], 0, 0
    for number, part in enumerate(_parts(played, found), 1):
        path = folder / record_name(played.plan, part)
        if not path.is_file():
            missing += 1
            continue
        trouble = _trouble(path, part, found.matches[part.place], played)
        good += not trouble
        if trouble:
            wrong.append(f"{path.name}: {trouble}")
        tell(number)
    same = "decks and results are those of the log"
    if not played.key:
        same = "of the matches that the log names; results are compared when its key is published"
    told = f"{plural(good, 'record')} played again: {same}"
    if missing:
        told += f"; {missing} not there"
    if wrong:
        return Finding("records", State.WRONG, "; ".join(wrong[:_MOST_NAMED]))
    return Finding("records", State.HOLDS if good and not missing else State.OPEN, told)


def _parts(played: Played, found: Contents) -> list[Part]:
    """Return the matches that the log has, in the order of the schedule."""
    every = (
        part
        for at, rounds in enumerate(played.sections)
        for number, one in enumerate(rounds)
        for part in parts(at, number, one.round, played.plan.match_blocks)
    )
    return sorted((one for one in every if one.place in found.matches), key=lambda one: one.place)


def _trouble(path: Path, part: Part, line: MatchLine, played: Played) -> str:
    """Return what is wrong with a record, or with what the log has of its match; "" if nothing is.

    Until the key is published, decks and results cannot be compared: only what names the match.
    """
    if played.key:
        return _difference(path, part, line, played)
    proof = prove_any(path)
    if not proof.verified and not (proof.unfinished and line.outcome.given_up):
        return proof.trouble or "it does not hold"
    if proof.game_digest is not None and proof.game_digest != line.outcome.game_digest:
        return "it is of another match than the log"
    return ""


def _difference(path: Path, part: Part, line: MatchLine, played: Played) -> str:
    """Return in what a record is otherwise than the log says of its match, by the event's key."""
    plan, said = played.plan, line.outcome
    names = [entrant.name for entrant in plan.entrants]
    out = [forfeit.bot for forfeit in line.forfeits]
    wanted = job(plan, part, out, bots=names, key=played.key, record=None)
    if plan.luck_values != VALUES_DIGEST:  # this referee cannot count it as it was counted
        wanted = replace(wanted, luck=False)
        said = replace(said, blocks=tuple(replace(block, luck=()) for block in said.blocks))
    try:
        with RecordReader(path) as reader:
            referee = reader.header.referee
        return record_trouble(wanted, said, path, referee) or ""
    except Unfinished as error:
        return "" if said.given_up else str(error)
    except (Mismatch, RefereeError) as error:
        check_means(error)
        return str(error)
