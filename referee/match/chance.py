"""All chance of a match, derived from keys as SPEC 8 writes it out. Draws nothing itself.

Everything is SHA-256 over ASCII text, so that twenty lines in any language recompute it.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Final, NewType, TypeVar

from referee.rules.cards import Card

BlockKey = NewType("BlockKey", str)
"""64 hex digits: what a record carries of the event key."""

KEY_BITS: Final = 128
"""How much chance is in a key that we make ourselves."""

ID_DIGITS: Final = 16

_T = TypeVar("_T")
_numbers: Final = struct.Struct(">8I").unpack


def event_key(text: str) -> bytes:
    """The event key that a text stands for (SPEC 8.1)."""
    return hashlib.sha256(text.encode()).digest()


def block_key(key: bytes, block: int) -> BlockKey:
    """The key of one block: HMAC-SHA-256 of its number, written in decimal."""
    return BlockKey(hmac.digest(key, str(block).encode(), "sha256").hex())


def stream(key: BlockKey, label: str) -> Iterator[bytes]:
    """The 32-byte pieces of a stream of a block: SHA-256 of "key:label:0", of "key:label:1", …."""
    for counter in count():
        yield hashlib.sha256(f"{key}:{label}:{counter}".encode()).digest()


def words(key: BlockKey, label: str) -> Iterator[int]:
    """A stream as unsigned 32-bit numbers, the high byte first."""
    return chain.from_iterable(map(_numbers, stream(key, label)))


def below(limit: int, numbers: Iterator[int]) -> int:
    """A number from 0 to limit - 1, each as likely; numbers that would favour some are skipped."""
    fair = 2**32 - 2**32 % limit
    for number in numbers:
        if number < fair:
            return number % limit
    raise AssertionError  # a stream has no end


def shuffled(cards: Sequence[Card], key: BlockKey) -> tuple[Card, ...]:
    """The deck of a block, top card first."""
    return mixed(cards, words(key, "deck"))


def leg_order(seatings: Sequence[_T], key: BlockKey) -> tuple[_T, ...]:
    """The seatings of a match in the order in which they are played; `key` is its first block's."""
    return mixed(seatings, words(key, "legs"))


def mixed(things: Sequence[_T], numbers: Iterator[int]) -> tuple[_T, ...]:
    """Return things in a random order: Fisher-Yates from the last thing down (SPEC 8.2)."""
    order = list(things)
    for last, number in zip(range(len(order) - 1, 0, -1), numbers, strict=False):
        if number >= 2**32 - 1 - last:  # hardly ever; it may favour some
            other = below(last + 1, chain((number,), numbers))
        else:
            other = number % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def first_dealer(key: BlockKey, seats: int) -> int:
    """Who deals first."""
    return below(seats, words(key, "dealer"))


def act_ids(key: BlockKey, place: int) -> Iterator[str]:
    """The ids of one place's acts in a deal, one after the other."""
    for piece in stream(key, f"id/{place}"):
        digits = piece.hex()
        for at in range(0, len(digits), ID_DIGITS):
            yield digits[at : at + ID_DIGITS]


def private_seed(key: BlockKey, place: int) -> str:
    """What a process may seed its own dice with: 32 hex digits."""
    return next(stream(key, f"seed/{place}")).hex()[:32]
