"""How much one visitor may ask for: a bucket of tokens each, which fills again with time. Pure."""

import ipaddress
import re
from collections import OrderedDict
from typing import Final

from msgspec import Struct

MOST_VISITORS: Final = 20_000
"""So many are remembered; who was quiet longest is forgotten, and has a full bucket again."""


_WITH_PORT: Final = re.compile(r"\[(.+)\](?::[0-9]+)?|([^:]+):[0-9]+", re.ASCII)


class TooMany(Exception):
    """A visitor asks for more than one may. Caught in `guarded`."""

    def __init__(self, wait_s: float) -> None:
        """Says in how many seconds there is enough again."""
        super().__init__(wait_s)
        self.wait_s = wait_s


class Rate(Struct, frozen=True):
    """So many at once, and so many a second in the long run."""

    burst: float
    a_second: float


class _Bucket(Struct):
    left: float
    at: float


class RateLimit:
    """The buckets of all visitors."""

    def __init__(self, rate: Rate) -> None:
        """All buckets are full."""
        self.rate = rate
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, visitor: str, now: float, amount: float = 1.0) -> float:
        """Take from a visitor's bucket, if there is enough in it.

        Args:
            visitor: by its address, as `visitor_of` has it.
            now: seconds, of a clock that only goes on.
            amount: how much.

        Returns:
            0, or in how many seconds there will be enough.
        """
        bucket = self._buckets.get(visitor)
        if bucket is None:
            bucket = self._buckets[visitor] = _Bucket(self.rate.burst, now)
            if len(self._buckets) > MOST_VISITORS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(visitor)
        bucket.left, bucket.at = _filled(bucket, self.rate, now), now
        if bucket.left >= amount:
            bucket.left -= amount
            return 0.0
        return (amount - bucket.left) / self.rate.a_second

    def wait(self, visitor: str, now: float) -> float:
        """Return in how many seconds a visitor may take one; 0 for now. Nothing is taken."""
        bucket = self._buckets.get(visitor)
        if bucket is None:
            return 0.0
        return max(1.0 - _filled(bucket, self.rate, now), 0.0) / self.rate.a_second


def _filled(bucket: _Bucket, rate: Rate, now: float) -> float:
    """Return how much is in a bucket by now."""
    return min(bucket.left + (now - bucket.at) * rate.a_second, rate.burst)


def visitor_of(address: str) -> str:
    """Return who is meant by an address: of IPv6 a whole /64, which one household has.

    A proxy may say the port, too, which is another one for each connection.
    """
    with_port = _WITH_PORT.fullmatch(address)
    if with_port is not None:
        address = with_port[1] or with_port[2]
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
