"""What all routes of the site share."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from ladder.web.content import Page
from ladder.web.fetching import Fetching
from ladder.web.figures import Figures
from ladder.web.library import Library
from ladder.web.live import News
from ladder.web.open_pages import OpenPages
from ladder.web.rate_limit import Rate, RateLimit
from ladder.web.rendering import Around
from ladder.web.seldom import Seldom

ASKING: Final = Rate(burst=400, a_second=40)
"""Answers for one visitor."""

MAKING: Final = Rate(burst=60, a_second=4)
"""Pages made for one visitor, that is those that nobody had asked for since the ladder changed."""


GUESSING: Final = Rate(burst=20, a_second=0.05)
"""Tokens of one visitor that are none."""


class Site(Struct, frozen=True):
    """All that the routes share.

    Attributes:
        around: what stands around every page.
        pages: those beside the ladder's own.
        say: is told what the organiser should know, in lines.
        troubles: likewise of what visitors may cause.
        asking: bounds what one visitor asks for; `making` what is made for one.
        guessing: bounds how many tokens may be wrong.
        fetching: brings what is in the ladder's store by URL.
    """

    library: Library
    news: News
    open_pages: OpenPages
    figures: Figures
    around: Around
    pages: tuple[Page, ...]
    say: Callable[[str], None]
    troubles: Seldom
    asking: RateLimit
    making: RateLimit
    guessing: RateLimit
    fetching: Fetching


def opened_site(
    library: Library, around: Around, say: Callable[[str], None], pages: tuple[Page, ...] = ()
) -> Site:
    """Return a site that has answered nothing yet; for arguments see the class."""
    news = News(library)
    asking, making, guessing = map(RateLimit, (ASKING, MAKING, GUESSING))
    return Site(
        library=library,
        news=news,
        open_pages=OpenPages(news),
        figures=Figures(),
        around=around,
        pages=pages,
        say=say,
        troubles=Seldom(say),
        asking=asking,
        making=making,
        guessing=guessing,
        fetching=Fetching(),
    )
