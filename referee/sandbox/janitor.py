"""Clears up after a referee that is gone, whatever ended it. Standard library only.

Run as a program it is a process of its own: `janitor.py RUN WORK`, with a pipe for stdin whose only
writer is the referee. When the pipe ends, so has the referee, and the run's leftovers go with it.
In a container (see `janitor_container`) it is `janitor.py RUN "" SOCKET PIPES`. What only the end
needs is imported there: each match starts one of these, beside its bots.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob

GROUPS = "briscola-referee"
"""The folder of our control groups in each hierarchy."""

IDLE = f"{GROUPS}/idle"
"""The folder of those that leave the processor to the bots that play: builds and trials."""

SPARE = f"{GROUPS}/spare"
"""The folder of those without processes (see `cgroups.spare_groups`)."""

LABEL = "briscola-referee.run"
"""The label of our containers; its value is the run."""

MARK = "REFEREE_BOT"
"""In the environment of bare bots: the run, a dash, and the bot's own token."""

_PASSES = 3
_PASSES_CONTAINED = 25
_PASS_S = 0.2
_REMOVE_S = 2.0
_ANSWER_S = 20.0

_USUAL_CLOCK = 0xEFFFFFFA
"""The time namespace that a machine begins with (Linux, `PROC_TIME_INIT_INO`); in others processes
have begun at other moments."""

DIE_S = 20.0
"""How long the kernel is given to end a bot's processes, which nothing has been seen to need."""


def run_of(pid: int) -> str:
    """A name for a process that no other has had since the machine was made.

    Raises:
        OSError: there is no such process, or it has ended.
    """
    with open(f"/proc/{pid}/stat", errors="replace") as stat:
        state, *fields = stat.read().rpartition(")")[2].split()
    if state in {"Z", "X"}:
        raise ProcessLookupError(pid)  # it has ended, and its parent has not asked how
    started = fields[18]
    return f"{_world()}-{pid}-{started}"


def _world() -> str:
    """This boot of the machine, and where in it our process ids and starts mean what they mean."""
    with open("/proc/sys/kernel/random/boot_id") as boot:
        born = boot.read().strip()[:8]
    world = f"{born}.{os.stat('/proc/self/ns/pid').st_ino}"
    with suppress(FileNotFoundError):  # before Linux 5.6 there were none
        clock = os.stat("/proc/self/ns/time").st_ino
        if clock != _USUAL_CLOCK:
            world += f".{clock}"
    return world


def is_alive(run: str) -> bool:
    """Whether the referee of a run still lives; yes, too, where we cannot know.

    Raises:
        OSError: we cannot look, for want of file handles.
    """
    born, _, inside = run.partition("-")[0].partition(".")
    ours = _world().partition(".")
    if born == ours[0] and inside != ours[2]:
        return True  # another container's process ids: its own referees look after it
    try:
        return run_of(int(run.split("-")[1])) == run
    except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        return False


def members(folders: Iterable[str]) -> set[int]:
    """The processes of these control groups and of those below them."""
    found = set()
    for top in folders:
        for folder in _with_those_below(top):
            with suppress(OSError), open(f"{folder}/cgroup.procs", "rb", buffering=0) as file:
                found |= {int(pid) for pid in file.read().split()}
    return found


def _with_those_below(top: str) -> Iterator[str]:
    """A folder, then those below it; nearly none has any, which its count of links says."""
    alone = 2
    try:
        links = os.stat(top).st_nlink
    except OSError:
        return
    if links == alone:
        yield top
    else:
        yield from (folder for folder, _, _ in os.walk(top))


def end_members(folders: Iterable[str], within_s: float = _REMOVE_S) -> bool:
    """End every process in these control groups, and wait until they are gone.

    Args:
        folders: of the groups.
        within_s: how long to wait, in seconds.

    Returns:
        Whether they are.
    """
    tops = list(folders)
    until = time.monotonic() + within_s
    while left := members(tops):
        for folder in tops:
            _thaw(folder)
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def remove_groups(folders: Iterable[str]) -> bool:
    """End every process in these control groups, and take the groups away.

    Returns:
        Whether they are gone.
    """
    tops = [top for top in folders if not _removed(top)]
    if not tops:
        return True
    end_members(tops)
    until = time.monotonic() + _REMOVE_S
    while True:
        for top in tops:
            for folder, _, _ in os.walk(top, topdown=False):
                with suppress(OSError):
                    os.rmdir(folder)
        if not any(os.path.isdir(top) for top in tops):
            return True
        if time.monotonic() > until:
            return False
        time.sleep(0.002)


def _removed(folder: str) -> bool:
    """Takes an empty group away, as nearly all are when their bot has ended."""
    with suppress(OSError):
        os.rmdir(folder)
    return not os.path.isdir(folder)


def _thaw(top: str) -> None:
    """A group frozen by version 1 cannot even be killed."""
    for folder in _with_those_below(top):
        with suppress(OSError), open(f"{folder}/freezer.state", "w") as state:
            state.write("THAWED")


def groups_of(run: str) -> list[str]:
    """The folders of a run, in every hierarchy."""
    tops = (GROUPS, IDLE, SPARE)
    places = [f"{place}/{run}" for above in tops for place in (f"*/{above}", above)]
    return [found for place in places for found in glob(f"/sys/fs/cgroup/{place}")]


def end_marked(run: str) -> None:
    """Ends the processes that carry the run in their environment."""
    begin = f"{MARK}={run}-".encode()
    for folder in glob("/proc/[0-9]*"):
        with suppress(OSError), open(f"{folder}/environ", "rb") as environ:
            if any(entry.startswith(begin) for entry in environ.read().split(b"\0")):
                os.kill(int(folder.rpartition("/")[2]), signal.SIGKILL)


def remove_containers(run: str, path: str) -> None:
    """Removes the containers of a run; silently where no daemon answers."""
    import http.client
    import json
    from urllib.parse import quote

    wanted = quote(json.dumps({"label": [f"{LABEL}={run}"]}))
    with suppress(OSError, http.client.HTTPException, ValueError):
        found = json.loads(_asked(path, "GET", f"/containers/json?all=1&filters={wanted}"))
        for container in found if isinstance(found, list) else ():
            _asked(path, "DELETE", f"/containers/{container['Id']}?force=1&v=1")


def _asked(path: str, verb: str, what: str) -> bytes:
    """What the Docker daemon answers; `path` is its socket's."""
    import http.client
    import socket

    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(_ANSWER_S)
        daemon.connect(path)
        asking = http.client.HTTPConnection("localhost")
        asking.sock = daemon
        asking.request(verb, what)
        return asking.getresponse().read()


def sweep(run: str, work: str, daemon: str) -> None:
    """Ends and removes all that a run has left.

    Args:
        run: its name.
        work: the folder that holds a folder for each run.
        daemon: the socket of the Docker daemon, or nothing where none was used.
    """
    remove_groups(groups_of(run))
    end_marked(run)
    if daemon:
        remove_containers(run, daemon)
    import shutil

    shutil.rmtree(os.path.join(work, run), ignore_errors=True)


def dead_runs(work: str) -> Iterator[str]:
    """Runs that have left something and whose referee is gone."""
    places = (*groups_of("*-*-*"), *glob(f"{work}/*-*-*"))
    names = {found.rpartition("/")[2] for found in places}
    return (name for name in sorted(names) if not is_alive(name))


def main(run: str, work: str, daemon: str = "", pipes: str = "") -> None:
    """Waits for the end of the pipe, then sweeps.

    Args:
        run: its name.
        work: the folder that holds a folder for each run.
        daemon: the socket of the Docker daemon, or nothing where none was used.
        pipes: in a container, the folder with our pipes; else the pipe is stdin.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    pipe = _joined(pipes) if pipes else 0
    while os.read(pipe, 1):
        pass
    for _ in range(_PASSES_CONTAINED if pipes else _PASSES):  # a container may be on its way
        if pipes:
            remove_containers(run, daemon)
        else:
            sweep(run, work, daemon)
        if not daemon:
            return
        time.sleep(_PASS_S)


def _joined(pipes: str) -> int:
    """Opens the pipe to wait at, and says so; never waits for a referee that is gone already."""
    pipe = os.open(f"{pipes}/in", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(pipe, True)
    with suppress(OSError):
        out = os.open(f"{pipes}/out", os.O_WRONLY | os.O_NONBLOCK)
        os.write(out, b"\n")
        os.close(out)
    return pipe


if __name__ == "__main__":
    main(*sys.argv[1:])
