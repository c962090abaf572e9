"""A command of ours that has a cluster play some matches at once, and the others on our word.

    python -P tests/support/gated.py MATCHES FILE COMMAND...

All but the first so many matches wait until there is a file of this name, so that a test can say
what happens to a cluster before a command is done.
"""

import sys
from itertools import count
from pathlib import Path

import trio

from ladder.cluster import players
from referee.cli import run
from referee.workers.jobs import Job, JobResult


class Gated(players.Cluster):
    """A cluster that waits for our word."""

    matches = 0
    file = Path()
    numbers = count()

    async def play(self, job: Job) -> JobResult:
        """Plays a job, as soon as it may."""
        if next(self.numbers) >= self.matches:
            while not self.file.exists():  # noqa: ASYNC110  # a file is no event
                await trio.sleep(0.02)
        return await super().play(job)


if __name__ == "__main__":
    Gated.matches, Gated.file = int(sys.argv[1]), Path(sys.argv[2])
    players.Cluster = Gated  # type: ignore[misc]  # every cluster that is opened here
    sys.exit(run(sys.argv[3:]))
