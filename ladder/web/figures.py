"""What the site tells of itself to a monitor, as Prometheus reads it."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)


class Figures:
    """The site's figures.

    Attributes:
        requests: by the name of the page and the status of the answer.
        seconds: until an answer was made, by page.
        readers: pages that follow the results.
        matches: of the ladder.
        under_way: matches that have no result yet.
        facts: of the ladder.
        away: 1 while the database does not answer.
    """

    def __init__(self) -> None:
        """All are 0."""
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "referee_site_requests", "Answers.", ("page", "status"), registry=registry
        )
        self.seconds = Histogram(
            "referee_site_seconds",
            "Seconds until an answer was made.",
            ("page",),
            buckets=_SECONDS,
            registry=registry,
        )
        self.readers = Gauge("referee_site_readers", "Pages that follow.", registry=registry)
        self.matches = Gauge("referee_ladder_matches", "Matches played.", registry=registry)
        self.under_way = Gauge("referee_ladder_under_way", "Matches under way.", registry=registry)
        self.facts = Gauge("referee_ladder_facts", "Facts of the ladder.", registry=registry)
        self.away = Gauge("referee_database_away", "Whether it is away.", registry=registry)

    def text(self) -> bytes:
        """Return all of them."""
        return generate_latest(self._registry)
