"""A seal: decks follow from the organiser's secret and from what others give.

Before anything is played the commitment to the secret is published, and one to what each author
contributes; then the contributions are told, or a beacon, and the key of all decks is made of both.
The organiser could not choose the secret by the decks, and authors do not know it. Pure.
"""

import hashlib
import hmac
import re
from typing import Final

from msgspec import Struct

from referee.match.chance import event_key

CONTRIBUTION_BYTES: Final = 32
LONGEST_BEACON: Final = 200
_DIGITS: Final = re.compile(f"[0-9a-f]{{{2 * CONTRIBUTION_BYTES}}}", re.ASCII)
_BEACON: Final = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_BEACON}}}", re.ASCII)


class Seal(Struct, frozen=True, kw_only=True):
    """What organiser and authors have agreed on before they could know the decks.

    Attributes:
        commitments: to what the author of each entrant contributes; "" for one who gives nothing.
        beacon: what others publish later and neither organiser nor authors can choose: whose, and
            of which moment; "" for none.
    """

    commitments: tuple[str, ...]
    beacon: str


class Contributions(Struct, frozen=True, kw_only=True):
    """What was told after that.

    Attributes:
        contributions: 64 hex digits for each entrant; "" where it was withheld, or none was due.
        beacon: what was published; "" where none is agreed on.
    """

    contributions: tuple[str, ...]
    beacon: str


def commitment(key: str) -> str:
    """What can be published beforehand, and checked when the key is: 64 hex digits.

    It is SHA-256 of the 32 bytes that SPEC 8.1 makes of the key's text. SHA-256 of the text itself
    would be those bytes, and who has them can deal all decks.
    """
    return hashlib.sha256(event_key(key)).hexdigest()


def is_digits(text: str) -> bool:
    """Whether a text is 64 hex digits, as contributions are and commitments to them."""
    return _DIGITS.fullmatch(text) is not None


def commitment_to(contribution: str) -> str:
    """Return what an author publishes before the event: SHA-256, as 64 hex digits."""
    return hashlib.sha256(f"contribution:{contribution}".encode()).hexdigest()


def sealed_key(secret: str, plan_digest: str, told: Contributions) -> str:
    """Return the text that the event key is made of (docs/results.md, 1): 64 hex digits.

    Args:
        secret: the organiser's text; its commitment stands in the plan.
        plan_digest: of the plan, which has all commitments.
        told: the contributions.
    """
    lines = ("seal", plan_digest, *told.contributions, told.beacon)
    message = "".join(f"{line}\n" for line in lines).encode()
    return hmac.digest(event_key(secret), message, "sha256").hex()


def is_beacon(text: str) -> bool:
    """Whether a text can be what a beacon has published."""
    return _BEACON.fullmatch(text) is not None


def misfit(seal: Seal, told: Contributions) -> str:
    """Return what of the contributions does not fit what was agreed on; "" if all does."""
    if len(told.contributions) != len(seal.commitments):
        return "contributions: another number of entrants"
    for number, (due, given) in enumerate(zip(seal.commitments, told.contributions, strict=True)):
        if given and not (is_digits(given) and commitment_to(given) == due):
            return f"contribution of entrant {number}: not the one that was committed to"
    if bool(told.beacon) != bool(seal.beacon):
        return "beacon: there must be one just where the plan names one"
    if told.beacon and not is_beacon(told.beacon):
        return f"beacon: 1 to {LONGEST_BEACON} printable ASCII characters without blanks"
    return ""


def withheld(seal: Seal, told: Contributions) -> tuple[int, ...]:
    """Return the entrants of which a contribution was promised and is not in the log."""
    pairs = zip(seal.commitments, told.contributions, strict=True)
    return tuple(number for number, (due, given) in enumerate(pairs) if due and not given)
