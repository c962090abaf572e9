"""Folders that all bots see are a file system of each bot's own, where the kernel can."""

import json
import os
import platform
from pathlib import Path

import pytest

from referee.sandbox import overlays
from referee.sandbox.bubblewrap import mounts
from referee.sandbox.choose import opened
from referee.sandbox.container import host_mounts
from referee.sandbox.environment import ENTRIES
from referee.sandbox.names import SandboxName
from referee.sandbox.overlays import can_be_overlaid, has_mounts_in, kernel_has_overlays
from support.sandboxes import finish, line_of, need, prepared, python_bot

SAYS = """
import json, os, sys
folders = [path for path in ("/usr", "/etc/alternatives") if os.path.isdir(path)]
print(json.dumps({path: os.stat(path).st_dev for path in folders}), flush=True)
sys.stdin.readline()
"""
SANDBOXES = [
    pytest.param(SandboxName.BWRAP, marks=pytest.mark.slow),
    pytest.param(SandboxName.DOCKER, marks=[pytest.mark.slow, pytest.mark.thorough]),
]


@pytest.fixture(params=SANDBOXES)
def name(request: pytest.FixtureRequest) -> SandboxName:
    """A sandbox that can be opened here."""
    found = SandboxName(request.param)
    if found is SandboxName.DOCKER:
        request.getfixturevalue("docker_host")
    else:
        need("bwrap", root=True)
    return found


async def devices(name: SandboxName, folder: Path) -> tuple[str, dict[str, int], dict[str, int]]:
    """How a sandbox works, and of which file systems two bots at once say that folders are."""
    async with opened(name) as sandbox:
        spec = await prepared(sandbox, python_bot(folder, SAYS))
        both = [await sandbox.launch(spec) for _ in range(2)]
        first, second = [json.loads(await line_of(one)) for one in both]
        for one in both:
            finish(one)
        return sandbox.how, first, second


async def test_no_folder_of_the_host_is_shared(name: SandboxName, tmp_path: Path) -> None:
    """Neither with the host nor with another bot: neither waits for a lock that a bot holds."""
    how, first, second = await devices(name, tmp_path / "bot")
    has_own = kernel_has_overlays(platform.release())

    assert ("overlays" in how) == has_own
    assert first["/usr"]
    assert set(first) == set(second)
    for path, device in first.items():
        others = {second[path], os.stat(path).st_dev, os.stat("/run").st_dev}
        assert (device not in others) == has_own, path


async def test_where_they_cannot_be_mounted_folders_are_shown_as_they_are(
    name: SandboxName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots start all the same, and the sandbox claims nothing."""
    for module in (mounts, host_mounts):
        monkeypatch.setattr(module, "overlay", lambda *_: "lowerdir=/no/such/folder:/nor/this")
    how, first, _ = await devices(name, tmp_path / "bot")

    assert "overlays" not in how
    assert first["/usr"] == os.stat("/usr").st_dev


def test_what_has_a_mount_in_it_is_not_overlaid() -> None:
    """It would be shown empty, or show what the mount hides."""
    line = "36 35 98:0 / {} rw,noatime - ext4 /dev/root rw\n"
    found = "".join(line.format(path) for path in ("/", "/usr/my\\040own", "/usrlocal"))

    assert has_mounts_in("/usr", found)
    assert has_mounts_in("/usr/my own", line.format("/usr/my\\040own/x"))
    assert not has_mounts_in("/usr/my own", found)  # a mount of its own is no mount in it
    assert not has_mounts_in("/opt", found)


@pytest.mark.parametrize(
    ("release", "has"),
    [
        ("6.5.0-1-amd64", True),
        ("6.18.44", True),
        ("10.0", True),
        ("6.4.16", False),
        ("5.15.0-91-generic", False),
        ("odd", False),
    ],
)
def test_overlays_want_a_kernel_that_tells_of_files_opened_by_them(release: str, has: bool) -> None:
    """Else a bot's first life would not show what the next ones read."""
    assert kernel_has_overlays(release) == has


def test_a_path_that_the_options_cannot_name_is_not_overlaid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor a file, nor what is not there."""
    monkeypatch.setattr(overlays, "kernel_has_overlays", lambda _: True)
    names = ("plain", "a:b", "a,b", "a\\b")
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()

    found = [name for name in (*names, "file", "none") if can_be_overlaid(str(tmp_path / name))]
    assert found == ["plain"]


def test_every_folder_of_the_host_can_be_one(tmp_path: Path) -> None:
    """What bubblewrap shows read-only of this machine, toolchains included."""
    shown = {one.path for one in mounts.host_folders(tmp_path, {"/opt/tool": "/there"})}
    real = {f"/{name}" for name in ENTRIES if Path("/", name).is_dir()}
    links = {path for path in real if os.path.islink(path)}

    assert shown == {"/usr", "/etc", "/opt/tool", *(real - links)}
