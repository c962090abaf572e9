"""Runs a Python program in pdb, which talks on a terminal: `pdb_on_terminal.py TTY PROGRAM ARG...`.

The program's standard streams are the referee's pipes. Started by the bot's own Python, which need
not be ours: it stands on the standard library only.
"""

import pdb
import sys
from typing import Any


def main() -> None:
    """Runs it; `breakpoint()` in the program talks on the terminal, too."""
    tty = sys.argv.pop(1)
    begin = pdb.Pdb.__init__

    def begin_on_terminal(self: pdb.Pdb, *args: Any, **options: Any) -> None:  # of any Python
        options["stdin"] = open(tty)  # noqa: SIM115  # for as long as the program runs
        options["stdout"] = open(tty, "w")  # noqa: SIM115  # likewise
        begin(self, *args, **options)

    # breakpoint() makes a Pdb of its own, so that all are made so
    pdb.Pdb.__init__ = begin_on_terminal  # type: ignore[method-assign]
    pdb.main()


if __name__ == "__main__":
    main()
