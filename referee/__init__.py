"""Plays matches between bots in games of the briscola family, and proves what happened.

Another distribution has a package called `protocol` too. Should it have taken the name, everything
would fail far from here and oddly, so that is looked at first.
"""

from importlib.util import find_spec
from pathlib import Path

_found = find_spec("protocol")
_where = str(_found and _found.origin)
if Path(_where) != Path(__file__).parent.parent / "protocol" / "__init__.py":
    raise ImportError(
        f"the name `protocol` is taken by {_where}; briscola-referee needs its own: "
        "install it by itself (pipx, or make match) and start it as `referee`"
    )
