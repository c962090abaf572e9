"""The API of the site as OpenAPI has it, made of the types of its pages."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from ladder.web.content import NUMBER, Page, form_of
from referee.version import own_version

VERSION: Final = "3.1.0"
_REF: Final = "#/components/schemas/{name}"


_WHY: Final = {
    400: "The request is not understood.",
    401: "No token that is valid came with it.",
    403: "The token is not for this.",
    404: "There is nothing of the kind.",
    408: "What was sent did not come in time.",
    413: "More was sent than is taken.",
    429: "Too many requests; `Retry-After` says when to come back.",
    503: "The database does not answer just now.",
}


class Problem(Struct, frozen=True):
    """Why a request was not answered: what is wrong, in a sentence."""

    problem: str


class Value(Struct, frozen=True):
    """What may stand behind the question mark under a name.

    Attributes:
        about: what it means.
        form: what all of it looks like, as a regular expression.
    """

    about: str
    form: str


class Operation(Struct, frozen=True, kw_only=True):
    """Something that programs can ask for beside the pages, as an author.

    Attributes:
        query: what may stand behind the question mark, by name.
        takes_bytes: whether its body is a file.
        type: of its answer.
        status: of an answer in order.
        refusals: statuses of answers that say what is wrong, beside those of every page.
    """

    name: str
    method: str
    path: str
    about: str
    type: Any  # each has its own
    status: int = 200
    query: Mapping[str, Value] = {}
    takes_bytes: bool = False
    refusals: tuple[int, ...] = (401, 403)


def document(
    pages: Sequence[Page], operations: Sequence[Operation] = ()
) -> dict[str, Any]:  # of JSON
    """Return the description of all that programs can ask for.

    Args:
        pages: those that are there as JSON.
        operations: those of authors, where the site takes in bots.
    """
    types = [*(page.type for page in pages), *(one.type for one in operations), Problem]
    made, components = msgspec.json.schema_components(types, ref_template=_REF)
    *schemas, problem = made
    paths: dict[str, dict[str, Any]] = {}
    for page, schema in zip(pages, schemas, strict=False):
        paths[json_path(page.path)] = {"get": _page(page, schema, problem)}
    for one, schema in zip(operations, schemas[len(pages) :], strict=True):
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema, problem)
    found = {
        "openapi": VERSION,
        "info": {
            "title": "briscola-referee",
            "version": own_version(),
            "description": "A ladder of bots: every page of its site as JSON.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }
    if operations:
        bearer = {"type": "http", "scheme": "bearer"}
        found["components"]["securitySchemes"] = {"token": bearer}  # type: ignore[index]  # a dict
    return found


def json_path(path: str) -> str:
    """Return where a page is as JSON."""
    return "/ladder.json" if path == "/" else f"{path}.json"


def page_path(live: str) -> str:
    """Return the path of a page from where it is told; see `live_path`."""
    return "/" if live == "/ladder.live" else live.removesuffix(".live")


def live_path(path: str) -> str:
    """Return where browsers that have a page open are told what it says now."""
    return "/ladder.live" if path == "/" else f"{path}.live"


def _page(page: Page, schema: Any, problem: Any) -> dict[str, Any]:  # of JSON
    return {
        "operationId": page.name,
        "summary": page.about,
        "parameters": _parameters(
            page.path, {name: Value(about, NUMBER) for name, about in page.query.items()}
        ),
        "responses": {
            "200": _answer("What the page says.", schema),
            **_problems(problem, (400, 404, 429, 503)),
        },
    }


def _operation(one: Operation, answer: Any, problem: Any) -> dict[str, Any]:  # of JSON
    found = {
        "operationId": one.name,
        "summary": one.about,
        "security": [{"token": []}],
        "parameters": _parameters(one.path, one.query),
        "responses": {
            str(one.status): _answer("What was asked for.", answer),
            **_problems(problem, (400, 404, 429, 503, *one.refusals)),
        },
    }
    if one.takes_bytes:
        content = {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary", "minLength": 1}
            }
        }
        found["requestBody"] = {"required": True, "content": content}
    return found


def _parameters(path: str, query: Mapping[str, Value]) -> list[dict[str, Any]]:  # of JSON
    """Return what can vary in an address."""
    found: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": f"^{form_of(name)}$"},
        }
        for name in re.findall(r"\{(\w+)\}", path)
    ]
    return found + [
        {
            "name": name,
            "in": "query",
            "description": value.about,
            "schema": {"type": "string", "pattern": f"^{value.form}$"},
        }
        for name, value in query.items()
    ]


def _problems(problem: Any, statuses: Sequence[int]) -> dict[str, Any]:  # of JSON
    return {str(status): _answer(_WHY[status], problem) for status in statuses}


def _answer(about: str, schema: Any) -> dict[str, Any]:  # of JSON
    return {"description": about, "content": {"application/json": {"schema": schema}}}
