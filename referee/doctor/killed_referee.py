"""A referee to be killed: `python -m referee.doctor.killed_referee SANDBOX [watched]`.

It says which run it is and by which word its bot's processes are known, as one line of JSON.
"""

import os
import sys

import msgspec
import trio

from referee.bots.settings import Bounds, read_settings
from referee.doctor.probing import found_probes, running
from referee.sandbox.choose import opened
from referee.sandbox.janitor import run_of
from referee.sandbox.names import SandboxName


async def _live(name: SandboxName, *, cgroups: bool) -> None:
    async with opened(name, read_settings(), cgroups=cgroups) as sandbox:
        base = await sandbox.prepare(found_probes(Bounds()))
        async with running(sandbox, base, "live", "daemon") as probe:
            await probe.hear()
            line = msgspec.json.encode((probe.token, run_of(os.getpid()))) + b"\n"
            os.write(1, line)
            await trio.sleep_forever()


def main(name: str, watched: str = "") -> None:
    """Lives until it is killed."""
    trio.run(lambda: _live(SandboxName(name), cgroups=not watched))


if __name__ == "__main__":
    main(*sys.argv[1:])
