"""Who meets whom in a knockout, before anybody knows who wins. Pure."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct


class Take(StrEnum):
    """Where an entrant comes from."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"
    SECOND_LIFE = "second life"
    """The loser, if that was the first defeat: none if the one on the right has lost."""


class Slot(Struct, frozen=True):
    """One side of a pairing: an entrant by number, or the one that comes from another pairing."""

    take: Take
    at: int


class Node(Struct, frozen=True):
    """A pairing."""

    left: Slot
    right: Slot


class Stage(Struct, frozen=True):
    """Pairings that do not wait for each other, by their numbers."""

    label: str
    nodes: tuple[int, ...]


class Bracket(Struct, frozen=True):
    """All pairings; those of a stage come from the stages before it."""

    nodes: tuple[Node, ...]
    stages: tuple[Stage, ...]


def seeds(places: int) -> tuple[int, ...]:
    """Seeds from the top of a bracket to its bottom: 1 and 2 can only meet at its end.

    Args:
        places: a power of two.
    """
    found = [0]
    while len(found) < places:
        last = 2 * len(found) - 1
        found = [seed for one in found for seed in (one, last - one)]
    return tuple(found)


def single(entrants: int) -> Bracket:
    """One defeat, and out; the best seeds rest where a round is not full."""
    builder = _Builder()
    rounds = builder.winners(entrants)
    labels = [_round_of(number, len(rounds)) for number in range(len(rounds))]
    return builder.bracket(zip(labels, rounds, strict=True))


def double(entrants: int) -> Bracket:
    """Two defeats, and out.

    Who loses goes on in the losers' bracket; its winner meets the only one without a defeat. If
    that one loses, both have lost once, and they meet again.
    """
    builder = _Builder()
    winners = builder.winners(entrants)
    losers = builder.losers(winners)
    stages = []
    for number in range(max(len(winners), len(losers) + 1)):
        labels, nodes = [], []
        for name, rounds, at in (("winners'", winners, number), ("losers'", losers, number - 1)):
            if 0 <= at < len(rounds):
                last = at == len(rounds) - 1
                labels.append(f"{name} final" if last else f"{name} round {at + 1}")
                nodes += rounds[at]
        stages.append((", ".join(labels), nodes))
    champion = Slot(Take.WINNER, winners[-1][0])
    other = Slot(Take.WINNER, losers[-1][0]) if losers else Slot(Take.LOSER, winners[-1][0])
    final = builder.add(champion, other)
    again = builder.add(Slot(Take.WINNER, final), Slot(Take.SECOND_LIFE, final))
    return builder.bracket([*stages, ("final", [final]), ("second final", [again])])


def _round_of(number: int, rounds: int) -> str:
    names = {1: "final", 2: "semi-final", 3: "quarter-final"}
    return names.get(rounds - number, f"round {number + 1} of {rounds}")


class _Builder:
    """Collects pairings."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []

    def add(self, left: Slot, right: Slot) -> int:
        self._nodes.append(Node(left, right))
        return len(self._nodes) - 1

    def bracket(self, stages: Iterable[tuple[str, list[int]]]) -> Bracket:
        found = tuple(Stage(label, tuple(nodes)) for label, nodes in stages)
        return Bracket(tuple(self._nodes), found)

    def winners(self, entrants: int) -> list[list[int]]:
        """Rounds in which the winner goes on, up to the last pairing."""
        places = 1 << (entrants - 1).bit_length()
        slots = [Slot(Take.SEED, seed) for seed in seeds(places)]
        rounds = []
        while len(slots) > 1:
            rounds.append(self._round(slots[::2], slots[1::2]))
            slots = [Slot(Take.WINNER, node) for node in rounds[-1]]
        return rounds

    def losers(self, winners: list[list[int]]) -> list[list[int]]:
        """Rounds of those with one defeat: among themselves, then against new ones, and again.

        New ones come in from the other end each time, so that few meet again at once.
        """
        rounds: list[list[int]] = []
        slots = [Slot(Take.LOSER, node) for node in winners[0]]
        for number, nodes in enumerate(winners[1:]):
            rounds.append(self._round(slots[::2], slots[1::2]))
            inside = [Slot(Take.WINNER, node) for node in rounds[-1]]
            new = [Slot(Take.LOSER, node) for node in nodes]
            rounds.append(self._round(inside, new if number % 2 else new[::-1]))
            slots = [Slot(Take.WINNER, node) for node in rounds[-1]]
        return rounds

    def _round(self, left: Sequence[Slot], right: Sequence[Slot]) -> list[int]:
        return [self.add(one, other) for one, other in zip(left, right, strict=True)]
