"""The commands that the ladder adds to `referee`.

Whatever is typed, `add` is called: it names functions and imports none of them, so that numpy and
scipy cost nothing where they are not used. The line that follows a function's name is the first
sentence of its docstring (a test compares them). What a command does is done in other folders.
"""

from functools import partial
from typing import Final

import typer

from referee.commands.lazy import add_lazily

NUMERICS_MIB: Final = 320
"""Memory that numpy, scipy and their linear algebra take when they are imported, in MiB."""

_CLUSTER: Final = {
    "keys": ("cluster:keys", "Makes the keys of a new cluster."),
    "scheduler": ("cluster:scheduler", "Runs the scheduler of a cluster, until it is stopped."),
    "worker": (
        "cluster:worker",
        "Has this machine play the matches of a cluster, until it is stopped.",
    ),
}

_LADDER: Final = {
    "open": ("ladder_run:open_ladder", "Opens a ladder, or gives it other games."),
    "run": ("ladder_run:run", "Plays the matches of a ladder, until it is stopped."),
    "standings": (
        "ladder_show:standings",
        "Prints the ranking: a fit of all blocks at once, which no order of results changes.",
    ),
    "bots": (
        "ladder_bots:bots",
        "Lists the bots of a ladder; with a BOT, its versions, and why it is benched.",
    ),
    "history": (
        "ladder_show:show_history",
        "Shows a bot's rating over time, and its last matches.",
    ),
    "match": (
        "ladder_match:show_match",
        "Shows a match: who played, what came of it, its faults, and where its record is.",
    ),
    "verify": (
        "ladder_verify:verify",
        "Proves a ladder: facts, records, decks, bots and ratings.",
    ),
    "rebuild": ("ladder_verify:rebuild", "Makes anew what follows from the facts."),
    "records": (
        "ladder_records:records",
        "Shows which records a ladder keeps, and how much they take; removes others with --apply.",
    ),
    "export": (
        "ladder_archive:export_ladder",
        "Writes all facts and records of a ladder as one archive, with a signed head.",
    ),
    "store": (
        "ladder_store:show_store",
        "Shows where a ladder keeps records and bots, or moves them into a store by URL.",
    ),
    "backup": (
        "ladder_archive:backup_ladder",
        "Copies a whole ladder, while it is in use, into a folder that is a ladder again.",
    ),
    "import": (
        "ladder_archive:import_ladder",
        "Makes a ladder of an archive, after checking all of it.",
    ),
    "migrate": (
        "ladder_verify:migrate_ladder",
        "Brings the database of an older referee up to date.",
    ),
    "invite": (
        "ladder_tokens:invite",
        "Invites an author: prints a link that lets them hand in bots on the site.",
    ),
    "tokens": (
        "ladder_tokens:tokens",
        "Lists the tokens of authors, when each was used last, and the accounts they sign in by.",
    ),
    "revoke": (
        "ladder_tokens:revoke",
        "Ends tokens at once: what they were for cannot be done with them any more.",
    ),
    "retire": ("ladder_retire:retire", "Takes a bot out of play."),
    "rollback": (
        "ladder_retire:rollback",
        "Lets an earlier version of a bot play, or one that was retired or benched.",
    ),
    "erase": (
        "ladder_erase:erase",
        "Erases an author for ever: name, bots, tokens, and the records of their matches.",
    ),
    "season": (
        "ladder_season:season",
        "Ends the season of a ladder's games, and begins the next: tables begin anew.",
    ),
    "epoch": (
        "ladder_epoch:epoch",
        "Seals a ladder: neither its organiser nor an author can choose the decks of an epoch.",
    ),
    "pause": ("ladder_notices:pause", "Chooses no next match, until `resume`."),
    "resume": ("ladder_notices:resume", "Has matches chosen again after `pause`."),
    "announce": ("ladder_notices:announce", "Says something over the pages of a ladder's site."),
}


def add(app: typer.Typer) -> None:
    """Adds them; called through the entry-point group `briscola_referee.commands`."""
    add_one = partial(add_lazily, mib=NUMERICS_MIB, extra="ladder")
    line = "Finds out which of two bots is better."
    add_one(app, "compare", "ladder.commands.compare:compare", line)
    event = typer.Typer(help="Tournaments of bots.")
    run, show = "Plays an event, or goes on with it.", "Shows the standings of an event so far."
    add_one(event, "run", "ladder.commands.event:run", run)
    add_one(event, "show", "ladder.commands.event:show", show)
    draw = "Draws what you contribute to the decks of an event, and tells it when that is safe."
    add_one(event, "contribute", "ladder.commands.event_seal:contribute", draw)
    look = "Checks by an event's log what its organiser and authors could choose."
    add_one(event, "check", "ladder.commands.event_seal:check", look)
    app.add_typer(event, name="event")
    submit = "Submits bots to a ladder."
    add_one(app, "submit", "ladder.commands.submit:submit", submit)
    serve = "Serves the site of a ladder, and plays its matches, until it is stopped."
    add_lazily(
        app, "serve", "ladder.commands.serve:serve_site", serve, mib=NUMERICS_MIB, extra="site"
    )
    told = "Prints what your bots wrote to stderr in their last matches on a ladder's site."
    where = "ladder.commands.submit_remotely:logs"
    add_lazily(app, "logs", where, told, mib=NUMERICS_MIB, extra="site")
    told = "Tells what became of the bots that you have handed in on a ladder's site."
    where = "ladder.commands.submit_remotely:status"
    add_lazily(app, "status", where, told, mib=NUMERICS_MIB, extra="site")
    told = "Plays a bot of yours, which stays on this machine, against one of a ladder's site."
    where = "ladder.commands.connect:connect"
    add_lazily(app, "connect", where, told, mib=NUMERICS_MIB, extra="site")
    cluster = typer.Typer(help="Matches on many machines.")
    for name, (where, told) in _CLUSTER.items():
        add_lazily(
            cluster, name, f"ladder.commands.{where}", told, mib=NUMERICS_MIB, extra="cluster"
        )
    app.add_typer(cluster, name="cluster")
    ladder = typer.Typer(help="Rankings of bots that go on and on.")
    for name, (where, told) in _LADDER.items():
        add_one(ladder, name, f"ladder.commands.{where}", told)
    app.add_typer(ladder, name="ladder")
