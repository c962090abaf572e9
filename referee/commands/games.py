"""`referee games`: the catalogue, and the rules of one game."""

from typing import Annotated, Any

import typer
from msgspec import Struct
from rich.console import Console

from referee.games import catalogue, find
from referee.match.luck import family_of, rows_of, values_of
from referee.rules.game import Game, Sides
from referee.rules.match_end import EndingKind
from referee.rules.variants import Variant
from referee.terminal.console import console, print_table
from referee.terminal.json_output import json_text


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


def games(
    game: Annotated[str | None, typer.Argument(metavar="[ID]", help="One game: its rules.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists the games; with an ID, prints that game's rules and options."""
    chosen = list(catalogue().values()) if game is None else [find(game)]
    if as_json:
        values = [_described(variant) for variant in chosen]
        print(json_text(values if game is None else values[0]))
    elif game is None:
        rows = [(one.id, _seats(one), _sides(one), _match(one)) for one in chosen]
        print_table(console(), ("game", "#seats", "sides", "match"), rows)
    else:
        _print_rules(chosen[0])


def _seats(variant: Variant) -> str:
    return " ".join(map(str, variant.seats))


def _sides(variant: Variant) -> str:
    """Who plays together; for several numbers of seats, all that there can be."""
    if any(option.name == "own_card_allowed" for option in variant.options):
        return "hidden"
    found = []
    for seats in variant.seats:
        options = {"seats": str(seats)} if len(variant.seats) > 1 else {}
        partners = variant.rules_of(options)[0].game.partners
        found.append("solo" if len(partners) == seats else f"{len(partners)} sides")
    return " or ".join(dict.fromkeys(found))


def _match(variant: Variant) -> str:
    ending = variant.rules_of({})[0].ending
    kinds = {
        EndingKind.WINS: f"first to {ending.number} won deals",
        EndingKind.DEALS: f"{ending.number} deals",
        EndingKind.POINTS: f"to {ending.number} points",
    }
    return kinds[ending.kind]


def _print_rules(variant: Variant) -> None:
    rules, name = variant.rules_of({})
    to = console()
    to.print(variant.title, style="bold")
    to.print(f"rules revision {name.revision}, digest {name.digest[:16]}", style="dim")
    to.print()
    print_table(to, ("rule", "as played", "source"), variant.rules)
    to.print()
    if variant.options:
        print_table(
            to,
            ("option", "default", "can be", "what it is", "source"),
            [
                (
                    option.name,
                    rules.options.get(option.name, ""),
                    ", ".join(option.values),
                    option.meaning,
                    option.source,
                )
                for option in variant.options
            ],
        )
        to.print()
    _print_luck(to, rules.game)
    to.print("Choose with -o NAME=VALUE; N is a whole number.", style="dim")
    ending = rules.ending
    text = f"A deal has at most {rules.game.max_acts} acts."
    if ending.kind is not EndingKind.DEALS:
        text += f" A match that is not decided after {ending.max_deals} deals is drawn."
    to.print(text, style="dim")


def _print_luck(to: Console, game: Game[Any]) -> None:  # every game has a state type of its own
    """What cards are worth when luck is counted, in the unit of the deal value."""
    values = values_of(game)
    if values is None:
        to.print("The luck of a deal is not counted in this game.", style="dim")
        return
    family = family_of(game)
    to.print(f"Luck: what a card adds to the deal value, in games of the family {family!r}.")
    rows = [
        (card, f"{held / 10:+.1f}", f"{drawn / 10:+.1f}") for card, held, drawn in rows_of(values)
    ]
    print_table(to, ("card, its points", "#dealt", "#drawn"), rows)
    to.print()


def _described(variant: Variant) -> GameJson:
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
