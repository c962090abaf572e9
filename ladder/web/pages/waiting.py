"""The page that says what is played now, and why a bot has not played yet."""

from msgspec import Struct

from ladder.core.candidates import Situation, fields_of
from ladder.core.matchmaking import NEW_BLOCKS, Candidates, why_none
from ladder.core.roster import Roster
from ladder.files.signing import now_ms
from ladder.store.jobs import OpenJob
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page


class WaitingMatch(Struct, frozen=True):
    """A match that was chosen and has no result yet.

    Attributes:
        state: "playing", or "waiting" where its runner is gone or it was not begun.
        reason: why it is in that state, in words.
    """

    id: str
    pool: int
    game: str
    bots: tuple[str, ...]
    since_ms: int
    attempts: int
    state: str
    reason: str


class WaitingBot(Struct, frozen=True):
    """A bot in a game: how much it has played, and what it waits for."""

    entrant: int
    bot: str
    pool: int
    game: str
    blocks: int
    playing: int
    reason: str


class QueueJson(Struct, frozen=True):
    """What is played, and whose turn is next, those first who have played least."""

    matches: tuple[WaitingMatch, ...]
    bots: tuple[WaitingBot, ...]
    idle: str | None


def _make(store: Store, asked: Asked) -> Content:
    situation = store.situation()
    jobs = store.waiting_jobs()
    now = now_ms()
    idle = why_none(fields_of(situation, ()))
    value = QueueJson(
        matches=tuple(_match(situation.roster, job, now) for job in jobs),
        bots=tuple(_bots(situation)),
        idle=idle or None,
    )
    return Content(
        title="Queue",
        description=f"What {store.opened.name} plays now, and what bots wait for.",
        template="waiting.html",
        value=value,
        shown={"sealed": situation.roster.is_sealed},
    )


def _match(roster: Roster, job: OpenJob, now: int) -> WaitingMatch:
    labels = roster.labels(versions=True)
    state, reason = "waiting", "no runner plays it yet"
    if job.owner and job.until_ms > now:
        state, reason = "playing", "a runner plays it"
    elif job.attempts:
        reason = "its runner is gone; the next one that is free plays it"
    return WaitingMatch(
        id=job.job.name,
        pool=job.job.pool,
        game=roster.pools[job.job.pool].name,
        bots=tuple(labels[entrant] for entrant in job.job.entrants),
        since_ms=job.since_ms,
        attempts=job.attempts,
        state=state,
        reason=reason,
    )


def _bots(situation: Situation) -> list[WaitingBot]:
    """Return the bots of each game, by how soon the rule of the next table comes to them."""
    roster, labels = situation.roster, situation.roster.labels()
    found = []
    for field in fields_of(situation, ()):
        under_way = [
            entrant for job in situation.jobs if job.pool == field.pool for entrant in job.entrants
        ]
        if field.paused is not None:
            found += _paused(roster, labels, field)
            continue
        none = why_none([field])
        by_turn = sorted(field.candidates, key=lambda one: (one.blocks >= NEW_BLOCKS, one.turn))
        for turn, one in enumerate(by_turn, 1):
            played = situation.standings.get((field.pool, one.entrant))
            found.append(
                WaitingBot(
                    entrant=one.entrant,
                    bot=labels[one.entrant],
                    pool=field.pool,
                    game=field.name,
                    blocks=0 if played is None else played.blocks,
                    playing=under_way.count(one.entrant),
                    reason=none or _turn(turn, len(by_turn), new=one.blocks < NEW_BLOCKS),
                )
            )
        found += _benched(roster, labels, field.pool)
        found += _of_next_epoch(roster, labels, field)
    return found


def _turn(turn: int, bots: int, *, new: bool) -> str:
    line = f"number {turn} of {bots} in line"
    return f"{line}; it is new, and new bots begin seven tables of ten" if new else line


def _paused(roster: Roster, labels: dict[int, str], field: Candidates) -> list[WaitingBot]:
    why = "its game is paused" + (f": {field.paused}" if field.paused else "")
    playing = roster.playing(field.pool)
    return [
        WaitingBot(one.entrant, labels[one.entrant], field.pool, field.name, 0, 0, why)
        for one in playing
    ]


def _of_next_epoch(roster: Roster, labels: dict[int, str], field: Candidates) -> list[WaitingBot]:
    why = "v{} was handed in after the epoch under way was sealed, and plays in the next one"
    return [
        WaitingBot(
            one.entrant,
            labels[one.entrant],
            field.pool,
            field.name,
            0,
            0,
            why.format(one.version),
        )
        for one in roster.playing(field.pool)
        if roster.waits_for_epoch(one.entrant)
    ]


def _benched(roster: Roster, labels: dict[int, str], pool: int) -> list[WaitingBot]:
    name = roster.pools[pool].name
    return [
        WaitingBot(entrant, labels[entrant], pool, name, 0, 0, f"it is benched: {why}")
        for (where, entrant), why in roster.benched.items()
        if where == pool and roster.is_current(entrant)
    ]


QUEUE = Page(
    name="queue",
    path="/queue",
    about="What is played now, and why a bot has not played yet.",
    type=QueueJson,
    make=_make,
)
