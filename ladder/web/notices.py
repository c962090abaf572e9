"""What the organiser has all people know: it stands over the pages of the ladder."""

from msgspec import Struct

from ladder.core.roster import Roster


class Notice(Struct, frozen=True):
    """A line over a page, and since when (milliseconds since 1970); None where that is not said."""

    text: str
    at_ms: int | None = None


def notices(roster: Roster) -> tuple[Notice, ...]:
    """Return what is announced, then what is paused."""
    said = roster.announced
    lines = [] if said is None else [Notice(said.reason, said.at_ms)]
    names = {0: "The ladder"} | {pool.pool: pool.name for pool in roster.open_pools}
    for pool, reason in sorted(roster.paused.items()):
        if pool in names and (pool == 0 or 0 not in roster.paused):
            why = f": {reason}" if reason else ""
            lines.append(Notice(f"{names[pool]} is paused{why}"))
    return tuple(lines)
