"""A page's content as the bytes of an answer: HTML or JSON."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from jinja2 import Environment
from markupsafe import Markup, escape

from ladder.show.html_templates import environment
from ladder.web.content import Content
from ladder.web.library import Body
from ladder.web.manual import protocol_sections
from ladder.web.page_stream import with_digest
from referee.terminal.json_output import json_text
from referee.text import printable
from referee.version import own_version

FILES: Final = {
    "site.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "preview.png": "image/png",
    "htmx.js": "text/javascript; charset=utf-8",
    "plot.js": "text/javascript; charset=utf-8",
    "plot.css": "text/css; charset=utf-8",
    "join.js": "text/javascript; charset=utf-8",
    "sit.js": "text/javascript; charset=utf-8",
    "upload.js": "text/javascript; charset=utf-8",
    "table.js": "text/javascript; charset=utf-8",
    "cards.js": "text/javascript; charset=utf-8",
    "viewer.js": "text/javascript; charset=utf-8",
    "viewer.css": "text/css; charset=utf-8",
    "texts.json": "application/json",
}
"""Files beside the pages, with their types."""

_CODE: Final = re.compile(r"`([^`\n]+)`")
_SECTION: Final = re.compile(r"SPEC (\d+(?:\.\d+)?)")
_JOINED: Final = {
    "htmx.js": ("htmx.min.js", "hx-sse.min.js"),
    "plot.js": ("uplot.min.js", "rating_plot.js"),
    "plot.css": ("uplot.min.css", "rating_plot.css"),
}
"""Those of several files: alone, the first of them would begin before what it needs has come."""
_VIEWERS: Final = ("cards.js", "viewer.js", "viewer.css", "texts.json")
"""Those that come from the viewer, which shows records without a site, too."""


class Around(msgspec.Struct, frozen=True):
    """What stands around every page of a site.

    Attributes:
        site: the name of the ladder.
        takes_bots: whether bots can be handed in on the site.
        has_tables: whether people can play there.
        has_events: whether it shows events.
        live_delay: after how many seconds matches under way are shown; None: they are not.
        provider: by whom authors may sign in, as people call it; "": by their links alone.
        get: the address where authors get `referee` itself; "": it is not said.
    """

    site: str
    takes_bots: bool = False
    has_tables: bool = False
    has_events: bool = False
    live_delay: int | None = None
    provider: str = ""
    get: str = ""


def html(
    content: Content, around: Around, path: str, json: str = "", extra: Mapping[str, object] = {}
) -> bytes:
    """Return a page as HTML.

    Args:
        content: what it says.
        around: what stands around it.
        path: its own address.
        json: the address of the same as JSON; "" for a page that has none.
        extra: what its template needs beside its content; `live_from` is where a page that
            changes is told again, and ends with what its query goes on after.
    """
    values = {
        "page": content,
        "site": around.site,
        "takes_bots": around.takes_bots,
        "has_tables": around.has_tables,
        "has_events": around.has_events,
        "has_live": around.live_delay is not None,
        "live_delay": around.live_delay,
        "provider": around.provider,
        "get": around.get,
        "version": own_version(),
        "here": path,
        "json": json,
        "live_from": "",
        "notices": (),
        "language": "",
        **content.shown,
        **extra,
    }
    return with_digest(_templates().get_template(content.template).render(values).encode())


def json(content: Content) -> bytes:
    """Return a page as JSON."""
    return json_text(content.value, indent=None).encode() + b"\n"


@cache
def _templates() -> Environment:
    made = environment("ladder.web")
    made.filters |= {"iso": _iso, "day": _day, "lines": _lines, "sections": sections}
    made.globals["static"] = static_path
    return made


def _lines(text: str) -> Markup:
    """Return text of several lines, without what turns it round or hides it."""
    return escape(printable(text.replace("\r\n", "\n"), keep="\n"))


def sections(text: str) -> Markup:
    """Return text with what stands in backticks as code, and links where it says SPEC 3.4."""
    code = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(_SECTION.sub(_section, code))  # noqa: S704  # escaped just before


def _section(named: "re.Match[str]") -> str:
    where = protocol_sections().get(named[1])
    return named[0] if where is None else f'<a href="{where}">{named[0]}</a>'


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _iso(ms: int) -> str:
    return _moment(ms).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(ms: int) -> str:
    return _moment(ms).strftime("%Y-%m-%d %H:%M UTC")


@cache
def static_file(name: str) -> bytes:
    """Return one of the files beside the pages, whole."""
    own = files("ladder.web").joinpath("static")
    if name == "site.css":
        shared = files("ladder.show").joinpath("templates", "page.css").read_bytes()
        return shared + own.joinpath(name).read_bytes()
    if name in _JOINED:
        between = b"\n;" if name.endswith(".js") else b"\n"
        return between.join(own.joinpath(part).read_bytes() for part in _JOINED[name])
    package = "referee.viewer" if name in _VIEWERS else "ladder.web"
    return files(package).joinpath("static", name).read_bytes()


@cache
def static_body(name: str) -> Body:
    """Return one of the files beside the pages as the bytes of an answer."""
    return Body.of(static_file(name))


@cache
def static_path(name: str) -> str:
    """Return where the site has a file; another file has another address, so it may be kept."""
    return f"/static/{hashlib.sha256(static_file(name)).hexdigest()[:12]}/{name}"
