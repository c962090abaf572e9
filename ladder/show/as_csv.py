"""The standings of an event or a ladder as CSV (RFC 4180)."""

import csv
import io
from collections.abc import Sequence
from typing import Final

from ladder.files.head_text import moment
from ladder.files.signed_head import Head
from ladder.standings.heading import Heading
from ladder.standings.table import Row, Standings
from ladder.stats.estimates import Estimate
from referee.match.verdict import FaultCode
from referee.text import printable

COLUMNS: Final = (
    *("event", "section", "game", "options", "place", "last_place", "bot", "match_points"),
    *("points", "blocks", "match_parts", "deals", "mean", "mean_low", "mean_high", "luck"),
    *("adjusted", "adjusted_low", "adjusted_high", "rating", "rating_low", "rating_high"),
    *("faults", *(f"faults_{code}" for code in FaultCode), "unplayed", "voids"),
    *("benched", "time_used_ms", "time_ms_per_act"),
)
LADDER_COLUMNS: Final = (
    *("ladder", *COLUMNS[1:], "entrant", "author", "version"),
    *("ladder_id", "facts", "until", "head"),
)
"""Those of a ladder: what tells versions apart comes last, then the head, the same in all rows."""

_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001  # wide ones count too

CsvCell = str | int | float | None


def as_csv(heading: Heading, sections: Sequence[Standings]) -> str:
    """One row a bot and section, by place, under a row of headings; what is unknown is empty."""
    to = io.StringIO()
    writer = csv.writer(to)
    ladder, stands = heading.kind == "ladder", _head(heading.head)
    writer.writerow(LADDER_COLUMNS if ladder else COLUMNS)
    for section in sections:
        head = (heading.name, section.title, section.game, section.options)
        for row in section.rows:
            version = (row.bot, _text(row.author), row.version, *stands) if ladder else ()
            writer.writerow([*map(_text, head), *_fields(row), *version])
    return to.getvalue()


def _head(head: Head | None) -> tuple[CsvCell, ...]:
    if head is None:
        return ("", "", "", "")
    return (head.ladder, head.facts, moment(head.at_ms), head.hash)


def _fields(row: Row) -> list[CsvCell]:
    codes = dict(row.codes)
    return [
        *(row.place or None, row.last or None, _text(row.name), row.match_points),
        *(row.points, row.blocks, row.parts, row.deals),
        *(*_estimate(row.mean), row.luck, *_estimate(row.adjusted), *_estimate(row.rating)),
        *(row.faults, *(codes.get(str(code), 0) for code in FaultCode)),
        *(row.unplayed, row.voids, _text(row.benched)),
        *(row.time.used_us / 1000, row.time.ms_per_act),
    ]


def _estimate(found: Estimate | None) -> tuple[CsvCell, CsvCell, CsvCell]:
    return (None, None, None) if found is None else (found.value, found.low, found.high)


def _text(text: str) -> str:
    """Text that a spreadsheet takes for text: nothing in it acts, and it begins no formula."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
