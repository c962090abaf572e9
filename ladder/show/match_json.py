"""A match of a ladder as one value for programs."""

from msgspec import Struct

from ladder.core.facts import Draw, Match
from ladder.core.roster import Roster
from referee.match.outcome import FaultFound


def values_of(match: Match) -> list[int]:
    """What each place has won or lost over all blocks of a match."""
    places = range(len(match.job.entrants))
    return [sum(block.values[place] for block in match.outcome.blocks) for place in places]


class SeatJson(Struct, frozen=True, kw_only=True):
    """A bot of a match; `value` is what it won or lost over all blocks."""

    entrant: int
    bot: str
    author: str
    version: int
    hash: str
    value: int
    faults: int
    used_us: int
    voids: int


class BlockJson(Struct, frozen=True):
    """A block, by place; `luck` and `unplayed` are null where there is none."""

    block: int
    deals: int
    values: tuple[int, ...]
    luck: tuple[int, ...] | None
    faults: tuple[int, ...]
    unplayed: tuple[int, ...] | None


class LadderMatchJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder match --json` prints; `record` is null where there is none.

    In `faults`, `bot` is a place. `draw` is null where the ladder was not sealed.
    """

    match: int
    id: str
    at_ms: int
    game: str
    key: str
    draw: Draw | None
    bots: tuple[SeatJson, ...]
    blocks: tuple[BlockJson, ...]
    faults: tuple[FaultFound, ...]
    given_up: str | None
    acts: int
    wall_us: int
    game_digest: str
    record: str | None
    record_hash: str
    record_bytes: int
    referee: str
    sandbox: str


def match_json(roster: Roster, number: int, match: Match, record: str | None) -> LadderMatchJson:
    """Return a match, for programs.

    Args:
        roster: of its ladder.
        number: of the match.
        match: the match.
        record: where its record is; None where it has none, or not any more.
    """
    job, outcome = match.job, match.outcome
    return LadderMatchJson(
        match=number,
        id=job.name,
        at_ms=match.at_ms,
        game=roster.pools[job.pool].label,
        key=job.key,
        draw=job.draw,
        bots=_seats_json(roster, match),
        blocks=tuple(
            BlockJson(
                block.block,
                block.deals,
                block.values,
                block.luck or None,
                block.faults,
                block.unplayed or None,
            )
            for block in outcome.blocks
        ),
        faults=outcome.fault_list,
        given_up=outcome.given_up or None,
        acts=outcome.acts,
        wall_us=outcome.wall_us,
        game_digest=outcome.game_digest,
        record=record,
        record_hash=match.record,
        record_bytes=match.size,
        referee=match.referee,
        sandbox=outcome.sandbox,
    )


def _seats_json(roster: Roster, match: Match) -> tuple[SeatJson, ...]:
    job, outcome = match.job, match.outcome
    rows = zip(
        job.entrants,
        job.hashes,
        values_of(match),
        outcome.faults,
        outcome.used_us,
        outcome.voids,
        strict=True,
    )
    return tuple(
        SeatJson(
            entrant=entrant,
            bot=roster.entrants[entrant].name,
            author=roster.entrants[entrant].author,
            version=roster.entrants[entrant].version,
            hash=digest,
            value=value,
            faults=faults,
            used_us=used,
            voids=voids,
        )
        for entrant, digest, value, faults, used, voids in rows
    )
