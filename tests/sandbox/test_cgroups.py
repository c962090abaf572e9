"""Control groups: which there are by what the kernel says, and version 2 on made-up files."""

import os
from pathlib import Path

import pytest

from referee.bots.settings import Bounds
from referee.sandbox.cgroups import freezer
from referee.sandbox.cgroups.freezer import Holder, LateFreezer, held
from referee.sandbox.cgroups.group import Group
from referee.sandbox.cgroups.hierarchy import Hierarchies, Kind, read_mounts, usable
from referee.sandbox.janitor import GROUPS, IDLE

V1 = """\
30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
31 30 0:27 / /sys/fs/cgroup/systemd rw shared:10 - cgroup cgroup rw,xattr,name=systemd
32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct
33 30 0:29 / /sys/fs/cgroup/memory rw shared:12 - cgroup cgroup rw,memory
34 30 0:30 / /sys/fs/cgroup/pids rw shared:13 - cgroup cgroup rw,pids
35 30 0:31 / /sys/fs/cgroup/freezer rw shared:14 - cgroup cgroup rw,freezer
"""
UNIFIED = "36 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
V2 = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
EVENTS = "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n"
FILES = {
    "": {
        "cgroup.procs": "",
        "cgroup.freeze": "0\n",
        "cgroup.events": "populated 0\nfrozen 0\n",
        "cgroup.subtree_control": "",
        "cpu.stat": "usage_usec 1234567\nuser_usec 1\nsystem_usec 2\n",
    },
    "memory": {"memory.max": "max\n", "memory.swap.max": "max\n", "memory.events": EVENTS},
    "pids": {"pids.max": "max\n"},
    "cpu": {"cpu.weight": "100\n"},
}
"""What is in a group of version 2, by the controller that it was given from above."""


def test_what_the_kernel_mounts_says_which_limits_bind() -> None:
    """Version 1 with its controllers, hybrid when version 2 is there beside it, or version 2."""
    old, both, new = read_mounts(V1), read_mounts(V1 + UNIFIED), read_mounts(V2)

    assert old is not None
    assert old.kind is Kind.V1
    assert old.v1["cpuacct"] == "/sys/fs/cgroup/cpu,cpuacct"
    assert both is not None
    assert (both.kind, both.v2) == (Kind.HYBRID, "/sys/fs/cgroup/unified")
    assert len(both.roots) == 5
    assert new is not None
    assert (new.kind, new.roots) == (Kind.V2, ("/sys/fs/cgroup",))
    assert read_mounts("22 1 0:20 / /proc rw - proc proc rw\n") is None


@pytest.fixture
def version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hierarchies:
    """A folder in which every new folder has the files of a group of version 2."""
    really = Path.mkdir

    def mkdir(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if exist_ok and path.is_dir():
            return
        if parents and not path.parent.is_dir():
            mkdir(path.parent, mode, parents=True)
        really(path, mode)
        above = path.parent / "cgroup.subtree_control"
        given = above.read_text() if above.exists() else ""
        for controller in ("", *(word.removeprefix("+") for word in given.split())):
            for name, text in FILES[controller].items():
                (path / name).write_text(text)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    return Hierarchies(Kind.V2, {}, str(tmp_path))


def test_version_2_is_limited_read_frozen_and_joined_by_its_own_files(
    version_2: Hierarchies, tmp_path: Path
) -> None:
    """No file of version 1 is looked for, swap is switched off, and the counts are read."""
    assert usable(version_2)
    group = Group(version_2, "run/1", Bounds(memory=100, processes=9))
    folder = tmp_path / GROUPS / "run" / "1"
    for above in (tmp_path, tmp_path / GROUPS, tmp_path / GROUPS / "run"):
        assert (above / "cgroup.subtree_control").read_text() == "+memory +pids +cpu", above
    assert (folder / "memory.max").read_text() == str(100 << 20)
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "pids.max").read_text() == "9"
    inner = folder / "bot"  # by itself, so that it can be held still from above
    assert group.doors == (str(inner / "cgroup.procs"),)
    assert group.cpu_us() == 1_234_567
    assert group.oom_kills() == 2
    group.freeze()
    assert (inner / "cgroup.freeze").read_text().startswith("1")
    group.close()
    with pytest.raises(ProcessLookupError):
        group.cpu_us()


def test_who_was_ended_within_its_bound_was_ended_by_the_host(
    version_2: Hierarchies, tmp_path: Path
) -> None:
    """The kernel counts both; only a group that came to its own bound is to blame."""
    assert usable(version_2)
    group = Group(version_2, "run/1", Bounds())
    assert (group.oom_kills(), group.host_kills()) == (2, 0)
    events = tmp_path / GROUPS / "run" / "1" / "memory.events"
    events.write_text(EVENTS.replace("oom 3", "oom 0"))
    assert (group.oom_kills(), group.host_kills()) == (0, 2)
    group.close()


def test_a_hierarchy_that_is_not_ours_is_not_used() -> None:
    """Where no folder can be made, or the memory cannot be delegated, there are no groups."""
    assert not usable(Hierarchies(Kind.V2, {}, "/proc/nowhere"))
    assert not usable(Hierarchies(Kind.V1, {"memory": "/proc/nowhere"}, None))


@pytest.fixture
def version_1(tmp_path: Path) -> Hierarchies:
    """Folders with the files of version 1 that say who has how much of the processor."""
    for folder in (GROUPS, IDLE):
        (tmp_path / "cpu" / folder).mkdir(parents=True)
        (tmp_path / "cpu" / folder / "cpu.shares").write_text("1024\n")
    return Hierarchies(Kind.V1, {"cpu": str(tmp_path / "cpu")}, None)


def test_bots_that_play_weigh_as_a_process_a_core_and_builds_and_trials_a_tenth_of_a_match(
    version_1: Hierarchies, version_2: Hierarchies, tmp_path: Path
) -> None:
    """All builds and trials together lie in a group that weighs a tenth of a match."""
    cores = os.cpu_count() or 1
    old, new = tmp_path / "cpu", tmp_path
    assert usable(version_1)
    assert usable(version_2)
    assert (old / GROUPS / "cpu.shares").read_text() == str(1024 * cores)
    assert (old / IDLE / "cpu.shares").read_text() == "102"
    assert (new / GROUPS / "cpu.weight").read_text() == str(100 * cores)
    assert (new / IDLE / "cpu.weight").read_text() == "10"

    group = Group(version_2, "run/2", Bounds(), idle=True)
    assert group.doors == (str(new / IDLE / "run" / "2" / "bot" / "cgroup.procs"),)
    group.close()


def test_without_the_controller_of_version_1_there_are_groups_but_no_shares() -> None:
    """A bot has a group in each hierarchy that is of use; `cpu` may be one of its own."""
    mounts = V1.replace("cpu,cpuacct", "cpuacct")
    without = read_mounts(mounts)
    apart = read_mounts(mounts + "37 30 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n")

    assert without is not None
    assert not without.shares
    assert len(without.roots) == 4
    assert apart is not None
    assert apart.shares
    assert "/sys/fs/cgroup/cpu" in apart.roots


@pytest.mark.parametrize(("state", "stands"), [("FROZEN", True), ("FREEZING", False)])
def test_a_group_is_held_still_by_the_one_above_it(
    state: str, stands: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told whether all stand, and let go on in any case."""
    written = []
    file = tmp_path / "freezer.state"
    file.write_text(state)
    monkeypatch.setattr(os, "write", lambda _, data: written.append(data))
    monkeypatch.setattr(freezer, "_HOLDING_S", 0.002)
    with held(tmp_path) as found:
        assert written == [b"FROZEN"]
    assert found is stands
    assert written == [b"FROZEN", b"THAWED"]


def test_it_is_known_for_how_long_a_group_was_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in all, and while it is held."""
    now = [0.0]
    (tmp_path / "freezer.state").write_text("FROZEN")
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    holder = Holder(tmp_path)
    said = [holder.us()]
    for _ in range(2):
        with holder.hold() as stands_still:
            assert stands_still
            now[0] += 0.5
            said.append(holder.us())
            now[0] += 0.25
        now[0] += 9
        said.append(holder.us())
    assert said == [0, 500_000, 750_000, 1_250_000, 1_500_000]


@pytest.mark.parametrize(("stops_at", "moved_at"), [(1, 2), (4, 4), (99, None)])
def test_processes_are_moved_to_version_2_only_when_all_have_stopped(
    stops_at: int, moved_at: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is born while they are moved would stay behind, and run at another's turn.

    It is not waited for long, since nobody looks at other bots meanwhile: ten times 10 ms in all.
    """
    now, freezing = [0.0], 0
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", lambda _: now.__setitem__(0, now[0] + 0.001))
    monkeypatch.setattr(
        "referee.sandbox.cgroups.freezer.FileFreezer.is_stopped", lambda _: freezing >= stops_at
    )
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
    (tmp_path / "v1" / "freezer.state").write_text("THAWED")
    (tmp_path / "v2" / "cgroup.freeze").write_text("0")
    (tmp_path / "v2" / "cgroup.events").write_text("frozen 0")
    (tmp_path / "v2" / "cgroup.procs").write_text("")
    late = LateFreezer(tmp_path / "v1", tmp_path / "v2", lambda: (4321,))
    found = None
    for freezing in range(1, 31):
        late.freeze(for_now=False)
        if found is None and (tmp_path / "v2" / "cgroup.procs").read_text() == "4321":
            found = freezing
        first = (tmp_path / "v1" / "freezer.state").read_text()
        assert first[-6:] == ("FROZEN" if found is None else "THAWED")
        late.thaw()

    assert found == moved_at
    assert now[0] <= 0.13
    late.close()
