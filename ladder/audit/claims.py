"""What was said of a ladder earlier: its heads, as they were signed, printed or handed out.

A claim is read from any file that names heads: one signed head, a log of them, a receipt, what
`referee submit` or `export` has printed, and a table in any of its forms. A ladder has to go on
from each, and has to have each submission that a receipt names.
"""

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from ladder.files import signed_head
from ladder.files.head_text import heads_in
from ladder.files.signed_head import Head, SignedHead
from ladder.store import receipts
from ladder.store.receipts import Receipt, SignedReceipt
from referee.errors import RefereeError
from referee.record.opened import opened
from referee.text import printable

_LARGEST: Final = 64 * 1024 * 1024
"""Upper bound of the bytes of a file that names heads."""

_SIGNED: Final = ('{"receipt":', '{"head":')
"""How the objects begin that may stand in a line of text."""


class Claim(Struct, frozen=True, kw_only=True):
    """One thing that was said of a ladder.

    Attributes:
        source: where it stands, for messages.
        head: where the ladder stood; `at_ms` is 0 where no date could be read.
        signed: whether it has a signature, which was checked.
        receipt: the receipt whose head it is, if it is of one.
    """

    source: str
    head: Head
    signed: bool = False
    receipt: Receipt | None = None


def read_claims(path: Path, public_key: str | None = None) -> list[Claim]:
    """Read all heads and receipts that a file names, each once.

    Args:
        path: of the file.
        public_key: the key that each must be signed with, in hex; None: any key or none.

    Raises:
        RefereeError: the file cannot be read, names no head, or a signature does not fit.
    """
    name = str(path)
    try:
        with opened(path, "head") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise RefereeError(f"head {name!r}: {error.strerror}") from error
    if len(data) > _LARGEST:
        raise RefereeError(f"head {name!r}: more than {_LARGEST} bytes")
    found = {
        (claim.head.ladder, claim.head.facts, claim.head.hash, claim.receipt): claim
        for claim in sorted(
            _claims_of(data.decode(errors="replace"), name, public_key),
            key=lambda claim: claim.signed,  # of the same head the one with a signature stays
        )
    }
    if not found:
        raise RefereeError(
            f"head {name!r}: it names no head: give a signed head, a log of heads, a receipt, or a "
            "table or page of a ladder"
        )
    if public_key is not None and not all(claim.signed for claim in found.values()):
        raise RefereeError(f"head {name!r} is not signed, so --public-key cannot say whose it is")
    return list(found.values())


def _claims_of(text: str, name: str, public_key: str | None) -> Iterator[Claim]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines(), 1):
            if (begun := _object_in(line)) is not None:
                yield from _claims_in(begun, f"{name}, line {number}", public_key)
        heads_named = [*heads_in(text), *_in_csv(text)]
        yield from (Claim(source=name, head=head) for head in heads_named)
    else:
        yield from _claims_in(whole, name, public_key)


def _object_in(line: str) -> Any:  # JSON
    """Return the first signed object in a line of text, or None.

    A table quotes what bots wrote. So within a line only what has the shape of a signed object is
    one; a line that begins with it is taken as it is, and must be right.
    """
    for start in filter(lambda at: at >= 0, map(line.find, _SIGNED)):
        try:
            found = json.JSONDecoder().raw_decode(line, start)[0]
        except (ValueError, RecursionError):
            continue
        if not line[:start].strip() or _is_signed(found):
            return found
    return None


def _is_signed(value: Any) -> bool:  # JSON
    """Return whether a value has the shape of a signed head or receipt."""
    for kind in (SignedHead, SignedReceipt):
        with suppress(msgspec.ValidationError):
            msgspec.convert(value, kind)
            return True
    return False


def _in_csv(text: str) -> Iterator[Head]:
    """Yield the head of a table in CSV; all its rows name the same one."""
    names = ("ladder_id", "facts", "head")
    if not set(names) <= set(text.partition("\n")[0].strip().split(",")):
        return
    with suppress(csv.Error):  # a field is too long: it is no table of ours
        for row in csv.DictReader(text.splitlines()):
            ladder, facts, digest = (row[name] for name in names)
            try:
                made = {"ladder": ladder, "facts": int(facts), "hash": digest, "at_ms": 0}
                yield msgspec.convert(made, Head)
            except (TypeError, ValueError):
                continue
            return


def _claims_in(value: Any, source: str, public_key: str | None) -> Iterator[Claim]:
    """Yield what is said within a JSON value, at any depth.

    Raises:
        RefereeError: a signature does not fit.
    """
    waiting = [value]
    while waiting:
        here = waiting.pop()
        claim = _claim(here, source, public_key) if isinstance(here, dict) else None
        if claim is not None:
            yield claim
        elif isinstance(here, dict):
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)


def _claim(here: dict[str, Any], source: str, public_key: str | None) -> Claim | None:
    """Return what an object says; None if it is neither a head nor a receipt.

    Raises:
        RefereeError: it looks like one, and is damaged or forged.
    """
    try:
        if set(here) == set(SignedReceipt.__struct_fields__):
            slip = msgspec.convert(here, SignedReceipt)
            receipts.check(slip, public_key)
            receipt = slip.receipt
            return Claim(source=source, head=receipt.head, signed=True, receipt=receipt)
        if set(here) == set(SignedHead.__struct_fields__):
            found = msgspec.convert(here, SignedHead)
            signed_head.check(found, public_key)
            return Claim(source=source, head=found.head, signed=True)
        if set(here) | {"proved"} == set(Head.__struct_fields__):  # left out where it is false
            return Claim(source=source, head=msgspec.convert(here, Head))
    except (msgspec.ValidationError, RefereeError) as error:
        raise RefereeError(f"head {source!r}: {printable(str(error))}") from error
    return None
