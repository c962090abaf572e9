"""A receipt: what the author of a bot keeps of a submission, under the ladder's signature.

It holds the fact of the submission and a head of the chain that has it. As long as the ladder goes
on from that head, the submission is in it, just as it was; `referee ladder verify` says so.
"""

from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct
from msgspec.structs import replace

from ladder.core.facts import Submission
from ladder.files.signed_head import (
    Count,
    Head,
    Hex64,
    Hex128,
    check_signature,
    public_of,
    signature_of,
)
from ladder.files.signing import Made, kept_key, now_ms
from ladder.store.store import Store

CONTEXT: Final = b"briscola-referee ladder receipt 1\n"
"""Precedes a receipt when it is signed."""


class Receipt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A submission, and where the ladder stood afterwards.

    Attributes:
        name: of the ladder; its id is in the head.
        fact: number of the fact that `submission` is.
        submission: name, author, version and entrant number of the bot, its hashes and its date.
        head: the last fact when the receipt was written; it may be a later one than `fact`.
    """

    name: str
    fact: Count
    submission: Submission
    head: Head


class SignedReceipt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A receipt and its signature.

    Attributes:
        receipt: what was signed, after `CONTEXT` and as compact JSON in the order of its fields.
        public_key: Ed25519, 32 bytes in hex.
        signature: 64 bytes in hex.
    """

    receipt: Receipt
    public_key: Hex64
    signature: Hex128


def receipt_of(store: Store, submission: Submission, made: Made) -> SignedReceipt:
    """Sign a receipt for a submission, with the ladder's key and the time of this moment.

    Args:
        store: the ladder.
        submission: one of its facts.
        made: is told where the ladder's key lies if it had none.

    Raises:
        RefereeError: the key cannot be used.
    """
    with store.moment() as head:
        fact = store.fact_of(submission.entrant)
    receipt = Receipt(
        name=store.opened.name,
        fact=fact,
        submission=submission,
        head=replace(head, at_ms=now_ms()),
    )
    return signed(receipt, kept_key(store.files, made))


def signed(receipt: Receipt, key: Ed25519PrivateKey) -> SignedReceipt:
    """Sign a receipt; the same receipt and key give the same signature."""
    signature = signature_of(CONTEXT, receipt, key)
    return SignedReceipt(receipt=receipt, public_key=public_of(key), signature=signature)


def check(found: SignedReceipt, public_key: str | None = None) -> None:
    """Prove that a receipt was signed by the key that it names.

    Args:
        found: the receipt.
        public_key: the key that it must be, in hex; None: any key.

    Raises:
        RefereeError: it was not, or `public_key` is no key.
    """
    signer = (found.public_key, found.signature)
    check_signature("receipt", CONTEXT, found.receipt, signer, public_key)


def as_json(found: SignedReceipt) -> str:
    """Return the receipt as JSON, on one line."""
    return msgspec.json.encode(found).decode()
