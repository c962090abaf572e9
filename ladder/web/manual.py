"""What authors read on the site: the project's own documents, as they are installed."""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from msgspec import Struct

from ladder.web.content import Missing


class Document(Struct, frozen=True):
    """A document: what its address says, its file, and what it is for, in a sentence."""

    name: str
    file: str
    title: str
    about: str


DOCUMENTS: Final = (
    Document(
        "protocol",
        "SPEC.md",
        "How a bot and the referee talk",
        "All that a bot is told and may answer, its clock, its limits, what a fault costs, and the "
        "games. An author needs nothing else.",
    ),
    Document(
        "results",
        "results.md",
        "How results are counted",
        "How ratings, tables and receipts follow from matches, so that anyone can compute them.",
    ),
    Document(
        "commands",
        "commands.md",
        "The commands",
        "For authors with a referee at home: to check a bot, to play matches, to look at records.",
    ),
)

_BY_FILE: Final = {one.file: one.name for one in DOCUMENTS}
_COMMENT: Final = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK: Final = re.compile(r"\[([^\]\n]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")
_FIRST_CODE: Final = re.compile(r"^```python bot\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NUMBERED: Final = re.compile(r"^#{2,3} ((\d+(?:\.\d+)?)\.? .*)$", re.MULTILINE)
_NO_SLUG: Final = re.compile(r"[^\w\- ]")

_Env = MutableMapping[str, Any]
"""What the renderer hands on from token to token, as its library has it."""


class Shown(Struct, frozen=True):
    """A document as HTML: its sections (what a link to each says, and its id), and all of it."""

    sections: tuple[tuple[str, str], ...]
    html: str


def document(name: str) -> Document:
    """Return a document by its name.

    Raises:
        Missing: there is none of that name.
    """
    for one in DOCUMENTS:
        if one.name == name:
            return one
    raise Missing("There is no such document.")


@cache
def markdown(file: str) -> str:
    """Return the text of a document, with links to what the site has, and to nothing else."""
    text = files("ladder.web").joinpath("documents", file).read_text("utf-8")
    return _LINK.sub(_on_the_site, _COMMENT.sub("", text))


def first_bot() -> str:
    """Return the program with which the protocol begins."""
    found = _FIRST_CODE.search(markdown("SPEC.md"))
    return found[1] if found else ""


@cache
def shown(file: str) -> Shown:
    """Return a document as HTML."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", _table_end)
    tokens = parser.parse(markdown(file))
    titles = [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]
    html = str(parser.renderer.render(tokens, parser.options, {}))
    html = html.replace("<pre>", '<pre tabindex="0">')  # so that keys scroll it, too
    return Shown(tuple((title, slug(title)) for title in titles), html)


@cache
def protocol_sections() -> Mapping[str, str]:
    """Return where each section of the protocol is on the site, by its number: 3, 3.4."""
    numbered = _NUMBERED.findall(markdown("SPEC.md"))
    return {number: f"/docs/protocol#{slug(title)}" for title, number in numbered}


def slug(title: str) -> str:
    """Return the id of a heading, which links within the documents name it by."""
    return _NO_SLUG.sub("", title.lower()).replace(" ", "-")


def _on_the_site(link: "re.Match[str]") -> str:
    """A link to a file, as one to its page; without a page, the text alone."""
    text, path, fragment = link[1], link[2], link[3] or ""
    name = _BY_FILE.get(path.rpartition("/")[2])
    return text if name is None else f"[{text}](/docs/{name}{fragment})"


def _heading(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: _Env
) -> str:
    if tokens[at].tag != "h1":  # a page begins with that
        tokens[at].attrSet("id", slug(tokens[at + 1].content))
    return self.renderToken(tokens, at, options, env)


def _table(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: _Env
) -> str:
    count = env["tables"] = env.get("tables", 0) + 1
    return f'<div class="wide" role="region" aria-label="table {count}" tabindex="0">\n<table>\n'


def _table_end(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: _Env
) -> str:
    return "</table>\n</div>\n"
