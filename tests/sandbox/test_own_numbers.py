"""What a bot can read of itself says nothing of how many were started before it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.sandboxes import finish, line_of, need, prepared, python_bot

TELLS = """
import json, os, sys
def text(path):
    try:
        return open(path).read()
    except PermissionError:
        return ""
mounts = [line.split() for line in text("/proc/self/mountinfo").splitlines()]
print(json.dumps({
    "groups": text("/proc/self/cgroup"),
    "mounts": sorted({path for mount in mounts for path in mount[3:5]}),
    "options": sorted(word for mount in mounts for word in mount[-1].split(",") if "/" in word),
    "environment": dict(os.environ),
    "name": os.uname().nodename,
    "pipes": [os.readlink(f"/proc/self/fd/{number}").split(":")[0] for number in range(3)],
}), flush=True)
sys.stdin.readline()
"""
_DRAWN = re.compile(r"\b[0-9a-f]{16,}\b|\b[A-Z0-9]{26}\b")
"""Words that are drawn, or hashes."""


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("landlock", [True, False])
@pytest.mark.parametrize("name", ["bwrap", "docker"])
async def test_a_bot_cannot_tell_which_start_of_the_referee_it_is(
    name: str, landlock: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Names are drawn: a number would say whether a deck comes for the first time."""
    need("bwrap", root=True)
    if name == "docker":
        request.getfixturevalue("docker_host")
    said: list[Any] = []
    async with opened(SandboxName(name), landlock=landlock) as sandbox:
        bot = await prepared(sandbox, python_bot(tmp_path / "bot", TELLS))
        for _ in range(3):
            process = await sandbox.launch(bot)
            said.append(json.loads(_DRAWN.sub("#", await line_of(process, within_s=30))))
            finish(process)

    assert said[0] == said[1] == said[2]
    assert bool(said[0]["groups"]) is not landlock
