"""A game of the catalogue as one value for programs, and in a few words. Pure."""

from typing import Any

from msgspec import Struct

from referee.match.luck import family_of, rows_of, values_of
from referee.rules.game import Game, Sides
from referee.rules.match_end import EndingKind
from referee.rules.variants import Variant


class RuleJson(Struct, frozen=True):
    """A rule of a game, with where it comes from."""

    rule: str
    text: str
    source: str


class OptionJson(Struct, frozen=True):
    """An option of a game; without a `default` it has to be said."""

    name: str
    values: tuple[str, ...]
    default: str | None
    meaning: str
    source: str


class WorthJson(Struct, frozen=True):
    """What a card is worth when luck is counted: dealt, or drawn, in tenths of a deal value."""

    card: str
    dealt: int
    drawn: int


class LuckJson(Struct, frozen=True):
    """The values that luck is counted by, which a family of games shares."""

    family: str | None
    tenths: tuple[WorthJson, ...]


class GameJson(Struct, frozen=True, kw_only=True):
    """What `referee games ID --json` prints; without an id it is a list of these.

    Attributes:
        seats: how many may sit at a table.
        sides: the seats that score together.
        digest: of the rules with all options as they usually are.
        luck: null where it is not counted.
        max_acts: of a deal; `max_deals` of a match.
    """

    id: str
    title: str
    seats: tuple[int, ...]
    sides: Sides
    revision: int
    digest: str
    rules: tuple[RuleJson, ...]
    options: tuple[OptionJson, ...]
    luck: LuckJson | None
    max_acts: int
    max_deals: int


def described(variant: Variant) -> GameJson:
    """Return a game, for programs."""
    rules, name = variant.rules_of({})
    return GameJson(
        id=variant.id,
        title=variant.title,
        seats=tuple(variant.seats),
        sides=rules.game.partners,
        revision=name.revision,
        digest=name.digest,
        rules=tuple(RuleJson(*rule) for rule in variant.rules),
        options=tuple(
            OptionJson(
                name=option.name,
                values=tuple(option.values),
                default=rules.options.get(option.name),
                meaning=option.meaning,
                source=option.source,
            )
            for option in variant.options
        ),
        luck=_luck(rules.game),
        max_acts=rules.game.max_acts,
        max_deals=rules.ending.max_deals,
    )


def _luck(game: Game[Any]) -> LuckJson | None:  # of any game
    values = values_of(game)
    if values is None:
        return None
    return LuckJson(family_of(game), tuple(WorthJson(*row) for row in rows_of(values)))


def seats_text(variant: Variant) -> str:
    """Return how many seats it can have."""
    return " ".join(map(str, variant.seats))


def sides_text(variant: Variant) -> str:
    """Return who plays together; for several numbers of seats, all that there can be."""
    if any(option.name == "own_card_allowed" for option in variant.options):
        return "hidden"
    found = []
    for seats in variant.seats:
        options = {"seats": str(seats)} if len(variant.seats) > 1 else {}
        partners = variant.rules_of(options)[0].game.partners
        found.append("solo" if len(partners) == seats else f"{len(partners)} sides")
    return " or ".join(dict.fromkeys(found))


def match_text(variant: Variant) -> str:
    """Return when a match of it is over."""
    ending = variant.rules_of({})[0].ending
    kinds = {
        EndingKind.WINS: f"first to {ending.number} won deals",
        EndingKind.DEALS: f"{ending.number} deals",
        EndingKind.POINTS: f"to {ending.number} points",
    }
    return kinds[ending.kind]
