"""Seasons of a ladder whose bots are dice of known strength: what a rule of matchmaking does.

Bots finish in an order of Plackett and Luce: how well one does in a block is its strength and a
variate of Gumbel. Rosters, fields and online ratings are the ladder's own. Public: `Season`, the
rules `ours`, `uniform` and `formerly`, and what is measured by season: `resubmitting`, `puppets`,
`fresh_authors`, `newcomer`, `ranking`. `tests/matchmaking_sim.py` prints them.
"""

import math
import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ladder.core.candidates import RECENT, SeatedTable, Situation, fields_of
from ladder.core.facts import Decision, Deed, Submission
from ladder.core.matchmaking import next_table
from ladder.core.roster import Roster
from ladder.core.tallies import EntrantTotals, StandingTable
from ladder.stats.online_ratings import Rater, Skill
from support.pools import pool_of

Floats = NDArray[np.float64]
Rule = Callable[[Situation, str], tuple[int, ...]]
"""From a ladder and a seed to the entrants of its next table."""

SPREAD: Final = 1.0
"""The standard deviation of strengths if nothing is said: by so much the odds are e to 1."""
WARM: Final = 1500
"""So many tables are played before it is watched what a bot does that resubmits, or comes."""


class Season:
    """A ladder of one pool, played block by block.

    Attributes:
        places: of a table.
        strengths: by entrant.
        seated: the entrants of each table so far.
        orders: the same, the winner first.
    """

    def __init__(
        self, rule: Rule, number: int, game: str = "briscola-2", spread: float = SPREAD
    ) -> None:
        """Has no bots yet.

        Args:
            rule: chooses the tables.
            number: of the season, which its dice are derived from.
            game: says how many sit at a table, each for itself.
            spread: the standard deviation of strengths.
        """
        self._rule = rule
        self.places = pool_of(game).places
        self._number = number
        self._roll = random.Random(number)
        self._spread = spread
        self.roster = Roster([pool_of(game)])
        self._standings: StandingTable = {}
        self._rater = Rater()
        self._recent = deque[SeatedTable](maxlen=RECENT)
        self.strengths: dict[int, float] = {}
        self.seated: list[tuple[int, ...]] = []
        self.orders: list[tuple[int, ...]] = []

    def submit(self, name: str, author: str = "") -> int:
        """Hand in a version of a bot, by default of an author of its own; return its entrant."""
        entrant = len(self.strengths) + 1
        bot = self.roster.bot_of(name, author or name)
        self.roster.add(
            Submission(
                entrant=entrant,
                bot=entrant if bot is None else bot,
                name=name,
                author=author or name,
                version=1 if bot is None else len(self.roster.versions(bot)) + 1,
                hash="",
                source="",
                at_ms=0,
            )
        )
        old = None if bot is None else self.strengths[bot]
        self.strengths[entrant] = self._roll.gauss(0, self._spread) if old is None else old
        return entrant

    def retire(self, entrant: int) -> None:
        """Take a bot out."""
        self.roster.add(Decision(deed=Deed.RETIRED, entrant=entrant, reason="", at_ms=0))

    def blocks(self, entrant: int) -> int:
        """Return how many blocks a version has played."""
        return self._standings.get((1, entrant), EntrantTotals()).blocks

    def play(self, tables: int = 1) -> None:
        """Play so many tables, of one block each."""
        for _ in range(tables):
            situation = Situation(self.roster, self._standings, (), tuple(self._recent))
            self._played(self._rule(situation, f"{self._number}/{len(self.seated)}"))

    def _played(self, entrants: tuple[int, ...]) -> None:
        done = [self.strengths[one] - math.log(-math.log(self._roll.random())) for one in entrants]
        ranks = [sum(other < own for other in done) for own in done]
        self._rater.add(entrants, (), ranks, [False] * len(entrants))
        for one in entrants:
            skill, before = self._rater.skill(one), self.blocks(one)
            self._standings[1, one] = EntrantTotals(skill, before + 1)
        self.seated.append(entrants)
        self._recent.append(SeatedTable(1, entrants))
        winners_first = sorted(zip(ranks, entrants, strict=True), reverse=True)
        self.orders.append(tuple(entrant for _, entrant in winners_first))

    def shares(self, since: int) -> dict[str, float]:
        """Return by author at which part of the tables since one it sat."""
        sat = Counter[str]()
        for entrants in self.seated[since:]:
            sat.update({self.roster.entrants[one].author for one in entrants})
        return {author: count / (len(self.seated) - since) for author, count in sat.items()}


# --- rules


def ours(situation: Situation, seed: str) -> tuple[int, ...]:
    """Choose as the ladder does."""
    found = next_table(fields_of(situation, ()), seed.encode())
    assert found is not None
    return found.entrants


def uniform(situation: Situation, seed: str) -> tuple[int, ...]:
    """Seat any bots, each table alike."""
    (pool,) = situation.roster.open_pools
    playing = [one.entrant for one in situation.roster.playing(pool.pool)]
    return tuple(random.Random(seed).sample(playing, pool.places))


def formerly(situation: Situation, seed: str) -> tuple[int, ...]:
    """Choose a table of two as ladders did before turns.

    First sits one time of four the version that has played least, else one in proportion to its
    sigma and the doubt whether it is better than its neighbours; the other one likewise by sigma
    and by the doubt which of the two is better.
    """
    roll = random.Random(seed)
    skills = {
        one.entrant: situation.standings.get((1, one.entrant), EntrantTotals())
        for one in situation.roster.playing(1)
    }
    ranked = sorted(skills, key=lambda one: skills[one].skill.mu)
    doubts = [_doubt(skills[one].skill, skills[other].skill) for one, other in pairwise(ranked)]
    weights = [
        (above + below + 0.02) * skills[one].skill.sigma
        for one, below, above in zip(ranked, [0.0, *doubts], [*doubts, 0.0], strict=True)
    ]
    (first,) = roll.choices(ranked, weights)
    if roll.random() < 1 / 4:
        first = min(ranked, key=lambda one: (skills[one].blocks, roll.random()))
    others = [one for one in ranked if one != first]
    weights = [
        (_doubt(skills[first].skill, skills[one].skill) + 0.02) * skills[one].skill.sigma
        for one in others
    ]
    (other,) = roll.choices(others, weights)
    return first, other


def _doubt(one: Skill, other: Skill) -> float:
    odds = math.exp(-1.7 * abs(one.mu - other.mu) / math.hypot(one.sigma, other.sigma))
    return 4 * odds / (1 + odds) ** 2


# --- what is measured


class Shares(Struct, frozen=True):
    """At which part of the tables authors sat: the one that is watched, and the others."""

    watched: float
    honest: list[float]


def _begun(rule: Rule, number: int, bots: int, warm: int, game: str = "briscola-2") -> Season:
    season = Season(rule, number, game)
    for at in range(bots):
        season.submit(f"bot-{at}")
    season.play(warm)
    return season


def _shares(season: Season, since: int, watched: Callable[[str], bool]) -> Shares:
    shares = season.shares(since)
    honest = [share for author, share in shares.items() if not watched(author)]
    tables = season.seated[since:]
    authors = season.roster.entrants
    sat = sum(any(watched(authors[one].author) for one in table) for table in tables)
    return Shares(sat / len(tables), honest)


def resubmitting(
    rule: Rule,
    number: int,
    *,
    bots: int = 12,
    every: int = 20,
    tables: int = 1000,
    warm: int = WARM,
    game: str = "briscola-2",
) -> Shares:
    """Watch a bot of which a new version is handed in whenever one has played `every` blocks."""
    season = _begun(rule, number, bots, warm, game)
    entrant = season.submit("bot-0")
    for _ in range(tables):
        if season.blocks(entrant) >= every:
            entrant = season.submit("bot-0")
        season.play()
    return _shares(season, warm, lambda author: author == "bot-0")


def puppets(
    rule: Rule,
    number: int,
    *,
    bots: int = 12,
    own: int = 10,
    tables: int = 1000,
    warm: int = WARM,
    game: str = "briscola-2",
) -> Shares:
    """Watch an author that has `own` bots, and hands in a new version of each after 20 blocks."""
    season = _begun(rule, number, bots - 1, warm, game)
    entrants = [season.submit(f"puppet-{at}", "many") for at in range(own)]
    for _ in range(tables):
        for at, entrant in enumerate(entrants):
            if season.blocks(entrant) >= 20:
                entrants[at] = season.submit(f"puppet-{at}", "many")
        season.play()
    return _shares(season, warm, lambda author: author == "many")


def fresh_authors(
    rule: Rule, number: int, *, bots: int = 12, tables: int = 1000, warm: int = WARM
) -> Shares:
    """Watch bots that are handed in under a new author's name, one whenever one is known."""
    season = _begun(rule, number, bots - 1, warm)
    entrant = season.submit("fresh-0")
    for _ in range(tables):
        if season.blocks(entrant) >= 20:
            season.retire(entrant)
            entrant = season.submit(f"fresh-{entrant}")
        season.play()
    return _shares(season, warm, lambda author: author.startswith("fresh"))


def newcomer(rule: Rule, number: int, *, bots: int = 12, warm: int = WARM) -> tuple[int, int]:
    """Watch a bot that comes to a ladder that is known.

    Returns:
        At how many of the first 20 tables it sits; and in how many of its own first 20 blocks its
        opponent is of that half of the others whose strengths are nearest.
    """
    season = _begun(rule, number, bots, warm)
    entrant = season.submit("newcomer")
    while season.blocks(entrant) < 20:
        season.play()
    own = season.strengths[entrant]
    others = sorted(range(1, bots + 1), key=lambda one: abs(season.strengths[one] - own))
    tables = [table for table in season.seated[warm:] if entrant in table]
    near = sum(not set(others[: bots // 2]).isdisjoint(table) for table in tables)
    return sum(entrant in table for table in season.seated[warm:][:20]), near


class Ranked(Struct, frozen=True):
    """How far a fit to all blocks of a season is from the truth.

    Attributes:
        wrong: the part of pairs that it puts in the wrong order.
        error: the root of the mean squared error of a strength, in natural logarithms of odds.
        apart: how many times as many blocks one bot has played as another, at most.
    """

    wrong: float
    error: float
    apart: float


def ranking(
    rule: Rule, number: int, *, bots: int = 12, tables: int = 600, spread: float = SPREAD
) -> Ranked:
    """Play a season of a steady field and fit the strengths of Bradley and Terry to it."""
    season = Season(rule, number, "briscola-2", spread)
    for at in range(bots):
        season.submit(f"bot-{at}")
    season.play(tables)
    truth = np.array(list(season.strengths.values()))
    fit = _fit(season.orders, bots)
    wrong = [
        (fit[one] - fit[other]) * (truth[one] - truth[other]) <= 0
        for one, other in combinations(range(bots), 2)
    ]
    error = math.sqrt(float(np.mean((fit - truth + truth.mean()) ** 2)))
    blocks = [season.blocks(one) for one in season.strengths]
    return Ranked(sum(wrong) / len(wrong), error, max(blocks) / max(min(blocks), 1))


def _fit(orders: Sequence[tuple[int, ...]], bots: int) -> Floats:
    """Return strengths that add up to 0, from pairs with the winner first: Newton, a weak prior."""
    wins = np.zeros((bots, bots))
    np.add.at(wins, tuple(np.array(orders).T - 1), 1)
    met, found = wins + wins.T, np.zeros(bots)
    for _ in range(25):
        chances = 1 / (1 + np.exp(found[None, :] - found[:, None]))
        slope = wins.sum(1) - (met * chances).sum(1) - 0.01 * found
        told = met * chances * (1 - chances)
        found += np.clip(np.linalg.solve(np.diag(told.sum(1) + 0.01) - told, slope), -1, 1)
    return np.asarray(found - found.mean(), np.float64)
