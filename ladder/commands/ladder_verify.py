"""`referee ladder verify`, `rebuild`, `migrate`, `export`, `import`: care for a ladder."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct
from rich.console import Console

from ladder.audit.audit import Wanted, prove
from ladder.audit.claims import Claim, read_claims
from ladder.audit.collusion import SMALLEST_TABLE, Collusion
from ladder.audit.compared import Compared
from ladder.audit.findings import AuditReport, EpochAudit
from ladder.commands.epoch_lines import epoch_lines
from ladder.commands.progress import counted
from ladder.commands.shared import Where, opened, tell_new_key
from ladder.files import shared_records, signed_head
from ladder.files.signed_head import Head, SignedHead
from ladder.files.signing import KEY_FILE, kept_key, sign_now
from ladder.show.sentences import WARNING, favour_lines
from ladder.standings import cache
from ladder.store.database import Database
from ladder.store.location import where_of
from ladder.store.migrations import check_version, migrate, newest, version_of
from ladder.store.store import Store
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural

_DAY_S = 24 * 3600
_FINDINGS_SHOWN = 50
_SEED_BYTES = 8


def verify(
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Play only N records again.  [default: all]"),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Draw the records of --sample again that TEXT drew."),
    ] = None,
    head: Annotated[
        bool,
        typer.Option(
            "--head",
            help="Print a signed head to publish if all that was asked for holds; with --sample 0 "
            "that is quick, but such a head is none for --since.",
        ),
    ] = False,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Heads from before, which the ladder has to go on from: a signed head, a log of "
            "them, a receipt, a table, a page; several.",
        ),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A signed head of when all was proved, as --head prints it: records and bots of "
            "the facts before it only have to be there. It must be signed with the ladder's own "
            "key, or the one that --public-key says.",
        ),
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Whose heads those must be, as their owner says."),
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Look which bots and authors favour others at tables of three and more, in all "
            "matches that are played again.",
        ),
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Proves a ladder: facts, records, decks, bots and ratings. Exit code 1 if it does not hold.

    Every row is compared with the chain of hashes, every record with its own, and played again
    from its decks and actions; ratings are computed anew. A chain shows damage, not forgery: that
    results were removed and the rest signed anew shows only a head from before. Those of the
    ladder's own log are compared always, all others with --against. What a whole proof has found in
    order need not be played again: keep its --head, and prove what is new with --since. Records
    that are gone by the policy of the ladder are counted; any other has to be there.
    """
    if head and as_json:
        raise RefereeError("say --head or --json, not both: a head is JSON by itself")
    if head and report:
        raise RefereeError("say --head or --report, not both: what is to be published is no report")
    if public_key is not None and against is None and since is None:
        raise RefereeError("--public-key says whose head --against is, or --since: say that, too")
    if seed is not None and sample is None:
        raise RefereeError("--seed draws the records of --sample: say that, too")
    claims = [claim for path in against or () for claim in read_claims(path, public_key)]
    before = None if since is None else _proved_then(since, public_key or _own_key(where))
    seed = "" if sample is None else seed or secrets.token_hex(_SEED_BYTES)
    cores = len(os.sched_getaffinity(0))
    wanted = Wanted(sample, seed, cores, tuple(claims), before, report)
    found = _proved(where, wanted)
    if head and found.holds:
        with opened(where) as store:
            signed = _signed(store, found, proved=sample is None)
            print(signed_head.as_json(signed).decode(), end="")
        return
    if as_json:
        print(json_text(_as_json(found, seed, found.collusion if report else None)))
    else:
        shown = console(stderr=head)  # where a head is to go, nothing else goes
        for line in _favour_lines(found) if report else ():
            shown.print(line, style="yellow" if line.startswith(WARNING) else None)
        _print(found, seed, shown)
    if report and found.holds and sample is None and since is None:
        _keep_favours(where, found)
    raise typer.Exit(int(not found.holds))


def _favour_lines(found: AuditReport) -> Iterator[str]:
    for one in found.collusion:
        yield from favour_lines(one.told(found.facts), one.name)
    if not found.collusion:
        yield f"favours: no match of {SMALLEST_TABLE} and more at a table was played again"


def _keep_favours(where: str | None, found: AuditReport) -> None:
    """Lets the standings tell of them, where we may write."""
    with opened(where) as store:
        try:
            cache.write_favours(
                store.files, {one.pool: one.told(found.facts) for one in found.collusion}
            )
        except OSError as error:
            told = f"standings do not tell of favours: {error.strerror or error}"
            console(stderr=True).print(told, style="yellow")


def _own_key(where: str | None) -> str:
    """Return the public key of the ladder itself: who proves it again has signed with that.

    Raises:
        RefereeError: it has none.
    """
    with opened(where) as store:
        files = store.files
    if not (files / KEY_FILE).exists():
        raise RefereeError("--since: this ladder has signed nothing; say --public-key, of whom")
    return signed_head.public_of(kept_key(files))


def _proved_then(path: Path, public_key: str) -> Claim:
    """The signed head that a whole proof has printed.

    Raises:
        RefereeError: the file is something else, or is not signed with this key.
    """
    claims = read_claims(path, public_key)
    if len(claims) != 1 or not claims[0].signed or claims[0].receipt is not None:
        raise RefereeError(f"--since {str(path)!r}: it must be a signed head, as --head prints it")
    if not claims[0].head.proved:
        raise RefereeError(
            f"--since {str(path)!r}: it does not say that all was proved, as --head does after a "
            "whole proof"
        )
    return claims[0]


def _proved(where: str | None, wanted: Wanted) -> AuditReport:
    with counted(console(stderr=True), "proving", "matches") as say:
        return prove(where_of(where), wanted, say)


def _signed(store: Store, found: AuditReport, *, proved: bool) -> SignedHead:
    """Where the ladder stands, with our signature; `proved` if all of it was."""
    head = Head(ladder=found.ladder, facts=found.facts, hash=found.head, at_ms=0, proved=proved)
    return sign_now(store.files, head, tell_new_key)


class FindingJson(Struct, frozen=True):
    """What does not hold, and where."""

    where: str
    what: str


class AuditJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder verify --json` prints.

    Attributes:
        played_again: of the `records`; `proved_before` need not be.
        gone_by_decision: are not there, as the policy has it or their bots were erased.
        seed: draws the same records again, where a sample was played.
        more_findings: how many are not listed.
        goes_on_from: the earlier heads that fit.
        not_proved: what nothing was said of.
        collusion: who favours whom, by game; null where that was not asked for.
        epochs: of a sealed ladder.
    """

    holds: bool
    ladder: str
    facts: int
    matches: int
    records: int
    played_again: int
    seed: str | None
    proved_before: int
    gone_by_decision: int
    bots: int
    head: str
    findings: tuple[FindingJson, ...]
    more_findings: int
    goes_on_from: Compared
    not_proved: tuple[str, ...]
    notes: tuple[str, ...]
    collusion: tuple[Collusion, ...] | None
    epochs: tuple[EpochAudit, ...]


class MigrateJson(Struct, frozen=True):
    """What `referee ladder migrate --json` prints: versions of the schema."""

    ladder: str
    before: int
    after: int


class RebuildJson(Struct, frozen=True):
    """What `referee ladder rebuild --json` prints: digests of all that follows from the facts."""

    before: str
    after: str
    same: bool
    orphans: int


def _as_json(found: AuditReport, seed: str, reported: tuple[Collusion, ...] | None) -> AuditJson:
    return AuditJson(
        holds=found.holds,
        ladder=found.ladder,
        facts=found.facts,
        matches=found.matches,
        records=found.records,
        played_again=found.proved,
        seed=seed or None,
        proved_before=found.earlier,
        gone_by_decision=found.gone,
        bots=found.bots,
        head=found.head,
        findings=tuple(FindingJson(one.where, one.what) for one in found.findings),
        more_findings=found.more,
        goes_on_from=found.compared,
        not_proved=tuple(found.unproved()),
        notes=tuple(found.notes),
        collusion=reported,
        epochs=found.epochs,
    )


def _print(found: AuditReport, seed: str, to: Console) -> None:
    for one in found.findings[:_FINDINGS_SHOWN]:
        to.print(one.line, style="red")
    if more := max(len(found.findings) - _FINDINGS_SHOWN, 0) + found.more:
        to.print(f"... and {more:,} more", style="red")
    for note in found.notes:
        to.print(note, style="dim")
    before = f", {found.earlier:,} more proved before" if found.earlier else ""
    gone = f", {found.gone:,} gone by decision" if found.gone else ""
    to.print(
        f"{plural(found.facts, 'fact')}, {plural(found.matches, 'match', 'matches')}, "
        f"{plural(found.records, 'record')}, {found.proved:,} of them played again{before}{gone}, "
        f"{plural(found.bots, 'bot')}"
    )
    for line in (*epoch_lines(found.epochs), *found.compared.proved()):
        to.print(line)
    if 0 < found.proved < found.records:
        to.print(f"the same ones again: --seed {seed}")
    for unproved in found.unproved():
        to.print(unproved, style="yellow")
    if found.holds:
        whole = "all of it holds" if found.is_whole else "what was looked at holds"
        to.print(f"{whole}; head: {found.head}", style="green")
    else:
        to.print("it does not hold", style="bold red")


def rebuild(where: Where = None, as_json: Json = False) -> None:
    """Makes anew what follows from the facts. Exit code 1 if it was not the same before.

    Ratings and all indexes are computed from the facts in their order. Whether those are as they
    were written is for `referee ladder verify` to say. Records that no match has, and that are
    older than a day, are removed: a runner was killed before the match could be counted.
    """
    with opened(where) as store:
        with counted(console(stderr=True), "reading", "matches") as say:
            total = store.counts().matches
            before, after = store.rebuild(lambda done: say(done, total))
            cache.clear(store.files)
            swept = shared_records.sweep(store.files, store.records.every().__contains__, _DAY_S)
        if as_json:
            told = RebuildJson(before, after, before == after, swept)
            print(json_text(told, indent=None))
        elif before == after:
            print(f"all that follows from the facts is as it was: {after}")
        else:
            was = f"it was {before}, and is" if before else "a table was gone; it is"
            print(f"what follows from the facts was made anew: {was} {after}")
        if swept and not as_json:
            print(f"removed records without a match: {swept}")
    raise typer.Exit(int(before != after))


def migrate_ladder(where: Where = None, as_json: Json = False) -> None:
    """Brings the database of an older referee up to date. Make a copy of it before."""
    meant = where_of(where)
    if meant.is_missing:
        check_version(0, meant)
    database = Database(meant)
    try:
        with database.writing() as connection:
            found = version_of(connection)
            if not 0 < found <= newest():
                check_version(found, meant)
            migrate(database, connection)
    finally:
        database.close()
    if as_json:
        print(json_text(MigrateJson(meant.typed, found, newest()), indent=None))
    elif found == newest():
        print(f"ladder {meant.typed} is up to date: schema {found}")
    else:
        print(f"ladder {meant.typed}: schema {found} is now {newest()}")
