"""Bots become copies: what strangers put into a folder or a build harms nobody on the way."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import trio

from referee.bots.files import hash_files
from referee.bots.find import find
from referee.bots.held_folder import HeldFolder
from referee.bots.settings import Settings
from referee.errors import RefereeError, SandboxError
from referee.sandbox import Sandbox
from referee.sandbox.folders import (
    own_folder,
    own_store,
    remove_tree,
    store_folder,
    unless_taken,
)
from referee.sandbox.janitor import is_alive, run_of
from referee.sandbox.user_ids import READERS
from support.sandboxes import ended, finish, need, prepared


def folder(path: Path, build: str = "", **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(
        f"name = \"x\"\ncommand = \"sh x.sh\"\nbuild = '''{build}'''\n# {path}\n"
    )
    for name, text in {"x.sh": "exit 3\n", **files}.items():
        (path / name).write_text(text)
    return path


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


DEEP = "python3 -c 'import os; [(os.mkdir(str(1)), os.chdir(str(1))) for _ in range(3000)]'"
LONG = DEEP.replace("str(1)", "200 * chr(97)").replace("3000", "1500")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "line"),
    [
        (DEEP, "the build made folders more than 50 deep"),
        (LONG, "the build made a path of more than 1024 bytes"),
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
async def test_a_build_that_talks_without_end_is_ended(bwrap: Sandbox, tmp_path: Path) -> None:
    """What compilers say is no gigabyte."""
    with pytest.raises(RefereeError, match=r"the build failed[^$]*it said more than 16 MiB"):
        await prepared(bwrap, str(folder(tmp_path / "talks", "yes")))


@pytest.mark.slow
async def test_a_build_waits_for_those_who_play(bwrap: Sandbox, tmp_path: Path) -> None:
    """All that it starts has the least claim to a processor, whatever there is of it."""
    policy = "python3 -c 'import os; print(os.sched_getscheduler(0))'"
    build = f'sh -c "({policy}) > policy; cat policy; exit 3"'
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


def test_another_user_who_is_first_in_tmp_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder or a link of theirs by our name: ours is where they cannot write. Ours stays."""
    need(root=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    taken = tmp_path / "taken"
    assert unless_taken(taken, "run") == taken
    taken.mkdir()
    assert unless_taken(taken, "run") == taken
    os.chown(taken, 12345, 12345)
    instead = tmp_path / "caches" / "briscola-referee" / "run"
    assert unless_taken(taken, "run") == instead
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    os.lchown(link, 12345, 12345)
    assert unless_taken(link, "run") == instead
    assert own_folder(instead, 0o755) == instead


@pytest.mark.parametrize("name", ["d", "d" * 200])
def test_a_deep_folder_can_be_removed(name: str, tmp_path: Path) -> None:
    """Deeper than a function can call itself: what does so for each level would give up."""
    here = tmp_path / "deep"
    here.mkdir()
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(here)
        for _ in range(1100):
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


_SAYS_ITS_RUN = (
    "import os; from referee.sandbox.janitor import run_of; print(run_of(os.getpid())); input()"
)


@pytest.mark.skipif(not os.path.exists("/proc/self/ns/time"), reason="a kernel before Linux 5.6")
def test_a_run_whose_clock_is_another_is_not_ours_to_end() -> None:
    """In its time namespace all processes have begun at other moments."""
    need("unshare", root=True)
    words = ["unshare", "--time", "--boottime", "1000", sys.executable, "-uc", _SAYS_ITS_RUN]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert is_alive(process.stdout.readline().strip())
        process.stdin.write("\n")


def test_sockets_and_devices_are_no_files_of_a_bot(tmp_path: Path) -> None:
    """They are left out, as if they were not there."""
    bot = folder(tmp_path / "odd")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(bot / "socket"))
        assert set(find(str(bot), Settings()).files) == {"bot.toml", "x.sh"}


async def test_no_other_user_comes_to_the_copies(bwrap: Sandbox, tmp_path: Path) -> None:
    """Not even one who knows the hash of a bot, which records show; its own processes do."""
    need(root=True)
    bot = folder(tmp_path / "shut")
    spec = await prepared(bwrap, str(bot))
    assert store_folder().stat().st_mode & 0o777 == 0o710
    assert store_folder().stat().st_gid == READERS
    for word in (spec.folder, f"{spec.folder}/x.sh", str(store_folder())):
        words = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "ls", word]
        shown = await trio.run_process(words, capture_stderr=True, check=False)
        assert shown.returncode != 0
        assert b"Permission denied" in shown.stderr
    process = await bwrap.launch(spec)
    try:
        assert await ended(process) == "exit status 3"
    finally:
        finish(process)


def test_the_copies_of_an_ordinary_user_are_that_users_only() -> None:
    """An older folder that others may look into is closed."""
    need(root=True)
    with tempfile.TemporaryDirectory() as home:
        above = Path(home, "theirs")
        (above / "bots").mkdir(parents=True)
        for path in (Path(home), above, above / "bots"):
            path.chmod(0o755)
            os.chown(path, 12345, 12345)
        os.setegid(12345)
        os.seteuid(12345)
        try:
            own_store(above / "bots")
        finally:
            os.seteuid(0)
            os.setegid(0)
        assert (above / "bots").stat().st_mode & 0o777 == 0o700
