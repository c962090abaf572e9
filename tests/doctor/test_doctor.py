"""`referee doctor`: what holds is proved, what does not is found out and can be mended."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.bots.settings import Settings
from referee.cli import run
from referee.doctor.diagnosis import BOUNDS, diagnose
from referee.doctor.guarantees import GUARANTEES
from referee.doctor.measurements import Facts, Terms
from referee.doctor.reports import (
    BARE_PROMISES,
    GuaranteeFinding,
    GuaranteeState,
    Machine,
    SandboxReport,
    absent,
    exit_code,
    findings,
    mend_of,
    taken,
)
from referee.sandbox.doctor_verdict import DoctorVerdict
from referee.sandbox.names import SandboxName
from support.processes import REFEREE
from support.sandboxes import need


@pytest.fixture(autouse=True)
def _no_verdicts_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that a test has broken must not stay so for `--sandbox auto`."""
    monkeypatch.setattr("referee.doctor.diagnosis.remember", lambda *_: None)


SOUND = DoctorVerdict("")
WEAK = DoctorVerdict("", ("cache",))
UNSOUND = DoctorVerdict("`referee doctor` finds broken here: cpu")
TERMS = Terms(
    memory=64,
    tmp=8,
    tmp_files=4096,
    processes=26,
    open_files=256,
    limits={"cores": 0, "files": 256},
)
REFUSED = {"one": "EPERM", "another": "ENOSYS"}
GOOD = Facts(
    secrets=(),
    writable=(),
    seen=(),
    others=(),
    shared=(),
    privileges=(),
    setuid="",
    descriptors=(),
    users=((60001,), (60002,)),
    traces=(),
    counters=(),
    times=(),
    numbers=(),
    process_counts=(),
    marks=(),
    cached=(),
    sockets=(),
    reached=(),
    interfaces=("lo",),
    calls=REFUSED,
    pages=REFUSED,
    clocks=REFUSED,
    cores=REFUSED,
    init=REFUSED,
    locks=(),
    shared_folders=(),
    memory_mib=60,
    memory_out=True,
    children_mib=32,
    children_out=True,
    shm_mib=1,
    memfd_mib=60,
    files_out=True,
    tmp_kib=8192,
    tmp_error="ENOSPC",
    tmp_files=4095,
    tmp_files_error="ENOSPC",
    tmp_files_out=False,
    mapped=45_000,
    mapped_out=True,
    waiting=10_200,
    waiting_out=True,
    forks=23,
    open_files=253,
    core_dumped=False,
    limits={"cores": 0, "files": 256, "own memory": -1},
    own_session=True,
    survivors=(),
    deaf_ms=3,
    stopped_ms=3,
    first_memory="written to",
    taken_over_ms=3,
    taken_over_left=(),
    orphans=(),
    frozen_ms=0,
    frozen_daemon_ms=10,
    share_percent=48,
    share_of_idle_percent=97,
    thawed=True,
    burned_ms=150,
    counted_ms=151,
    burned_elsewhere_ms=300,
    counted_elsewhere_ms=310,
)
NOT_TO_BE_HAD = {"numbers", "process-counts"}
"""What only a kernel of its own hides."""

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("network", {"sockets": ("vsock",)}, "vsock"),
    ("network", {"reached": ("TCP port of the host",)}, "TCP port"),
    ("network", {"interfaces": ("lo", "eth0")}, "eth0"),
    ("files-read", {"seen": ("/etc/shadow",)}, "/etc/shadow"),
    ("files-written", {"writable": ("/usr/local",)}, "/usr/local"),
    ("environment", {"secrets": ("/proc/1/environ",)}, "/proc/1/environ"),
    ("others", {"others": ("sshd",)}, "sshd"),
    ("others", {"shared": ("pid",)}, "pid"),
    ("init", {"init": {"ptrace": ""}}, "ptrace (it worked)"),
    ("calls", {"calls": {**REFUSED, "keyctl": ""}}, "keyctl (it worked)"),
    ("calls", {"calls": {**REFUSED, "setns": "EBADF"}}, "setns (EBADF)"),
    ("pages", {"pages": {**REFUSED, "mincore": "EINVAL"}}, "mincore (EINVAL)"),
    ("clock", {"clocks": {"clock_settime": ""}}, "clock_settime"),
    ("pinned", {"cores": {"sched_setaffinity": ""}}, "sched_setaffinity"),
    ("privileges", {"privileges": ("CapEff",)}, "CapEff"),
    ("privileges", {"setuid": "su"}, "su"),
    ("descriptors", {"descriptors": ("socket:[7]",)}, "socket:[7]"),
    ("user", {"users": ((60001,), (60001,))}, "60001"),
    ("user", {"users": ((60001,), (0,))}, "0"),
    ("user", {"users": ((60001,), ())}, "60001"),
    ("state", {"traces": ("shared memory",)}, "shared memory"),
    ("counters", {"counters": ("/proc/stat",)}, "/proc/stat"),
    ("times", {"times": ("/usr/bin/env",)}, "/usr/bin/env"),
    ("cache", {"cached": ("/usr/share/x",)}, "/usr/share/x"),
    ("numbers", {"numbers": ("pipes",)}, "pipes"),
    ("process-counts", {"process_counts": ("/proc",)}, "told by: /proc"),
    ("marks", {"marks": ("smaps",)}, "smaps"),
    ("locks", {"locks": ("flock",)}, "can be had: flock"),
    ("folder-locks", {"shared_folders": ("/usr",)}, "the host's own: /usr"),
    ("memory", {"memory_out": False}, "not ended"),
    ("memory", {"memory_mib": 190}, "190 of 64"),
    ("memory-children", {"children_mib": 128}, "128 of 64"),
    ("memory-children", {"children_out": False}, "32"),
    ("memory-files", {"files_out": False}, "got 60 MiB"),
    ("memory-files", {"shm_mib": 128}, "128 MiB"),
    ("tmp", {"tmp_kib": 16384, "tmp_error": ""}, "no end"),
    ("tmp", {"tmp_kib": 16384}, "16 of 8"),
    ("tmp-files", {"tmp_files_error": ""}, "no end"),
    ("tmp-files", {"tmp_files_error": "EACCES"}, "EACCES"),
    ("tmp-files", {"tmp_files": 9000}, "9000 empty files, then ENOSPC"),
    ("tmp-files", {"tmp_files_error": "", "tmp_files_out": True}, "ended for its memory"),
    ("mappings", {"mapped_out": False}, "45000 mappings of a file, then no end"),
    ("waiters", {"waiting_out": False}, "10200 waiters for a pipe, then no end"),
    ("processes", {"forks": 104}, "104 forks"),
    ("processes", {"forks": 0}, "0 forks"),
    ("open-files", {"open_files": 4096}, "4096 opened"),
    ("limits", {"limits": {"cores": 0, "files": 257}}, "files"),
    ("limits", {"limits": {"cores": -1, "files": 256}}, "cores"),
    ("limits", {"limits": {"cores": 0}}, "files"),
    ("core", {"core_dumped": True}, "was dumped"),
    ("session", {"own_session": False}, "Ctrl-C"),
    ("survivors", {"survivors": ("process 5 (python3)",)}, "process 5"),
    ("deaf", {"deaf_ms": 2500}, "2500 ms"),
    ("stopped", {"stopped_ms": 2500}, "2500 ms"),
    ("taken-over", {"taken_over_ms": 2500}, "2500 ms"),
    ("taken-over", {"taken_over_left": ("process 5 (python3)",)}, "process 5"),
    ("orphans", {"orphans": ("container abc",)}, "container abc"),
    ("freeze", {"frozen_ms": 200}, "200 ms"),
    ("freeze", {"thawed": False}, "did not answer"),
    ("freeze-daemons", {"frozen_daemon_ms": 200}, "200 ms"),
    ("shares", {"share_percent": 8}, "8 %"),
    ("idle", {"share_of_idle_percent": 50}, "50 %"),
    ("cpu", {"counted_ms": 5}, "counted 5"),
    ("cpu-children", {"counted_elsewhere_ms": 540}, "counted 540"),
]


def broken(facts: Facts, terms: Terms = TERMS) -> list[GuaranteeFinding]:
    return [one for one in findings(facts, terms, {}) if one.state is GuaranteeState.BROKEN]


def states(report: SandboxReport) -> dict[str, GuaranteeState]:
    return {one.id: one.state for one in report.guarantees}


def not_proved(report: SandboxReport) -> set[str]:
    return {name for name, state in states(report).items() if state is not GuaranteeState.PROVED}


def unsound(report: SandboxReport) -> list[str]:
    """What one wants to read when a sandbox is not as it should be."""
    lines = [report.why_not] if not report.works else []
    return lines + [
        f"{o.id}: {o.detail}" for o in report.guarantees if o.state is GuaranteeState.BROKEN
    ]


def test_good_facts_prove_everything() -> None:
    """Nothing is broken, nothing has to be mended."""
    assert not broken(GOOD)
    assert not any(one.mend for one in findings(GOOD, TERMS, {}))


@pytest.mark.parametrize(("guarantee", "facts", "word"), WRONG)
def test_each_broken_guarantee_is_found(guarantee: str, facts: dict[str, Any], word: str) -> None:
    """Exactly the one that is broken, with what was seen, and how to mend it."""
    (found,) = broken(structs.replace(GOOD, **facts))

    assert found.id == guarantee
    assert word in found.detail
    assert found.mend


def test_every_guarantee_can_be_found_broken() -> None:
    """The list above leaves none out."""
    assert {name for name, _, _ in WRONG} == {one.id for one in GUARANTEES}


def test_what_was_not_found_out_is_not_proved() -> None:
    """No fact, no proof; the trouble is told where there was one."""
    found = broken(Facts(troubles={"tmp": "no answer in time"}))

    assert {one.id for one in found} == {one.id for one in GUARANTEES}
    assert {one.detail for one in found if one.id == "tmp"} == {"no answer in time"}
    assert all(one.mend for one in found)


ROOT = {"root": True, "watched": False, "landlock": True, "overlays": True}
"""What a sandbox has that lacks nothing."""


def test_what_is_not_promised_is_absent() -> None:
    """Bare promises little; nothing of the rest is proved or broken, whatever the facts."""
    missing = absent("bare", **ROOT)
    found = findings(GOOD, TERMS, missing)
    user = absent("bwrap", **ROOT | {"root": False, "watched": True})

    assert {one.id for one in found if one.state is GuaranteeState.PROVED} == BARE_PROMISES
    assert all(one.mend and one.detail for one in found if one.state is GuaranteeState.ABSENT)
    assert set(absent("bwrap", **ROOT)) == NOT_TO_BE_HAD
    assert set(absent("bwrap", **ROOT | {"landlock": False})) == {"marks", *NOT_TO_BE_HAD}
    assert set(absent("docker", **ROOT)) == NOT_TO_BE_HAD
    assert set(absent("docker", **ROOT | {"overlays": False})) == {"folder-locks", *NOT_TO_BE_HAD}
    assert set(user) > {"memory", "user", "cache"}
    assert "as root" in user["memory"][1]
    assert "top group" in absent("bwrap", **ROOT | {"watched": True})["memory"][1]


MENDS = [
    ("bwrap", "no program 'bwrap': install the package bubblewrap", {}, "apt install bubblewrap"),
    ("bwrap", "the launcher was not compiled: install a C compiler", {}, "apt install gcc"),
    (
        "bwrap",
        "bubblewrap did not start: bwrap: No permissions to create new namespace",
        {"/proc/sys/kernel/unprivileged_userns_clone": "0"},
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "bwrap",
        "bubblewrap did not start: bwrap: setting up uid map: Permission denied",
        {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1"},
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "bwrap",
        "bubblewrap did not start: bwrap: Creating new namespace failed",
        {"/proc/sys/user/max_user_namespaces": "0"},
        "sysctl -w user.max_user_namespaces=15000",
    ),
    (
        "bwrap",
        "bubblewrap did not start: bwrap: Operation not permitted",
        {"/proc/sys/user/max_user_namespaces": "9000"},
        "in a container",
    ),
    (
        "bwrap",
        "a trial run failed: bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
        {},
        "docs/hosting/compose.yaml",
    ),
    (
        "bwrap",
        "a trial run failed: bwrap: pivot_root: Operation not permitted",
        {},
        "docs/hosting/compose.yaml",
    ),
    (
        "bwrap",
        "bubblewrap did not start: bwrap: Resource temporarily unavailable",
        {},
        "too many processes",
    ),
    ("docker", "docker: the daemon does not answer: FileNotFoundError", {}, "systemctl start"),
    ("docker", "docker: Permission denied: '/var/run/docker.sock'", {}, "group docker"),
    ("docker", "No module named 'docker'", {}, "pip install"),
    ("docker", "docker: DOCKER_HOST is 'tcp://x'; only a local daemon will do", {}, "unset"),
    ("bare", "who knows", {}, "referee doctor --json"),
]


@pytest.mark.parametrize(("sandbox", "why_not", "switches", "mend"), MENDS)
def test_a_sandbox_that_does_not_work_can_be_mended(
    sandbox: str, why_not: str, switches: dict[str, str], mend: str
) -> None:
    """What is missing, and the command that brings it."""
    assert mend in mend_of(sandbox, why_not, Machine(switches))


def test_exit_code_is_that_of_the_sandbox_that_counts() -> None:
    """The one that auto takes; a weaker one may be broken."""
    wrong = GuaranteeFinding("tmp", "", GuaranteeState.BROKEN, "")
    not_had = GuaranteeFinding("user", "", GuaranteeState.ABSENT, "")
    bwrap = SandboxReport("bwrap", works=True, guarantees=(not_had,))
    docker = SandboxReport("docker", works=True, guarantees=(wrong,))
    none = SandboxReport("bwrap", works=False)

    assert exit_code([bwrap, docker], "bwrap") == 0
    assert exit_code([none, docker], "docker") == 1
    assert exit_code([docker], "bwrap") == 1
    assert exit_code([none], "bare") == 1
    bare = SandboxReport("bare", works=True, guarantees=(not_had,))
    assert exit_code([bare], "bare") == 0
    assert exit_code([none, bare], "bare") == 1


@pytest.mark.parametrize(
    ("bwrap", "docker", "ours", "strangers"),
    [
        (SOUND, SOUND, "bwrap", "bwrap"),
        (UNSOUND, SOUND, "docker", "docker"),
        (WEAK, SOUND, "bwrap", "docker"),
        (WEAK, UNSOUND, "bwrap", None),
        (UNSOUND, UNSOUND, None, None),
    ],
)
def test_what_auto_takes(
    bwrap: DoctorVerdict, docker: DoctorVerdict, ours: str | None, strangers: str | None
) -> None:
    """The first that keeps what it promises; for strangers one that promises all it could."""
    verdicts = {"bwrap": bwrap, "docker": docker}
    order = ("bwrap", "docker")
    assert taken(verdicts, order, strangers=False) == ours
    assert taken(verdicts, order, strangers=True) == strangers


def test_what_no_sandbox_promises_keeps_no_stranger_out() -> None:
    """A guarantee that none gives, on any machine, is absent in all, and is not counted."""
    missing = absent("bwrap", **ROOT)
    rows = tuple(GuaranteeFinding(one, "", GuaranteeState.ABSENT, "") for one in missing)
    cache = GuaranteeFinding("cache", "", GuaranteeState.ABSENT, "")

    assert SandboxReport("bwrap", works=True, guarantees=rows).verdict == SOUND
    assert SandboxReport("bwrap", works=True, guarantees=(*rows, cache)).absent == ("cache",)


@pytest.mark.slow
@pytest.mark.thorough
async def test_bare_keeps_the_little_that_it_promises() -> None:
    """All proved; and the languages of this machine are found."""
    report = await diagnose(SandboxName.BARE, Settings(), lambda _: None)

    assert not unsound(report)
    assert {name for name, state in states(report).items() if state is GuaranteeState.PROVED} == (
        BARE_PROMISES
    )
    assert "python3" in {one.name for one in report.languages}


@pytest.mark.slow
@pytest.mark.thorough
async def test_bubblewrap_keeps_all_that_it_promises() -> None:
    """As root all but two are proved, and nothing is left of the trials."""
    need("bwrap", root=True)
    before = set(os.environ)
    report = await diagnose(SandboxName.BWRAP, Settings(), lambda _: None)

    assert not unsound(report)
    assert not_proved(report) == NOT_TO_BE_HAD
    assert "python3" in {one.name for one in report.languages}
    assert set(os.environ) == before


@pytest.mark.slow
@pytest.mark.thorough
async def test_docker_keeps_all_that_it_promises(request: pytest.FixtureRequest) -> None:
    """As root all but two are proved."""
    need(root=True)
    request.getfixturevalue("docker_host")
    report = await diagnose(SandboxName.DOCKER, Settings(), lambda _: None)

    assert not unsound(report)
    assert not_proved(report) == NOT_TO_BE_HAD


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("sandbox", [SandboxName.BWRAP, SandboxName.DOCKER])
async def test_what_is_said_not_to_be_had_is_not_had(
    sandbox: SandboxName, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it were promised, the trials would find just that broken."""
    need(root=True) if sandbox is SandboxName.DOCKER else need("bwrap", root=True)
    if sandbox is SandboxName.DOCKER:
        request.getfixturevalue("docker_host")
    monkeypatch.setattr("referee.doctor.diagnosis.absent", lambda *_, **__: {})
    report = await diagnose(sandbox, Settings(), lambda _: None, languages=False)

    found = states(report).items()
    assert {name for name, state in found if state is GuaranteeState.BROKEN} == NOT_TO_BE_HAD


@pytest.mark.slow
@pytest.mark.thorough
async def test_a_sandbox_without_control_groups_claims_nothing_of_them() -> None:
    """Memory is only watched then: that is said, not proved."""
    need("bwrap", root=True)
    report = await diagnose(SandboxName.BWRAP, Settings(), lambda _: None, cgroups=False)
    found = states(report)

    assert not unsound(report)
    assert "watched" in report.how
    for name in ("memory", "memory-children", "cache", "cpu-children", "shares"):
        assert found[name] is GuaranteeState.ABSENT


def doctor(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [REFEREE, "doctor", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
@pytest.mark.thorough
def test_the_json_has_everything(tmp_path: Path) -> None:
    """The shape that scripts rely on; a daemon that is not there is told, with a way to mend it."""
    done = doctor("--sandbox", "docker", "--json", DOCKER_HOST=f"unix://{tmp_path}/none")
    said = json.loads(done.stdout)
    (one,) = said["sandboxes"]

    assert done.returncode == 1
    assert said["auto"] in ("bwrap", "bare")
    assert said["auto_for_strangers"] in (said["auto"], None)
    assert not one["works"]
    assert one["why_not"]
    assert one["mend"]

    done = doctor("--sandbox", "bare", "--json")
    (one,) = json.loads(done.stdout)["sandboxes"]

    assert done.returncode == 0, done.stdout
    assert set(one) == {
        *("name", "works", "how", "why_not", "mend", "guarantees", "languages"),
    }
    assert [row["id"] for row in one["guarantees"]] == [row.id for row in GUARANTEES]
    assert set(one["guarantees"][0]) == {"id", "promise", "state", "detail", "mend"}
    assert {row["state"] for row in one["guarantees"]} == {"proved", "absent"}
    assert {"name", "version"} == set(one["languages"][0])


@pytest.mark.slow
@pytest.mark.thorough
def test_output_in_a_pipe_is_plain() -> None:
    """One row for each guarantee, no control characters, the choice of auto at the end."""
    doctor("--sandbox", "bare")  # what auto would take is found out, and said to be
    done = doctor("--sandbox", "bare")
    lines = done.stdout.splitlines()

    assert all(line.isprintable() for line in lines)
    assert not done.stderr
    assert sum(line.startswith(("proved", "absent")) for line in lines) == len(GUARANTEES)
    assert lines[-1].startswith("--sandbox auto takes ")


def test_wrong_usage_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line."""
    assert run(["doctor", "--sandbox", "jail"]) == 2
    assert "jail" in capsys.readouterr().err


def test_the_trials_are_small() -> None:
    """They harm nobody where a bound is not kept: a usual bot may have more."""
    usual = Settings().default

    assert BOUNDS.memory < usual.memory
    assert BOUNDS.tmp < usual.tmp
