"""The pages for authors of bots: how to begin, and the documents."""

from markupsafe import Markup
from msgspec import Struct

from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page
from ladder.web.manual import DOCUMENTS, Document, document, first_bot, markdown, shown
from referee.bots.kits import TESTS


class DocsJson(Struct, frozen=True):
    """What there is to begin with: kits by language, for `/kit`, and the documents."""

    kits: tuple[str, ...]
    documents: tuple[Document, ...]


class DocumentJson(Struct, frozen=True):
    """A document, as it is written."""

    name: str
    title: str
    markdown: str


def _make_all(store: Store, asked: Asked) -> Content:
    kits = tuple(TESTS)
    return Content(
        title="Write a bot",
        description="A first bot in a few minutes: a kit, the protocol, and how it is handed in.",
        template="docs.html",
        value=DocsJson(kits, DOCUMENTS),
        shown={"code": first_bot()},
    )


def _make_one(store: Store, asked: Asked) -> Content:
    found = document(asked.path["document"])
    whole = shown(found.file)
    return Content(
        title=found.title,
        description=found.about,
        template="document.html",
        value=DocumentJson(found.name, found.title, markdown(found.file)),
        shown={"html": Markup(whole.html), "sections": whole.sections},  # noqa: S704  # our own
    )


DOCS = Page(
    name="docs",
    path="/docs",
    about="What an author begins with: kits, and the documents.",
    type=DocsJson,
    make=_make_all,
    lives=False,
)
DOCUMENT = Page(
    name="document",
    path="/docs/{document}",
    about="A document, in Markdown.",
    type=DocumentJson,
    make=_make_one,
    lives=False,
)
