"""How the pages are made: `make docs`."""

import re
from pathlib import Path
from typing import Any

project = "briscola-referee"
author = "the authors of briscola-referee"
html_title = project
html_theme = "furo"
html_show_copyright = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "description"
suppress_warnings = ["misc.highlighting_failure"]  # SPEC names its examples for the tests

TOP = Path(__file__).parents[1]
PAGES = {"README": "index", "SPEC": "spec", "SECURITY": "security"} | {
    name.upper(): name for name in ("changelog", "contributing")
}
"""The documents at the top of the project, and the pages that they become."""

_DOCUMENT = re.compile(r'<!-- (\w+)\.md(?: from "(.*?)" to "(.*?)")? -->')
_LINK = re.compile(r"\]\((?:docs/|\.\./)?([\w-]+)\.md")


def _text_of(document: re.Match[str]) -> str:
    """Return a document, or what stands in it between two headings."""
    name, begin, end = document.groups()
    text = (TOP / f"{name}.md").read_text()
    if begin is None:
        return text
    return text.partition(begin)[2].partition(end)[0]


def _read(_app: object, _docname: str, source: list[str]) -> None:
    """Put documents into the pages that name them, and lead links from page to page."""
    text = _DOCUMENT.sub(_text_of, source[0])
    source[0] = _LINK.sub(lambda link: f"]({PAGES.get(link[1], link[1])}.md", text)


def setup(app: Any) -> None:  # Sphinx has types only where it is installed
    """Be told of each page that is read."""
    app.connect("source-read", _read)
