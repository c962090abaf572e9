"""Plays matches between bots in games of the briscola family, and proves what happened.

Another distribution has a package called `protocol` too. Should it have taken the name, everything
would fail far from here and oddly, so that is looked at first.
"""

from pathlib import Path

import protocol

_expected = Path(__file__).parent.parent / "protocol" / "__init__.py"
if Path(str(protocol.__file__)) != _expected:
    raise ImportError(
        f"the name `protocol` is taken by {protocol.__file__}; briscola-referee needs its own: "
        "install it by itself (pipx, or make match) and start it as `referee`"
    )
