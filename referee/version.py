"""Which referee this is."""

from functools import cache
from importlib.metadata import version


@cache
def own_version() -> str:
    """Return the version that is installed, as in `0.1.0`; it is looked up once a process."""
    return version("briscola-referee")
