"""What a bot's author can do about a verdict, in one line each."""

import re
from typing import Final

from protocol.errors import Mistake
from referee.match.verdict import FaultCode

HINTS: Final = {
    FaultCode.ILLEGAL: "answer with one of the strings in `legal`, to the letter (SPEC 3.4)",
    FaultCode.MALFORMED: "stdout is for answers only, one JSON object a line; print everything "
    "else on stderr (SPEC 2)",
    FaultCode.PROTOCOL: "answer `hello` and each `act` with one line, nothing else, and copy the "
    "act's `id` into the answer (SPEC 3.5)",
    FaultCode.LATE: "answer in time; flush after every line (SPEC 10)",
    FaultCode.CRASHED: "the process must live until `end` (SPEC 3.7)",
    FaultCode.MEMORY: "use less memory: files in /tmp and all processes of the bot count, too; a "
    "bot.toml may ask for more (SPEC 7)",
    FaultCode.OUTPUT: "keep lines short; stderr is bounded too (SPEC 7)",
    FaultCode.STARTUP: 'answer `hello` with {"type":"ready","protocol":1,"name":"..."} and flush '
    "it (SPEC 3.2)",
}

MISTAKES: Final = {
    Mistake.ENCODING: "write UTF-8, without a byte order mark (SPEC 2)",
    Mistake.ID: "copy the `id` of the act into the answer (SPEC 3.5)",
}
"""What to do about a mistake that is known; it says more than the hint for the code."""

ONCE: Final = "answer each `act` once, and only when it is asked (SPEC 3.5)"
READY_ONCE: Final = (
    "answer `hello` once: what comes after it is read as an answer to the first `act` (SPEC 3.2)"
)

MEND_ERROR: Final = "mend that error: with it the process ended before it was `ready` (SPEC 3.2)"
ENDED: Final = "it ended before `ready`: run it by hand and look"
_MISSES: Final = re.compile(
    r"not found|no such file|no module named|cannot find|can't (?:find|locate|open)|cannot open"
    r"|cannot load|could not (?:find|open|load)|not recognized|permission denied"
    r"|ClassNotFound|FileNotFound|ImportError",
    re.IGNORECASE,
)
"""What programs say of files that they do not find, or may not read."""


def misses_something(words: str) -> bool:
    """Whether a bot's last words are of something that is not there, or say nothing."""
    return not words or _MISSES.search(words) is not None


SEEN: Final = "/usr and its own folder (SPEC 7)"
SEEN_ALONE: Final = (
    "/usr and its own file: what it needs beside that goes into a folder with a bot.toml (SPEC 7)"
)
