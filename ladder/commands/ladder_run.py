"""`referee ladder open` and `run`: a ladder is made, and plays by itself."""

from functools import partial
from pathlib import Path
from typing import Annotated

import trio
import typer
from msgspec import Struct, field

from ladder.commands.players import ClusterOption, opened_players
from ladder.commands.shared import Sandbox, Sandboxes, Where, opened, proof_of, tell_new_key
from ladder.core.facts import Fact, Keep, Pool
from ladder.core.retention import in_words
from ladder.core.roster import Roster
from ladder.files.disk_limits import DiskLimits, read_limits, write_limits
from ladder.files.head_text import head_line
from ladder.files.signed_head import SignedHead
from ladder.game_files.pool_file import (
    USUAL_GAMES,
    Pools,
    changes,
    policy_changes,
    pools_of,
    read_pools,
)
from ladder.runner.play import check_pools, made_ready, play
from ladder.runner.progress import RunnerProgress, shown
from ladder.runner.runner import Span
from ladder.store.head_log import publish
from ladder.store.location import where_of
from ladder.store.store import Beginning, Store
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json, Workers
from referee.errors import INTERRUPTED, RefereeError
from referee.match.clock import time_text
from referee.match.terms import unusual_options
from referee.play.interrupts import interruptible
from referee.sandbox.names import SandboxName
from referee.terminal.board import Board
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import plural
from referee.version import own_version


def open_ladder(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A TOML file of games.")
    ] = None,
    games: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="ID", help="A game to rank, instead of FILE; several."),
    ] = None,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Opens a ladder, or gives it other games.

    A game in which anything is changed (clock, options, blocks) is another one: its ranking begins
    anew. That of before goes on when it is opened again just as it was, and can be shown meanwhile
    with `--game '#N'`. Games that are not named any more are closed.

    \b
    The keys of FILE; only [[game]] must be there:
      name       what people call the ladder
      blocks     decks of a match, for which its processes live; 1
      seating    in which seatings each deck is played: one, rotate, full (default)
      partners   side (default): a bot holds a whole side of the table;
                 mixed: one seat, and partners change
      luck       shown (default) beside the scores; official: taken off them; off
      time       as --time of `referee match`
      pace       milliseconds; 10 where a seat has partners, else 0
      freeze     auto (default), always, never
      on_fault   play-on; at tables of two end-deal; by default the game decides
      bench      so many faulty blocks bench a bot that plays no better; 10; 0: none do
      records    whose records stay: "all" matches', those of the newest (a number), or "facts":
                 no records, only facts; without this key as it is, and "all" in a new ladder
    \b
    [disk]       what the bots may take of the disk; without it, as the ladder has it
      build_size   MiB that a build may leave, sources included; 64
      build_files  files and folders that it may leave; 2000
      old_bots     MiB that the files of bots that do not play may take together: old versions and
                   retired bots, which `rollback` brings back; 1024. The oldest versions go first
    \b
    [[game]]     each is ranked by itself
      id         see `referee games`
      divisions  so many divisions, each with a table of its own; 1; see `referee ladder season`
      moves      how many bots of a division may go up, and down, when a season ends; 1
      size       how many bots a division has room for; 8
      name       what people call it; by default the id and the options
      options    {NAME = VALUE, ...}: see `referee games ID`
      blocks, seating, partners, time, pace: as above, for this game alone
    """  # noqa: D301  # the command line wants this character, which keeps lines as they are
    if file is not None and games:
        raise RefereeError("say FILE or --game, not both")
    asked = read_pools(file) if file is not None else pools_of(games) if games else None
    begun = asked or pools_of(USUAL_GAMES)
    with Store(where_of(where), Beginning(begun.name, begun.pools)) as store:
        before = store.roster.open_pools
        if asked is not None:
            store.add(lambda roster, now_ms: _changes(roster, asked, now_ms))
            if asked.disk is not None:
                write_limits(store.files, asked.disk)
        _tell(store, asked, before, as_json=as_json)


class KeptJson(Struct, frozen=True):
    """Which records stay; `last` of them, where `keep` says so."""

    keep: Keep
    last: int | None


class PoolJson(Struct, frozen=True, kw_only=True):
    """A game that the ladder ranks.

    Attributes:
        options: those that are not as the game has them.
        places: how many bots sit at a table.
        seatings: how many deals a block has.
        time: "" for the usual clock.
    """

    pool: int
    name: str
    game: str
    options: tuple[str, ...]
    places: int
    blocks: int
    seatings: int
    time: str
    pace: int


class LadderJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder open --json` prints."""

    ladder: str
    name: str
    records: KeptJson
    games: tuple[PoolJson, ...]
    disk: DiskLimits


class RunJson(Struct, frozen=True):
    """What `referee ladder run --json` prints; `head` is the one that was signed."""

    blocks: int
    matches: int
    stopped: bool
    head: SignedHead | None
    version: str


def _pool_json(pool: Pool) -> PoolJson:
    terms = pool.terms
    return PoolJson(
        pool=pool.pool,
        name=pool.name,
        game=terms.game,
        options=unusual_options(terms.game, terms.options),
        places=pool.places,
        blocks=pool.blocks,
        seatings=pool.seatings,
        time=time_text(terms.time),
        pace=terms.pace_ms,
    )


def _changes(roster: Roster, asked: Pools, now_ms: int) -> list[Fact]:
    """What a file brings to a ladder."""
    records = policy_changes(roster, asked.records, now_ms)
    return [*changes(roster, asked.pools, now_ms), *records]


def _tell(store: Store, asked: Pools | None, before: tuple[Pool, ...], *, as_json: bool) -> None:
    pools, policy = store.roster.open_pools, store.roster.retention
    if as_json:
        told = LadderJson(
            ladder=store.opened.ladder,
            name=store.opened.name,
            records=KeptJson(policy.keep, policy.last or None),
            games=tuple(map(_pool_json, pools)),
            disk=read_limits(store.files),
        )
        print(json_text(told))
        return
    to = console()
    to.print(f"ladder {store.opened.name} in {store.where.typed}", style="bold")
    for pool in pools:
        to.print(f"  #{pool.pool} {pool.name}: {_played(pool)}")
    for pool in before:
        if pool not in pools:
            gone = f"  closed: #{pool.pool} {pool.name}: {_played(pool)}"
            again = f"referee ladder standings --game '#{pool.pool}'{store.where.option}"
            to.print(f"{gone}; its table: {again}", style="yellow")
    if asked is not None and asked.name not in {None, store.opened.name}:
        to.print(f"it keeps its name: {store.opened.name}", style="dim")
    kept = in_words(policy)
    to.print(f"bots and records: {store.files}; records kept: {kept}", style="dim")
    disk = read_limits(store.files)
    to.print(
        f"a build may leave {disk.build_size:,} MiB in {plural(disk.build_files, 'file')}; bots "
        f"that do not play may take {disk.old_bots:,} MiB",
        style="dim",
    )


def _played(pool: Pool) -> str:
    """How a game is played, in words."""
    terms, clock = pool.terms, time_text(pool.terms.time)
    clock = f", {clock}" if clock else ""
    pace = f", pace {terms.pace_ms} ms" if terms.pace_ms else ""
    blocks, deals = plural(pool.blocks, "block"), plural(pool.seatings, "deal")
    return f"{pool.places} bots a table, {blocks} a match of {deals}{clock}{pace}"


def run(
    where: Where = None,
    workers: Workers = None,
    once: Annotated[
        bool, typer.Option("--once", help="Stop when every bot could have had a match.")
    ] = False,
    blocks: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Stop after N blocks; a match left over is played whole."
        ),
    ] = None,
    sandbox: Sandbox = Sandboxes.AUTO,
    cluster: ClusterOption = None,
    as_json: Json = False,
) -> None:
    """Plays the matches of a ladder, until it is stopped.

    Each next table is the one that tells most: of bots that are close, new, or have played little;
    never with two bots of one author, unless they are declared partners. Several runners may serve
    one ladder. Ctrl-C, kill -9: start it again, and it goes on. Exit code 1 when nothing could be
    played.
    """
    if once and blocks is not None:
        raise RefereeError("say --once or --blocks, not both")
    settings = read_settings()
    with opened(where) as store:
        check_pools(store)
        _publish(store, settings)  # before play: a ladder that its own log contradicts is refused
        talk = console(stderr=True)
        board = Board()
        with shown(talk, blocks, board) as watch:
            by = Asked(cluster, workers, SandboxName(sandbox), settings, board)
            stopped = trio.run(_conduct, store, watch, Span(blocks, once), by)
        head = _publish(store, settings)
        if as_json:
            told = RunJson(watch.blocks, watch.matches, stopped, head, own_version())
            print(json_text(told, indent=None))
        else:
            matches = plural(watch.matches, "match", "matches")
            console().print(f"played {plural(watch.blocks, 'block')} in {matches}")
            if head is not None:
                console().print(f"head: {head_line(head.head)}", style="dim", soft_wrap=True)
    if stopped:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(int(not watch.matches))


def _publish(store: Store, settings: Settings) -> SignedHead | None:
    """Publishes the head of a ladder, unless the settings say never.

    Raises:
        RefereeError: as for `head_log.publish`; HostError likewise.
    """
    return publish(store, tell_new_key) if settings.heads.every else None


class Asked(Struct, frozen=True):
    """Who is to play; for attributes see `opened_players`, and what is shown of them `Board`."""

    cluster: str | None
    workers: int | None
    sandbox: SandboxName
    settings: Settings
    board: Board = field(default_factory=Board)


async def _conduct(store: Store, watch: RunnerProgress, span: Span, asked: Asked) -> bool:
    """Plays; returns whether a signal stopped us."""
    sandbox, where = asked.sandbox, f"cluster: {asked.cluster}"
    playing = trio.CancelScope()
    async with interruptible(playing):
        with playing:
            if not asked.cluster:
                with busy(console(stderr=True), "opening the sandbox ...") as say:
                    ready = await made_ready(sandbox, asked.settings, say)
                sandbox, where = ready.sandbox, str(ready)
            by = partial(
                opened_players,
                asked.cluster,
                asked.workers,
                sandbox,
                asked.settings,
                watch.say,
                show=asked.board.show,
                proof=proof_of(store),
            )
            await play(store, watch, span, by=by, where=where, settings=asked.settings)
    return playing.cancelled_caught
