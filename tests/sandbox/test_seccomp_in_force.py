"""The filter of system calls in force: each number is asked of the kernel, in both sandboxes."""

import ast
import errno
import platform
from pathlib import Path

import pytest

from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.sandbox.system_calls import ALLOWED, FSTATFS, NEWER, conditions
from support.sandboxes import finish, line_of, need, prepared, python_bot

NUMBERS = (*range(335), *range(NEWER, NEWER + 50))
ASKS = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
bad = [ctypes.c_long(-1)] * 6
found = {}
for number in NUMBERS:
    pid = os.fork()
    if not pid:
        result = libc.syscall(ctypes.c_long(number), *bad)
        os._exit(ctypes.get_errno() if result < 0 else 0)
    found[number] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(found, flush=True)
"""


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["bwrap", "docker"])
async def test_what_the_table_does_not_name_is_refused(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """By the kernel itself: old calls plainly, newer ones as if there were none."""
    need("bwrap", root=True)
    if name == "docker":
        request.getfixturevalue("docker_host")
    column = ("x86_64", "aarch64").index(platform.machine())
    made = (*ALLOWED, *(condition.call for condition in conditions(column)), FSTATFS)
    asked = sorted(set(NUMBERS) - {call[1 + column] for call in made})
    text = ASKS.replace("NUMBERS", str(asked))
    async with opened(SandboxName(name)) as sandbox:
        process = await sandbox.launch(await prepared(sandbox, python_bot(tmp_path / "asks", text)))
        found: dict[int, int] = ast.literal_eval(await line_of(process, within_s=30))
        finish(process)

    silent = {number for number, error in found.items() if error == 0}
    assert len(silent) == 12  # they do nothing: advice, flushing, locks, times of files, sessions
    for number in set(asked) - silent:
        expected = {errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
        expected |= {errno.EPERM} if number < NEWER else set()
        assert found[number] in expected, number
