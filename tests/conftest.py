"""Settings that all tests share."""

import os

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
