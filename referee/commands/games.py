"""`referee games`: the catalogue, and the rules of one game."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from referee.games import catalogue, find
from referee.match.luck import family_of, rows_of, values_of
from referee.rules.game import Game
from referee.rules.match_end import EndingKind
from referee.rules.variants import Variant
from referee.terminal.console import console, print_table


def games(
    game: Annotated[str | None, typer.Argument(metavar="[ID]", help="One game: its rules.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists the games; with an ID, prints that game's rules and options."""
    chosen = list(catalogue().values()) if game is None else [find(game)]
    if as_json:
        values = [_object(variant) for variant in chosen]
        print(json.dumps(values if game is None else values[0], indent=2))
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


def _object(variant: Variant) -> dict[str, Any]:  # JSON
    rules, name = variant.rules_of({})
    return {
        "id": variant.id,
        "title": variant.title,
        "seats": list(variant.seats),
        "sides": [list(side) for side in rules.game.partners],
        "revision": name.revision,
        "digest": name.digest,
        "rules": [{"rule": a, "text": b, "source": c} for a, b, c in variant.rules],
        "options": [
            {
                "name": option.name,
                "values": list(option.values),
                "default": rules.options.get(option.name),
                "meaning": option.meaning,
                "source": option.source,
            }
            for option in variant.options
        ],
        "luck": _luck(rules.game),
        "max_acts": rules.game.max_acts,
        "max_deals": rules.ending.max_deals,
    }


def _luck(game: Game[Any]) -> dict[str, Any] | None:  # JSON, of any game
    """What cards are worth when luck is counted: class, when dealt and when drawn, in tenths."""
    values = values_of(game)
    if values is None:
        return None
    rows = [{"card": a, "dealt": held, "drawn": drawn} for a, held, drawn in rows_of(values)]
    return {"family": family_of(game), "tenths": rows}
