"""The `referee debug` command that reports print, to look at an act of a record."""

import shlex

from referee.sandbox.names import SandboxName


def debug_command(
    record: str, at: str, words: tuple[str, ...], *, called: str | None = None, sandbox: str = ""
) -> str:
    """Return the command.

    Args:
        record: the file, or the id of a match of a ladder.
        at: the options that name the act.
        words: the bot as it was typed, or the command that runs it.
        called: its name in the record, where its own would name several or none.
        sandbox: where it ran; only a bare one has to be asked for.
    """
    options = [shlex.quote(record), at]
    if called is not None:
        options += ["--as", shlex.quote(called)]
    if sandbox == SandboxName.BARE:
        options += ["--sandbox", sandbox]
    return f"referee debug {' '.join(options)} -- {shlex.join(words)}"
