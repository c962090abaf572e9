"""`referee ladder export` and `import`: a ladder as one file, to publish it or to move it."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.archive.backup import back_up
from ladder.archive.export import Exported, export
from ladder.archive.load import Imported, take_in
from ladder.commands.shared import Where, opened, tell_new_key
from ladder.files.head_text import head_line
from ladder.files.signed_head import SignedHead
from ladder.store.location import where_of
from referee.commands.shared import Json
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural, printable


class ArchiveJson(Struct, frozen=True):
    """What is in an archive; records that are `gone_by_decision` are not."""

    facts: int
    records: int
    gone_by_decision: int
    bots: int
    head: SignedHead


class ExportJson(ArchiveJson, frozen=True):
    """What `referee ladder export --json` prints."""

    file: str


class BackupJson(Struct, frozen=True):
    """What `referee ladder backup --json` prints: files in all, those copied now, and bytes."""

    folder: str
    files: int
    copied: int
    bytes: int


class ImportJson(ArchiveJson, frozen=True):
    """What `referee ladder import --json` prints."""

    public_key: str


def export_ladder(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The archive, a zip, to write.")],
    bots: Annotated[
        bool,
        typer.Option("--with-bots", help="Put in the frozen bots, too, so that it can go on."),
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Writes all facts and records of a ladder as one archive, with a signed head.

    Anyone who has it can import it, verify it, and compute the ranking anew. It holds what bots
    wrote beside their answers; the keys of matches that are yet to be played are not in it.
    """
    with opened(where) as store, busy(console(stderr=True), "exporting ...") as say:
        found = export(
            store,
            file,
            bots=bots,
            watch=lambda done: say(f"exporting ... {done:,} records"),
            made=tell_new_key,
        )
    if as_json:
        told = ExportJson(found.facts, found.records, found.gone, found.bots, found.head, str(file))
        print(json_text(told, indent=None))
    else:
        with_bots = f", {plural(found.bots, 'bot')}" if bots else ""
        print(f"{file}: {_facts_and_records(found)}{with_bots}")
        print(f"head: {head_line(found.head.head)}")
        print(f"signed by {found.head.public_key}")


def _facts_and_records(of: Exported | Imported) -> str:
    gone = f" ({of.gone:,} more are gone by decision)" if of.gone else ""
    return f"{plural(of.facts, 'fact')}, {plural(of.records, 'record')}{gone}"


def backup_ladder(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new one, or that of an earlier backup.")
    ],
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Copies a whole ladder, while it is in use, into a folder that is a ladder again.

    With its bots, records, signing key, tokens and uploads: keep it as secret as the ladder. What
    is there from an earlier backup is not copied again. To go on with it, `--ladder FOLDER`.
    """
    with opened(where) as store, busy(console(stderr=True), "copying ...") as say:
        found = back_up(store, folder, lambda done: say(f"copying ... {done:,} files"))
    if as_json:
        told = BackupJson(str(folder), found.files, found.copied, found.bytes)
        print(json_text(told, indent=None))
    else:
        print(
            f"{folder}: {plural(found.files, 'file')} and the database, "
            f"{found.copied:,} copied now ({in_bytes(found.bytes)})"
        )


def import_ladder(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `ladder export` has written.")],
    public_key: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Whose signature it must have.  [default: anybody's]"),
    ] = None,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Makes a ladder of an archive, after checking all of it. There must be none yet.

    Facts are compared with their chain and its signature, records with their hashes. Play every
    record again with `referee ladder verify`. The archive's head is the first in the log of the new
    ladder, so that `verify` compares with it from then on.
    """
    with busy(console(stderr=True), "importing ...") as say:
        found = take_in(
            where_of(where),
            file,
            public_key=public_key,
            watch=lambda done: say(f"importing ... {done:,} facts"),
        )
    if as_json:
        key = found.head.public_key
        told = ImportJson(found.facts, found.records, found.gone, found.bots, found.head, key)
        print(json_text(told, indent=None))
    else:
        print(f"{_facts_and_records(found)}, {plural(found.bots, 'bot')}")
        print(f"head: {head_line(found.head.head)}")
        print(f"signed by {found.head.public_key}")
        if not found.bots:
            print("its bots are not in the archive: they can be submitted again")
        if not found.key.exists():
            print(
                "its signing key is not in the archive: to sign as before, copy head-key from the "
                f"old ladder's files to {printable(str(found.key))}"
            )
