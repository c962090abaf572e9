"""Whether facts make sense, each after those before it. Pure.

What strangers send is looked at by this before anything is done with it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import msgspec

from ladder.audit.epoch_rules import draw_trouble, epoch_trouble
from ladder.core.block_codec import packed, packed_counts, unpacked, unpacked_counts
from ladder.core.facts import (
    Begun,
    Decision,
    Deed,
    Fact,
    Keep,
    Match,
    Opened,
    Pool,
    Retention,
    Revealed,
    Sealed,
    Submission,
)
from ladder.core.names import name_of
from ladder.core.roster import Roster
from ladder.terms import MOST_BENCH, MOST_BLOCKS
from referee.errors import RefereeError
from referee.text import printable

_HEX32: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_SHA256: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_BELOW: Final = 2**63
_MOST_COUNTED: Final = 2**40
"""In one match, microseconds included (twelve days): sums of millions of matches have 63 bits."""

_YEAR_10000_MS: Final = 253_402_300_800_000
"""From it on the date of a moment cannot be said."""

_SHOWN: Final = 40
_MOST_PLACES: Final = 64
_MOST_SEATINGS: Final = 100_000

_OF_BOTS: Final = (Deed.RETIRED, Deed.CHOSEN, Deed.BENCHED, Deed.PLACED, Deed.ERASED)
_OF_POOLS: Final = (Deed.CLOSED, Deed.OPENED, Deed.BENCHED, Deed.PLACED)


class Story:
    """A ladder as its facts tell it.

    Attributes:
        roster: who there is by now, as far as it makes sense.
    """

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.roster = Roster()
        self._unnamed: dict[int, None] = {}
        """The bots of which a submission has come without its names; `_named`: with them."""
        self._named: set[int] = set()

    def add(self, fact: Fact) -> list[str]:
        """The next fact; what is wrong with it, in words. Where something is, it is left out."""
        trouble = list(self._trouble(fact))
        if not trouble:
            self.roster.add(fact)
        return trouble

    def end(self) -> list[str]:
        """What is wrong now that there are no more facts, in words."""
        erased = self.roster.erased
        missing = [
            f"a name of bot {bot} is missing, and no fact says that it was erased"
            for bot in self._unnamed
            if bot not in erased
        ]
        left = sorted(erased & self._named)
        return [*missing, *(f"bot {bot} was erased, and its name is still there" for bot in left)]

    def _trouble(self, fact: Fact) -> Iterator[str]:
        if (self.roster.opened is None) != isinstance(fact, Opened):
            begun = isinstance(fact, Opened)
            yield "it was opened before" if begun else "the ladder was not opened before"
        if not 0 <= fact.at_ms < _YEAR_10000_MS:
            yield f"its time is {fact.at_ms}"
        match fact:
            case Opened():
                if not _HEX32.fullmatch(fact.ladder):
                    yield "its id is not 32 hex digits"
                yield from _unprintable("its name", (fact.name, fact.referee))
            case Pool():
                yield from self._of_pool(fact)
            case Submission():
                yield from self._of_submission(fact)
            case Decision():
                yield from self._of_decision(fact)
            case Retention():
                if not 0 <= fact.last < _BELOW or (fact.last > 0) != (fact.keep is Keep.LAST):
                    yield f"records of {fact.last} matches are kept, and {fact.keep}"
            case Sealed() | Begun() | Revealed():
                yield from epoch_trouble(self.roster, fact)
            case Match():
                yield from self._of_match(fact)

    def _of_pool(self, pool: Pool) -> Iterator[str]:
        wanted = len(self.roster.pools) + 1
        if pool.pool != wanted:
            yield f"its number is {pool.pool}, and should be {wanted}"
        seats = sorted(chain.from_iterable(pool.partners))
        if not 0 < pool.seats <= _MOST_PLACES or seats != list(range(pool.seats)):
            yield "its sides are not those of its seats"
        if len(set(map(len, pool.partners))) > 1:
            yield "its sides are of different sizes"
        if pool.places not in (pool.seats, len(pool.partners)) or pool.places < 2:
            yield f"its tables have {pool.places} places"
        terms = pool.terms
        options = chain.from_iterable(terms.options.items())
        texts = (pool.name, pool.season, pool.league, terms.game, *options, pool.luck_values)
        yield from _unprintable("its name or a setting", texts)
        if not 0 < pool.seatings <= _MOST_SEATINGS:
            yield f"a deck is played in {pool.seatings} seatings"
        if not 0 < pool.blocks <= MOST_BLOCKS or not 0 <= pool.bench <= MOST_BENCH:
            yield f"{pool.blocks} blocks a match, {pool.bench} to be benched"
        if min(pool.division, pool.moves, pool.size) < 0 or bool(pool.league) != bool(
            pool.division and pool.moves and pool.size
        ):
            yield f"division {pool.division} of {pool.league!r}, {pool.moves} moves, {pool.size}"

    def _of_submission(self, one: Submission) -> Iterator[str]:
        wanted = len(self.roster.entrants) + 1
        if one.entrant != wanted:
            yield f"its entrant is {one.entrant}, and should be {wanted}"
        bot = self._bot_of(one)
        versions = 0 if bot is None else len(self.roster.versions(bot))
        if one.version != versions + 1:
            yield f"its version is {one.version}, and should be {versions + 1}"
        if one.bot != (wanted if bot is None else bot):
            yield f"its bot is {one.bot}, and should be {wanted if bot is None else bot}"
        if not (_SHA256.fullmatch(one.hash) and _SHA256.fullmatch(one.source)):
            yield "its hashes are not 64 hex digits each"
        yield from self._of_names(one)
        if one.bot in self.roster.erased:
            yield f"it is of bot {one.bot}, which was erased"
        known = {*self.roster.bots(), wanted}
        for partner in one.partners:
            if partner not in known:
                yield f"its partner is bot {partner}, and there is none"

    def _bot_of(self, one: Submission) -> int | None:
        """The bot that has the names of a submission; without names, the one that it says."""
        if one.names:
            return one.bot if one.bot in self.roster.bots() else None
        return self.roster.bot_of(one.name, one.author)

    def _of_names(self, one: Submission) -> Iterator[str]:
        if one.names:
            self._unnamed[one.bot] = None
            if one.name or one.author or one.salt or not _SHA256.fullmatch(one.names):
                yield "its names were not erased as names are"
            return
        self._named.add(one.bot)
        for text, what in ((one.name, "bot"), (one.author, "author")):
            try:
                name_of(text, what)
            except RefereeError as error:
                yield str(error)
        if one.salt and not _HEX32.fullmatch(one.salt):
            yield "its salt is not 32 hex digits"

    def _of_decision(self, fact: Decision) -> Iterator[str]:
        of_bot = fact.deed in _OF_BOTS
        of_pool = fact.deed in _OF_POOLS
        if (of_bot or fact.entrant) and fact.entrant not in self.roster.entrants:
            yield f"it is of entrant {fact.entrant}, and there is none"
        elif of_bot and fact.deed is not Deed.ERASED and self.roster.is_erased(fact.entrant):
            yield f"it is of entrant {fact.entrant}, which was erased"
        if (of_pool or fact.pool) and fact.pool not in self.roster.pools:
            yield f"it is of pool {fact.pool}, and there is none"
        elif fact.deed is Deed.PLACED and not self.roster.pools[fact.pool].league:
            yield f"pool {fact.pool} is no division"
        yield from _unprintable("its reason", (fact.reason,))

    def _of_match(self, match: Match) -> Iterator[str]:
        job, roster = match.job, self.roster
        if roster.opened is None or job.ladder != roster.opened.ladder:
            yield "its job is of another ladder"
        pool = roster.pools.get(job.pool)
        if pool is None:
            yield f"it is of pool {job.pool}, and there is none"
            return
        missing = [entrant for entrant in job.entrants if entrant not in roster.entrants]
        if missing:
            yield f"entrant {missing[0]} sat at the table, and there is none"
            return
        gone = [entrant for entrant in job.entrants if roster.is_erased(entrant)]
        if gone:
            yield f"it was played after the bot of entrant {gone[0]} was erased"
        if tuple(roster.entrants[entrant].hash for entrant in job.entrants) != job.hashes:
            yield "its bots have not the hashes that were submitted"
        yield from draw_trouble(roster, job)
        yield from _of_table(match, pool)


def _unprintable(what: str, texts: Iterable[str]) -> Iterator[str]:
    """Texts that a terminal would act upon, or take lines for."""
    for text in texts:
        if printable(text) != text:
            yield f"{what} cannot be printed: {printable(text[:_SHOWN])}"


def _of_table(match: Match, pool: Pool) -> Iterator[str]:
    """Whether a match can be of a table of a pool."""
    job, places = match.job, pool.places
    outcome = match.outcome
    by_place = (outcome.used_us, outcome.voids, outcome.faults)
    if any(len(row) != places for row in (job.entrants, *by_place, set(job.entrants))):
        yield f"its table has not {places} places for different bots"
        return
    if not 0 < job.blocks <= MOST_BLOCKS or not job.key:
        yield "its job has no blocks, too many, or no key"
    if any(not 0 <= fault.bot < places for fault in outcome.fault_list):
        yield "a fault is at no place of its table"
    numbers = (outcome.acts, outcome.wall_us, match.size)
    deals = ((found.leg, found.deal) for found in outcome.fault_list)
    if not _are_sound(chain(numbers, *deals, *by_place)):
        yield "it counts less than nothing, or too much"
    elif not _is_kept(match, pool):
        yield "its blocks are not those of its pool"
    at = [block.block for block in outcome.blocks]
    if at != sorted(set(at)) or any(not 0 <= block < job.blocks for block in at):
        yield "its blocks are not those of its job"
    if not outcome.given_up and len(at) != job.blocks:
        yield f"it has {len(at)} blocks instead of {job.blocks}, and does not say why"
    if match.record and not _SHA256.fullmatch(match.record):
        yield "its record is not named by 64 hex digits"
    if not match.record and outcome.blocks:
        yield "it was played, and has no record"


def _are_sound(numbers: Iterable[int]) -> bool:
    return all(0 <= number < _MOST_COUNTED for number in numbers)


def _is_kept(match: Match, pool: Pool) -> bool:
    """Whether what was played is the same once a database has kept it."""
    outcome, entrants, places = match.outcome, match.job.entrants, pool.places
    try:
        blocks = unpacked(packed(outcome.blocks, places), places, pool.seatings)
        counts = unpacked_counts(packed_counts(entrants, outcome), places)
        wanted = (entrants, outcome.used_us, outcome.voids, outcome.faults)
        return blocks == outcome.blocks and counts == wanted
    except (ValueError, OverflowError, msgspec.ValidationError):
        return False
