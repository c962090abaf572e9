"""What a proof of a ladder says of favours: by bot and by author, in words and as JSON."""

import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from ladder.audit.audit import Wanted, prove
from ladder.audit.collusion import Collusion, Played, collusion
from ladder.core.facts import Decision, Deed
from ladder.show.sentences import favour_lines
from ladder.stats.favours import FEWEST, match_gifts
from ladder.store.store import Store
from referee.cli import run
from referee.match.gifts import Gift
from support import ladders
from support.positions import positions

BOTS = ("first", "random", "greedy", "lazy")
SEEN = [one.packed() for one in positions(50, random.Random("seen"))]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder for three at a table and for two; nothing is played yet."""
    pools = ladders.usual_pools("briscola-3", "briscola-2", blocks=1)
    with ladders.made(tmp_path / "ladder", pools, bots=BOTS) as found:
        yield found


def matches(favour: int, giver: int = 1, taker: int = 2) -> list[Played]:
    """Of all tables of four bots, one of which gives another so many points more."""
    roll, found = random.Random(favour), list[Played]()
    for table in combinations(range(1, len(BOTS) + 1), 3):
        for _ in range(20):
            gifts = []
            for _ in range(60):
                one, other = roll.sample(range(3), 2)
                more = favour if (table[one], table[other]) == (giver, taker) else 0
                gifts.append(Gift(one, other, roll.randrange(8) + more, roll.choice(SEEN)))
            found.append((table, match_gifts(gifts)))
    return found


def test_a_bot_that_favours_another_is_named_first(store: Store) -> None:
    (report,) = collusion(store.refresh(), {1: matches(3)})
    assert (report.pool, report.name, report.matches) == (1, "briscola-3", 80)
    assert report.authors == ()
    first = report.bots[0]
    assert (first.giver, first.taker, first.named) == ("first", "random", True)
    assert first.points.low is not None
    assert first.points.high is not None
    assert first.points.low < 3 < first.points.high
    assert first.matches == 40
    assert not any(one.named for one in report.bots[1:])


def test_authors_are_told_where_one_has_several_bots(store: Store) -> None:
    ladders.submit(store, "other", "author-of-first", "first")
    (report,) = collusion(store.refresh(), {1: matches(3)})
    first = report.authors[0]
    assert (first.giver, first.taker, first.named) == ("author-of-first", "author-of-random", True)


def test_who_was_erased_has_a_number(store: Store) -> None:
    ladders.submit(store, "other", "author-of-greedy", "first")
    store.add(lambda _, now: [Decision(deed=Deed.ERASED, entrant=1, reason="asked to", at_ms=now)])
    (report,) = collusion(store.refresh(), {1: matches(3)})
    assert (report.bots[0].giver, report.authors[0].giver) == ("#1", "#1")


def test_versions_of_a_bot_are_one_bot(store: Store) -> None:
    ladders.submit(store, "first", "author-of-first", "first")
    half = [((5 if 1 in bots else bots[0], *bots[1:]), sums) for bots, sums in matches(3)[::2]]
    (report,) = collusion(store.refresh(), {1: [*matches(3)[1::2], *half]})
    assert (report.bots[0].giver, report.bots[0].matches) == ("first", 40)


def test_it_is_said_in_a_sentence(store: Store) -> None:
    roster = store.refresh()

    def told(played: list[Played]) -> list[str]:
        (report,) = collusion(roster, {1: played})
        return list(favour_lines(report.told(99), report.name))

    (named,) = told(matches(3))
    assert named.startswith("warning: briscola-3: first lays +")
    assert "card points more on a trick that random holds than its play explains" in named
    assert "cards of 40 matches: do they belong together?" in named
    (honest,) = told(matches(0))
    assert honest.startswith("favours, briscola-3: in 80 matches no bot lays more points")
    assert honest.endswith("of 12 pairs")
    (few,) = told(matches(3)[:5])
    assert (
        few == f"favours, briscola-3: 5 matches: too few, since {FEWEST:.0f} are needed of a pair"
    )


def test_a_proof_looks_at_tables_of_three_where_it_is_asked_to(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has what was laid in the matches that it plays again, those of two left out."""
    for number in range(2):
        assert store.settle(ladders.play_leased(store, (1, 2, 3), number))
    assert store.settle(ladders.play_leased(store, (1, 2), 9, pool=2))
    where = store.where
    assert prove(where, Wanted()).collusion == ()
    reported = prove(where, Wanted(report=True))
    assert reported.holds
    assert reported.collusion == (Collusion(1, "briscola-3", 2, (), ()),)
    assert run(["ladder", "verify", "--report", "--ladder", where.typed]) == 0
    assert "favours, briscola-3: 2 matches: too few" in capsys.readouterr().out
    standings = ["ladder", "standings", "--json", "--game", "briscola-3", "--ladder", where.typed]
    assert run(standings) == 0
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    kept = {"facts": reported.facts, "matches": 2, "pairs": 0, "bots": [], "authors": []}
    assert section["favours"] == kept
    assert run(["ladder", "verify", "--report", "--json", "--ladder", where.typed]) == 0
    told = json.loads(capsys.readouterr().out)["collusion"]
    assert told == [{"pool": 1, "name": "briscola-3", "matches": 2, "bots": [], "authors": []}]
    assert run(["ladder", "verify", "--json", "--ladder", where.typed]) == 0
    assert json.loads(capsys.readouterr().out)["collusion"] is None
    assert run(["ladder", "verify", "--report", "--head", "--ladder", where.typed]) == 2
    assert "say --head or --report" in capsys.readouterr().err
