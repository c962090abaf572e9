"""The doctor's short answer: `python -m referee.doctor.verdict SANDBOX`, with settings on stdin.

It prints a `DoctorVerdict` as JSON: why `--sandbox auto` should not take a sandbox, if so, and what
that does not promise here.
"""

import sys

import msgspec
import trio

from referee.bots.settings import Settings
from referee.doctor.diagnosis import diagnose
from referee.sandbox.doctor_verdict import DoctorVerdict
from referee.sandbox.names import SandboxName

_SAYS = "finding out what {} keeps of its promises here, which is remembered: some seconds ..."


async def verdict(name: SandboxName, settings: Settings) -> DoctorVerdict:
    """Put a sandbox on trial; a second time where it failed, for the machine may have been busy."""
    first = await diagnose(name, settings, lambda _: None, languages=False)
    if first.sound or not first.works:
        return first.verdict
    again = await diagnose(name, settings, lambda _: None, languages=False)
    both = [one for one in again.guarantees if one.id in (*first.broken, *first.absent)]
    return msgspec.structs.replace(again, guarantees=tuple(both)).verdict


def main(name: str) -> None:
    """Say what is being done on stderr, and the answer on stdout."""
    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
    sys.stderr.write(_SAYS.format(name) + "\n")
    sys.stderr.flush()
    answer = trio.run(verdict, SandboxName(name), settings)
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
