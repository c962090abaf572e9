"""Whatever happens to an honest sealed ladder, a proof of it finds nothing."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from ladder.audit.audit import Wanted, prove
from ladder.core.facts import Decision, Deed, Fact
from ladder.core.roster import Roster
from ladder.store.jobs import Lease
from ladder.store.store import Store
from referee.errors import RefereeError
from support.ladders import made, submit, usual_pools
from support.sealed import by_rule, settle

STEPS = 120
NAMES = ("greedy", "first", "random", "cheat", "late", "later")


class Ladder:
    """A sealed ladder, its runners, and all that may happen to it."""

    def __init__(self, store: Store, dice: Random) -> None:
        """No epoch was sealed yet."""
        self.store, self.dice = store, dice
        self.leases: dict[str, list[Lease]] = {}
        self.dead: set[str] = set()
        self.runners = 0

    def owner(self) -> str:
        """One of three runners that live, or a new one."""
        alive = [one for one in self.leases if one not in self.dead]
        if len(alive) < 3:
            self.runners += 1
            alive.append(f"runner {self.runners}")
        return self.dice.choice(alive)

    def take(self) -> None:
        """A runner takes a match; it leaves out a bot now and then."""
        owner = self.owner()
        without = () if self.dice.random() < 0.9 else (self.dice.randint(1, 4),)
        lives = self.dead.__contains__
        found = self.store.take(owner, 60_000, lambda one: not lives(one), by_rule(without))
        if found is not None:
            self.leases.setdefault(owner, []).append(found)

    def some(self) -> tuple[str, Lease] | None:
        """A match that a runner plays, dead or alive."""
        held = [(owner, one) for owner, leases in self.leases.items() for one in leases]
        return self.dice.choice(held) if held else None

    def settle(self) -> None:
        """A result comes, perhaps of a runner that is given up."""
        if (found := self.some()) is not None:
            owner, lease = found
            self.leases[owner].remove(lease)
            settle(self.store, lease)

    def renew(self) -> None:
        """A worker dies."""
        if (found := self.some()) is not None and found[0] not in self.dead:
            owner, lease = found
            self.leases[owner].remove(lease)
            self.leases[owner].append(self.store.renew(lease))

    def give_back(self) -> None:
        """A runner stops."""
        owner = self.owner()
        self.store.give_back([one.token for one in self.leases.pop(owner, [])])

    def die(self) -> None:
        """A runner is killed."""
        self.dead.add(self.owner())

    def submit(self) -> None:
        """A bot is handed in, or a version of one."""
        name = self.dice.choice(NAMES)
        submit(self.store, name, f"author-of-{name}", "first")

    def decide(self) -> None:
        """The organiser decides something of a bot, or of a game."""
        roster = self.store.refresh()
        entrant = self.dice.choice(list(roster.entrants))
        pool = self.dice.choice(list(roster.pools))
        decide = partial(Decision, reason="so", at_ms=0)
        deeds = (
            decide(deed=Deed.RETIRED, entrant=entrant),
            decide(deed=Deed.CHOSEN, entrant=entrant),
            decide(deed=Deed.PAUSED, pool=pool),
            decide(deed=Deed.RESUMED, pool=pool),
            decide(deed=Deed.CLOSED, pool=pool),
            decide(deed=Deed.OPENED, pool=pool),
        )
        wanted = self.dice.choice(deeds)
        if wanted.entrant and roster.is_erased(wanted.entrant):
            return

        def make(_: Roster, now: int) -> list[Fact]:
            return [replace(wanted, at_ms=now)]

        self.store.add(make)

    def erase(self) -> None:
        """An author goes, seldom."""
        if self.dice.random() < 0.1:
            self.store.erasure.erase(f"author-of-{self.dice.choice(NAMES)}", "wanted")

    def epoch(self) -> None:
        """The next epoch is sealed, begins, or the last one ends."""
        step = self.dice.random()
        with suppress(RefereeError):  # it cannot begin, or end, just now
            if step < 0.4:
                self.store.epochs.seal("a beacon, round 7")
            elif step < 0.9:
                self.store.epochs.begin(f"{self.dice.random()}")
            else:
                self.store.epochs.end()


STEP_WEIGHTS: dict[Callable[[Ladder], None], int] = {
    Ladder.take: 12,
    Ladder.settle: 9,
    Ladder.renew: 1,
    Ladder.give_back: 1,
    Ladder.die: 1,
    Ladder.submit: 1,
    Ladder.decide: 2,
    Ladder.erase: 1,
    Ladder.epoch: 3,
}


@pytest.mark.parametrize(
    "seed",
    [
        *range(4),
        *(
            pytest.param(seed, marks=[pytest.mark.slow, pytest.mark.thorough])
            for seed in range(4, 60)
        ),
    ],
)
def test_an_honest_sealed_ladder_holds(seed: int, tmp_path: Path) -> None:
    """Every key and every table had to be so, as far as it can be told."""
    dice = Random(seed)
    pools = usual_pools("briscola-2", "briscola-3", blocks=1)
    with made(tmp_path / "it", pools, NAMES[:4]) as store:
        ladder = Ladder(store, dice)
        steps = dice.choices(list(STEP_WEIGHTS), list(STEP_WEIGHTS.values()), k=STEPS)
        for step in steps:
            step(ladder)
        where = store.where
    report = prove(where, Wanted(sample=0))
    assert [one.line for one in report.findings] == []
