"""Plays matches between bots in games of the briscola family, and proves what happened.

Another distribution has a package called `protocol` too. Should it have taken the name, everything
would fail far from here and oddly, so that is looked at first; with no other import, since this is
the first that the command does.
"""

import os.path
import sys

_specs = (finder.find_spec("protocol", None) for finder in sys.meta_path)
_where = str(getattr(next(filter(None, _specs), None), "origin", None))
if _where != os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocol", "__init__.py"):
    raise ImportError(
        f"the name `protocol` is taken by {_where}; briscola-referee needs its own: "
        "install it by itself (pipx, or make match) and start it as `referee`"
    )
