"""What one life of a bot can tell the next by timing alone: bits a second and the share of errors.

    python -m tests.page_cache_channel SANDBOX [BITS [FIRST COUNT]]

SANDBOX is `bwrap`, `docker`, or `watched`: bwrap without control groups, as users have it. BITS is
how many bits are sent by each carrier, 300 by default. It wants a machine with nothing else to do.

With FIRST and COUNT, so many large files of /usr, from that number on, are the carriers, one after
the other, each three times. What the disk or a virtual machine's host keeps by itself shows where
the first time differs: each file tells that once, so take others when you try again.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import trio

from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.memory_channel import Carrier, large_files, measured, pages_in  # beside this file

_TIMES = 3


async def _measure(word: str, bits: int, files: Sequence[Path]) -> None:
    name = SandboxName.DOCKER if word == "docker" else SandboxName.BWRAP
    with tempfile.TemporaryDirectory() as scratch:
        async with opened(name, cgroups=word != "watched") as sandbox:
            print(f"{name}: {sandbox.how}", flush=True)
            if files:
                await _measure_files(sandbox, Path(scratch), bits, files)
                return
            for carrier in Carrier:
                folder = Path(scratch, carrier.name)
                channel = await measured(sandbox, carrier, folder, bits, disk_too=True)
                print(channel.text(), flush=True)


async def _measure_files(sandbox: Sandbox, scratch: Path, bits: int, files: Sequence[Path]) -> None:
    for number, file in enumerate(files):
        wrong = []
        for time in range(_TIMES):
            channel = await measured(
                sandbox,
                Carrier.SYSTEM,
                scratch / f"{number}-{time}",
                min(bits, pages_in(file) // 2),
                disk_too=True,
                large=[file],
            )
            wrong.append(f"{channel.errors / channel.bits:6.1%}")
        print(f"{file.name:36} {channel.bits:4} bits, wrong: {' '.join(wrong)}", flush=True)


def main() -> int:
    """The script."""
    words = sys.argv[1:]
    if (
        len(words) not in (1, 2, 4)
        or words[0] not in ("bwrap", "docker", "watched")
        or not all(map(str.isdecimal, words[1:]))
    ):
        print(__doc__, file=sys.stderr)
        return 2
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as matches are
    bits = max(int((*words[1:], "300")[0]), 10)
    first, count = map(int, words[2:] or (0, 0))
    trio.run(_measure, words[0], bits, large_files()[first : first + count])
    return 0


if __name__ == "__main__":
    sys.exit(main())
