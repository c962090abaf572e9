"""The page of a match: what came of it, its deals, and its record as moving pictures."""

from ladder.show.match_json import LadderMatchJson, match_json
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Finding, Page
from ladder.web.pages.deals import deals_json, finding_of, shown_deals
from ladder.web.pages.game import pool_of
from ladder.web.pages.match_found import match_of, names_of, record_of
from referee.match.terms import unusual_options
from referee.text import plural


def _finds(store: Store, asked: Asked) -> Finding | None:
    return finding_of(store, asked.path["match"], 1)


def _make(store: Store, asked: Asked) -> Content:
    number, match = match_of(store, asked.path["match"])
    names = names_of(store, match.job)
    pool = pool_of(store, str(match.job.pool))
    has_record = record_of(store, number, match) is not None
    record = f"/matches/{number}/record" if has_record else None
    value = match_json(store.roster, number, match, record)
    scores = ", ".join(
        f"{name} {seat.value:+d}" for name, seat in zip(names, value.bots, strict=True)
    )
    return Content(
        title=f"Match {number}: {' - '.join(names)}",
        description=f"{pool.label}, {plural(len(value.blocks), 'block')}: {scores}.",
        template="match.html",
        value=value,
        shown={
            "names": names,
            "pool": pool,
            "options": unusual_options(pool.terms.game, pool.terms.options),
            "record": record,
            "was_kept": bool(match.record),
            # a record may have gone since its deals were found
            **shown_deals(deals_json(number, asked, 1) if has_record else None, len(names)),
        },
    )


MATCH = Page(
    name="match",
    path="/matches/{match}",
    about="One match, by its number or by eight digits of its id and more.",
    type=LadderMatchJson,
    make=_make,
    finds=_finds,
    for_html=True,
    lives=False,
)
