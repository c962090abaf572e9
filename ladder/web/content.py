"""What a page of the site says, before it is HTML or JSON. Pure."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Struct

from ladder.store.store import Store
from referee.errors import RefereeError

NUMBER: Final = r"[1-9][0-9]{0,8}"
"""What numbers look like in the address of a page."""

_TEXT: Final = {
    "job": r"[0-9a-f]{64}",
    "match": r"[0-9a-f]{1,64}",
    "game": r"[a-z0-9][a-z0-9-]{0,63}",
    "upload": r"[0-9a-f]{24}",
    "table": r"[0-9a-f]{24}",
    "document": r"[a-z]{1,20}",
}
"""What the parts of an address look like that are no numbers."""


def form_of(part: str) -> str:
    """Return the pattern that a variable part of an address has, by its name."""
    return _TEXT.get(part, NUMBER)


class Told(RefereeError):
    """A request that is not answered otherwise, and why, in a sentence for who asks.

    Any other `RefereeError` is for the organiser alone: it may name files of the machine.

    Attributes:
        status: of HTTP.
    """

    status: ClassVar[int] = 400


class Refused(Told):
    """What is asked for is not understood, or not to be had."""


class SignInWanted(Told):
    """Who asks has to say who they are."""

    status = 401


class Forbidden(Told):
    """Who asks may not do that."""

    status = 403


class Missing(Told):
    """There is no such page: a bot, a match or a game that the ladder does not have."""

    status = 404


class TooSlow(Told):
    """What was sent did not come in time."""

    status = 408

    def __init__(self) -> None:
        """Say so."""
        super().__init__("What you sent did not come in time; try again.")


class TooLarge(Told):
    """More was sent than is taken."""

    status = 413


class EnoughForNow(Told):
    """Who asks has had their share; there is more another time."""

    status = 429


class Asked(Struct, frozen=True):
    """What is asked for in the address of a page.

    Attributes:
        path: its variable parts, by name.
        query: what stands behind the question mark, by name; only names that the page knows.
        found: what `Page.finds` has led to; it is no part of what is asked.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    found: bytes = b""

    def __hash__(self) -> int:
        """Equal addresses have equal hashes."""
        return hash((*self.path.items(), *self.query.items()))


class Content(Struct, frozen=True, kw_only=True):
    """What a page says.

    Attributes:
        title: what a browser's tab, a bookmark and a link preview say.
        description: in a sentence, for link previews.
        template: makes it HTML.
        value: the same for programs.
        shown: what only the template needs.
    """

    title: str
    description: str
    template: str
    value: Any  # a struct or a tuple of them: the JSON of each page has its own type
    shown: Mapping[str, object] = {}


class Finding(Struct, frozen=True):
    """What takes long to find out, and is so for ever: it is found once, for all pages.

    Attributes:
        key: names it.
        find: returns it as JSON, in a thread of its own: the store answers others meanwhile.
        record: the record that it is found in, which may have to be fetched before.
    """

    key: tuple[object, ...]
    find: Callable[[], bytes]
    record: Path


class Page(Struct, frozen=True, kw_only=True):
    """A kind of page.

    Attributes:
        name: of its operation in the API.
        path: its address, with the variable parts in braces.
        about: what it is, in a sentence.
        type: of its value.
        make: reads the store; raises `Missing` where there is nothing of the kind.
        query: the names that may stand behind the question mark, and what each means.
        alone: those of them that mean 1 without a value, as `?wall`; others mean nothing then,
            as a field of a form that was left empty.
        finds: reads the store for what has to be found out before the page is made; None: nothing.
        for_html: whether what it finds is for people only, and programs need not wait for it.
        reads: whether it is made of the store; else the store answers others meanwhile.
        lives: whether it follows the results; what a match was never changes, nor do rules.
    """

    name: str
    path: str
    about: str
    type: Any  # as in `Content.value`
    make: Callable[[Store, Asked], Content]
    query: Mapping[str, str] = {}
    alone: frozenset[str] = frozenset()
    finds: Callable[[Store, Asked], Finding | None] | None = None
    for_html: bool = False
    reads: bool = True
    lives: bool = True
