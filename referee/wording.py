"""Numbers with their nouns as people read them. Pure."""


def plural(count: int, word: str, words: str = "") -> str:
    """1 block, 12,000 blocks; `words` is for those that no s makes many of."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
