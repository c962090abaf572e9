"""Puts the sandboxes of this machine on trial, one after the other."""

import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from referee.bots.settings import Bounds, Settings
from referee.doctor.measurements import Facts, Terms
from referee.doctor.probing import PROBE_S, TrialError, found_probes
from referee.doctor.reports import (
    SWITCHES,
    Language,
    Machine,
    SandboxReport,
    absent,
    findings,
    mend_of,
)
from referee.doctor.trials import TRIALS, Attempt, Patient
from referee.errors import HostError, RefereeError
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened, trial
from referee.sandbox.doctor_cache import conditions, remember, verdict_of
from referee.sandbox.doctor_verdict import DoctorVerdict
from referee.sandbox.environment import (
    LOCKED,
    OPEN_FILES,
    SIGNALS,
    TMP_FILES,
    file_limit,
    own_memory,
)
from referee.sandbox.names import SandboxName

BOUNDS: Final = Bounds(memory=64, tmp=8)
"""Small, so that the trials are short, and do no harm where they are not kept."""

_BARE_OPEN_FILES: Final = 1024
_WATCHED_MORE: Final = 8
"""Without control groups each user has a limit of processes, with room for the sandbox's own."""

_OWN_PROCESSES: Final = 2
_SECRET: Final = "REFEREE_DOCTOR"  # noqa: S105  # a variable's name

Say = Callable[[str], None]
"""Tells a person what is being done."""


async def diagnose(
    name: SandboxName,
    settings: Settings,
    say: Say,
    *,
    cgroups: bool = True,
    landlock: bool = True,
    languages: bool = True,
) -> SandboxReport:
    """Opens a sandbox and puts it on trial.

    Args:
        name: which; not AUTO.
        settings: what the organiser allows.
        say: is told what is being done.
        cgroups: False to do without control groups.
        landlock: False to leave /proc open where no mount covers it.
        languages: False to leave out which languages a bot finds.
    """
    with _secret() as secret:
        try:
            async with _tried(name, settings, cgroups=cgroups, landlock=landlock) as sandbox:
                report = await examined(sandbox, settings, secret, say, languages=languages)
                if cgroups and landlock:
                    _remember(sandbox, settings, report)
                return report
        except (RefereeError, HostError, ImportError) as error:
            why_not = str(error)
    return SandboxReport(
        name=str(name), works=False, why_not=why_not, mend=mend_of(name, why_not, machine())
    )


def _remember(sandbox: Sandbox, settings: Settings, report: SandboxReport) -> None:
    """Have `--sandbox auto` know of a report, if it is one of a sandbox that it takes."""
    if sandbox.name != SandboxName.BARE:
        with suppress(OSError):
            remember(sandbox.name, conditions(sandbox, settings), report.verdict)


async def verdict_on(name: SandboxName, settings: Settings) -> DoctorVerdict:
    """What is remembered of a sandbox, or found out now."""
    try:
        async with _tried(name, settings) as sandbox:
            return await verdict_of(sandbox, settings)
    except (RefereeError, HostError, ImportError) as error:
        return DoctorVerdict(str(error))


@asynccontextmanager
async def _tried(
    name: SandboxName, settings: Settings, *, cgroups: bool = True, landlock: bool = True
) -> AsyncIterator[Sandbox]:
    async with opened(name, settings, cgroups=cgroups, landlock=landlock) as sandbox:
        await trial(sandbox)
        yield sandbox


async def examined(
    sandbox: Sandbox, settings: Settings, secret: str, say: Say, *, languages: bool = True
) -> SandboxReport:
    """Puts an open sandbox on trial.

    Args:
        sandbox: the sandbox.
        settings: those it was opened with.
        secret: a word in our environment.
        say: is told what is being done.
        languages: whether to find out which languages a bot finds.

    Raises:
        RefereeError: the trials cannot be run in it.
    """
    base = await sandbox.prepare(found_probes(BOUNDS))
    usual = msgspec.structs.replace(base, bounds=settings.default)
    watched = "watched" in sandbox.how
    landlock, root = "Landlock" in sandbox.how, os.geteuid() == 0
    missing = absent(
        sandbox.name,
        root=root,
        watched=watched,
        landlock=landlock,
        overlays="overlays" in sandbox.how,
    )
    patient = Patient(sandbox, base, usual, secret, watched, settings.toolchains)
    trials = {word: one for word, one in TRIALS.items() if one[0] or languages}
    facts, spoken = await _facts(patient, trials, frozenset(missing), say)
    return SandboxReport(
        name=sandbox.name,
        works=True,
        how=sandbox.how,
        guarantees=findings(facts, _terms(sandbox, settings, watched=watched), missing),
        languages=spoken,
    )


async def _facts(
    patient: Patient, trials: Mapping[str, Attempt], missing: frozenset[str], say: Say
) -> tuple[Facts, tuple[Language, ...]]:
    """Runs the trials of what is promised."""
    found: dict[str, Any] = {}  # JSON
    troubles: dict[str, str] = {}
    for words, (wanted, attempt) in trials.items():
        if wanted and missing.issuperset(wanted):
            continue
        say(f"{patient.sandbox.name}: {words} ...")
        try:
            with trio.move_on_after(2 * PROBE_S) as waited:
                found |= await attempt(patient)
            if waited.cancelled_caught:
                troubles |= dict.fromkeys(wanted, "no answer in time")
        except (TrialError, HostError, OSError) as error:
            troubles |= dict.fromkeys(wanted, f"not found out: {error}")
    languages = msgspec.convert(found.pop("languages", ()), tuple[Language, ...])
    return msgspec.convert({**found, "troubles": troubles}, Facts), languages


def _terms(sandbox: Sandbox, settings: Settings, *, watched: bool) -> Terms:
    more = _WATCHED_MORE if watched else _OWN_PROCESSES
    return Terms(
        memory=BOUNDS.memory,
        tmp=BOUNDS.tmp,
        tmp_files=TMP_FILES,
        open_files=_BARE_OPEN_FILES if sandbox.name == "bare" else OPEN_FILES,
        processes=BOUNDS.processes + more,
        user=os.geteuid(),
        limits=_limits(watched=watched),
    )


def _limits(*, watched: bool) -> dict[str, int]:
    """The limits that each process of a probe is to have, as the probes call them."""
    found = {"cores": 0, "open files": OPEN_FILES, "locked memory": LOCKED}
    found["size of a file"] = file_limit(BOUNDS)
    if watched:
        found["own memory"] = own_memory(BOUNDS)
        found["processes"] = BOUNDS.processes + _WATCHED_MORE
        found["signals that wait"] = SIGNALS
    return found


@contextmanager
def _secret() -> Iterator[str]:
    """A word in our environment that no bot may find."""
    word = secrets.token_hex(16)
    os.environ[_SECRET] = word
    try:
        yield word
    finally:
        del os.environ[_SECRET]


def machine() -> Machine:
    """What of this machine decides how to mend things."""
    switches = {}
    for path in SWITCHES:
        with suppress(OSError):
            switches[path] = Path(path).read_text().strip()
    return Machine(switches)
