"""The API as a program sees it that tries whatever its description allows, and what it does not."""

import itertools
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("schemathesis", reason="make ci installs it")

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import ignored_auth

from ladder.core.tokens import Scope
from support.ladders import filled, made
from support.sandboxes import need
from support.sites import served

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

_VISITORS = itertools.count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a site behind a proxy, and a token."""
    need("bwrap", root=True)
    folder = tmp_path_factory.mktemp("fuzz") / "ladder"
    with made(folder) as store:
        filled(store, 2, really=True)
        filled(store, 10)
        token = store.tokens.add("ada", tuple(Scope), 1)[1]
    with served(folder, "--no-run", "--proxy", "--sandbox", "bwrap") as url:
        yield url, token


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_answer_is_one_that_is_described(site: tuple[str, str], mode: GenerationMode) -> None:
    """Whatever is asked: no mistake of ours, and the shape, status and type that were promised."""
    url, token = site
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    asked = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:  # of the library's own type
            nonlocal asked
            asked += 1
            visitor = f"10.{next(_VISITORS) // 250 % 250}.{next(_VISITORS) % 250}.1"
            headers = {"authorization": f"Bearer {token}", "x-forwarded-for": visitor}
            response = case.call(headers=headers)
            # that one sends no valid token of its own, where `headers` has ours
            case.validate_response(response, excluded_checks=[ignored_auth])

        with suppress(Unsatisfiable):  # nothing of it can be asked wrongly
            check()
    assert asked > 100
