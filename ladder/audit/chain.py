"""The chain of facts, link by link."""

from collections.abc import Iterator

from ladder.core.facts import (
    FIRST_HASH,
    Fact,
    Submission,
    as_bytes,
    chained,
    digest_of,
    digest_of_bytes,
    kind_of,
)
from ladder.store.chain import Link


class Links:
    """Follows the chain; after a link that does not fit it goes on, so that each is told of once.

    Attributes:
        seq: the number of the last fact.
        hash: its hash, as it is written.
    """

    def __init__(self) -> None:
        """Stands before the first fact."""
        self.seq = 0
        self.hash = FIRST_HASH
        self._worked = FIRST_HASH
        """What the hash of the last fact should be."""

    def add(self, link: Link, fact: Fact | None) -> Iterator[str]:
        """The next link; what is wrong with it, in words.

        Args:
            link: as it is written.
            fact: what it stands for, if that can be read.
        """
        if link.seq != self.seq + 1:
            yield _gap(self.seq, link.seq)
        digest = digest_of_bytes(link.body)
        if isinstance(fact, Submission):  # its names are hashed by themselves
            digest = digest_of(fact)
        if digest != link.digest:
            yield "it is not what was written: its digest is another one"
        if fact is not None:
            yield from _misfits(link, fact)
        fits = [
            before
            for before in (self.hash, self._worked)
            if link.hash in (chained(before, link.digest), chained(before, digest))
        ]
        if not fits:
            yield "its hash does not follow from it and the facts before it"
        self._worked = link.hash if fits else chained(self._worked, digest)
        self.seq, self.hash = link.seq, link.hash


def _misfits(link: Link, fact: Fact) -> Iterator[str]:
    """Where a fact is listed as what it is not."""
    if kind_of(fact) != link.kind:
        yield f"it is listed as {link.kind[:20]!r}, and is of kind {kind_of(fact)!r}"
    if fact.at_ms != link.at_ms:
        yield f"it is listed at {link.at_ms} ms, and says {fact.at_ms}"
    try:
        again = as_bytes(fact)
    except OverflowError:
        again = b""
    if again != link.body:
        yield "its JSON is not as it was written"


def _gap(before: int, now: int) -> str:
    if now <= before:
        return f"its number comes after {before}"
    missing = (
        f"fact {before + 1} is" if now == before + 2 else f"facts {before + 1} to {now - 1} are"
    )
    return f"before it, {missing} missing"
