"""`referee games`: the catalogue, and the rules of one game."""

from typing import Annotated, Any

import typer
from rich.console import Console

from referee.games import catalogue, find
from referee.match.game_json import described, match_text, seats_text, sides_text
from referee.match.luck import family_of, rows_of, values_of
from referee.rules.game import Game
from referee.rules.match_end import EndingKind
from referee.rules.variants import Variant
from referee.terminal.console import console, print_table
from referee.terminal.json_output import json_text


def games(
    game: Annotated[str | None, typer.Argument(metavar="[ID]", help="One game: its rules.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists the games; with an ID, prints that game's rules and options."""
    chosen = list(catalogue().values()) if game is None else [find(game)]
    if as_json:
        values = [described(variant) for variant in chosen]
        print(json_text(values if game is None else values[0]))
    elif game is None:
        rows = [(one.id, seats_text(one), sides_text(one), match_text(one)) for one in chosen]
        print_table(console(), ("game", "#seats", "sides", "match"), rows)
    else:
        _print_rules(chosen[0])


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
