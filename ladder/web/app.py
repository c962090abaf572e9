"""The site as an application: its routes, and what stands around them."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from ladder.web.guard import refused
from ladder.web.headers import SecurityHeaders
from ladder.web.match_routes import match_routes
from ladder.web.page_routes import page_routes
from ladder.web.service_routes import service_routes
from ladder.web.site_state import Site


def application(site: Site, more: Sequence[BaseRoute] = ()) -> Starlette:
    """Return the site as ASGI has it.

    Args:
        site: what the routes share.
        more: routes beside those that only read.
    """
    return Starlette(
        routes=[*match_routes(site), *page_routes(site), *service_routes(site), *more],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={HTTPException: refused(site)},
    )
