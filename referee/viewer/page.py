"""The page of a film: one file that needs nothing else, no network and no library."""

import html
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

import msgspec

from referee.text import printable
from referee.viewer.record_film import Film

SCRIPTS: Final = ("cards.js", "viewer.js")
STYLE: Final = "viewer.css"
TEXTS: Final = "texts.json"

_AROUND: Final = """\
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: #fbfaf7; }
@media (prefers-color-scheme: dark) { body { background: #17181b; } }
"""
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
)


def static(name: str) -> str:
    """Return one of the files that the viewer is made of, by its name."""
    return files("referee.viewer").joinpath("static", name).read_text(encoding="utf-8")


def film_json(film: Film) -> str:
    """Return a film as JSON whose text is for people: nothing in it turns round or hides text."""
    return printable_json(msgspec.json.encode(film).decode())


def printable_json(encoded: str) -> str:
    """Return JSON without the characters that end a script, or turn round what people read."""
    text = "".join(
        one if one.isascii() or printable(one) == one else _escaped(one) for one in encoded
    )
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _escaped(character: str) -> str:
    """Return a character as JSON has it where it is not written out."""
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def page(film: Film) -> str:
    """Return the page; the same film gives the same bytes."""
    title = html.escape(printable(f"{film.game}: {' - '.join(film.bots)}"))
    return _joined(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<link rel="icon" href="data:,">',
            f"<title>{title}</title>",
            f"<style>{_AROUND}{static(STYLE)}</style>",
            "</head>",
            "<body>",
            '<main id="viewer"><noscript>This page needs JavaScript.</noscript></main>',
            _data("viewer-texts", printable_json(static(TEXTS))),
            _data("viewer-film", film_json(film)),
            *(f"<script>{static(name)}</script>" for name in SCRIPTS),
            "</body>",
            "</html>",
        )
    )


def _data(name: str, encoded: str) -> str:
    return f'<script type="application/json" id="{name}">{encoded}</script>'


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
