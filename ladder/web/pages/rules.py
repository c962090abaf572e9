"""The pages of the rules: the catalogue, and each game with its options."""

from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from referee.errors import RefereeError
from referee.games import catalogue, find
from referee.match.game_json import GameJson, described, match_text, seats_text, sides_text


def _make_all(store: Store, asked: Asked) -> Content:
    pools = store.refresh().open_pools
    played = {pool.terms.game for pool in pools}
    games = sorted(catalogue().values(), key=lambda one: one.id not in played)
    return Content(
        title="Rules",
        description=f"The rules of {len(games)} games of the briscola family.",
        template="rules.html",
        value=tuple(map(described, games)),
        shown={
            "games": [(one, seats_text(one), sides_text(one), match_text(one)) for one in games],
            "pools": pools,
        },
    )


def _make_one(store: Store, asked: Asked) -> Content:
    try:
        variant = find(asked.path["game"])
    except RefereeError as error:
        raise Missing(str(error)) from error
    value = described(variant)
    pools = [pool for pool in store.refresh().open_pools if pool.terms.game == variant.id]
    return Content(
        title=f"{value.title}: rules",
        description=f"The rules of {value.id} as they are played here, with their sources.",
        template="rules_of.html",
        value=value,
        shown={"pools": pools},
    )


RULES = Page(
    name="rules",
    path="/rules",
    about="The games of the catalogue.",
    type=tuple[GameJson, ...],
    make=_make_all,
    lives=False,
)
RULES_OF = Page(
    name="rules_of",
    path="/rules/{game}",
    about="The rules of one game, with their sources and options.",
    type=GameJson,
    make=_make_one,
    lives=False,
)
