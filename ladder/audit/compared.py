"""With which earlier heads a ladder was compared, and what stays unproved without them. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from referee.text import plural

_KEPT: Final = "a head, a log of heads, a receipt, a table or a page that was kept elsewhere"


class Compared(Struct, frozen=True, kw_only=True):
    """The earlier heads that a ladder goes on from.

    Attributes:
        given: how many heads and receipts that a person named fit.
        signed: how many of those have a signature.
        logged: how many heads of the ladder's own log fit.
        newest_given: number of facts of the newest of `given`; 0 without any.
        newest_logged: number of facts of the newest of `logged`; 0 without any.
    """

    given: int = 0
    signed: int = 0
    logged: int = 0
    newest_given: int = 0
    newest_logged: int = 0

    def proved(self) -> Iterator[str]:
        """Yield what fits, a line for each kind."""
        if self.given:
            heads = plural(self.given, "given head")
            yield (
                f"goes on from {heads}, {self.signed:,} signed; "
                f"the newest has {plural(self.newest_given, 'fact')}"
            )
        if self.logged:
            heads = plural(self.logged, "head")
            yield (
                f"goes on from {heads} of its own log; "
                f"the newest has {plural(self.newest_logged, 'fact')}"
            )

    def unproved(self, facts: int) -> str:
        """Return what a removal and a new signature could still hide; "" if nothing.

        Args:
            facts: how many the ladder has.
        """
        if self.given and self.newest_given >= facts:
            return ""
        if self.given:
            return (
                f"not proved: that nothing was removed after fact {self.newest_given}, and the "
                "rest hashed and signed anew: no given head has later facts"
            )
        told = (
            "not proved: that no fact was removed or changed, and the rest hashed and signed anew"
        )
        if self.logged:
            return (
                f"{told}, the log of heads included, which lies beside the ladder: compare with "
                f"{_KEPT} (--against FILE)"
            )
        return f"{told}: only an earlier head shows that: compare with {_KEPT} (--against FILE)"
