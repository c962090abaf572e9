"""`referee replay --verify`: proves a record, or all that a folder has."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.errors import RefereeError
from referee.record.processes import Processes
from referee.record.proof import Proof, prove, prove_any
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import plural, printable

_ENDINGS: Final = (".jsonl", ".jsonl.zst")
"""Of the names of records, as they are written and as ladders keep them."""


def verify_file(file: Path, *, as_json: bool) -> None:
    """Prove a record; exit code 1 if it does not verify."""
    with busy(console(stderr=True), "verifying ...") as say:

        def tell(deals: int) -> None:
            if deals % 100 == 0:
                say(f"verifying ... {deals} deals hold")

        proof = prove(file, tell)
    if as_json:
        print(json_text(proof, indent=None))
    _print_trouble(proof)
    if not proof.verified:
        raise typer.Exit(1)
    if not as_json:
        digest = f"{proof.game_digest}"
        if proof.voids:
            digest += f"; void deals played again: {proof.voids} (see referee replay)"
        deals = plural(proof.deals, "deal")
        print(f"{printable(str(file))}: verified, {deals}, game digest {digest}")


def verify_folder(folder: Path, *, as_json: bool) -> None:
    """Prove all records below a folder on all cores; exit code 1 if one does not verify.

    Raises:
        RefereeError: there is none.
        HostError: a process that proves was killed.
    """
    records = sorted(path for path in folder.rglob("*") if path.name.endswith(_ENDINGS))
    if not records:
        ending = " or ".join(_ENDINGS)
        raise RefereeError(f"folder {str(folder)!r} has no records, files that end in {ending}")
    proofs = list(_proofs(records))
    if as_json:
        print(json_text(proofs))
    for proof in proofs:
        _print_trouble(proof)
    good = [proof for proof in proofs if proof.verified]
    if not as_json:
        deals = plural(sum(proof.deals for proof in good), "deal")
        of = f" of {len(proofs):,}" if len(good) < len(proofs) else ""
        verb = "verifies" if len(good) == len(proofs) == 1 else "verify"
        print(f"{printable(str(folder))}: {len(good):,}{of} {_records(proofs)} {verb}, {deals}")
    if len(good) < len(proofs):
        raise typer.Exit(1)


def _records(proofs: list[Proof]) -> str:
    return "record" if len(proofs) == 1 else "records"


def _proofs(records: list[Path]) -> Iterator[Proof]:
    """All of them in their order, with a bar on a terminal meanwhile."""
    talk = console(stderr=True)
    columns = (
        TextColumn("records", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    shown = talk.is_terminal and len(records) > 1
    workers = len(os.sched_getaffinity(0))
    with (
        Progress(*columns, console=talk, transient=True, disable=not shown) as progress,
        Processes(prove_any, workers) as processes,
    ):
        task = progress.add_task("records", total=len(records))
        for record in records:
            for proof in processes.add(record):
                progress.advance(task)
                yield proof
        for proof in processes.rest():
            progress.advance(task)
            yield proof


def _print_trouble(proof: Proof) -> None:
    if proof.trouble is not None:
        what = "unfinished" if proof.unfinished else "does not verify"
        console(stderr=True).print(f"{proof.record}: {what}: {proof.trouble}", style="red")
