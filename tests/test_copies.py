"""Bots become copies: what strangers put into a folder or a build harms nobody on the way."""

import contextlib
import errno
import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from referee.botfiles import hash_files
from referee.bots import find
from referee.errors import RefereeError, SandboxError
from referee.folders import HeldFolder
from referee.sandbox import Sandbox, building
from referee.sandbox.building import _is_too_large, hand_over, take_over
from referee.sandbox.janitor import is_alive, run_of
from referee.sandbox.place import own_folder, remove_tree
from referee.settings import Settings
from support.sandboxes import need, prepared


def folder(path: Path, build: str = "", **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(
        f"name = \"x\"\ncommand = \"sh x.sh\"\nbuild = '''{build}'''\n# {path}\n"
    )
    for name, text in {"x.sh": "exit 3\n", **files}.items():
        (path / name).write_text(text)
    return path


def test_no_build_hides_what_it_makes_below_long_names(tmp_path: Path) -> None:
    """What no path can name is looked for by nobody, and may be of any size."""
    with contextlib.chdir(tmp_path):
        for _ in range(30):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
    assert _is_too_large(tmp_path)
    remove_tree(tmp_path / ("d" * 200))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("longest", [40, 200])
def test_what_a_build_cannot_have_made_rightly_is_its_fault(longest: int, tmp_path: Path) -> None:
    """Paths that no copy could have; the machine has nothing to do with it."""
    built = tmp_path / "built"
    built.mkdir()
    with contextlib.chdir(built):
        for _ in range(49):
            os.mkdir("d" * longest)
            os.chdir("d" * longest)
        Path("x").touch()
    with pytest.raises(RefereeError, match="bot 'x': the build made a path of more than 1024"):
        take_over(built, tmp_path / "copy", "x")
    remove_tree(built)
    assert not built.exists()


@pytest.mark.parametrize("name", ["file", "folder"])
def test_what_a_build_has_closed_to_us_is_its_fault(name: str) -> None:
    """It is refused, and not left out without a word."""
    need(root=True)
    with tempfile.TemporaryDirectory() as home:
        built = Path(home, "built")
        (built / "folder").mkdir(parents=True)
        (built / "file").touch()
        (built / name).chmod(0)
        for path in (Path(home), built, *built.iterdir()):
            os.chown(path, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            with pytest.raises(RefereeError, match=f"has made: '{name}': Permission denied"):
                take_over(built, Path(home, "copy"), "x")
        finally:
            os.seteuid(0)
            os.setegid(0)


def test_a_full_disk_is_not_the_fault_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has to be told of it who can mend it."""
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "x").touch()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match="No space left on device"):
        take_over(tmp_path / "built", tmp_path / "copy", "x")


def test_a_build_is_watched_however_deep_its_folders_are(tmp_path: Path) -> None:
    """While it makes them, too."""
    here = tmp_path
    for _ in range(1200):
        here /= "1"
        here.mkdir()

    assert not _is_too_large(tmp_path)
    remove_tree(tmp_path / "1")


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Root would follow it, and the bot would read what only root can."""
    bot = folder(tmp_path / "leak")
    (bot / "inside").symlink_to("x.sh")
    assert "inside" in find(str(bot), Settings()).files
    (bot / "secret").symlink_to("/etc/hostname")
    with pytest.raises(RefereeError, match="'secret' is a link out of the folder"):
        find(str(bot), Settings())
    (bot / "secret").unlink()
    (bot / "bot.toml").unlink()
    (bot / "bot.toml").symlink_to("/etc/hostname")
    with pytest.raises(RefereeError, match=r"has no bot\.toml"):
        find(str(bot), Settings())


def test_what_has_become_a_link_or_a_pipe_is_not_opened(tmp_path: Path) -> None:
    """Between the look and the opening its owner may do anything; then there is an error."""
    bot = folder(tmp_path / "swap")
    (bot / "sub").mkdir()
    file = bot / "sub" / "file"
    file.write_text("mine")
    with HeldFolder(bot) as held:
        with held.opened("sub/file") as plain:
            assert plain.read() == b"mine"
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(ValueError, match="no plain file"):
            held.opened("sub/file")
        file.unlink()
        file.symlink_to("/etc/hostname")
        with pytest.raises(ValueError, match="link out of the folder"):
            held.opened("sub/file")


def test_no_two_folders_have_one_hash_by_their_names(tmp_path: Path) -> None:
    """A name may hold a newline, and whatever stands in a line of the list."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("2")
    listed = hash_files({"a": one, "b": two})
    forged = f"a - {hash_files({'x': one})}\nb"
    assert listed != hash_files({forged: two})
    assert listed != hash_files({"a": two, "b": one})


@pytest.mark.slow
async def test_who_changes_a_bot_after_it_was_found_poisons_no_store(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """What was hashed is what is run; else nothing is."""
    for build in ("", "true"):
        bot = folder(tmp_path / f"poison{build}", build)
        found = find(str(bot), Settings())
        (bot / "x.sh").write_text("exit 4\n")
        with pytest.raises(RefereeError, match="it was changed while it was being prepared"):
            await bwrap.prepare(found)
        (bot / "x.sh").write_text("exit 3\n")
        spec = await bwrap.prepare(found)
        assert (Path(spec.folder) / "x.sh").read_text() == "exit 3\n"


@pytest.mark.slow
async def test_a_copy_has_no_bits_of_its_owner(bwrap: Sandbox, tmp_path: Path) -> None:
    """Setuid would be root's in a copy that root makes, and a user's of ours in a build."""
    for build in ("", "chmod 6755 x.sh"):
        bot = folder(tmp_path / f"setuid-{bool(build)}", build)
        (bot / "x.sh").chmod(0o4755)
        spec = await prepared(bwrap, str(bot))
        assert (Path(spec.folder) / "x.sh").stat().st_mode & 0o7777 == 0o555


def test_nobody_else_comes_to_a_build(tmp_path: Path) -> None:
    """The folder above is closed to all but root and the builder, who cannot write to it."""
    need(root=True)
    work = tmp_path / "scratch" / "source"
    work.mkdir(parents=True)
    hand_over(work, 60899)
    above = work.parent.stat()
    assert (above.st_mode & 0o777, above.st_uid, above.st_gid) == (0o710, 0, 60899)


DEEP = "python3 -c 'import os; [(os.mkdir(str(1)), os.chdir(str(1))) for _ in range(3000)]'"
LONG = DEEP.replace("str(1)", "200 * chr(97)").replace("3000", "1500")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "line"),
    [
        (DEEP, "the build made folders more than 50 deep"),
        (LONG, "the build made a path of more than 1024 bytes|a path that is too long"),
        ("truncate -s 1T large", "the build"),
        ("mkfifo pipe", ""),
        ("ln -s /etc/shadow link", ""),
        ("exit 3", "the build failed"),
    ],
)
async def test_odd_builds_get_a_line_and_leave_nothing(
    build: str, line: str, bwrap: Sandbox, tmp_path: Path
) -> None:
    """Trees without end, sparse giants, pipes and links: refused, or copied as what they are."""
    command = build if "'" in build else f'sh -c "{build}"'
    found = find(str(folder(tmp_path / "odd", command)), Settings())
    if not line:
        spec = await bwrap.prepare(found)
        assert not (Path(spec.folder) / "pipe").exists()
        assert (Path(spec.folder) / "link").is_symlink() == ("link" in build)
        return
    with pytest.raises(RefereeError, match=line):
        await bwrap.prepare(found)


@pytest.mark.slow
async def test_a_build_that_fills_the_disk_is_ended(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it runs, not when it is done."""
    monkeypatch.setattr(building, "LARGEST_FOLDER", 1 << 20)
    build = 'sh -c "head -c 9000000 /dev/zero > large; sleep 60"'
    with pytest.raises(RefereeError, match=r"the build failed[^$]*it made more than 2 MiB or"):
        await prepared(bwrap, str(folder(tmp_path / "fills", build)))


@pytest.mark.slow
async def test_a_build_that_talks_without_end_is_ended(bwrap: Sandbox, tmp_path: Path) -> None:
    """What compilers say is no gigabyte."""
    with pytest.raises(RefereeError, match=r"the build failed[^$]*it said more than 16 MiB"):
        await prepared(bwrap, str(folder(tmp_path / "talks", "yes")))


@pytest.mark.slow
async def test_a_build_waits_for_those_who_play(bwrap: Sandbox, tmp_path: Path) -> None:
    """All that it starts has the least claim to a processor, whatever there is of it."""
    build = "sh -c \"(cut -d' ' -f41 /proc/self/stat) > policy; cat policy; exit 3\""
    with pytest.raises(RefereeError, match=rf"the build failed[^$]*\n *{os.SCHED_IDLE}$"):
        await prepared(bwrap, str(folder(tmp_path / "waits", build)))


def test_a_folder_beside_strangers_must_be_ours_and_so_must_the_one_above(tmp_path: Path) -> None:
    """Who owns the folder above can put another in its place."""
    need(root=True)
    above = tmp_path / "theirs"
    (above / "bots").mkdir(parents=True)
    os.chown(above, 12345, 12345)
    with pytest.raises(SandboxError, match="must be a folder that only you can write to"):
        own_folder(above / "bots", 0o755)
    os.chown(above, 0, 0)
    assert own_folder(above / "bots", 0o755) == above / "bots"
    (above / "bots").chmod(0o777)
    with pytest.raises(SandboxError, match="must be a folder of yours"):
        own_folder(above / "bots", 0o755)


@pytest.mark.parametrize("name", ["d", "d" * 200])
def test_a_deep_folder_can_be_removed(name: str, tmp_path: Path) -> None:
    """However deep a bot has made it: what calls itself for each level would give up."""
    here = tmp_path / "deep"
    here.mkdir()
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(here)
        for _ in range(2500):
            os.mkdir(name)
            os.chdir(name)
    finally:
        os.fchdir(back)
        os.close(back)
    remove_tree(here)
    assert not here.exists()


def test_a_run_of_another_container_is_not_ours_to_end() -> None:
    """Its process ids mean nothing here; one of an earlier boot, or of a dead process, is dead."""
    ours = run_of(os.getpid())
    world, pid, started = ours.split("-")
    born = world.partition(".")[0]

    assert is_alive(ours)
    assert not is_alive(f"{world}-{pid}-{int(started) + 1}")
    assert is_alive(f"{born}.1-{pid}-1")
    assert not is_alive(f"00000000.1-{pid}-{started}")
    assert not is_alive("nonsense")


def test_sockets_and_devices_are_no_files_of_a_bot(tmp_path: Path) -> None:
    """They are left out, as if they were not there."""
    bot = folder(tmp_path / "odd")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(bot / "socket"))
        assert set(find(str(bot), Settings()).files) == {"bot.toml", "x.sh"}
