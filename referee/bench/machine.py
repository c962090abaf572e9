"""What machine this is, as far as it explains figures."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from referee.bench.report import Machine


def machine(compiler: str) -> Machine:
    """This machine, as it is now."""
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=_processor(),
        kernel=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        referee=version("briscola-referee"),
        compiler=compiler,
        busy=os.getloadavg()[0],
    )


def _processor() -> str:
    """Its name, where the kernel tells."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
