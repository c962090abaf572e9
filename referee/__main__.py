"""The command `referee` and `python -m referee`: nothing is imported outside of `main`.

What interrupts the imports of a command, ends it as what interrupts the command does.
"""

import sys


def main() -> None:
    """Run the command that was typed, and exit with its code."""
    try:
        from referee.cli import main as run_command  # noqa: PLC0415  # see above

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("referee: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
