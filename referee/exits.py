"""How commands end, in numbers that scripts look at; 0 is done, and 1 that the answer is no."""

from typing import Final

USAGE: Final = 2
"""Wrong usage or configuration, found before play."""
HOST: Final = 3
"""The host or the referee failed."""
INTERRUPTED: Final = 130
"""Somebody wanted us to stop."""
