"""A ladder's head as one line for people, as tables, pages and commands print it.

The line says where a ladder stands: number of facts, date of the last one, its hash, the ladder's
id. It is not signed. `heads_in` finds such lines again in any text, so that a table that was kept
is enough to compare a ladder with.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from ladder.files.signed_head import Head
from referee.text import plural

_LINE: Final = re.compile(
    r"(\d{1,15})\s+facts?\s+until\s+([^,<>]{1,40}),\s+hash\s+([0-9a-f]{64}),"
    r"\s+ladder\s+([0-9a-f]{32})(?![0-9a-f])",
    re.ASCII,
)


def head_line(head: Head) -> str:
    """Return the line: "12 facts until 2026-01-31 10:20:30 UTC, hash ..., ladder ..."."""
    facts = plural(head.facts, "fact").replace(",", "")
    return f"{facts} until {moment(head.at_ms)}, hash {head.hash}, ladder {head.ladder}"


def moment(at_ms: int) -> str:
    """Return a date and a time of day in UTC.

    Args:
        at_ms: milliseconds since 1970; a stranger may have written any number.
    """
    try:
        return datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"millisecond {at_ms}"


def heads_in(text: str) -> Iterator[Head]:
    """Yield the heads that a text names in lines of `head_line`; their dates are left at 0."""
    for facts, _, digest, ladder in _LINE.findall(text):
        yield Head(ladder=ladder, facts=int(facts), hash=digest, at_ms=0)
