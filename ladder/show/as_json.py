"""The standings of an event or a ladder as one value for programs."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from ladder.core.tallies import FaultKind
from ladder.files.signed_head import Head
from ladder.standings.favours import Favours
from ladder.standings.heading import Heading
from ladder.standings.table import Again, Cell, Missing, RoundEntry, Row, Standings
from ladder.stats.estimates import Estimate, Gain


class GainJson(Struct, frozen=True):
    """What taking luck out does to the variance of block means."""

    raw_variance: float
    adjusted_variance: float
    ratio: float | None
    helps: bool


class RowJson(Struct, frozen=True, kw_only=True):
    """A bot in the table.

    Attributes:
        entrant: its number; `author` and `version` are those of a bot of a ladder.
        place: the best that it may claim; with `last_place` those that it shares; null without.
        mean: its deal value; `luck` is the part that chance brought, `adjusted` what is left.
        benched: why it plays no more; null if it does.
    """

    bot: str
    entrant: int
    author: str | UnsetType = UNSET
    version: int | UnsetType = UNSET
    place: int | None
    last_place: int | None
    match_points: int | None
    points: float
    blocks: int
    match_parts: int
    deals: int
    mean: Estimate | None
    luck: float | None
    adjusted: Estimate | None
    adjusting: GainJson | None
    rating: Estimate | None
    faults: int
    faults_by_code: dict[str, int]
    unplayed: int
    faulty_blocks: int
    seated_blocks: int
    voids: int
    benched: str | None
    second_meetings: Again | None


class CrossJson(Struct, frozen=True):
    """Bot against bot, in the order of the bots; null where they did not meet."""

    difference: str
    cells: tuple[tuple[Cell | None, ...], ...]


class SectionJson(Struct, frozen=True, kw_only=True):
    """A section of an event, or a pool of a ladder, which has `matches`.

    Attributes:
        favours: who favours whom at tables of three and more, as the last whole proof of the ladder
            with --report has found; null before there was one.
    """

    title: str
    game: str
    options: str
    format: str
    finished: bool
    decided_by: str
    places_by: str
    matches: int | UnsetType = UNSET
    left_out_versions: int | UnsetType = UNSET
    favours: Favours | UnsetType | None = UNSET
    rounds: tuple[RoundEntry, ...]
    blocks: int
    match_parts: int
    deals: int
    unlinked_groups: tuple[tuple[str, ...], ...]
    misfit: float | None
    ordered_by_one_number: bool
    champion: str | None
    bots: tuple[RowJson, ...]
    cross_table: CrossJson
    probability_better: tuple[tuple[float | None, ...], ...]
    luck: GainJson | None
    faults: tuple[FaultKind[str], ...]
    missing: tuple[Missing, ...]


class TimeJson(Struct, frozen=True):
    """What a bot's clock was charged."""

    bot: str
    used_us: int
    ms_per_act: float | None


class TimesJson(Struct, frozen=True):
    """What a section took."""

    title: str
    wall_us: int
    bots: tuple[TimeJson, ...]


class StandingsJson(Struct, frozen=True, kw_only=True):
    """What `event --json` and `ladder standings --json` print.

    Attributes:
        event, ladder: the name of the one or the other.
        key: of an event that is over; `commitment` is what it is checked by.
        secret: of a sealed event that is over: what the commitment is to, and the key follows from.
        head: the head of the ladder's facts, of which this is made.
        files: where the same stands, by kind.
        times: nothing else here depends on time.
    """

    event: str | UnsetType = UNSET
    ladder: str | UnsetType = UNSET
    version: str
    key: str | None
    commitment: str | None
    secret: str | UnsetType = UNSET
    game_digest: str | None
    head: Head | None
    finished: bool
    sections: tuple[SectionJson, ...]
    files: dict[str, str]
    times: tuple[TimesJson, ...] | UnsetType = UNSET


def as_json(
    heading: Heading, sections: Sequence[Standings], *, times: bool = True
) -> StandingsJson:
    """Return the standings, in a fixed order of keys.

    Args:
        heading: the event, or the ladder.
        sections: its sections, in the event's order, or its pools.
        times: whether it has the key `times`; nothing else in it depends on time.
    """
    is_event = heading.kind == "event"
    return StandingsJson(
        event=heading.name if is_event else UNSET,
        ladder=UNSET if is_event else heading.name,
        version=heading.version,
        key=heading.key or None,
        commitment=heading.commitment or None,
        secret=heading.secret or UNSET,
        game_digest=heading.digest or None,
        head=heading.head,
        finished=all(section.finished for section in sections),
        sections=tuple(map(_section, sections)),
        files=dict(heading.files),
        times=tuple(map(_times, sections)) if times else UNSET,
    )


def _section(section: Standings) -> SectionJson:
    return SectionJson(
        title=section.title,
        game=section.game,
        options=section.options,
        format=section.format,
        finished=section.finished,
        decided_by="adjusted" if section.by_adjusted else "raw",
        places_by="format" if section.by_format else "rating",
        matches=UNSET if section.matches is None else section.matches,
        left_out_versions=UNSET if section.matches is None else section.left,
        favours=UNSET if section.matches is None else section.favours,
        rounds=section.rounds,
        blocks=section.blocks,
        match_parts=section.parts,
        deals=section.deals,
        unlinked_groups=section.unlinked,
        misfit=section.misfit,
        ordered_by_one_number=not section.unordered,
        champion=section.champion or None,
        bots=tuple(map(row_json, section.rows)),
        cross_table=CrossJson(
            "deal value" if section.two_sided else "difference of deal values", section.cross
        ),
        probability_better=section.better,
        luck=_gain(section.gain),
        faults=section.faults,
        missing=section.missing,
    )


def row_json(row: Row) -> RowJson:
    """Return a row of a table."""
    return RowJson(
        bot=row.name,
        entrant=row.bot,
        author=row.author if row.version else UNSET,
        version=row.version or UNSET,
        place=row.place or None,
        last_place=row.last or None,
        match_points=row.match_points,
        points=row.points,
        blocks=row.blocks,
        match_parts=row.parts,
        deals=row.deals,
        mean=row.mean,
        luck=row.luck,
        adjusted=row.adjusted,
        adjusting=_gain(row.gain),
        rating=row.rating,
        faults=row.faults,
        faults_by_code=dict(row.codes),
        unplayed=row.unplayed,
        faulty_blocks=row.faulty,
        seated_blocks=row.seated,
        voids=row.voids,
        benched=row.benched or None,
        second_meetings=row.again,
    )


def _gain(found: Gain | None) -> GainJson | None:
    return None if found is None else GainJson(found.raw, found.adjusted, found.ratio, found.helps)


def _times(section: Standings) -> TimesJson:
    bots = (TimeJson(row.name, row.time.used_us, row.time.ms_per_act) for row in section.rows)
    return TimesJson(section.title, section.wall_us, tuple(bots))
