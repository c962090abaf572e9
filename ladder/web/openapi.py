"""The API of the site as OpenAPI has it, made of the types of its pages."""

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from msgspec import Struct

from ladder.web.content import Page

VERSION: Final = "3.1.0"
_REF: Final = "#/components/schemas/{name}"


class Problem(Struct, frozen=True):
    """Why a request was not answered: what is wrong, in a sentence."""

    problem: str


def document(pages: Sequence[Page]) -> dict[str, Any]:  # of JSON
    """Return the description of all that programs can ask for."""
    types = [page.type for page in pages]
    schemas, components = msgspec.json.schema_components([*types, Problem], ref_template=_REF)
    paths = {
        json_path(page.path): {"get": _operation(page, schema, schemas[-1])}
        for page, schema in zip(pages, schemas, strict=False)
    }
    return {
        "openapi": VERSION,
        "info": {
            "title": "briscola-referee",
            "version": version("briscola-referee"),
            "description": "A ladder of bots: every page of its site as JSON.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def json_path(path: str) -> str:
    """Return where a page is as JSON."""
    return "/ladder.json" if path == "/" else f"{path}.json"


def _operation(page: Page, schema: Any, problem: Any) -> dict[str, Any]:  # of JSON
    in_path = re.findall(r"\{(\w+)\}", page.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in in_path
    ]
    parameters += [
        {"name": name, "in": "query", "description": about, "schema": {"type": "string"}}
        for name, about in page.query.items()
    ]
    return {
        "operationId": page.name,
        "summary": page.about,
        "parameters": parameters,
        "responses": {
            "200": _answer("What the page says.", schema),
            "400": _answer("The request is not understood.", problem),
            "404": _answer("There is nothing of the kind.", problem),
            "429": _answer("Too many requests; `Retry-After` says when to come back.", problem),
            "503": _answer("The database does not answer just now.", problem),
        },
    }


def _answer(about: str, schema: Any) -> dict[str, Any]:  # of JSON
    return {"description": about, "content": {"application/json": {"schema": schema}}}
