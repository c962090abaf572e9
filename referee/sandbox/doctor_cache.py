"""What `referee doctor` has found of a sandbox, remembered until it may be otherwise.

A verdict holds for one boot of the machine, one kernel, one user, one version of the sandbox's
program and of our own files, and one set of settings. It lies in a file of the user's own; where
there is none it is found out, by a process of the doctor's.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct

import referee
from referee.bots.settings import Settings
from referee.errors import SandboxError
from referee.sandbox import Sandbox
from referee.sandbox.bubblewrap.sandbox import PROGRAMS
from referee.sandbox.build_cache import cache_folder
from referee.sandbox.doctor_verdict import DoctorVerdict

_COMMAND: Final = (sys.executable, "-P", "-m", "referee.doctor.verdict")
_LONGEST: Final = 64 * 1024
_MOST: Final = 16
"""So many verdicts are kept for each kind of sandbox: of other settings, or of other daemons."""


class _KeptVerdict(Struct, frozen=True):
    """A verdict, and what it holds for, as `conditions` has it."""

    of: str
    verdict: DoctorVerdict


def conditions(sandbox: Sandbox, settings: Settings) -> str:
    """Return a hash of all that a verdict depends on, and that can change.

    Args:
        sandbox: open; its `how` has the version of Docker's daemon.
        settings: those it was opened with.

    Raises:
        OSError: this is no Linux that we know.
    """
    parts = (
        Path("/proc/sys/kernel/random/boot_id").read_bytes(),
        repr(tuple(os.uname())).encode(),
        repr((os.geteuid(), os.getegid(), sorted(os.getgroups()))).encode(),
        f"{sandbox.name} {sandbox.how} {os.environ.get('DOCKER_HOST')}".encode(),
        *(_stamp(Path(folder, "bwrap")) for folder in PROGRAMS.split(":")),
        *map(_stamp, sorted(Path(referee.__path__[0]).rglob("*.py"))),
        msgspec.json.encode(settings),
    )
    return hashlib.sha256(b"\n".join(parts)).hexdigest()


def _stamp(path: Path) -> bytes:
    """What changes when a file is put in the place of another."""
    try:
        status = path.stat()
    except OSError:
        return b"none"
    return b"%d %d %d" % (status.st_ino, status.st_size, status.st_mtime_ns)


async def verdict_of(sandbox: Sandbox, settings: Settings) -> DoctorVerdict:
    """Return what the doctor has found of a sandbox; found out first, if need be.

    Several processes that ask at once have it found out once.

    Raises:
        SandboxError: it cannot be found out.
    """
    try:
        of = conditions(sandbox, settings)
        known = _known(sandbox.name, of)
        if known is not None:
            return known
        return await trio.to_thread.run_sync(_found_out, sandbox.name, of, settings)
    except OSError as error:
        raise SandboxError(f"what it enforces cannot be found out: {error}") from error


def remember(name: str, of: str, verdict: DoctorVerdict) -> None:
    """Keep a verdict; where the disk does not let us, it is found out again.

    Args:
        name: of the kind of sandbox.
        of: what the verdict holds for, as `conditions` has it.
        verdict: what was found.
    """
    with suppress(OSError):
        path = _file(name)
        verdicts = [one for one in _kept(path) if one.of != of]
        new = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            new.unlink()
        data = msgspec.json.encode([*verdicts, _KeptVerdict(of, verdict)][-_MOST:])
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
        new.rename(path)


def _found_out(name: str, of: str, settings: Settings) -> DoctorVerdict:
    """Have the doctor put a sandbox on trial, unless another process has just done so.

    Raises:
        OSError: the doctor cannot be started.
        SandboxError: it did not come to an end.
    """
    with _alone(name):
        known = _known(name, of)
        if known is not None:
            return known
        ran = subprocess.run(  # noqa: S603  # our own program; its stderr is ours
            (*_COMMAND, name),
            input=msgspec.json.encode(settings),
            stdout=subprocess.PIPE,
            check=False,
        )
        try:
            verdict = msgspec.json.decode(ran.stdout, type=DoctorVerdict)
        except msgspec.DecodeError:
            raise SandboxError("what it enforces was not found out: see `referee doctor`") from None
        remember(name, of, verdict)
        return verdict


def _known(name: str, of: str) -> DoctorVerdict | None:
    with suppress(OSError):
        return next((one.verdict for one in _kept(_file(name)) if one.of == of), None)
    return None


def _kept(path: Path) -> list[_KeptVerdict]:
    """Return the verdicts of a file; those of a file that is not ours alone do not count.

    Raises:
        OSError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            return []
        try:
            return msgspec.json.decode(file.read(_LONGEST), type=list[_KeptVerdict])
        except msgspec.DecodeError:
            return []


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Let no other process of this user find the same out; without a disk, all may."""
    lock = -1
    with suppress(OSError):
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(_file(name).with_suffix(".lock"), flags, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if lock >= 0:
            os.close(lock)


def _file(name: str) -> Path:
    """Return the file of a kind of sandbox; its folder is there.

    Raises:
        OSError: that cannot be made.
    """
    try:
        folder = cache_folder().parent
    except RuntimeError as error:
        raise OSError(str(error)) from error  # a user without a home
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"doctor-{name}.json"
