"""The launcher: each step is taken or ends it with one line, and it becomes the program named."""

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from referee.errors import SandboxError
from referee.native import LAUNCHER
from referee.sandbox.choose import opened
from referee.sandbox.launcher import READABLE, has_landlock
from referee.sandbox.names import SandboxName
from support.sandboxes import lacking, need

pytestmark = pytest.mark.slow

FAILED, NOT_RUN, NOT_FOUND = 97, 126, 127

REFUSED = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def answer(*words):
    ctypes.set_errno(0)
    return libc.syscall(*words), errno.errorcode.get(ctypes.get_errno())
set_filter, get_dumpable = 22, 3
ctypes.set_errno(0)
filtered = libc.prctl(set_filter, 2, None), errno.errorcode.get(ctypes.get_errno())
print(answer(444, None, 0, 1), answer(446, 0, 0), filtered, libc.prctl(get_dumpable))
"""

MARKED = """
import os, sys
def opened(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
    except PermissionError:
        return False
    return True
pid = os.fork()
if pid == 0:
    print(any(opened(f"/proc/self/{name}") for name in ("maps", "smaps", "status")), flush=True)
    os._exit(0)
os.wait()
print(opened("/proc/self/smaps"), opened("/proc/1/status"), opened("/proc/uptime"))
print(opened("/proc/meminfo"), all(map(opened, sys.argv[1:])), opened("/proc/self/exe"))
"""


def launched(
    *words: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.CompletedProcess[str]:
    """What the launcher says, given these words."""
    return subprocess.run(
        [LAUNCHER, *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=env,
        pass_fds=pass_fds,
    )


def script(path: Path, text: str, mode: int = 0o755) -> str:
    """The path of a new program."""
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize("name", ["bwrap", "docker"])
async def test_without_it_no_sandbox_opens(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """In one line that says what to install."""
    need("bwrap")
    if name == "docker":
        request.getfixturevalue("docker_host")
    monkeypatch.setattr("referee.native.LAUNCHER", tmp_path / "none")
    with pytest.raises(SandboxError, match="install a C compiler, then this package"):
        async with opened(SandboxName(name)):
            pass


def test_it_becomes_what_path_has_by_that_name(tmp_path: Path) -> None:
    """With the arguments and the environment that it was given; folders come in their order."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        script(tmp_path / name / "bot", f'#!/bin/sh\necho {name} "$@" "$WORD"\n')
    script(tmp_path / "one" / "other", "", 0o644)  # may not be executed: the next folder's is meant
    script(tmp_path / "two" / "other", "#!/bin/sh\necho other\n")
    env = {"PATH": f"{tmp_path}/none:{tmp_path}/one:{tmp_path}/two", "WORD": "x y"}

    assert launched("--", "bot", "a b", "", env=env).stdout == "one a b  x y\n"
    assert launched("--", "other", env=env).stdout == "other\n"
    assert launched("--", f"{tmp_path}/two/bot", env={}).stdout == "two \n"


def test_a_script_that_does_not_say_of_what_is_the_shell_s(tmp_path: Path) -> None:
    """As every shell has it."""
    path = script(tmp_path / "bot", 'echo "$0" "$1"\n')

    assert launched("limit", "4:0", "--", path, "one").stdout == f"{path} one\n"
    assert launched("--", path).stdout == f"{path} \n"


@pytest.mark.parametrize(
    ("program", "status", "why"),
    [
        ("./none", NOT_FOUND, "no such file, or nothing that runs it"),
        ("no-such-program", NOT_FOUND, "no such file, or nothing that runs it"),
        ("./interpreted", NOT_FOUND, "no such file, or nothing that runs it"),
        ("./closed", NOT_RUN, "it may not be executed"),
        ("./closed/bot", NOT_FOUND, "no such file, or nothing that runs it"),
        (".", NOT_RUN, "it may not be executed"),
    ],
)
def test_a_program_that_cannot_be_run_is_named(
    tmp_path: Path, program: str, status: int, why: str
) -> None:
    """In one line, with the exit status that a shell would have."""
    script(tmp_path / "interpreted", "#!/none/python\n")
    script(tmp_path / "closed", "#!/bin/sh\n", 0o644)
    done = launched("--", program, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})

    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr == f"cannot run {program}: {why}\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["wander", "--", "true"], "wander"),
        (["join", "/no/such/group", "--", "true"], "join /no/such/group"),
        (["limit", "7", "--", "true"], "limit 7"),
        (["limit", "999:1", "--", "true"], "limit 999:1"),
        (["close", "77", "--", "true"], "close 77"),
        (["streams", "/no/such/folder", "--", "true"], "streams /no/such/folder"),
        (["user", "1"], "user"),
        (["overlay", "/no/such/folder", "lowerdir=/usr:/tmp", "--", "true"], "overlay /no"),
        (["--"], "--"),
        ([], "--"),
    ],
)
def test_a_step_that_cannot_be_taken_ends_it(words: list[str], named: str) -> None:
    """It never becomes the program then."""
    done = launched(*words)

    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith(f"launcher: cannot take the step {named}")
    assert done.stderr.count("\n") == 1


def test_limits_hold_for_good(tmp_path: Path) -> None:
    """Soft and hard alike, beyond 32 bits, too."""
    large = 1 << 40
    limits = ("limit", f"{resource.RLIMIT_NOFILE}:77", "limit", f"{resource.RLIMIT_FSIZE}:{large}")
    say = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_FSIZE))"

    assert launched(*limits, "--", sys.executable, "-c", say).stdout == (
        f"(77, 77) ({large}, {large})\n"
    )


def test_it_joins_groups_idles_and_closes(tmp_path: Path) -> None:
    """A door is told of "0", which is whoever writes it."""
    door, kept = tmp_path / "cgroup.procs", os.open("/", os.O_RDONLY)
    door.write_text("")
    say = "import os, sys; print(os.sched_getscheduler(0), os.path.lexists(sys.argv[1]))"
    words = ("join", str(door), "idle", "close", str(kept), "--", sys.executable, "-c", say)
    done = launched(*words, f"/proc/self/fd/{kept}", pass_fds=[kept])
    os.close(kept)

    assert done.stdout == f"{os.SCHED_IDLE} False\n"
    assert door.read_text() == "0"


def test_it_is_another_user_of_two_groups() -> None:
    """Its own and the one named, and none of those that it had."""
    need(root=True)
    say = "import os; print(os.getresuid(), os.getresgid(), os.getgroups())"

    assert launched("user", "60999", "60998", "--", "/usr/bin/python3", "-c", say).stdout == (
        "(60999, 60999, 60999) (60999, 60999, 60999) [60998]\n"
    )


def test_it_shows_a_folder_by_an_overlay_of_its_own(tmp_path: Path) -> None:
    """The same files in another file system, which only it sees, and which cannot be written to."""
    need(root=True)
    shown, at = tmp_path / "shown", tmp_path / "at"
    for folder in (shown, at):
        folder.mkdir()
    (shown / "file").write_text("x")
    say = (
        "import os, sys; print(os.listdir('.'), os.stat('.').st_dev == os.stat(sys.argv[1]).st_dev,"
        " os.statvfs('.').f_flag & os.ST_RDONLY)"
    )
    words = ("overlay", str(at), f"lowerdir={shown}:{at}", "--", sys.executable, "-c")

    assert launched(*words, f"import os; os.chdir({str(at)!r}); {say}", str(shown)).stdout == (
        "['file'] False 1\n"
    )
    assert os.listdir(at) == []


@pytest.mark.parametrize("let_go", [True, False])
def test_it_opens_its_streams_and_waits_to_be_let_go(tmp_path: Path, let_go: bool) -> None:
    """An empty line says that it has them; an end in place of a line ends it."""
    for name in ("in", "out", "err"):
        os.mkfifo(tmp_path / name)
    words = [str(LAUNCHER), "streams", str(tmp_path), "--", "sh", "-c", "echo error >&2; cat"]
    with (
        subprocess.Popen(words, stdin=subprocess.DEVNULL) as process,
        open(tmp_path / "in", "wb", buffering=0) as in_,
        open(tmp_path / "out", "rb") as out,
        open(tmp_path / "err", "rb") as err,
    ):
        assert out.readline() == b"\n"
        if let_go:
            in_.write(b"go on\nhello\n")
        in_.close()
        assert out.read() == (b"hello\n" if let_go else b"")
        assert err.read() == (b"error\n" if let_go else b"")
    assert process.returncode == 0


@pytest.fixture
def landlock() -> None:
    if not has_landlock():
        lacking("the kernel has no Landlock")


@pytest.mark.usefixtures("landlock")
def test_behind_the_wall_proc_is_closed_but_for_what_is_named() -> None:
    """Its own files that tell of no marks are open to the first process; links can be followed."""
    reads = [word for path in ("/proc/meminfo", *READABLE) for word in ("read", path)]
    words = (*reads, "wall", "refuse", "--", sys.executable, "-c", MARKED, *READABLE)

    assert launched(*words).stdout.splitlines() == [
        "False",
        "False False False",
        "True True True",
    ]


@pytest.mark.usefixtures("landlock")
def test_behind_the_wall_all_else_is_as_before(tmp_path: Path) -> None:
    """Files are moved between folders, written and read; devices, pipes and programs open."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    work = f"""
        cd {tmp_path} && echo moved > a/one && mv a/one b/two && ln b/two a/three && cat a/three
        echo x > /dev/null && cat /dev/stdin && ls /proc/self/fd > /dev/null
        readlink /proc/self/exe
    """
    done = launched("wall", "--", "sh", "-c", work)

    assert done.stderr == ""
    assert done.stdout.startswith("moved\n/")


def test_what_the_launcher_needed_is_refused() -> None:
    """No rules for files, which are memory of the kernel, no filters; prctl else as before."""
    done = launched("refuse", "--", sys.executable, "-c", REFUSED)

    assert done.stdout == "(-1, 'ENOSYS') (-1, 'ENOSYS') (-1, 'EPERM') 1\n"
