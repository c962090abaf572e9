"""Positions of givers that no game has dealt."""

import random

from referee.match.gifts import Choice, Position

WORTHS = (0, 0, 0, 2, 3, 4, 10, 11)


def positions(count: int, roll: random.Random, cards: int = 3) -> list[Position]:
    """So many, by the points that lie there, with up to so many cards to choose from."""

    def choice() -> Choice:
        return Choice(roll.choice(WORTHS), roll.random() < 0.6, roll.random() < 0.25)

    def position() -> Position:
        return Position(
            cards=roll.choice((1, 2)),
            points=roll.choice(WORTHS) + roll.choice(WORTHS),
            holds_trump=roll.random() < 0.3,
            is_last=roll.random() < 0.5,
            talon_is_empty=roll.random() < 0.2,
            holder_called=False,
            choices=tuple(sorted(choice() for _ in range(roll.randint(1, cards)))),
        )

    return sorted((position() for _ in range(count)), key=lambda one: one.points)
