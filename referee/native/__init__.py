"""What of the referee is written in C, and where what is compiled of it lies.

`build_hook` compiles it when the package is built or installed; what it makes lies beside the
sources. Begin with `launcher.c`, which becomes a bot; `exchange.c` only saves time.
"""

from pathlib import Path
from typing import Final

from referee.errors import SandboxError

LAUNCHER: Final = Path(__file__).parent / "launcher"


def launcher() -> Path:
    """Return the path of the program that becomes a bot.

    Raises:
        SandboxError: it was not compiled when the package was installed.
    """
    if not LAUNCHER.is_file():
        raise SandboxError("the launcher was not compiled: install a C compiler, then this package")
    return LAUNCHER
