"""Clocks that are wrong, for the processes of a command: what stands before it."""

import subprocess
from pathlib import Path
from typing import Final

from support.sandboxes import need

_SHIFT: Final = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long seconds(void) { return atol(getenv("SHIFTED_BY")); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += seconds();
    return failed;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where)
        *where = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict where, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    where->tv_sec = now.tv_sec;
    where->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""
"""Loaded before the libraries of a program: it has another time of day."""

_RATE: Final = """
import sys, time
sys.modules["referee.native.exchange"] = None  # it asks the kernel
real, begin = time.perf_counter_ns, time.perf_counter_ns()
time.perf_counter_ns = lambda: begin + int(RATE * (real() - begin))
"""
"""Imported as Python starts: what measures how long something takes goes at another rate."""


def shifted(folder: Path, seconds: int) -> tuple[str, ...]:
    """A time of day that is so much later than it is; negative: earlier."""
    need("gcc")
    library = folder / "shifted.so"
    if not library.exists():
        (folder / "shifted.c").write_text(_SHIFT)
        make = ["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library)]
        subprocess.run([*make, str(folder / "shifted.c")], check=True)
    return ("env", f"LD_PRELOAD={library}", f"SHIFTED_BY={seconds}")


def at_rate(folder: Path, rate: float) -> tuple[str, ...]:
    """A clock that goes so many times as fast as time does."""
    place = folder / f"at-rate-{rate}"
    place.mkdir()
    (place / "sitecustomize.py").write_text(_RATE.replace("RATE", str(rate)))
    return ("env", f"PYTHONPATH={place}")
