"""What machine this is, as far as it explains figures."""

import os
import platform
import sys
import sysconfig
from pathlib import Path

from referee.bench.report import Machine
from referee.play.exchange import exchange, plain_exchange
from referee.version import own_version


def machine(compiler: str) -> Machine:
    """This machine, as it is now."""
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=processor(),
        kernel=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()} {_build()}",
        referee=own_version(),
        compiler=compiler,
        exchange="plain" if exchange is plain_exchange else "compiled",
        busy=os.getloadavg()[0],
    )


def _build() -> str:
    return python_build(sysconfig.get_config_var("CONFIG_ARGS") or "", sys.base_prefix)


def python_build(arguments: str, prefix: str) -> str:
    """Say whether an interpreter was optimised by a profile, which is worth a tenth.

    Args:
        arguments: those that it was configured with; distributions make the profile in other ways.
        prefix: where it is installed.
    """
    if "--enable-optimizations" in arguments:
        return "with PGO"
    return "of the distribution" if prefix == "/usr" else "without PGO"


def processor() -> str:
    """Its name, where the kernel tells."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
