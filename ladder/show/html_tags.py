"""HTML that is escaped by construction: text goes in as text, only tags make tags. Pure."""

from html import escape
from typing import Final

from referee.text import printable

_VOID: Final = frozenset({"br", "meta"})


class Markup(str):
    """Text that is HTML already; only `tag` and `join` make it."""

    __slots__ = ()


def tag(name: str, /, *inner: str, **attributes: str | float | None) -> Markup:
    """An element.

    Args:
        name: of the element.
        inner: what is in it; whatever is not `Markup` is escaped.
        attributes: in this order; those that are None are left out. `class_` is `class`, and an
            underscore inside a name is a hyphen.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(printable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*inner)}</{name}>")


def join(*parts: str) -> Markup:
    """Parts one after the other."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else escape(printable(part), quote=False)
            for part in parts
        )
    )


def number(text: str) -> str:
    """A number with a minus as printers have it."""
    return text.replace("-", "\N{MINUS SIGN}")
