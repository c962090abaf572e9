"""`referee serve`: the site of a ladder."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import trio
import typer
from starlette.routing import BaseRoute, Route

from ladder.commands.players import ClusterOption, opened_players
from ladder.commands.shared import Sandbox, Sandboxes, Where, opened_or_made, proof_of, tell_new_key
from ladder.runner.play import Ready, check_pools, made_ready, play
from ladder.runner.progress import RunnerProgress, shown
from ladder.runner.runner import Span
from ladder.store.head_log import publish
from ladder.store.location import anywhere
from ladder.store.store import Store
from ladder.web.author_routes import author_routes
from ladder.web.connect_routes import BEGINNING, connect_routes
from ladder.web.connected_bot import ConnectedBot
from ladder.web.events import Events
from ladder.web.library import Library
from ladder.web.live_matches import LiveMatches
from ladder.web.live_routes import live_routes
from ladder.web.pages.event import event_pages
from ladder.web.provider.registration import Registration, registration_of
from ladder.web.rendering import Around
from ladder.web.serving import Listen, Work, check_tls, serve
from ladder.web.site_state import Site, opened_site
from ladder.web.table import Table
from ladder.web.table_routes import table_routes
from ladder.web.tables import Tables
from ladder.web.trial import AT_ONCE, Submits, Trials, tried
from ladder.web.uploads import Uploads
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Workers
from referee.play.interrupts import interruptible
from referee.sandbox.names import SandboxName
from referee.sandbox.priority import answer_soon
from referee.terminal.board import Board
from referee.terminal.console import busy, console


def serve_site(
    where: Where = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    tls: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="CERT KEY", help="Speak TLS, with the files of a certificate."),
    ] = None,
    proxy: Annotated[
        bool,
        typer.Option(
            "--proxy", help="A proxy stands before it: believe its headers of who asks and how."
        ),
    ] = False,
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Play the ladder's matches beside the site.")
    ] = True,
    uploads: Annotated[
        bool,
        typer.Option(
            "--uploads/--no-uploads", help="Take in bots of invited authors, and try them."
        ),
    ] = True,
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="FILE",
            help="Show an event, too, given by its file or its folder. May be repeated.",
        ),
    ] = None,
    workers: Workers = None,
    sandbox: Sandbox = Sandboxes.AUTO,
    cluster: ClusterOption = None,
) -> None:
    """Serves the site of a ladder, and plays its matches, until it is stopped.

    Every page follows the results by itself, and is there as JSON, too. Authors hand in bots by the
    link that `referee ladder invite` prints. Several sites and runners may serve one ladder. Where
    there is no ladder yet, one is made, of briscola-2. Ctrl-C and SIGTERM end it in good order,
    with exit code 0.
    """
    check_tls(tls)
    settings = read_settings()
    listen = Listen(host=host, port=port, tls=tls, proxy=proxy)
    events = Events(event or ())
    registration = registration_of(settings.site.sign_in if uploads else None)
    ready = _ready(SandboxName(sandbox), settings) if run or uploads else None
    with ExitStack() as held:
        store = held.enter_context(opened_or_made(where))
        taken_in = (
            held.enter_context(closing(Uploads(store.files, settings.site))) if uploads else None
        )
        players = held.enter_context(_players(store, settings)) if run else None
        board = Board()
        watch = held.enter_context(shown(console(stderr=True), None, board))
        has_tables = uploads and settings.site.tables > 0
        delay = settings.site.live_delay if settings.site.live else None
        around = Around(
            store.opened.name,
            takes_bots=uploads,
            has_tables=has_tables,
            has_events=bool(events.logs),
            live_delay=delay,
            provider=registration.name if registration else "",
            get=settings.site.get,
        )
        library = Library(store, events.pulse)
        site = opened_site(library, around, watch.say, event_pages(events))
        routes: list[BaseRoute] = []
        if delay is not None:
            routes += live_routes(site, LiveMatches(library, delay))
        work: list[Work] = []
        if taken_in is not None and ready is not None:
            submits = tuple(Submits(anywhere(store.where)) for _ in range(AT_ONCE))
            routes += author_routes(site, taken_in)
            routes += _sign_in_routes(site, registration)
            work.append(partial(tried, _trials(site, taken_in, submits, ready), submits))
            tables = Tables[Table](settings.site.tables, watch.say)
            routes += table_routes(site, tables, ready.sandbox)
            work.append(tables.run)
            bots = Tables[ConnectedBot](settings.site.connected, watch.say, BEGINNING)
            routes += connect_routes(site, bots, ready.sandbox)
            work.append(bots.run)
        if players is not None and ready is not None:
            work.append(
                _runner(players, watch, board, ready, settings, cluster=cluster, workers=workers)
            )
        answer_soon()
        trio.run(_until_stopped, partial(serve, site, listen, routes, work))


def _runner(
    store: Store,
    watch: RunnerProgress,
    board: Board,
    ready: Ready,
    settings: Settings,
    *,
    cluster: str | None,
    workers: int | None,
) -> Work:
    """Return what plays the matches of a ladder, by a cluster or on this machine."""
    by = partial(
        opened_players,
        cluster,
        workers,
        ready.sandbox,
        settings,
        watch.say,
        show=board.show,
        proof=proof_of(store),
    )
    where = f"cluster: {cluster}" if cluster else str(ready)
    return partial(play, store, watch, Span(), by=by, where=where, settings=settings)


def _trials(site: Site, uploads: Uploads, submits: Sequence[Submits], ready: Ready) -> Trials:
    """Return how bots are tried that are handed in."""
    library = site.library
    return Trials(
        uploads=uploads,
        submits=tuple(one.run for one in submits),
        sandbox=ready.sandbox,
        trouble=site.say,
        away=lambda: library.is_away,
        knows=lambda author: library.ask(lambda store: store.tokens.has_any(author)),
    )


def _sign_in_routes(site: Site, registration: Registration | None) -> list[Route]:
    """Return the routes of signing in by a provider, where the organiser has one."""
    if registration is None:
        return []
    # authlib takes a second to import, which no other site has to wait for
    from ladder.web.provider.openid import Provider  # noqa: PLC0415  # see above
    from ladder.web.provider_routes import provider_routes  # noqa: PLC0415  # see above

    return provider_routes(site, Provider(registration, site.say))


def _ready(sandbox: SandboxName, settings: Settings) -> Ready:
    """Return a sandbox for the bots of strangers.

    Raises:
        RefereeError: none works here.
    """
    with busy(console(stderr=True), "opening the sandbox ...") as say:
        return trio.run(made_ready, sandbox, settings, say)


@contextmanager
def _players(store: Store, settings: Settings) -> Iterator[Store]:
    """The ladder once more, for the runner alone, until the block is left.

    Raises:
        RefereeError: its games are others here, or its own log contradicts it.
    """
    check_pools(store)
    if settings.heads.every:
        publish(store, tell_new_key)
    with Store(store.where) as players:
        yield players
        if settings.heads.every:
            publish(players, tell_new_key)


async def _until_stopped(serving: Callable[[], Awaitable[None]]) -> None:
    """Serve until a signal asks us to stop."""
    scope = trio.CancelScope()
    async with interruptible(scope):
        with scope:
            await serving()
