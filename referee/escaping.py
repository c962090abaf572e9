"""What strangers wrote, made harmless for a terminal."""

import unicodedata
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of what moves the cursor, hides, or turns text round."""


def printable(text: str, keep: str = "") -> str:
    """Text from a stranger, with everything escaped that a terminal would act upon."""
    return "".join(
        one
        if one in keep or unicodedata.category(one) not in _UNSEEN
        else one.encode("unicode_escape").decode()
        for one in text
    )
