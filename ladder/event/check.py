"""Looks what organiser and authors could choose of an event, by its published log alone.

Each finding names what was looked at. Records, where they are there, tie the log to the cards.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from ladder.benching import benched
from ladder.core.seal import Contributions, Seal, withheld
from ladder.event.conductor import RECORDS, NothingPlayed, Played, played_in
from ladder.event.log import Contents
from ladder.event.log_lines import MatchLine
from ladder.event.plan import EventPlan
from ladder.event.rounds import next_round
from ladder.event.schedule import Part, parts, record_name
from ladder.results import RoundResult
from referee.errors import RefereeError
from referee.match.chance import block_key, event_key
from referee.record.proof import prove_any
from referee.text import plural

_DEAL: Final = b'{"deal":'
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


class _Deal(Struct, frozen=True):
    key: str


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
        trouble = _trouble(path, part, found.matches[part.place], played.key)
        good += not trouble
        if trouble:
            wrong.append(f"{path.name}: {trouble}")
        tell(number)
    told = f"{plural(good, 'record')} played again: decks and results are those of the log"
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


def _trouble(path: Path, part: Part, line: MatchLine, key: str) -> str:
    proof = prove_any(path)
    if not proof.verified and not (proof.unfinished and line.outcome.given_up):
        return proof.trouble or "it does not hold"
    if proof.game_digest is not None and proof.game_digest != line.outcome.game_digest:
        return "it is of another match than the log"
    if key:
        event = event_key(key)
        due = {str(block_key(event, at)) for at in range(part.first, part.first + part.blocks)}
        try:
            if not _keys_in(path) <= due:
                return "it has other decks than the key"
        except msgspec.MsgspecError:  # of a match that was given up, the end may be torn
            return "a line of it cannot be read"
    return ""


def _keys_in(path: Path) -> set[str]:
    with path.open("rb") as file:
        return {
            msgspec.json.decode(text, type=_Deal).key for text in file if text.startswith(_DEAL)
        }
