"""From the secret of an event to the keys of its decks, and what is published before. Pure."""

import hashlib

from ladder.core.seal import Contributions, sealed_key
from ladder.event.plan import EventPlan
from referee.match.chance import block_key, event_key


def key_of_decks(plan: EventPlan, secret: str, told: Contributions | None) -> str:
    """Return the text that the keys of all decks are made of (SPEC 8.1).

    Args:
        plan: of the event.
        secret: what the organiser has committed to.
        told: the contributions, where the event is sealed.
    """
    return secret if told is None else sealed_key(secret, plan.digest(), told)


def decks_digest(key: str, first: int, blocks: int) -> str:
    """Return what names the decks of a match: SHA-256 of its block keys, one a line.

    Args:
        key: the text that the event key is made of.
        first: the index of its first block.
        blocks: how many it has.
    """
    event = event_key(key)
    keys = (block_key(event, block) for block in range(first, first + blocks))
    return hashlib.sha256("".join(f"{one}\n" for one in keys).encode()).hexdigest()
