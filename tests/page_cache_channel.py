"""What one life of a bot can tell the next by timing alone: bits a second and the share of errors.

    python -m tests.page_cache_channel SANDBOX [BITS]

SANDBOX is `bwrap`, `docker`, or `watched`: bwrap without control groups, as users have it. BITS is
how many bits are sent by each carrier, 300 by default. It wants a machine with nothing else to do.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import trio

from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.memory_channel import Carrier, measured  # it lies beside this file


async def _measure(word: str, bits: int) -> None:
    name = SandboxName.DOCKER if word == "docker" else SandboxName.BWRAP
    with tempfile.TemporaryDirectory() as scratch:
        async with opened(name, cgroups=word != "watched") as sandbox:
            print(f"{name}: {sandbox.how}", flush=True)
            for carrier in Carrier:
                folder = Path(scratch, carrier.name)
                channel = await measured(sandbox, carrier, folder, bits, disk_too=True)
                print(channel.text(), flush=True)


def main() -> int:
    """The script."""
    words = sys.argv[1:]
    if (
        not words
        or words[0] not in ("bwrap", "docker", "watched")
        or not all(map(str.isdecimal, words[1:]))
    ):
        print(__doc__, file=sys.stderr)
        return 2
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as matches are
    trio.run(_measure, words[0], max(int((*words[1:], "300")[0]), 10))
    return 0


if __name__ == "__main__":
    sys.exit(main())
