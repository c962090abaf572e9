"""Text for a terminal: what strangers wrote, made harmless; numbers with their nouns. Pure."""

import unicodedata
from collections.abc import Sequence
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of what moves the cursor, hides, or turns text round."""


def printable(text: str, keep: str = "") -> str:
    """Text from a stranger, with everything escaped that a terminal would act upon."""
    if text.isprintable():  # nothing of `_UNSEEN` is, and most text has nothing of it
        return text
    return "".join(
        one
        if one in keep or unicodedata.category(one) not in _UNSEEN
        else one.encode("unicode_escape").decode()
        for one in text
    )


def plural(count: int, word: str, words: str = "") -> str:
    """1 block, 12,000 blocks; `words` is for those that no s makes many of."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def told_apart(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: greedy#1 and greedy#2 in the place of two."""
    return [
        f"{name}#{names[: at + 1].count(name)}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def in_bytes(size: int) -> str:
    """Return a size in bytes as people read it: 512 B, 1.5 MiB."""
    if size < 1 << 10:
        return f"{size} B"
    for unit, shift in (("KiB", 10), ("MiB", 20)):
        if size < 1000 << shift:
            return f"{size / (1 << shift):.1f} {unit}"
    return f"{size / (1 << 30):,.1f} GiB"
