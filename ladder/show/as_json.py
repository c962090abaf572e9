"""The standings of an event or a ladder as one JSON object."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from ladder.standings.heading import Heading
from ladder.standings.table import Again, Cell, RoundEntry, Row, Standings
from ladder.stats.estimates import Estimate, Gain

Json = dict[str, Any]


def as_json(heading: Heading, sections: Sequence[Standings], *, times: bool = True) -> Json:
    """The object, its keys in a fixed order.

    Args:
        heading: the event, or the ladder.
        sections: its sections, in the event's order, or its pools.
        times: whether it has the key `times`; nothing else in it depends on time.
    """
    shown: Json = {
        heading.kind: heading.name,
        "version": heading.version,
        "key": heading.key or None,
        "commitment": heading.commitment or None,
        "game_digest": heading.digest or None,
        "head": None if heading.head is None else asdict(heading.head),
        "finished": all(section.finished for section in sections),
        "sections": [_section(section) for section in sections],
        "files": dict(heading.files),
    }
    if times:
        shown["times"] = [_times(section) for section in sections]
    return shown


def _section(section: Standings) -> Json:
    return {
        "title": section.title,
        "game": section.game,
        "options": section.options,
        "format": section.format,
        "finished": section.finished,
        "decided_by": "adjusted" if section.by_adjusted else "raw",
        "places_by": "format" if section.by_format else "rating",
        **(
            {}
            if section.matches is None
            else {"matches": section.matches, "left_out_versions": section.left}
        ),
        "rounds": [_round(played) for played in section.rounds],
        "blocks": section.blocks,
        "match_parts": section.parts,
        "deals": section.deals,
        "unlinked_groups": section.unlinked,
        "misfit": section.misfit,
        "ordered_by_one_number": not section.unordered,
        "champion": section.champion or None,
        "bots": [_row(row) for row in section.rows],
        "cross_table": {
            "difference": "deal value" if section.two_sided else "difference of deal values",
            "cells": [[_cell(cell) for cell in cells] for cells in section.cross],
        },
        "probability_better": section.better,
        "luck": _gain(section.gain),
        "faults": [
            {
                "round": one.round,
                "bot": one.name,
                "code": one.code,
                "detail": one.detail,
                "times": one.times,
            }
            for one in section.faults
        ],
        "missing": [
            {"round": one.round, "bots": one.names, "blocks": one.blocks, "why": one.why}
            for one in section.missing
        ],
    }


def _round(played: RoundEntry) -> Json:
    return {
        "label": played.label,
        "first_block": played.first,
        "blocks": played.blocks,
        "byes": played.byes,
        "tables": [
            {
                "blocks": table.blocks,
                "given_up": table.given_up,
                "bots": [
                    {
                        "bot": bot.name,
                        "side": bot.side,
                        "won": bot.won,
                        "level": bot.level,
                        "lost": bot.lost,
                        "mean": bot.mean,
                    }
                    for bot in table.bots
                ],
            }
            for table in played.tables
        ],
    }


def _row(row: Row) -> Json:
    return {
        "bot": row.name,
        "entrant": row.bot,
        **({"author": row.author, "version": row.version} if row.version else {}),
        "place": row.place or None,
        "last_place": row.last or None,
        "match_points": row.match_points,
        "points": row.points,
        "blocks": row.blocks,
        "match_parts": row.parts,
        "deals": row.deals,
        "mean": _estimate(row.mean),
        "luck": row.luck,
        "adjusted": _estimate(row.adjusted),
        "adjusting": _gain(row.gain),
        "rating": _estimate(row.rating),
        "faults": row.faults,
        "faults_by_code": dict(row.codes),
        "unplayed": row.unplayed,
        "faulty_blocks": row.faulty,
        "seated_blocks": row.seated,
        "voids": row.voids,
        "benched": row.benched or None,
        "second_meetings": again(row.again),
    }


def _estimate(found: Estimate | None) -> Json | None:
    if found is None:
        return None
    return {"value": found.value, "low": found.low, "high": found.high}


def again(found: Again | None) -> Json | None:
    """What later meetings of a deck brought a bot."""
    if found is None:
        return None
    return {
        "difference": _estimate(found.difference),
        "at_first_tables": _estimate(found.first),
        "at_later_tables": _estimate(found.tables),
        "blocks": found.blocks,
        "beyond_chance": found.beyond,
    }


def _gain(found: Gain | None) -> Json | None:
    if found is None:
        return None
    return {
        "raw_variance": found.raw,
        "adjusted_variance": found.adjusted,
        "ratio": found.ratio,
        "helps": found.helps,
    }


def _cell(cell: Cell | None) -> Json | None:
    if cell is None:
        return None
    return {
        "difference": cell.difference,
        "won": cell.won,
        "level": cell.level,
        "lost": cell.lost,
    }


def _times(section: Standings) -> Json:
    return {
        "title": section.title,
        "wall_us": section.wall_us,
        "bots": [
            {
                "bot": row.name,
                "used_us": row.time.used_us,
                "ms_per_act": row.time.ms_per_act,
            }
            for row in section.rows
        ],
    }
