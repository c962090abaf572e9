"""Whether the log of an event can be what it says: every number in its place. Pure.

The chain of hashes shows damage; that a log was written anew shows here, as far as it does
not fit its own plan.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from ladder.benching import Misconduct
from ladder.core.seal import Contributions, commitment, misfit
from ladder.event.deck_keys import decks_digest, key_of_decks
from ladder.event.forfeits import Forfeits
from ladder.event.log_lines import EventEnd, EventHeader, EventRound, MatchLine, ScheduleKey
from ladder.event.plan import EventPlan
from ladder.event.schedule import Part, matches_in, parts
from ladder.results import Pairing, Round
from ladder.terms import MOST_BLOCKS, MOST_MATCHES
from referee.match.outcome import MatchOutcome

_LARGEST: Final = 2**53


class Misfit(Exception):
    """What does not fit. Caught where the file is known."""


def check_log(
    header: EventHeader,
    rounds: dict[tuple[int, int], EventRound],
    matches: dict[ScheduleKey, MatchLine],
    end: EventEnd | None,
    told: Contributions | None = None,
) -> None:
    """Looks at all lines.

    Args:
        header: the first line.
        rounds: by section and number.
        matches: by place.
        end: the last line, if the event is over.
        told: the contributions of a sealed event.

    Raises:
        Misfit: naming the first thing that is wrong.
    """
    plan = header.plan
    _check(header.digest == plan.digest(), "the digest of the plan is another")
    _check(len(plan.sections) > 0 and len(plan.entrants) > 1, "its plan has nothing to play")
    _check(plan.match_blocks > 0, "match_blocks: at least 1")
    for section in plan.sections:
        seats = sorted(seat for side in section.partners for seat in side)
        _check(section.seatings > 0, "a deck that is not played")
        fits = len(seats) == section.seats and seats == list(range(len(seats)))
        _check(fits, "sides that do not share out the seats")
        _check(len(set(map(len, section.partners))) <= 1, "sides of different sizes")
        fits = section.places in (section.seats, len(section.partners))
        _check(fits and section.places > 1, "tables of another size than the game's")
    for at in range(len(plan.sections)):
        numbers = sorted(number for section, number in rounds if section == at)
        _check(numbers == list(range(len(numbers))), "a round is missing")
    begun = {place: _round(plan, line) for place, line in sorted(rounds.items())}
    counted = sum(matches_in(one, plan.match_blocks) for one in begun.values())
    _check(counted <= MOST_MATCHES, f"more than {MOST_MATCHES:,} matches")
    planned = {
        part.place: part
        for place, one in begun.items()
        for part in parts(*place, one, plan.match_blocks)
    }
    for place, match in matches.items():
        _check(place in planned, f"match {list(place)} is of no round")
        _check_match(plan, planned[place], match.outcome)
    for at in range(len(plan.sections)):
        _check_forfeits(plan, [part for part in planned.values() if part.place[0] == at], matches)
    _check_seal(plan, rounds, matches, told)
    if end is not None:
        fits = commitment(end.key) == plan.commitment
        _check(fits, "the key is not the one that was committed to")
        key = key_of_decks(plan, end.key, told)
        for place, match in matches.items():
            part = planned[place]
            named = decks_digest(key, part.first, part.blocks) if plan.seal is not None else ""
            _check(match.decks == named, f"match {list(place)}: it was played with other decks")


def _check_seal(
    plan: EventPlan,
    rounds: Mapping[tuple[int, int], EventRound],
    matches: Mapping[ScheduleKey, MatchLine],
    told: Contributions | None,
) -> None:
    """Looks whether all that was promised before play was told before it."""
    if plan.seal is None:
        _check(told is None, "contributions to an event that is not sealed")
        _check(not any(match.decks for match in matches.values()), "decks named without a seal")
        return
    due = plan.seal.commitments
    _check(len(due) == len(plan.entrants), "its seal is of another number of entrants")
    if told is None:
        _check(not rounds, "played before the contributions were told")
        return
    wrong = misfit(plan.seal, told)
    _check(not wrong, wrong)


def _round(plan: EventPlan, line: EventRound) -> Round:
    at = line.round[0]
    where = f"round {list(line.round)}"
    _check(0 <= at < len(plan.sections), f"{where}: there is no such section")
    fits = line.blocks == plan.sections[at].blocks and 0 < line.blocks <= MOST_BLOCKS
    _check(fits and 0 <= line.first < _LARGEST, f"{where}: its blocks")
    bots = range(len(plan.entrants))
    for table in line.tables:
        fits = len(table) == plan.sections[at].places and len(set(table)) == len(table)
        _check(fits and all(bot in bots for bot in table), f"{where}: who sits at a table")
    _check(all(bot in bots for bot in line.byes), f"{where}: who rests")
    return Round(tuple(map(Pairing, line.tables)), line.first, line.blocks)


def _check_forfeits(
    plan: EventPlan, schedule: Sequence[Part], matches: Mapping[ScheduleKey, MatchLine]
) -> None:
    """Looks whether the bots of a section that forfeited matches are those that had to."""
    counts = [Misconduct()] * len(plan.entrants)
    for _, own in groupby(schedule, key=lambda part: part.place[1]):
        of_round = list(own)
        played = [part for part in of_round if part.place in matches]
        forfeits = Forfeits(of_round, counts, plan.bench)
        for part in played:
            forfeits.add(matches[part.place])
        for part in played:
            fits = matches[part.place].forfeits == forfeits.of(part)
            _check(fits, f"match {list(part.place)}: who forfeits it")
        counts = forfeits.counts()


def _check_match(plan: EventPlan, part: Part, match: MatchOutcome) -> None:
    where, places = f"match {list(part.place)}", len(part.bots)
    for name, figures in (
        ("used_us", match.used_us),
        ("faults", match.faults),
        ("voids", match.voids),
    ):
        fits = len(figures) == places and all(0 <= one < _LARGEST for one in figures)
        _check(fits, f"{where}: {name}")
    _check(0 <= match.acts < _LARGEST and 0 <= match.wall_us < _LARGEST, f"{where}: acts or time")
    fits = all(
        0 <= one.bot < places and 0 <= one.leg < _LARGEST and 0 <= one.deal < _LARGEST
        for one in match.fault_list
    )
    _check(fits, f"{where}: fault_list")
    indexes = [block.block for block in match.blocks]
    fits = indexes == sorted(set(indexes)) and all(
        part.first <= at < part.first + part.blocks for at in indexes
    )
    _check(fits, f"{where}: which blocks")
    deals = plan.sections[part.place[0]].seatings
    for block in match.blocks:
        meetings = block.meetings or ()
        counted = (
            *(block.values, block.faults, *meetings),
            *filter(None, (block.luck, block.unplayed)),
        )
        fits = block.deals == deals and all(len(row) == places for row in counted)
        fits &= len(meetings) in (0, 2)
        small = all(abs(one) < _LARGEST for row in counted for one in row)
        signs = all(one >= 0 for row in (block.faults, block.unplayed) for one in row)
        _check(fits and small and signs, f"{where}: block {block.block}")


def _check(fits: bool, what: str) -> None:
    if not fits:
        raise Misfit(what)
