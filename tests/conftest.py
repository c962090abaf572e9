"""Settings that all tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci",
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # a loaded machine is no bug
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--model-deals",
        type=int,
        default=100,
        help="how many random deals of each game are compared with the model; make ci: 1000",
    )


@pytest.fixture
def model_deals(request: pytest.FixtureRequest) -> int:
    """How many random deals of each game are compared with the model."""
    return int(request.config.getoption("--model-deals"))
