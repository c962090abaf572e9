"""Who a visitor is at a table: an author by their token, or a guest by the cookie of their seat."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ladder.core.tokens import Scope
from ladder.web.content import Missing
from ladder.web.guard import part
from ladder.web.person import Person
from ladder.web.sign_in import author_of, check_origin, known
from ladder.web.site_state import Site
from ladder.web.table import Table
from ladder.web.tables import NO_SUCH, Tables

COOKIE: Final = "referee_seat"
_LASTS_S: Final = 24 * 60 * 60


async def sitter_of(site: Site, tables: Tables[Table], request: Request) -> tuple[Table, Person]:
    """Return the table of an address, and who asks, if they sit there: as author before as guest.

    Raises:
        Missing: they do not.
        SignInWanted: they are no guest there, and have no token that is valid.
        Forbidden: their token is not for this, or another site's page has sent the request.
        TooMany: so many tokens were wrong that no more are looked at for now.
    """
    identity = part(request, "table")
    guest = guest_of(tables, request, identity)
    if guest is None or await _sits(site, tables, request, identity):
        token = await author_of(site, request, Scope.PLAY)
        table = tables.find(identity)
        person = table.person_of(token.author)
        if person is None:
            raise Missing(NO_SUCH)
        return table, person
    if request.method not in ("GET", "HEAD"):
        check_origin(request)
    return guest


async def _sits(site: Site, tables: Tables[Table], request: Request, identity: str) -> bool:
    """Whether a visitor with the cookie of a guest sits at a table as an author, too."""
    author = await signed_in(site, request)
    return bool(author) and tables.find(identity).person_of(author) is not None


async def signed_in(site: Site, request: Request) -> str:
    """Return the author that a visitor is signed in as, and may play as; "" for none."""
    token = await known(site, request)
    return "" if token is None or Scope.PLAY not in token.scopes else token.author


def guest_of(
    tables: Tables[Table], request: Request, identity: str = ""
) -> tuple[Table, Person] | None:
    """Return the table at which a browser's guest sits, and the guest; None if at none.

    Args:
        tables: of the site.
        request: may have the cookie of a seat.
        identity: only at this table; "" for any.
    """
    secret = request.cookies.get(COOKIE, "")
    for table in tables.all() if secret else ():
        person = table.person_of(secret=secret) if identity in ("", table.id) else None
        if person is not None:
            return table, person
    return None


def keep_seat(response: Response, request: Request, guest: Person) -> None:
    """Have a browser keep a guest's seat: no script reads it, and no other site's page sends it."""
    response.set_cookie(
        COOKIE,
        guest.secret,
        max_age=_LASTS_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",  # where they would sit down once more, too
    )
