"""In which order legs are played, and what bots are told of it."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from ladder.event.schedule import Part, parts
from ladder.results import Pairing, Round
from referee.match.leg import Leg
from referee.match.lines import LegLine
from referee.match.plan import MatchPlan, make_plan
from referee.match.seating import Seating
from referee.match.totals import Totals
from referee.record.chain import Chain, decode
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from support.drive import Choice, play
from support.matches import match, verified
from support.terms import config_of

GAMES = [("briscola-2", 2), ("biscambiggia-3", 3), ("briscola-4", 2)]
FIRST_LEGAL: Choice = lambda _, legal: legal[0]  # noqa: E731  # typed, and short


def plan_of(game: str, bots: int, key: str, deals: int = 2) -> MatchPlan:
    """A match in all seatings."""
    return make_plan(config_of(game=game, bots=bots, deals=deals, key=key, seating=Seating.FULL))


@pytest.mark.parametrize(("game", "bots"), GAMES)
def test_each_seating_comes_first_equally_often(game: str, bots: int) -> None:
    """Over many keys, and every match has each seating once."""
    plans = [plan_of(game, bots, f"key {number}") for number in range(600)]
    seatings = set(plans[0].seatings)
    first = Counter(plan.seatings[0] for plan in plans)

    assert all(sorted(plan.seatings) == sorted(seatings) for plan in plans)
    assert set(first) == seatings
    assert all(0.75 < times * len(seatings) / 600 < 1.25 for times in first.values())


@pytest.mark.parametrize(("game", "bots"), GAMES)
def test_nothing_that_is_said_tells_in_which_leg_a_bot_is(game: str, bots: int) -> None:
    """A seating is told the same bytes whether it is played first or last."""
    plan = plan_of(game, bots, "key")
    back = replace(plan, seatings=plan.seatings[::-1])
    said: dict[tuple[int, ...], object] = {}
    for order in (plan, back):
        for number, seating in enumerate(order.seatings):
            deals, farewells = play(Leg(order.leg(number)), FIRST_LEGAL)
            now = ([(deal.sent, deal.acts) for deal in deals], farewells)
            assert said.setdefault(seating, now) == now


def key_with(*, turned: bool) -> str:
    """A key by which two bots begin as they are named, or the other way round."""
    keys = (f"key {number}" for number in range(100))
    return next(
        key for key in keys if (plan_of("briscola-2", 2, key).seatings[0] == (1, 0)) is turned
    )


def forged(lines: list[bytes]) -> bytes:
    """The lines with hashes that fit, as a forger would make them."""
    chain = Chain()
    return b"".join(chain.encode(decode(line[:-1])) for line in lines)


def trouble(path: Path) -> str | None:
    """Why a record does not verify; None if it does."""
    with RecordReader(path) as reader:
        found = Resimulation(reader)
        try:
            list(found.deals())
        except Mismatch as error:
            return str(error)
        return found.unfinished


async def recorded(path: Path, key: str) -> list[bytes]:
    """The lines of a match of one deck in both seatings."""
    bots = ("sample:first", "sample:random")
    await match(path, "briscola-2", *bots, deals=1, key=key, seating=Seating.FULL)
    return (await trio.Path(path).read_bytes()).splitlines(keepends=True)


async def test_a_record_with_its_legs_in_another_order_does_not_verify(tmp_path: Path) -> None:
    """The order follows from the key of the first block; whoever played another one is found."""
    path = tmp_path / "record"
    lines = await recorded(path, key_with(turned=True))
    legs = [at for at, line in enumerate(lines) if isinstance(decode(line[:-1]), LegLine)]
    renumbered = [lines[at].replace(b'"leg":%d' % one, b'"leg":%d' % (1 - one))
                  for one, at in enumerate(legs)]  # fmt: skip
    for at, line in zip(legs, renumbered, strict=True):
        lines[at] = line
    assert len(verified(path)) == 2

    first, second = lines[legs[0] : legs[1]], lines[legs[1] : -1]
    path.write_bytes(forged([lines[0], *second, *first, lines[-1]]))
    assert trouble(path) == "line 2: leg 0 with seats [1, 0] belongs here"


async def test_a_record_that_ends_before_its_first_deal_is_unfinished(tmp_path: Path) -> None:
    """Without a deal no key says which leg is first; any may be."""
    path = tmp_path / "record"
    lines = await recorded(path, key_with(turned=True))
    path.write_bytes(b"".join(lines[:2]))
    assert trouble(path) == "it breaks off after line 2"

    path.write_bytes(forged([*lines[:2], Chain().encode(Totals(2).result(2))]))
    assert trouble(path) == "the match was interrupted"


def schedule(tables: int, pieces: int) -> list[Part]:
    """The matches of a round in which a bot sits at every table."""
    played = Round(tuple(Pairing((0, at + 1)) for at in range(tables)), 0, pieces * 5)
    return parts(0, 0, played, 5)


@pytest.mark.parametrize(("tables", "pieces"), [(1, 7), (3, 1), (6, 20), (15, 200), (28, 5)])
def test_a_deck_comes_back_at_another_table_after_other_matches(tables: int, pieces: int) -> None:
    """About as many as a table has: no order could keep all meetings of a deck further apart."""
    found = schedule(tables, pieces)
    begun = {part.place[2:]: at for at, part in enumerate(found)}

    assert len(begun) == len(found) == tables * pieces
    for piece in range(pieces):
        at = sorted(begun[table, piece] for table in range(tables))
        assert all(after - before > pieces - 2 * tables for before, after in pairwise(at))


@pytest.mark.parametrize(("tables", "pieces"), [(6, 20), (15, 200), (28, 5)])
def test_all_tables_of_a_round_are_under_way_together(tables: int, pieces: int) -> None:
    """So that a failing host is told from a bot, and what was interrupted has some of each."""
    found = schedule(tables, pieces)

    for step in range(pieces):
        now = found[step * tables : (step + 1) * tables]
        assert [part.place[2] for part in now] == list(range(tables))
        assert {part.step for part in now} == {step}


async def test_a_record_whose_legs_are_of_two_matches_does_not_verify(tmp_path: Path) -> None:
    """All decks are dealt again in each leg: other ones there could be chosen for a bot."""
    keys = (f"key {number}" for number in range(100))
    same = (key for key in keys if plan_of("briscola-2", 2, key).seatings[0] == (0, 1))
    first, other = [await recorded(tmp_path / key, key) for key in (next(same), next(same))]
    begins = [
        [at for at, line in enumerate(lines) if isinstance(decode(line[:-1]), LegLine)][1]
        for lines in (first, other)
    ]
    path = tmp_path / "record"
    path.write_bytes(forged([*first[: begins[0]], *other[begins[1] :]]))

    assert "deal 1 was another deck before" in str(trouble(path))
