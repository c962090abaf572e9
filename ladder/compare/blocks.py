"""The blocks of a comparison one by one: their values, and the decks that cost most."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ladder.compare.comparison import Comparison
from referee.errors import HostError, RefereeError
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation

_ENDING: Final = ".jsonl"
_COLUMNS: Final = (
    *("block", "match", "deals", "value_a", "value_b"),
    *("luck_a", "faults_a", "faults_b", "record"),
)


class BlockJson(Struct, frozen=True):
    """A block that counts.

    Attributes:
        block: its index: with the same key it has the same deck.
        match: the match part in which it was played, from 1.
        values: what it brought A and B, in all its deals.
        deals: how many those were.
        luck: the part of A's value that chance alone brought; null where it was not counted.
        faults: A's and B's.
        record: the file that has it; null if none was kept.
    """

    block: int
    match: int
    values: tuple[int, ...]
    deals: int
    luck: float | None
    faults: tuple[int, ...]
    record: str | None

    @property
    def lead(self) -> float:
        """What A brought more than B, half of it, a deal: A's deal value."""
        return (self.values[0] - self.values[1]) / (2 * self.deals)


def record_path(folder: Path, first: int, at: int = 0) -> Path:
    """Return where the record of the part that begins with a block goes.

    Args:
        folder: of all records.
        first: the block.
        at: 1 for what B plays by itself, with a field; else 0.
    """
    return folder / f"blocks-{first:06}{'-b' if at else ''}{_ENDING}"


def new_folder(folder: Path) -> Path:
    """Make a folder for records, which has none yet.

    Raises:
        RefereeError: it cannot be made, or something lies there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise RefereeError(f"records {str(folder)!r}: the folder must be new, or empty")
    except OSError as error:
        raise RefereeError(f"records {str(folder)!r}: {error.strerror}") from error
    return folder


def block_list(comparison: Comparison, folder: Path | None) -> tuple[BlockJson, ...]:
    """Return the blocks that count, in their order.

    Args:
        comparison: what was played.
        folder: where the records are, if they were kept.
    """
    found = []
    for number, part in enumerate(comparison.parts, 1):
        record = None if folder is None else str(record_path(folder, part[0].block))
        for block in part:
            luck = block.luck[0] / 1000 if block.luck else None
            entry = BlockJson(
                block.block, number, block.values, block.deals, luck, block.faults, record
            )
            found.append(entry)
    return tuple(found)


def write_csv(path: Path, blocks: tuple[BlockJson, ...]) -> None:
    """Write the blocks as a table for other programs.

    Raises:
        HostError: the file cannot be written.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for one in blocks:
        rows.writerow(
            (
                *(one.block, one.match, one.deals, *one.values),
                *("" if one.luck is None else one.luck, *one.faults, one.record or ""),
            )
        )
    try:
        path.write_text(text.getvalue())
    except OSError as error:
        raise HostError(f"csv {str(path)!r}: {error.strerror}") from error


def worst(blocks: tuple[BlockJson, ...], count: int) -> tuple[BlockJson, ...]:
    """Return the blocks that cost A most, the costliest first."""
    return tuple(sorted(blocks, key=lambda block: (block.lead, block.block))[:count])


def costliest_deal(block: BlockJson, first: int) -> str | None:
    """Return which deal of a block cost A most, as `referee replay --deal` takes it.

    Args:
        block: one whose record was kept.
        first: the first block of its part.

    Returns:
        None where the record cannot be read any more.
    """
    if block.record is None:
        return None
    at = block.block - first + 1
    try:
        found = min(_values(Path(block.record), at), default=None)
    except (RefereeError, Mismatch):
        return None
    return None if found is None else f"{found[1] + 1}.{at}"


def _values(record: Path, at: int) -> Iterator[tuple[int, int]]:
    """Yield what the deal of this number brought A in each leg, and the leg."""
    with RecordReader(record) as reader:
        replayed = Resimulation(reader)
        for deal in replayed.deals():
            if deal.start.deal == at:
                seat = deal.start.bots.index(0)
                yield deal.by_seat[seat], replayed.totals.leg
