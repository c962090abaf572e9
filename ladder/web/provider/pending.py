"""Who is on the way to the provider and back: each once, for some minutes. Pure."""

import hashlib
import hmac
from collections import OrderedDict
from typing import Final

from msgspec import Struct

LONGEST_S: Final = 600.0
"""So long a person may be at the provider."""

MOST: Final = 5000
"""So many may be at once; the one who began first has to begin again then."""


class Account(Struct, frozen=True):
    """An account at a provider."""

    issuer: str
    subject: str


class Begun(Struct, frozen=True, kw_only=True):
    """A sign-in that has begun.

    Attributes:
        state: by which it is known when the browser comes back.
        nonce: has to stand in what the provider says of it.
        verifier: the secret half of PKCE: a thief of the code alone cannot use it.
        redirect_uri: where the browser comes back to.
        onward: where it goes.
        token: the id of the token that is to be bound to the account; "" to sign in only.
        author: whose that is.
        account: what the provider has said; None before.
    """

    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    onward: str
    token: str = ""
    author: str = ""
    account: Account | None = None


class Pending:
    """The sign-ins that have begun and are not over, each of one browser."""

    def __init__(self) -> None:
        """Knows none."""
        self._begun: OrderedDict[str, tuple[Begun, bytes, float]] = OrderedDict()

    def put(self, begun: Begun, browser: str, now: float) -> None:
        """Remember a sign-in.

        Args:
            begun: it.
            browser: the secret in the cookie of the browser that has begun it.
            now: seconds, of a clock that only goes on.
        """
        self._forget(now)
        self._begun[begun.state] = (begun, _hash(browser), now + LONGEST_S)
        if len(self._begun) > MOST:
            self._begun.popitem(last=False)

    def take(self, state: str, browser: str, now: float) -> Begun | None:
        """Return the sign-in of this state, once; None where this browser has begun none such.

        For arguments see `put`.
        """
        self._forget(now)
        found = self._begun.get(state)
        if found is None or not hmac.compare_digest(found[1], _hash(browser)):
            return None
        del self._begun[state]
        return found[0]

    def _forget(self, now: float) -> None:
        """Forget what has taken too long; the oldest come first."""
        while self._begun and next(iter(self._begun.values()))[2] <= now:
            self._begun.popitem(last=False)


def _hash(browser: str) -> bytes:
    return hashlib.sha256(browser.encode(errors="replace")).digest()
