"""What the doctor has found is remembered, and `auto` takes nothing that it calls broken."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
import trio

from referee.bots.find import BotSource, Doubt, find
from referee.bots.settings import Settings
from referee.doctor import verdict as doctor
from referee.doctor.reports import GuaranteeFinding, GuaranteeState, SandboxReport
from referee.errors import RefereeError, SandboxError
from referee.sandbox import Sandbox, choose, doctor_cache
from referee.sandbox.choose import opened_for
from referee.sandbox.doctor_cache import conditions, remember, verdict_of
from referee.sandbox.doctor_verdict import DoctorVerdict
from referee.sandbox.names import SandboxName
from support.sandboxes import need

BOX = cast(Sandbox, SimpleNamespace(name="bwrap", how="namespaces"))
BROKEN = "`referee doctor` finds broken here: cpu, freeze"

Doctor = Callable[[str], Path]


def found(problem: str, *absent: str) -> str:
    """What the doctor's program prints."""
    return msgspec.json.encode(DoctorVerdict(problem, absent)).decode()


@pytest.fixture
def doctor_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """Puts a program in the doctor's place; the file that comes back has a letter a run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def says(answer: str) -> Path:
        runs = tmp_path / "runs"
        program = f"open({str(runs)!r}, 'a').write('x'); print({answer!r})"
        monkeypatch.setattr(doctor_cache, "_COMMAND", (sys.executable, "-c", program))
        return runs

    return says


async def test_a_verdict_is_found_out_once(doctor_says: Doctor) -> None:
    """Also where several processes ask at once; other settings are another question."""
    runs = doctor_says(found(""))
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(verdict_of, BOX, Settings())
    assert (await verdict_of(BOX, Settings())).problem == ""
    assert runs.read_text() == "x"
    await verdict_of(BOX, Settings(images=("gone",)))
    assert runs.read_text() == "xx"


def test_a_verdict_holds_for_what_it_was_found_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user, daemon, version of Docker or kernel: another verdict."""
    other = cast(Sandbox, SimpleNamespace(name="bwrap", how="namespaces, more"))
    found = {conditions(BOX, Settings()), conditions(other, Settings())}
    assert conditions(BOX, Settings()) in found
    monkeypatch.setenv("DOCKER_HOST", "unix:///elsewhere")
    found.add(conditions(BOX, Settings()))
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    found.add(conditions(BOX, Settings()))
    monkeypatch.setattr(os, "uname", lambda: ("Linux", "x", "9.9", "y", "z"))
    found.add(conditions(BOX, Settings()))
    monkeypatch.setattr(doctor_cache, "_stamp", lambda path: path.name.encode())
    found.add(conditions(BOX, Settings()))
    assert len(found) == 6


@pytest.mark.parametrize("harm", ["writable", "link", "nonsense", "owner"])
async def test_a_file_that_others_could_have_written_does_not_count(
    harm: str, doctor_says: Doctor, tmp_path: Path
) -> None:
    """It is as if there were none."""
    runs = doctor_says(found("broken"))
    remember("bwrap", conditions(BOX, Settings()), DoctorVerdict(""))
    (file,) = (tmp_path / "cache").rglob("doctor-bwrap.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (await verdict_of(BOX, Settings())).problem == ""
    match harm:
        case "writable":
            file.chmod(0o666)
        case "link":
            file.rename(file.with_name("other"))
            file.symlink_to("other")
        case "nonsense":
            file.write_text("{")
        case "owner":
            need(root=True)
            os.chown(file, 12345, 12345)
    assert (await verdict_of(BOX, Settings())).problem == "broken"
    assert runs.read_text() == "x"


async def test_a_disk_that_keeps_nothing_only_costs_time(
    doctor_says: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found out each time."""
    runs = doctor_says(found(""))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    for _ in range(2):
        assert (await verdict_of(BOX, Settings())).problem == ""
    assert runs.read_text() == "xx"


async def test_a_doctor_that_ends_early_proves_nothing(doctor_says: Doctor) -> None:
    """Nothing is remembered of that."""
    runs = doctor_says("Traceback")
    for _ in range(2):
        with pytest.raises(SandboxError, match="what it enforces was not found out"):
            await verdict_of(BOX, Settings())
    assert runs.read_text() == "xx"


async def test_auto_takes_nothing_that_the_doctor_calls_broken(
    doctor_says: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for it by name gets it; auto goes on to the next, and says why."""
    need("bwrap")
    doctor_says(found(BROKEN))
    monkeypatch.setattr(choose, "by_strength", lambda: (SandboxName.BWRAP, SandboxName.DOCKER))
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    sample = find("sample:first", Settings())
    async with opened_for(SandboxName.AUTO, [sample], Settings()) as box:
        assert box.name == "bare"
        how = box.how
    assert f"bwrap: {BROKEN}" in how
    async with opened_for(SandboxName.BWRAP, [sample], Settings()) as box:
        assert box.name == "bwrap"
    monkeypatch.setattr(BotSource, "doubt", lambda _: Doubt("it is odd"))
    with pytest.raises(RefereeError, match=f"no sandbox works here .bwrap: {BROKEN}"):
        choose.only_own([sample], how)


async def test_bots_of_strangers_need_all_that_a_sandbox_can_promise(
    doctor_says: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Auto puts our own in one that lacks some of it, theirs in none; its name still opens it."""
    need("bwrap")
    doctor_says(found("", "cache", "shares"))
    monkeypatch.setattr(choose, "by_strength", lambda: (SandboxName.DOCKER, SandboxName.BWRAP))
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    async with opened_for(SandboxName.AUTO, (), Settings()) as box:
        assert box.name == "bwrap"
    with pytest.raises(RefereeError) as caught:
        async with opened_for(SandboxName.AUTO, (), Settings(), strangers=True):
            pytest.fail("it was opened")
    assert str(caught.value) == (
        "no sandbox here is for the bots of strangers (docker: no Docker daemon listens at "
        "/no/such/socket; bwrap: does not promise here: cache, shares): run this as root, or see "
        "`referee doctor`; or, if you trust them all, say --sandbox bwrap (in the file of an "
        "event sandbox = 'bwrap')"
    )
    async with opened_for(SandboxName.BWRAP, (), Settings(), strangers=True) as box:
        assert box.name == "bwrap"


def report(*broken: str, works: bool = True) -> SandboxReport:
    """Of a sandbox with two guarantees."""
    found = tuple(
        GuaranteeFinding(
            name, "", GuaranteeState.BROKEN if name in broken else GuaranteeState.PROVED, ""
        )
        for name in ("cpu", "freeze")
    )
    return SandboxReport("bwrap", works, why_not="" if works else "no bwrap", guarantees=found)


@pytest.mark.parametrize(
    ("reports", "problem"),
    [
        ([report()], ""),
        ([report("cpu", "freeze")] * 2, BROKEN),
        ([report("cpu", "freeze"), report("cpu")], "`referee doctor` finds broken here: cpu"),
        ([report("cpu"), report("freeze")], ""),
        ([report(works=False)], "no bwrap"),
    ],
)
async def test_what_is_broken_was_broken_twice(
    reports: list[SandboxReport], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine is not remembered as a broken one until its next start."""
    left = iter(reports)

    async def diagnose(*_: object, **__: object) -> SandboxReport:
        return next(left)

    monkeypatch.setattr(doctor, "diagnose", diagnose)
    assert (await doctor.verdict(SandboxName.BWRAP, Settings())).problem == problem
    assert next(left, None) is None


@pytest.mark.thorough
async def test_the_doctor_itself_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And says aloud what takes some seconds, once."""
    need("bwrap")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(choose, "by_strength", lambda: (SandboxName.BWRAP, SandboxName.DOCKER))
    for _ in range(2):
        async with opened_for(SandboxName.AUTO, (), Settings()) as box:
            assert box.name == "bwrap"
    assert capfd.readouterr().err.count("finding out what bwrap keeps of its promises here") == 1
