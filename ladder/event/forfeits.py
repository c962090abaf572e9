"""Who plays no more inside a round. Pure.

A bot that faults in most of its blocks is benched before its round is over: its other matches of
the round are forfeits, which are played as if it had had its third fault before the first card
(SPEC 6.4). What counts is what it has played before them in the order of the schedule, so that the
order in which matches end changes nothing: a match waits for those of its bots that are under way
where they could still decide who forfeits it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ladder.benching import Misconduct, counted, reason, total
from ladder.event.log_lines import Forfeit, MatchLine, ScheduleKey
from ladder.event.schedule import Part


class Forfeits:
    """Who forfeits which matches of a round.

    Attributes:
        out: the bots that forfeit what is left of the round, and why.
    """

    def __init__(self, schedule: Sequence[Part], before: Sequence[Misconduct], least: int) -> None:
        """Nothing of the round has been played yet.

        Args:
            schedule: the matches of the round, in the order in which they are begun.
            before: by entrant, what counts against it in earlier rounds of the section but for what
                was void, which is judged between rounds.
            least: as in `ladder.benching.reason`.
        """
        self.out: dict[int, str] = {}
        self._least = least
        self._of_bot = [_BotMatches(one) for one in before]
        self._parts = {part.place: part for part in schedule}
        for part in schedule:
            for bot in part.bots:
                self._of_bot[bot].add(part)

    def add(self, line: MatchLine) -> None:
        """Take in a match that is over."""
        for place, bot in enumerate(self._parts[line.match].bots):
            matches, outcome = self._of_bot[bot], line.outcome
            own = counted(outcome.blocks, outcome.voids, place)
            matches.finish(line.match, own, self._least)
            if matches.why is not None:
                self.out.setdefault(bot, matches.why)

    def of(self, part: Part) -> tuple[Forfeit, ...] | None:
        """Return who forfeits a match, and why; None: matches under way are to decide that."""
        found = []
        for bot in part.bots:
            matches = self._of_bot[bot]
            if matches.is_open(part.place, self._least):
                return None
            if (why := matches.why_before(part.place)) is not None:
                found.append(Forfeit(bot, why))
        return tuple(found)

    def counts(self) -> list[Misconduct]:
        """Return what counts against each entrant now, forfeits left out."""
        return [matches.known for matches in self._of_bot]


class _BotMatches:
    """The matches of one bot in a round.

    Attributes:
        known: what counts against it in those that were played without a gap.
        why: why it plays no more after them; None if it does.
    """

    def __init__(self, before: Misconduct) -> None:
        self.known = before
        self.why: str | None = None
        self._parts: list[Part] = []
        self._at: dict[ScheduleKey, int] = {}
        self._finished: dict[int, Misconduct] = {}
        self._whole = 0
        """How many are played without a gap, or up to the one that benched it."""

    def add(self, part: Part) -> None:
        self._at[part.place] = len(self._parts)
        self._parts.append(part)

    def finish(self, place: ScheduleKey, own: Misconduct, least: int) -> None:
        self._finished[self._at[place]] = replace(own, voids=0)
        while self.why is None and self._whole in self._finished:
            self.known = total((self.known, self._finished.pop(self._whole)))
            self._whole += 1
            self.why = reason(self.known, (), least)

    def why_before(self, place: ScheduleKey) -> str | None:
        return self.why if self._at[place] >= self._whole else None

    def is_open(self, place: ScheduleKey, least: int) -> bool:
        """Whether it would be benched before a match, were it at fault in all that is not over."""
        if self.why is not None:
            return False
        worst = self.known
        for at in range(self._whole, self._at[place]):
            blocks = self._parts[at].blocks
            worst = total((worst, self._finished.get(at, Misconduct(blocks, blocks))))
            if reason(worst, (), least) is not None:
                return True
        return False
