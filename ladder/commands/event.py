"""`referee event`: plays tournaments that can be interrupted at any moment, and shows them."""

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import trio
import typer
from msgspec.structs import replace

from ladder.commands import NUMERICS_MIB
from ladder.commands.players import ClusterOption, opened_players
from ladder.core.seal import commitment
from ladder.event.check_bots import check_bots
from ladder.event.conductor import (
    RECORDS,
    Played,
    Rounds,
    Way,
    check_against_plan,
    log_of,
    play_event,
    played_in,
    rounds_in_log,
)
from ladder.event.contribution import TOLD, contributions_lines, told
from ladder.event.deck_keys import key_of_decks
from ladder.event.file import Event, event_path, read_event
from ladder.event.key import kept_key
from ladder.event.log import LOG, EventLog
from ladder.event.plan import EventPlan
from ladder.event.progress import shown
from ladder.event.rounds import expected_deals
from ladder.event.zips import unzip_to
from referee.bots.find import find
from referee.bots.settings import Settings, read_settings
from referee.commands.memory import check_memory
from referee.commands.shared import Json
from referee.errors import INTERRUPTED, HostError, RefereeError, innermost
from referee.play.interrupts import interruptible
from referee.sandbox.choose import opened_for
from referee.sandbox.first_reads import read_first
from referee.sandbox.names import SandboxName
from referee.terminal.board import Board
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import plural

File = Annotated[str, typer.Argument(metavar="FILE", help="A TOML file, or sample:NAME.")]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where log, records and results are.  [default: beside FILE, with its name]",
    ),
]


def run(
    file: File,
    out: Out = None,
    unchecked: Annotated[
        bool,
        typer.Option(
            "--no-check",
            help="Do not ask each bot what `referee check` asks before the first match.",
        ),
    ] = False,
    at_fault: Annotated[
        list[str] | None,
        typer.Option(
            "--at-fault",
            metavar="NAME",
            help="Go on though this bot, by its name in the event, cannot be built any more: it is "
            "at fault at its start in all that is left. May be repeated.",
        ),
    ] = None,
    withheld: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Begin a sealed event without what this bot's author has promised. May be "
            "repeated.",
        ),
    ] = None,
    cluster: ClusterOption = None,
    as_json: Json = False,
) -> None:
    """Plays an event, or goes on with it. Exit code 0 when it is over, faults or not.

    A sealed event, which has `seal` or `beacon`, waits for contributions with exit code 1.

    \b
    The keys of FILE; only name, [[game]] and [[bot]] must be there:
      name          what people call the event
      key           128 secret bits: 32 hex digits; by default drawn, and kept in DIR
      format        round-robin (default), gauntlet, swiss, knockout, double-knockout
      rounds        how many; by default as many as the format needs
      blocks        decks that a table plays in a round; 20
      seating       in which seatings it plays each deck: one, rotate, full (default)
      partners      side (default): a bot holds a whole side of the table;
                    mixed: one seat, and partners change
      heroes        the names of the bots that a gauntlet is about
      luck          shown (default) beside the scores; official: taken off them; off
      time          as --time of `referee match`
      pace          milliseconds; 10 where a seat has partners, else 0
      freeze        auto (default), always, never
      on_fault      play-on; at tables of two end-deal; by default the game decides
      bench         so many faulty blocks bench a bot that plays no better; 10; 0: none do
      match_blocks  after so many blocks a table has fresh processes; 5
      sandbox       auto (default), bwrap, docker, bare
      workers       matches at a time; by default one a core
      records       whether matches are recorded; true
      beacon        what others will publish, and which moment of it, to seal the decks
    \b
    [[game]]        each has rounds and standings of its own
      id            see `referee games`
      name          what people call it; by default the id and the options
      options       {NAME = VALUE, ...}: see `referee games ID`
      format, rounds, blocks, seating, partners, time, pace: as above, for this
                    game alone
    \b
    [[bot]]         in the order in which they are seeded
      path          a BOT as for `referee match`, from FILE's folder on, or a zip of
                    a folder, which is unpacked into DIR
      name          what tables call it; by default the name in its bot.toml, or its file's
      seal          what its author's `referee event contribute` has printed
    """  # noqa: D301  # the command line wants this character, which keeps lines as they are
    path, beside = event_path(file)
    folder = beside if out is None else out
    settings = read_settings()
    event = read_event(path, settings, unzip_to(folder, settings))
    with EventLog(folder) as log:
        found, begun = log.found, _is_begun(log, folder)
        key = kept_key(folder, begun=begun) if event.key is None else event.key
        event = replace(event, key=key, plan=replace(event.plan, commitment=commitment(key)))
        log.begin(event.plan)
        deck_key = _key_of_decks(event.plan, key, log, folder, withheld or [])
        unbuilt = _entrants(event.plan, at_fault or [], begun=bool(found.matches))
        if found.end is None:
            records = folder / RECORDS if event.records else None
            way = Way(event.bots, deck_key, records, unbuilt, key)
            conduct = partial(_conduct, event, way, log, settings, cluster, check=not unchecked)
            sections = _played(conduct, _command(file, out, at_fault or [], unchecked=unchecked))
        else:
            sections = rounds_in_log(found)
        over = Played(event.plan, sections, deck_key, key, log.found.told)
        _tell(over, folder, as_json=as_json, files=True)


def _is_begun(log: EventLog, folder: Path) -> bool:
    """Whether a log has begun; it is looked at, and what was cut off of it is said.

    Raises:
        RefereeError: it does not fit its own plan, or the folder is another event's.
    """
    found = log.found
    check_against_plan(found, log.path)
    if found.torn is not None:
        console(stderr=True).print(f"{str(log.path)!r}: line {found.torn} was torn: cut off")
    if found.header is None and (folder / RECORDS).exists():
        raise RefereeError(f"{str(folder / RECORDS)!r} is of another event: move it away")
    return found.header is not None


def _key_of_decks(
    plan: EventPlan, secret: str, log: EventLog, folder: Path, withheld: Sequence[str]
) -> str:
    """Return the text that the keys of decks are made of; a sealed event waits for contributions.

    Raises:
        RefereeError: what was told does not fit, or is told too early.
        Exit: it waits.
    """
    if withheld and (plan.seal is None or log.found.told is not None):
        raise RefereeError("--withheld is for a sealed event of which nothing was played yet")
    if plan.seal is None:
        return secret
    if log.found.told is None:
        path = folder / TOLD
        if log.found.header is None and path.exists():
            raise RefereeError(
                f"{str(path)!r}: authors tell what they contribute when the log has begun; move it "
                "away, and draw anew what is in it"
            )
        found = told(folder, plan, plan.seal, withheld)
        if found is None:
            talk = console(stderr=True)
            talk.print(f"the event is sealed: publish {str(log.path)!r}, its first line above all")
            talk.print(f"then write what it waits for into {str(path)!r}, and run it again:")
            for line in contributions_lines(plan, plan.seal):
                talk.print(line, markup=False, highlight=False)
            raise typer.Exit(1)
        log.write(found)
        log.found.told = found
    return key_of_decks(plan, secret, log.found.told)


def _command(file: str, out: Path | None, at_fault: Sequence[str], *, unchecked: bool) -> str:
    """What a person types to go on, with all that was asked for this time."""
    words = ["referee", "event", "run", file]
    words += [] if out is None else ["--out", str(out)]
    words += ["--no-check"] if unchecked else []
    words += [word for name in at_fault for word in ("--at-fault", name)]
    return shlex.join(words)


def _entrants(plan: EventPlan, names: Sequence[str], *, begun: bool) -> frozenset[int]:
    """The entrants of these names, which are to be at fault.

    Raises:
        RefereeError: nothing was played yet, or there is no such bot.
    """
    if names and not begun:
        raise RefereeError(
            "--at-fault is for an event of which something was played: leave the bot out of FILE"
        )
    found = {entrant.name: number for number, entrant in enumerate(plan.entrants)}
    for name in names:
        if name not in found:
            raise RefereeError(f"--at-fault: {name!r} is none of {', '.join(found)}")
    return frozenset(found[name] for name in names)


def show(file: File, out: Out = None, as_json: Json = False) -> None:
    """Shows the standings of an event so far. Plays nothing.

    What counts is the log: neither the bots nor FILE need be as they were. FILE can be DIR, too.
    """
    path = log_of(file) if out is None else out / LOG
    found = played_in(path)
    _tell(found, path.parent, as_json=as_json, files=False)


def _tell(found: Played, folder: Path, *, as_json: bool, files: bool) -> None:
    """Prints the standings; writes them to files too, if asked to."""
    # What reckons and shows them takes a second to import: not before there is something to show.
    check_memory(NUMERICS_MIB)
    from ladder.event.publish import standings_of, with_files, write_results  # noqa: PLC0415  # see above
    from ladder.show.as_json import as_json as to_json  # noqa: PLC0415  # see above
    from ladder.show.terminal import print_standings  # noqa: PLC0415  # see above

    heading, standings = standings_of(found)
    failure: HostError | None = None
    try:
        if files:
            write_results(folder, heading, standings)
    except HostError as error:
        failure = error  # raised below: what was played is to be seen all the same
    heading = with_files(heading, folder, folder)
    if as_json:
        print(json_text(to_json(heading, standings), indent=None))
    else:
        print_standings(console(), heading, standings)
    if failure is not None:
        raise failure


def _played(
    conduct: Callable[[], Awaitable[tuple[Rounds, ...] | None]], again: str
) -> tuple[Rounds, ...]:
    """Plays what is not in the log; `again` is what a person types to go on."""
    try:
        sections = trio.run(conduct)
    except Exception as error:
        found = innermost(error)
        if isinstance(found, HostError):
            raise HostError(f"{found}; go on with: {again}") from found
        raise
    if sections is None:
        console(stderr=True).print(f"go on with: {again}")
        raise typer.Exit(INTERRUPTED)
    return sections


async def _conduct(
    event: Event,
    way: Way,
    log: EventLog,
    settings: Settings,
    cluster: str | None,
    *,
    check: bool,
) -> tuple[Rounds, ...] | None:
    """Plays; returns None if a signal stops us."""
    talk = console(stderr=True)
    playing = trio.CancelScope()
    async with interruptible(playing):
        with playing:
            async with AsyncExitStack() as kept:
                with busy(talk, "preparing the bots ...") as say:
                    begun = bool(log.found.matches)
                    asked = event.plan if check and not begun else None
                    prepared = _prepared(event, way, settings, asked, say, begun=begun)
                    sandbox, where = await kept.enter_async_context(prepared)
                workers, board = None if cluster else event.workers, Board()
                proof = f"referee event check {shlex.quote(str(log.path))} --records"
                players = opened_players(
                    cluster,
                    workers,
                    sandbox,
                    settings,
                    talk.print,
                    show=board.show,
                    proof=proof if way.records else "",
                )
                pool = await kept.enter_async_context(players)
                by = f"cluster: {cluster}" if cluster else f"sandbox: {where}"
                talk.print(f"{plural(pool.size, 'match', 'matches')} at a time; {by}", style="dim")
                logged = log.found.matches.values()
                before = sum(block.deals for match in logged for block in match.outcome.blocks)
                with shown(talk, expected_deals(event.plan), before, board=board) as watch:
                    return await play_event(event.plan, way, log, pool, watch)
    return None


@asynccontextmanager
async def _prepared(
    event: Event,
    way: Way,
    settings: Settings,
    asked: EventPlan | None,
    say: Callable[[str], None],
    *,
    begun: bool,
) -> AsyncIterator[tuple[SandboxName, str]]:
    """Builds and copies what workers would, so that what is wrong with a bot is found before play.

    The copies are held until the block is left: workers build none anew, for a bot whose build
    fails from some time on would end the event.

    Args:
        event: names the bots.
        way: says which of them cannot be built any more.
        settings: what the organiser allows.
        asked: what bots are checked for; None: nothing.
        say: is told what goes on.
        begun: whether something was played before.

    Yields:
        Where they will run, as it is asked for, and in words.

    Raises:
        RefereeError: a bot does not build, may not run here, or does not pass its check.
    """
    bots = [find(bot, settings) for bot in event.bots]
    async with opened_for(event.sandbox, bots, settings) as sandbox:
        if any(bot.submitted for bot in bots):
            await read_first(settings, say)
        specs = []
        for at, bot in enumerate(bots):
            if at not in way.unbuilt:
                with _advice(event.plan.entrants[at].name, begun=begun):
                    specs.append(await sandbox.prepare(bot))
        if asked is not None:
            await check_bots(asked, specs, sandbox, say)
        # who is asked for bare does not look whose bots they are
        name = event.sandbox if sandbox.name == SandboxName.BARE else SandboxName(sandbox.name)
        yield name, f"{sandbox.name} ({sandbox.how})"


@contextmanager
def _advice(name: str, *, begun: bool) -> Iterator[None]:
    """Says how to go on without a bot that cannot be built any more."""
    try:
        yield
    except RefereeError as error:
        if not begun:
            raise
        raise RefereeError(
            f"{error}\nif that is the bot's doing, go on with --at-fault {shlex.quote(name)}"
        ) from error
