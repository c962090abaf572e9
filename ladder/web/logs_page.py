"""The page on which authors read what their own bots wrote to standard error."""

import re
from collections.abc import Callable
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ladder.core.names import NAME
from ladder.core.tokens import Scope
from ladder.show.logs_json import LogsJson, MatchLog
from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.answers import private
from ladder.web.content import Content, Missing, form_of
from ladder.web.guard import take_from
from ladder.web.logs import MOST_CHARACTERS, fetched, logs_of
from ladder.web.sign_in import author_of
from ladder.web.site_state import Site

_MOST_CHARACTERS: Final = 1 << 17
_FORMS: Final = {"bot": NAME, "match": form_of("match")}


async def logs_page(site: Site, request: Request) -> Response:
    """Answer with what an author's own bots wrote in their last matches, or in one.

    Raises:
        Missing: the author has no such bot, or none in that match.
        SignInWanted: who asks is no author.
    """
    token = await author_of(site, request, Scope.LOGS, "logs")
    bot, match = (_wanted(request, name) for name in _FORMS)
    take_from(site.making, request)
    found = await logs_here(site, token.author, bot, match, _MOST_CHARACTERS)
    content = Content(
        title="What your bots wrote",
        description="To standard error, in their last matches; only you see it.",
        template="logs.html",
        value=None,
        shown={
            "logs": [(one, _by_deal(one)) for one in found.logs],
            "is_cut": found.is_cut,
            "of": bot or (f"match {match}" if match else ""),
        },
    )
    html = await site.library.think(partial(rendering.html, content, site.around, "/mine/logs"))
    return private(html)


async def logs_here(
    site: Site, author: str, bot: str, match: str, most: int = MOST_CHARACTERS
) -> LogsJson:
    """Return what an author's own bots wrote, which may have to be fetched before; see `logs_of`.

    Raises:
        Missing: the author has no such bot, or none in that match; or it is not to be had.
    """

    def prepared(store: Store) -> tuple[Path, Callable[[], None]]:
        return store.files, fetched(store, author, bot, match)

    await site.fetching.brought(*await site.library.ask(prepared))
    return await site.library.ask(lambda store: logs_of(store, author, bot, match, most))


def _wanted(request: Request, name: str) -> str:
    """Return what stands behind the question mark; "" for all.

    Raises:
        Missing: it looks like nothing that there can be.
    """
    value = request.query_params.get(name, "")
    if value and re.fullmatch(_FORMS[name], value, re.ASCII) is None:
        raise Missing(f"There is no such {name}.")
    return value


def _by_deal(log: MatchLog) -> list[tuple[int, int, str]]:
    """Return what was written in each deal: leg and deal, 0 for after the last one, and text."""
    return [
        (leg, deal, "".join(line.text for line in lines))
        for (leg, deal), lines in groupby(log.lines, attrgetter("leg", "deal"))
    ]
