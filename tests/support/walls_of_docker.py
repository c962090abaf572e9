"""The walls of Docker's containers."""

import os
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest
from docker import APIClient

from referee.sandbox.container import sandbox as container
from referee.sandbox.container.create import Recipe
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.user_ids import FIRST_UID, Slot
from support.breaks import (
    cache_kept,
    mappings_uncounted,
    never_frozen,
    nothing_refused,
    page_tables_uncounted,
    proc_open,
    same_user,
    waiters_uncounted,
    without_janitor,
    without_second_janitor,
)
from support.walls import Break, Wall
from support.walls_of_filter import CLOSED, GROUPS, another_root, mounts, tracing

_Config = dict[str, Any]  # JSON
_ROOT: Final = "the files belong to root, and bots have other user ids"


def _config(change: Callable[[_Config], object]) -> Break:
    """Change what the daemon is asked for."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = Recipe._host_config

        def host_config(self: Recipe, client: Any) -> _Config:
            found = usual(self, client)
            change(found)
            return found

        patch.setattr(Recipe, "_host_config", host_config)

    return breaks


def _set(**values: object) -> Break:
    return _config(lambda found: found.update(values))


def _without_security(begin: str, *instead: str) -> Break:
    def change(found: _Config) -> None:
        kept = [one for one in found["SecurityOpt"] if not one.startswith(begin)]
        found["SecurityOpt"] = [*kept, *instead]

    return _config(change)


def _without_limit(name: str) -> Break:
    def change(found: _Config) -> None:
        found["Ulimits"] = [one for one in found["Ulimits"] if one["Name"] != name]

    return _config(change)


def _writable(target: str) -> Break:
    def change(found: _Config) -> None:
        next(one for one in found["Mounts"] if one["Target"] == target)["ReadOnly"] = False

    return _config(change)


def _without_overlays(found: _Config) -> None:
    """Show folders of the host as they are."""
    for one in found["Mounts"]:
        if one.pop("VolumeOptions", None):
            one |= {"Type": "bind", "Source": os.path.realpath(one["Target"]), "ReadOnly": True}


def _in_memory_without(folder: str, option: str) -> Break:
    def change(found: _Config) -> None:
        if folder in found["Tmpfs"]:
            kept = (o for o in found["Tmpfs"][folder].split(",") if not o.startswith(option))
            found["Tmpfs"][folder] = ",".join(kept)

    return _config(change)


def masked_no_more(path: str) -> Break:
    """Have the daemon show what it is to hide."""

    def change(found: _Config) -> None:
        found["MaskedPaths"].remove(path)

    return _config(change)


def _as_root(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SandboxFolders, "take_slot", lambda _: Slot(0, -1))


def _without_groups_of_ours(patch: pytest.MonkeyPatch) -> None:
    usual = container.Docker._recipe

    def recipe(*of: Any) -> Recipe:
        return msgspec.structs.replace(usual(*of), parent="")

    patch.setattr(container.Docker, "_recipe", recipe)


def _network_enabled(patch: pytest.MonkeyPatch) -> None:
    usual = APIClient.create_container

    def create_container(*of: Any, **options: Any) -> Any:
        return usual(*of, **{**options, "network_disabled": False})

    patch.setattr(APIClient, "create_container", create_container)


_CAPABILITIES: Final = ["SYS_ADMIN", "SYS_CHROOT"]
_TOLD_TWICE: Final = "the daemon is told in two ways"
_LIMITS: Final = tuple(
    Wall(f"limit of {what}", _without_limit(name), ("limits",), what)
    for what, name in (
        *(("cores", "core"), ("open files", "nofile"), ("locked memory", "memlock")),
        ("size of a file", "fsize"),
    )
)
WALLS: Final = (
    Wall(
        "namespace: net",
        _set(NetworkMode="host"),
        ("network",),
        "abstract socket",
        behind=("network disabled",),
        reason=_TOLD_TWICE,
    ),
    Wall(
        "network disabled",
        _network_enabled,
        ("network",),
        "abstract socket",
        behind=("namespace: net",),
        reason=_TOLD_TWICE,
    ),
    Wall("namespace: pid", _set(PidMode="host"), ("others",), "pid", harmful=("taken-over",)),
    Wall(
        "namespace: ipc",
        _set(IpcMode="host", ShmSize=None),
        ("others",),
        "ipc",
        harmful=("state", "memory-files"),
    ),
    Wall("namespace: cgroup", _set(CgroupnsMode="host"), ("others",), "cgroup"),
    Wall("user ids", _as_root, ("user", "privileges"), harmful=("taken-over",)),
    Wall("user ids: one for each", same_user(FIRST_UID), ("user",)),
    Wall(
        "capabilities",
        _set(CapDrop=None, CapAdd=_CAPABILITIES),
        ("privileges",),
        "Cap",
    ),
    Wall(
        "no new privileges",
        _without_security("no-new"),
        ("privileges",),
        "new privileges",
        behind=("filter",),
        reason="with our filter no container starts without it",
    ),
    Wall(
        "filter",
        _without_security("seccomp", "seccomp=unconfined"),
        ("calls", "pages", "network", "locks", "pinned", "privileges"),
    ),
    Wall(
        "read-only: the root",
        _set(ReadonlyRootfs=False),
        ("files-written",),
        behind=("user ids",),
        reason=_ROOT,
    ),
    Wall(
        "read-only: its own folder",
        _writable("/bot"),
        ("files-written",),
        "/bot",
        behind=("user ids",),
        reason=_ROOT,
    ),
    Wall("overlays", _config(_without_overlays), ("folder-locks",), "/usr"),
    Wall("size of /tmp", _in_memory_without("/tmp", "size"), ("tmp",)),
    Wall(
        "number of files in /tmp",
        _in_memory_without("/tmp", "nr_inodes"),
        ("tmp-files",),
    ),
    Wall("size of /dev/shm", _set(ShmSize=64 << 20), ("memory-files",), "/dev/shm"),
    Wall(
        "mappings",
        mappings_uncounted,
        ("mappings",),
        "no end",
        behind=("group: memory",),
        reason="the kernel's memory for them counts as the bot's",
    ),
    Wall(
        "page tables",
        page_tables_uncounted,
        test="tests/sandbox/test_zoo.py::test_an_animal_gets_its_verdict_and_harms_nobody[page_tables-docker]",
    ),
    Wall("waiters", waiters_uncounted, ("waiters",), "no end"),
    Wall("group: memory", _set(Memory=None, MemorySwap=None), ("memory", "memory-children")),
    Wall("group: processes", _set(PidsLimit=None), ("processes",)),
    Wall(
        "group: swap",
        _set(MemorySwap=-1),
        reason="a machine without swap, as this one, has nothing that it could hold back",
    ),
    Wall("freezer", never_frozen, ("freeze", "freeze-daemons")),
    Wall("release of what was read", cache_kept, ("cache",)),
    Wall("groups above those of containers", _without_groups_of_ours, ("cache",)),
    Wall("janitor", without_janitor, ("orphans",), "left after"),
    Wall(
        "janitor in a container",
        without_second_janitor,
        ("orphans",),
        "container",
        behind=("janitor",),
        reason="the janitor removes containers, too, where that was not killed",
    ),
    Wall(
        "its own core",
        _set(CpusetCpus=""),
        test="tests/sandbox/test_container.py::test_a_bot_has_its_own_ends_of_the_pipes_and_our_core",
    ),
    Wall(
        "build: size of its folder",
        _in_memory_without("/bot", "size"),
        test="tests/sandbox/test_builds.py::test_files_without_a_name_are_bound_as_all_others[docker]",
    ),
    Wall(
        "build: number of files",
        _in_memory_without("/bot", "nr_inodes"),
        test="tests/sandbox/test_builds.py::test_the_number_of_names_is_bound_while_they_are_made[docker]",
    ),
    Wall(
        "first to be ended by the machine",
        _set(OomScoreAdj=0),
        reason="it shows only when the whole machine is out of memory",
    ),
    Wall(CLOSED, proc_open, ("marks", "counters")),
    Wall(
        "refusal of what closes them",
        nothing_refused,
        ("calls",),
        "landlock_create_ruleset",
    ),
    Wall("mask of /sys", masked_no_more("/sys"), ("counters",), "/sys"),
    *_LIMITS,
    *GROUPS,
    tracing(CLOSED),
    mounts(behind=("capabilities", "user ids", CLOSED)),
    another_root(behind=("capabilities", "user ids")),
)
