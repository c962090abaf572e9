"""Who is in a ladder, who plays, and what people call them."""

import pytest
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Fact, Opened, Pool, Submission
from ladder.core.retiring import WITHDRAWN, may_come_back, retired
from ladder.core.roster import Roster
from ladder.game_files.pool_file import pools_of
from referee.errors import RefereeError

(BRISCOLA,) = pools_of(["briscola-2"]).pools
(SUECA,) = pools_of(["sueca"]).pools


def bot(entrant: int, name: str, author: str, version: int = 1, bot: int = 0) -> Submission:
    return Submission(
        entrant=entrant,
        bot=bot or entrant,
        name=name,
        author=author,
        version=version,
        hash=str(entrant) * 64,
        source="",
        at_ms=entrant,
    )


def decided(deed: Deed, entrant: int = 0, pool: int = 0, reason: str = "so") -> Decision:
    return Decision(deed=deed, entrant=entrant, pool=pool, reason=reason, at_ms=0)


def pool(number: int, kind: Pool = BRISCOLA, name: str = "") -> Pool:
    return replace(kind, pool=number, name=name or kind.name)


BEGUN: tuple[Fact, ...] = (
    Opened("0" * 32, "test", 0, "1"),
    pool(1),
    pool(2, SUECA),
    bot(1, "anna", "a"),
    bot(2, "bruno", "b"),
    bot(3, "anna", "c"),
    bot(4, "anna", "a", 2, 1),
)


def roster(*more: Fact) -> Roster:
    return Roster((*BEGUN, *more))


def playing(found: Roster, number: int = 1) -> list[int]:
    return [one.entrant for one in found.playing(number)]


def test_a_new_version_plays_instead_of_the_old() -> None:
    """One version of each bot plays; the old one says which does, and all are remembered."""
    found = roster()
    assert playing(found) == playing(found, 2) == [2, 3, 4]
    assert found.state(1).why == "version 2 plays"
    assert found.state(4) == found.state(3)
    assert [one.entrant for one in found.versions(1)] == [1, 4]
    assert found.bots() == (1, 2, 3)


def test_who_is_retired_plays_nowhere() -> None:
    """No version of it does, until one is chosen or a new one is handed in."""
    found = roster(decided(Deed.RETIRED, 1))
    assert playing(found) == [2, 3]
    assert (found.state(4).playing, found.state(4).why) == (False, "retired: so")
    found.add(decided(Deed.CHOSEN, 4))
    assert playing(found) == [2, 3, 4]
    found.add(decided(Deed.RETIRED, 4))
    found.add(bot(5, "anna", "a", 3, 1))
    assert playing(found) == [2, 3, 5]


def test_an_older_version_is_chosen() -> None:
    """A rollback puts the old version back, and the new one does not play."""
    found = roster(decided(Deed.CHOSEN, 1))
    assert playing(found) == [1, 2, 3]
    assert found.version_of(1) == 1
    assert found.state(4).why == "version 1 plays"


def test_who_is_benched_plays_on_elsewhere() -> None:
    """In that pool its version does not play; another version does, and it does once chosen."""
    found = roster(decided(Deed.BENCHED, 4, 1))
    assert (playing(found), playing(found, 2)) == ([2, 3], [2, 3, 4])
    assert (found.state(4).playing, found.state(4).benched) == (True, {1: "so"})
    assert playing(roster(decided(Deed.BENCHED, 4, 1), decided(Deed.CHOSEN, 1))) == [1, 2, 3]
    found.add(decided(Deed.BENCHED, 4, 2))
    assert (found.state(4).playing, found.state(4).why) == (False, "benched")
    found.add(decided(Deed.CHOSEN, 4))
    assert playing(found) == [2, 3, 4]


def test_a_changed_pool_takes_the_place_of_the_old() -> None:
    """Of pools of one name the last one plays; those that are closed do not."""
    found = roster(pool(3, replace(BRISCOLA, terms=replace(BRISCOLA.terms, pace_ms=1))))
    assert [one.pool for one in found.open_pools] == [2, 3]
    found.add(decided(Deed.CLOSED, pool=1))
    assert [one.pool for one in found.open_pools] == [2, 3]
    found.add(decided(Deed.CLOSED, pool=3))
    assert [one.pool for one in found.open_pools] == [2]
    found.add(pool(4))
    assert [one.pool for one in found.open_pools] == [2, 4]


def test_a_bot_is_benched_in_pools_that_are_open() -> None:
    """A bench in a pool that was closed says nothing of it any more."""
    found = roster(decided(Deed.BENCHED, 2, 1), decided(Deed.CLOSED, pool=1))
    assert (found.state(2).playing, found.state(2).benched) == (True, {})


def test_nobody_plays_where_there_is_nothing_to_play() -> None:
    """A ladder without open pools benches nobody."""
    found = roster(decided(Deed.CLOSED, pool=1), decided(Deed.CLOSED, pool=2))
    assert found.open_pools == ()
    assert found.state(2).why == ""


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("bruno", 2), ("a/anna", 1), ("c/anna", 3), ("#4", 1), ("#3", 3), ("b/bruno", 2)],
)
def test_a_bot_is_found(typed: str, expected: int) -> None:
    """By name, by author and name, by the number of any of its versions."""
    assert roster().find(typed) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("anna", "bot 'anna': there are a/anna, c/anna: write AUTHOR/NAME"),
        ("carlo", "no bot 'carlo': `referee ladder bots` lists them"),
        ("b/anna", "no bot 'b/anna': "),
        ("#9", "no bot #9: "),
        ("#" + "9" * 5000, "no bot '#99"),
        ("#", "no bot '#': "),
        ("", "no bot '': "),
        ("/", "no bot '/': "),
        ("#²", "no bot '#²': "),
    ],
)
def test_a_bot_is_not_found(typed: str, expected: str) -> None:
    """One line says that there is none, or which there are."""
    with pytest.raises(RefereeError) as caught:
        roster().find(typed)
    assert str(caught.value).startswith(expected)


def test_no_two_are_called_alike() -> None:
    """By name where one author has it, else with the author; versions where they are wanted."""
    found = roster()
    assert found.labels() == {1: "anna (a)", 2: "bruno", 3: "anna (c)", 4: "anna (a)"}
    labels = found.labels(versions=True)
    assert labels == {1: "anna (a) v1", 2: "bruno", 3: "anna (c)", 4: "anna (a) v2"}
    assert len(set(labels.values())) == len(labels)


def test_names_and_authors_make_a_bot() -> None:
    """The same name of another author is another bot."""
    found = roster()
    assert (found.bot_of("anna", "a"), found.bot_of("anna", "c")) == (1, 3)
    assert found.bot_of("anna", "b") is None
    assert found.bot_of("Anna", "a") is None


def test_what_its_author_withdrew_comes_back_by_a_new_version_and_what_the_organiser_took_not() -> (
    None
):
    """The organiser may still retire it then, but neither of them twice."""
    by_author = retired(roster(), 1, WITHDRAWN, 7)
    assert by_author == Decision(deed=Deed.RETIRED, entrant=4, reason=WITHDRAWN, at_ms=7)
    found = roster(by_author)
    assert playing(found) == [2, 3]
    assert may_come_back(found, 1)
    with pytest.raises(RefereeError, match="retired already"):
        retired(found, 1, WITHDRAWN, 8)
    found.add(retired(found, 1, "cheats", 8))
    assert not may_come_back(found, 1)
    for reason in (WITHDRAWN, "again"):
        with pytest.raises(RefereeError, match=r"anna is retired already \(cheats\)"):
            retired(found, 1, reason, 9)
    again = roster(by_author, bot(5, "anna", "a", 3, 1))
    assert (playing(again), again.retired) == ([2, 3, 5], {})
