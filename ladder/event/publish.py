"""What an event has come to: from its rounds to standings, and those to files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from ladder.benching import benched
from ladder.event.conductor import RECORDS, Played, Rounds
from ladder.event.log import LOG
from ladder.event.plan import EventPlan, SectionPlan
from ladder.event.rounds import match_points, order
from ladder.event.schedule import event_digest
from ladder.results import RoundResult
from ladder.show.as_csv import as_csv
from ladder.show.as_json import as_json
from ladder.show.page import page
from ladder.standings.heading import Heading
from ladder.standings.section import Benched, Section, standings
from ladder.standings.table import Standings
from ladder.terms import LuckUse
from referee.errors import HostError
from referee.match.terms import unusual_options
from referee.text import plural
from referee.whole_file import atomic_write

RESULTS: Final = "results"


def section_of(plan: EventPlan, at: int, rounds: Rounds, *, finished: bool) -> Section:
    """One game of an event, as its standings want it."""
    own = plan.sections[at]
    names = tuple(entrant.name for entrant in plan.entrants)
    done = rounds if finished or not rounds or _whole(rounds[-1]) else rounds[:-1]
    out = benched(len(names), plan.bench, done)
    return Section(
        game=own.terms.game,
        options=" ".join(unusual_options(own.terms.game, own.terms.options)),
        format=_format(own),
        names=names,
        sides=own.sides,
        rounds=rounds,
        benched=tuple(Benched(bot, reason) for bot, reason in out.items()),
        finished=finished,
        order=order(plan, at, done, out),
        match_points=match_points(plan, at, done),
        adjusted=plan.luck is LuckUse.OFFICIAL,
        title="" if own.name == own.terms.game else own.name,
    )


def _whole(last: RoundResult) -> bool:
    """Whether a round has all its blocks; one with tables that were given up may go on."""
    return all(len(table.blocks) == last.round.blocks for table in last.tables)


def _format(own: SectionPlan) -> str:
    rounds = "" if own.rounds is None else f", {plural(own.rounds, 'round')}"
    return f"{own.format}{rounds}, {plural(own.blocks, 'block')} a table"


def standings_of(played: Played) -> tuple[Heading, tuple[Standings, ...]]:
    """The standings of an event with what stands over them."""
    plan, sections, key = played.plan, played.sections, played.key
    last = max((at for at, rounds in enumerate(sections) if rounds), default=0)
    heading = Heading(
        name=plan.name,
        key=key,
        commitment=plan.commitment,
        secret=played.secret if plan.seal is not None else "",
        digest=event_digest(sections) if key else "",
        version=plan.referee,
    )
    found = tuple(
        standings(section_of(plan, at, rounds, finished=bool(key) or at < last))
        for at, rounds in enumerate(sections)
    )
    return heading, found


def with_files(heading: Heading, folder: Path, seen_from: Path) -> Heading:
    """The heading with what is where in the folder of an event, by names as one there sees them."""
    wanted = {"log": LOG, "records": RECORDS, "page": f"{RESULTS}.html"}
    found = {what: name for what, name in wanted.items() if (folder / name).exists()}
    files = ((what, str(seen_from / name)) for what, name in found.items())
    return replace(heading, files=tuple(files))


def write_results(folder: Path, heading: Heading, found: Sequence[Standings]) -> None:
    """Writes the standings as a page, as CSV and as JSON; over those of before, if any.

    Raises:
        HostError: a file cannot be written.
    """
    heading = with_files(heading, folder, Path())
    texts = {
        "html": page(heading, found),
        "csv": as_csv(heading, found),
        "json": msgspec.json.format(msgspec.json.encode(as_json(heading, found))).decode() + "\n",
    }
    for ending, text in texts.items():
        path = folder / f"{RESULTS}.{ending}"
        try:
            with atomic_write(path) as file:
                file.write(text.encode())
        except OSError as error:
            raise HostError(f"results {str(path)!r}: {error.strerror}") from error
