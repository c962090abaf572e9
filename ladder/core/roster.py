"""Who is in a ladder and who plays: what its facts come to, matches left aside. Pure."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.epochs import Epoch
from ladder.core.facts import (
    Begun,
    Decision,
    Deed,
    Fact,
    Keep,
    Opened,
    Pool,
    Retention,
    Revealed,
    Sealed,
    Submission,
)
from ladder.core.names import number_in
from referee.errors import RefereeError


class EntrantState(Struct, frozen=True):
    """How it stands with a version of a bot.

    Attributes:
        playing: whether it plays in some pool.
        benched: why it does not in others, by pool.
        why: in words, if it plays nowhere; "" if it does.
    """

    playing: bool
    benched: dict[int, str]
    why: str


ERASED_AUTHOR: Final = "(erased)"
"""Stands where an author was; no author has this name."""


class Roster:
    """A ladder's pools and bots; facts are added in their order.

    A bot that was erased is called by its number here, as `#12`, and its author `(erased)`.
    """

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        """Adds these facts."""
        self.opened: Opened | None = None
        self.retention = Retention(keep=Keep.ALL, at_ms=0)
        self.pools: dict[int, Pool] = {}
        self.entrants: dict[int, Submission] = {}
        self.benched: dict[tuple[int, int], str] = {}
        """Why, by pool and entrant."""
        self._chosen: dict[int, int] = {}
        self._choices: dict[int, list[int]] = {}
        """By bot, the versions that were chosen since it was retired last, the newest last."""
        self.retired: dict[int, str] = {}
        """Why, by bot."""
        self.erased: set[int] = set()
        """The bots of whose author nothing is left."""
        self.paused: dict[int, str] = {}
        """Why, by pool; 0 is all of them."""
        self._placed: dict[tuple[str, int], int] = {}
        """In which division, by league and bot."""
        self.announced: Decision | None = None
        """What people are to read."""
        self.epochs: dict[int, Epoch] = {}
        """By number."""
        self._drawing: int | None = None
        """In which epoch matches are drawn; 0 where the last one is over, None before any."""
        self._open: dict[str, int] = {}
        self._bots: dict[tuple[str, str], int] = {}
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Takes in a fact; those of matches change nothing here."""
        match fact:
            case Opened():
                self.opened = fact
            case Pool():
                self.pools[fact.pool] = fact
                self._open[fact.name] = fact.pool
            case Submission():
                self.entrants[fact.entrant] = _shown(fact) if fact.names else fact
                if not fact.names:
                    self._bots.setdefault((fact.name, fact.author), fact.bot)
                self._choose(fact.entrant)
            case Decision():
                self._decide(fact)
            case Retention():
                self.retention = fact
            case Sealed():
                self.epochs[fact.epoch] = Epoch(fact, len(self.entrants))
            case Begun():
                self.epochs[fact.epoch] = replace(self.epochs[fact.epoch], begun=fact)
                self._drawing = fact.epoch
            case Revealed():
                self.epochs[fact.epoch] = replace(self.epochs[fact.epoch], revealed=fact)
                if self._drawing == fact.epoch:
                    self._drawing = 0

    def _decide(self, fact: Decision) -> None:
        match fact.deed:
            case Deed.CLOSED:
                name = self.pools[fact.pool].name
                if self._open.get(name) == fact.pool:
                    del self._open[name]
                self.paused.pop(fact.pool, None)
            case Deed.OPENED:
                self._open[self.pools[fact.pool].name] = fact.pool
            case Deed.RETIRED:
                bot = self.entrants[fact.entrant].bot
                self.retired[bot] = fact.reason
                self._choices.pop(bot, None)
            case Deed.CHOSEN:
                self._choose(fact.entrant)
            case Deed.BENCHED:
                self.benched[fact.pool, fact.entrant] = fact.reason
            case Deed.PLACED:
                pool = self.pools[fact.pool]
                self._placed[pool.league, self.entrants[fact.entrant].bot] = pool.division
            case Deed.PAUSED:
                self.paused[fact.pool] = fact.reason
            case Deed.RESUMED:
                self.paused.pop(fact.pool, None)
            case Deed.ANNOUNCED:
                self.announced = fact if fact.reason else None
            case Deed.ERASED:
                self._erase(self.entrants[fact.entrant].bot, fact.reason)

    def _erase(self, bot: int, reason: str) -> None:
        """Forgets what a bot and its author are called."""
        self.erased.add(bot)
        self.retired[bot] = reason
        for one in self.versions(bot):
            self.entrants[one.entrant] = _shown(one)
            self._bots.pop((one.name, one.author), None)

    def _choose(self, entrant: int) -> None:
        """This version of its bot plays from now on, whatever was decided of it before."""
        bot = self.entrants[entrant].bot
        self._chosen[bot] = entrant
        self._choices.setdefault(bot, []).append(entrant)
        self.retired.pop(bot, None)
        for pool in [pool for pool, benched in self.benched if benched == entrant]:
            del self.benched[pool, entrant]

    @property
    def is_sealed(self) -> bool:
        """Whether matches count only if they were drawn in an epoch; that is so for ever."""
        return self._drawing is not None

    @property
    def drawing(self) -> Epoch | None:
        """The epoch in which matches are drawn, if there is one."""
        return self.epochs.get(self._drawing or 0)

    def is_over(self, epoch: int) -> bool:
        """Whether no match of an epoch counts any more."""
        return self.epochs[epoch].revealed is not None

    def waits_for_epoch(self, entrant: int) -> bool:
        """Whether a version was handed in after the epoch was sealed that matches are drawn in."""
        epoch = self.drawing
        return self.is_sealed and (epoch is None or entrant > epoch.entrants)

    @property
    def open_pools(self) -> tuple[Pool, ...]:
        """The pools in which matches are played, by number."""
        return tuple(self.pools[number] for number in sorted(self._open.values()))

    def why_paused(self, pool: int) -> str | None:
        """Why no next match is chosen in a pool, in words; None if one is."""
        return self.paused.get(0, self.paused.get(pool))

    def chosen(self, bot: int) -> int:
        """The version of a bot that plays, or would."""
        return self._chosen[bot]

    def is_current(self, entrant: int) -> bool:
        """Whether it is the version of its bot that plays, unless it is benched."""
        bot = self.entrants[entrant].bot
        return self._chosen[bot] == entrant and bot not in self.retired

    def is_meant(self, pool: int, entrant: int) -> bool:
        """Whether an entrant was handed in for a pool and is in its division, benched or not."""
        one, found = self.entrants[entrant], self.pools[pool]
        if one.games and found.game_name not in one.games:
            return False
        return not found.league or self.division(found.league, one.bot) == found.division

    def division(self, league: str, bot: int) -> int:
        """The division of a league in which a bot plays: the lowest, until it is placed."""
        lowest = max((one.division for one in self.open_pools if one.league == league), default=0)
        return min(self._placed.get((league, bot), lowest), lowest)

    def plays(self, pool: int, entrant: int) -> bool:
        """Whether an entrant plays in a pool."""
        return (
            self.is_meant(pool, entrant)
            and self.is_current(entrant)
            and (pool, entrant) not in self.benched
        )

    def playing(self, pool: int) -> tuple[Submission, ...]:
        """Who plays in a pool."""
        return tuple(
            self.entrants[entrant]
            for entrant in sorted(self._chosen.values())
            if self.plays(pool, entrant)
        )

    def seated(self, pool: int) -> tuple[Submission, ...]:
        """Who may sit at the next tables of a pool.

        In a sealed ladder the version that waits for the next epoch is stood for by the last one
        before it that does not, if its bot was not retired since.
        """
        found = []
        for one in self.playing(pool):
            entrant = one.entrant if not self.waits_for_epoch(one.entrant) else self.stand_in(one)
            known = entrant is not None and self.is_meant(pool, entrant)
            if entrant is not None and known and (pool, entrant) not in self.benched:
                found.append(self.entrants[entrant])
        return tuple(sorted(found, key=lambda one: one.entrant))

    def stand_in(self, one: Submission) -> int | None:
        """The version that plays for one that waits for the next epoch; None for none."""
        choices = reversed(self._choices.get(one.bot, ()))
        return next((entrant for entrant in choices if not self.waits_for_epoch(entrant)), None)

    def state(self, entrant: int) -> EntrantState:
        """How it stands with an entrant."""
        bot = self.entrants[entrant].bot
        pools = [pool for pool in self.open_pools if self.is_meant(pool.pool, entrant)]
        benched = {
            pool.pool: self.benched[pool.pool, entrant]
            for pool in pools
            if (pool.pool, entrant) in self.benched
        }
        if bot in self.retired:
            return EntrantState(False, benched, f"retired: {self.retired[bot]}")
        if self._chosen[bot] != entrant:
            return EntrantState(False, benched, f"version {self.version_of(bot)} plays")
        everywhere = bool(pools) and len(benched) == len(pools)
        return EntrantState(not everywhere, benched, "benched" if everywhere else "")

    def version_of(self, bot: int) -> int:
        """The number of the version that plays, or would."""
        return self.entrants[self._chosen[bot]].version

    def versions(self, bot: int) -> tuple[Submission, ...]:
        """The versions of a bot, the first one first."""
        return tuple(one for one in self.entrants.values() if one.bot == bot)

    def bot_of(self, name: str, author: str) -> int | None:
        """The bot of this name and author, if there is one."""
        return self._bots.get((name, author))

    def bots_by(self, author: str) -> tuple[int, ...]:
        """The bots of an author, by number."""
        return tuple(sorted(bot for (_, whose), bot in self._bots.items() if whose == author))

    def is_erased(self, entrant: int) -> bool:
        """Whether the bot was erased that this is a version of."""
        return self.entrants[entrant].bot in self.erased

    def bots(self) -> tuple[int, ...]:
        """All bots, by number."""
        return tuple(sorted(self._chosen))

    def find(self, text: str) -> int:
        """The bot that a person means: by name, AUTHOR/NAME, or #ENTRANT of any version.

        Raises:
            RefereeError: there is none, or there are several.
        """
        if (number := number_in(text)) is not None:
            found = self.entrants.get(number)
            if found is None:
                raise RefereeError(f"no bot {text}: `referee ladder bots` lists them")
            return found.bot
        author, slash, name = text.rpartition("/")
        bots = [
            bot
            for (known, whose), bot in self._bots.items()
            if known == name and (not slash or whose == author)
        ]
        if not bots:
            raise RefereeError(f"no bot {text!r}: `referee ladder bots` lists them")
        if len(bots) > 1:
            several = ", ".join(f"{self.entrants[bot].author}/{name}" for bot in sorted(bots))
            raise RefereeError(f"bot {text!r}: there are {several}: write AUTHOR/NAME")
        return bots[0]

    def labels(self, *, versions: bool = False) -> dict[int, str]:
        """What to call each entrant so that no two are called alike, as tables do.

        Args:
            versions: whether those of a bot are told apart.
        """
        authors: dict[str, set[str]] = {}
        for name, author in self._bots:
            authors.setdefault(name, set()).add(author)
        found = {}
        for entrant, one in self.entrants.items():
            several = len(authors.get(one.name, ())) > 1
            label = f"{one.name} ({one.author})" if several else one.name
            many = versions and len(self.versions(one.bot)) > 1
            found[entrant] = f"{label} v{one.version}" if many else label
        return found


def _shown(one: Submission) -> Submission:
    """A version whose name and author are gone, as people see it."""
    return replace(one, name=f"#{one.bot}", author=ERASED_AUTHOR, salt="", names=one.unnamed.names)
