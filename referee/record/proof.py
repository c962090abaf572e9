"""What playing a record again has shown, as one value."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from referee.errors import RefereeError
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation


class Proof(Struct, frozen=True):
    """Whether a record verifies: what `replay --verify --json` prints.

    Attributes:
        trouble: why it does not; null if it does.
        unfinished: whether it holds as far as it goes, but the match has no end there.
        deals: how many hold.
        voids: void deals, which were played again.
    """

    record: str
    verified: bool
    trouble: str | None
    unfinished: bool = False
    deals: int = 0
    voids: int = 0
    game_digest: str | None = None


def prove(path: Path, tell: Callable[[int], None] = lambda _: None) -> Proof:
    """Play a record again.

    Args:
        path: the file.
        tell: is told how many deals hold so far, after each.

    Raises:
        RefereeError: it cannot be read, or is of another format or other rules.
    """
    with RecordReader(path) as reader:
        try:
            found = Resimulation(reader)
        except Mismatch as error:
            return Proof(str(path), verified=False, trouble=str(error))
        trouble = None
        try:
            for number, _ in enumerate(found.deals(), 1):
                tell(number)
        except Mismatch as error:
            trouble = str(error)
    return Proof(
        record=str(path),
        verified=trouble is None and found.unfinished is None,
        trouble=trouble or found.unfinished,
        unfinished=trouble is None and found.unfinished is not None,
        deals=found.totals.deals,
        voids=found.totals.void_count,
        game_digest=found.end.game_digest if found.end else None,
    )


def prove_any(path: Path) -> Proof:
    """Play one of many records again; that it cannot be read is a trouble like another."""
    try:
        return prove(path)
    except RefereeError as error:
        return Proof(str(path), verified=False, trouble=str(error))
