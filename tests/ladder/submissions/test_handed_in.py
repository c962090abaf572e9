"""What is handed in becomes plain files within limits, and a frozen folder that is whole or not."""

import errno
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ladder.core.names import fitted, name_of
from ladder.submissions import frozen_bots, unzip_program
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.copy_in import HandedIn, taken
from ladder.submissions.frozen_bots import freeze, is_whole, keep, scratch
from referee.bots import held_folder
from referee.bots.files import hash_file
from referee.bots.find import BotToml, find
from referee.bots.settings import Bounds, Settings
from referee.errors import HostError, RefereeError
from support.disks import small_disk
from support.sandboxes import need
from support.zips import good, unzipped_here

TOML = 'name = "x"\ncommand = "sh x.sh"\n'


def bot(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"bot.toml": TOML, "x.sh": "exit 3\n", **files}.items():
        (folder / name).write_text(text)
    return folder


def take(path: Path | str, where: Path) -> HandedIn:
    where.mkdir()
    upload = taken(str(path), where, Settings(), (where,))
    return unzipped_here(upload, where / "unpacked")


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_folder_a_zip_of_it_and_a_zip_by_another_name_are_one(tmp_path: Path) -> None:
    """Told by what they hold; how its author would play it at home is remembered."""
    folder = bot(tmp_path / "bot")
    (folder / "sub").mkdir()
    (folder / "sub" / "run").write_text("#!/bin/sh\n")
    (folder / "sub" / "run").chmod(0o4711)
    (folder / "sub" / "inside").symlink_to("../x.sh")
    for left_out in ("__pycache__", ".git"):
        (folder / left_out).mkdir()
        (folder / left_out / "x").write_text("x")
    plain = take(folder, tmp_path / "1")
    assert names(plain.folder) == {"bot.toml", "x.sh", "sub/run", "sub/inside"}
    assert (plain.folder / "sub" / "run").stat().st_mode & 0o7777 == 0o755
    assert not (plain.folder / "sub" / "inside").is_symlink()
    assert (plain.typed, plain.bot, plain.before) == (str(folder), str(folder), "")

    odd = tmp_path / "no zip.txt"
    odd.write_bytes(good())
    zipped = take(odd, tmp_path / "2")
    assert names(zipped.folder) == {"bot.toml", "x.sh"}
    assert zipped.source == hash_file(odd)
    assert zipped.bot == "./no zip.unpacked/bot"
    assert zipped.before == f"unzip -q '{odd}' -d './no zip.unpacked' && "


@pytest.mark.parametrize("wrap", ["", "bot-1/"])
def test_a_folder_and_the_zip_of_it_are_one_bot(wrap: str, tmp_path: Path) -> None:
    """Whatever tools have put beside it: what is left out of the one is left out of the other."""
    folder = bot(tmp_path / "bot")
    for left_out in (".git/refs/heads", "__pycache__", "sub/__pycache__", "sub/.git", "__MACOSX"):
        (folder / left_out).mkdir(parents=True)
        (folder / left_out / "a: b?").write_text(left_out)
    (folder / "sub" / "run").write_text("#!/bin/sh\n")
    (folder / "sub" / "run").chmod(0o755)
    (folder / "sub" / ".gitignore").touch()
    for name in ("records/a.jsonl", "records/a.stderr.zst", ".mypy_cache/x", "sub/records/b.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    for number in range(2001):
        (folder / ".git" / "refs" / f"{number}").touch()
    for number in range(3):
        (folder / "__pycache__" / f"{number}").touch()
        os.truncate(folder / "__pycache__" / f"{number}", (32 << 20) + 1)
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, wrap + str(path.relative_to(folder)))
        archive.write(folder / "x.sh", "__MACOSX/._x.sh")

    plain, zipped = take(folder, tmp_path / "1"), take(tmp_path / "zip", tmp_path / "2")
    assert names(plain.folder) == {
        *("bot.toml", "x.sh", "sub/run", "sub/.gitignore", "sub/records/b.txt"),
    }
    assert plain.left_out == (".git", ".mypy_cache", "__MACOSX", "__pycache__", "records")
    assert zipped.left_out == plain.left_out
    assert names(zipped.folder) == names(plain.folder)
    once, again = (frozen(one.folder, tmp_path / "bots") for one in (plain, zipped))
    assert once == again


def test_a_single_program_gets_a_bot_toml(tmp_path: Path) -> None:
    """It runs as it did, and is named by its file."""
    program = tmp_path / "my bot.sh"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(RefereeError, match="neither a folder nor a zip nor executable"):
        take(program, tmp_path / "0")
    program.chmod(0o755)
    found = take(program, tmp_path / "1")
    assert find(str(found.folder), Settings()).words == ("./my bot.sh",)
    assert (found.stem, found.source) == ("my bot", hash_file(program))


@pytest.mark.parametrize("name", ["first", "greedy", "first-c", "script=deeds"])
def test_samples_can_be_handed_in(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As folders that need nothing of ours."""
    monkeypatch.chdir(tmp_path)
    Path("deeds").write_text("7D\n")
    found = take(f"sample:{name}", tmp_path / "1")
    words = find(str(found.folder), Settings()).words
    if name == "first-c":
        assert names(found.folder) == {"bot.toml", "first.c"}
    else:
        single = f"{name.partition('=')[0]}_bot.py"
        more = ("actions",) if "script" in name else ()
        assert words == ("python3", "-I", single, *more)
        assert names(found.folder) == {"bot.toml", single, *more}


def many(folder: Path) -> None:
    for number in range(2000):
        (folder / f"{number}").touch()


def large(folder: Path) -> None:
    os.truncate(folder / "x.sh", (32 << 20) + 1)


def heavy(folder: Path) -> None:
    for number in range(3):
        (folder / f"{number}").touch()
        os.truncate(folder / f"{number}", 22 << 20)


def deep(folder: Path) -> None:
    (folder / Path(*"abcdefghijkl")).mkdir(parents=True)
    (folder / Path(*"abcdefghijkl") / "x").touch()


def listens(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))


def differing(folder: Path) -> None:
    (folder / "X.sh").touch()


def undecodable(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).touch()


def spinning(folder: Path) -> None:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")


ODD: dict[Callable[[Path], object], str] = {
    many: "more than 2000 files and folders",
    large: "'x.sh' is larger than 32 MiB",
    heavy: "the files together are larger than 64 MiB",
    deep: "lies more than 12 folders deep",
    listens: "'socket' is no plain file",
    differing: "differ only in case",
    undecodable: "a name is made of",
    spinning: "is a link to no file",
    lambda folder: os.mkfifo(folder / "pipe"): "'pipe' is no plain file",
    lambda folder: (folder / "new\nline").touch(): "a name is made of",
    lambda folder: (folder / "l").symlink_to("/etc/passwd"): "'l' is a link out of the folder",
    lambda folder: (folder / "l").symlink_to(".."): "'l' is a link out of the folder",
    lambda folder: (folder / "l").symlink_to("none"): "'l' is a link to no file",
    lambda folder: (folder / "l").symlink_to("."): "'l' is a link to no file",
    lambda folder: (folder / "bot.toml").unlink(): r"the folder has no bot\.toml",
    lambda folder: (folder / "bot.toml").rename(folder / "a"): r"the folder has no bot\.toml",
}


@pytest.mark.parametrize(("spoil", "line"), ODD.items(), ids=map(str, range(len(ODD))))
def test_folders_have_the_limits_of_zips(
    spoil: Callable[[Path], object], line: str, tmp_path: Path
) -> None:
    """In sizes, numbers, names, links and kinds of files."""
    folder = bot(tmp_path / "bot")
    spoil(folder)
    with pytest.raises(RefereeError, match=line) as refused:
        take(folder, tmp_path / "1")
    assert str(refused.value).isprintable()


def test_what_is_no_bot_gets_a_line(tmp_path: Path) -> None:
    """Nothing there, a device, an archive of another kind, a name that is none."""
    (tmp_path / "bot.toml").write_text(TOML)
    (tmp_path / "bot.toml").chmod(0o755)
    (tmp_path / "a.tgz").write_bytes(b"\x1f\x8b")
    (tmp_path / "text.zip").write_text("text")
    (tmp_path / "empty.ZIP").touch()
    (tmp_path / "tar.zip").write_bytes(b"\x1f\x8b")
    (tmp_path / "tar.zip").chmod(0o755)  # as uploads are tried
    lines = {
        "none": "there is no such file or folder",
        "/dev/null": "neither a file nor a folder",
        "a.tgz": "neither a folder nor a zip nor executable",
        "text.zip": "it is no zip",
        "empty.ZIP": "it is no zip",
        "tar.zip": "it is no zip",
        "bot.toml": r"hand in the folder that holds the bot\.toml",
        "sample:none": "no sample bot 'none'",
        "a\0b": "there is no such file or folder",
        "a" * 5000: "too long",
    }
    for number, (path, line) in enumerate(lines.items()):
        typed = path if ":" in path else os.path.join(tmp_path, path)
        with pytest.raises(RefereeError, match=line):
            take(typed, tmp_path / str(number))
        if "no zip" in line:
            with pytest.raises(RefereeError, match=line):
                find(typed, Settings())


@pytest.mark.parametrize("shut", ["a/b", "a/c"])
def test_what_cannot_be_read_is_named(
    shut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder or a file, by its name within the bot: where a bot is started, and handed in."""
    folder = bot(tmp_path / "bot")
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "c").touch()
    forbidden, opened = (folder / shut).stat(), os.open

    def refusing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & os.O_PATH:
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path, dir_fd=dir_fd), forbidden):
                    raise PermissionError(errno.EACCES, "Permission denied", path)  # root may
        return opened(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    for look in (find, lambda typed, _: take(typed, tmp_path / "1")):
        with pytest.raises(RefereeError, match=f"'?{shut}'?: Permission denied"):
            look(str(folder), Settings())


HOLDERS: dict[str, Callable[[Path], str]] = {
    "itself": lambda folder: str(folder / "own"),
    "its parent": str,
    "a link to it": lambda folder: linked(folder.parent / "link", folder),
    "from within": lambda folder: f"{folder}/own/../sub/..",
}


def linked(link: Path, to: Path) -> str:
    link.symlink_to(to)
    return str(link)


@pytest.mark.parametrize("kind", HOLDERS)
def test_a_ladder_is_part_of_no_bot(kind: str, tmp_path: Path) -> None:
    """Else its key would be frozen, and go out with an export."""
    folder = bot(tmp_path / "bot")
    (folder / "sub").mkdir()
    own = bot(folder / "own")
    (own / "head-key").touch()
    real = tmp_path / "real"
    real.symlink_to(own)
    typed = HOLDERS[kind](folder)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(RefereeError, match=f"the ladder's folder '{real}'"):
        taken(typed, tmp_path / "scratch", Settings(), (real,))
    assert list((tmp_path / "scratch").iterdir()) == []
    assert taken(str(bot(own / "in it")), tmp_path / "scratch", Settings(), (real,)).folder.is_dir()


def test_a_zip_may_hold_what_its_folder_may(tmp_path: Path) -> None:
    """Files that cannot be packed make a zip as large as themselves: a library with its code."""
    folder = bot(tmp_path / "bot")
    for name in ("a", "b"):
        (folder / name).write_bytes(os.urandom(20 << 20))
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    assert names(take(tmp_path / "zip", tmp_path / "2").folder) == {"bot.toml", "x.sh", "a", "b"}


def test_what_is_no_part_of_a_bot_is_the_same_for_folders_and_zips() -> None:
    """The program that unpacks zips has nothing of ours beside it, and says it again."""
    assert set(unzip_program.LEFT_OUT) == set(held_folder.NO_BOT)
    assert unzip_program.RECORDS == held_folder.RECORDS
    assert unzip_program.RECORD_ENDINGS == held_folder.RECORD_ENDINGS


def test_a_virtual_environment_gets_a_hint(tmp_path: Path) -> None:
    """It leads out of the folder, and works nowhere else: what does is said."""
    folder = bot(tmp_path / "bot")
    (folder / "venv" / "bin").mkdir(parents=True)
    (folder / "venv" / "pyvenv.cfg").touch()
    (folder / "venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    with pytest.raises(RefereeError, match=r"out of the folder: .* pip install --target \."):
        take(folder, tmp_path / "1")
    with pytest.raises(RefereeError, match=r"out of the folder: .* pip install --target \."):
        find(str(folder), Settings())


def test_a_zip_is_no_larger_than_it_may_be_before_it_is_read(tmp_path: Path) -> None:
    """It is not even copied."""
    (tmp_path / "zip").write_bytes(good() + bytes(65 << 20))
    with pytest.raises(RefereeError, match="'zip' is larger than 65 MiB"):
        take(tmp_path / "zip", tmp_path / "1")


def frozen(built: Path, bots: Path, command: str = "sh x.sh") -> Path:
    with scratch(bots) as folder:
        freeze(built, toml_of(command), folder, "x")
        return keep(folder, find(str(folder), Settings()).hash)


def test_a_frozen_bot_is_read_only_and_named_by_its_hash(tmp_path: Path) -> None:
    """Links within it have become files; the same again is the same folder."""
    built = bot(tmp_path / "built", **{"bot.toml": 'name = "a"\ncommand = "make me"\nbuild = "x"'})
    (built / "sub").mkdir()
    (built / "sub" / "link").symlink_to("../x.sh")
    (built / "run").write_text("#!/bin/sh\n")
    (built / "run").chmod(0o755)
    folder = frozen(built, tmp_path / "bots")
    found = find(str(folder), Settings())
    assert (folder.name, found.name, found.build) == (found.hash, "bot", ())
    assert folder.parent == tmp_path / "bots"
    modes = {str(path.relative_to(folder)): path.lstat().st_mode for path in folder.rglob("*")}
    assert modes.pop("sub") == stat.S_IFDIR | 0o555
    assert modes.pop("run") == stat.S_IFREG | 0o555
    assert set(modes) == {"bot.toml", "x.sh", "sub/link"}
    assert set(modes.values()) == {stat.S_IFREG | 0o444}
    assert folder.stat().st_mode == stat.S_IFDIR | 0o555

    (built / "bot.toml").write_text('name = "b"\ncommand = "make me"\nbuild = "y"')
    assert frozen(built, tmp_path / "bots") == folder
    assert frozen(built, tmp_path / "bots", "sh -x x.sh") != folder
    assert len(os.listdir(tmp_path / "bots")) == 2


def test_a_frozen_bot_that_was_changed_is_not_taken_for_itself(tmp_path: Path) -> None:
    """Whoever hands in the same again finds it out."""
    built = bot(tmp_path / "built")
    folder = frozen(built, tmp_path / "bots")
    assert is_whole(tmp_path, folder.name)
    (folder / "x.sh").chmod(0o644)
    assert is_whole(tmp_path, folder.name)
    (folder / "x.sh").write_text("exit 4\n")
    with pytest.raises(RefereeError, match="is no longer what its name says") as refused:
        frozen(built, tmp_path / "bots")
    remedy = str(refused.value).partition("remove it (")[2].partition(")")[0]
    assert not is_whole(tmp_path, folder.name)
    assert not is_whole(tmp_path, "0" * 64)
    subprocess.run(["/bin/sh", "-c", remedy], check=True)  # as its organiser would type it
    assert frozen(built, tmp_path / "bots") == folder
    assert is_whole(tmp_path, folder.name)


def test_a_bot_that_was_changed_on_its_way_gets_no_name(tmp_path: Path) -> None:
    """Another machine may have taken a part of it away; then it can be handed in again."""
    built, bots = bot(tmp_path / "built"), tmp_path / "bots"
    with scratch(bots) as folder:
        freeze(built, toml_of("sh x.sh"), folder, "x")
        digest = find(str(folder), Settings()).hash
        folder.chmod(0o755)  # else only root could take a file out of it
        (folder / "x.sh").unlink()
        with pytest.raises(HostError, match="is no longer what its name says"):
            keep(folder, digest)
    assert os.listdir(bots) == []
    assert frozen(built, bots).name == digest


@pytest.mark.parametrize(
    ("link", "to", "line"),
    [
        ("secret", "/etc/shadow", "'secret' is a link out of the folder"),
        ("env/lib", "/usr/lib", "'env/lib' is a link out of the folder"),
        ("env/lib64", "lib", "'env/lib64' is a link to no file"),
        ("gone", "nowhere", "'gone' is a link to no file"),
        ("long", "x" * 300, "'long' is a link to no file"),
    ],
)
def test_links_that_a_build_leaves_lead_to_its_files(
    link: str, to: str, line: str, tmp_path: Path
) -> None:
    """Else what runs would not be what was frozen."""
    built = bot(tmp_path / "built")
    (built / "env" / "lib").mkdir(parents=True)
    if link == "env/lib":
        (built / link).rmdir()
    (built / link).symlink_to(to)
    with pytest.raises(RefereeError, match=f"bot 'x': what its build has made: {line}"):
        frozen(built, tmp_path / "bots")
    assert os.listdir(tmp_path / "bots") == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (b"\xff", r"'\\udcff': a name has to be UTF-8"),
        (b"/".join([b"d"] * 51), ""),
        (b"/".join([b"d"] * 52), "it has folders more than 50 deep"),
        ("\u20ac".encode() * 85, ""),
        (b"/".join([b"d" * 128] * 7) + b"/" + b"d" * 121, ""),
        (b"/".join([b"d" * 128] * 7) + b"/" + b"d" * 122, "a name in it has more than 1024 bytes"),
    ],
)
def test_names_that_a_build_leaves_can_go_on_any_journey(
    name: bytes, line: str, tmp_path: Path
) -> None:
    """An archive of the ladder has to hold them, and another ladder to take them in."""
    built = bot(tmp_path / "built")
    odd = Path(os.fsdecode(os.fsencode(built) + b"/" + name))
    odd.parent.mkdir(parents=True, exist_ok=True)
    odd.touch()
    if not line:
        assert len(names(frozen(built, tmp_path / "bots"))) == 3
        return
    with pytest.raises(RefereeError, match=f"bot 'x': what its build has made: {line}"):
        frozen(built, tmp_path / "bots")
    assert os.listdir(tmp_path / "bots") == []


def test_what_a_build_leaves_has_the_limits_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In files, in bytes, and in the length of what is run."""
    built = bot(tmp_path / "built")
    with pytest.raises(RefereeError, match=r"its bot\.toml would have more than 16384 bytes"):
        frozen(built, tmp_path / "bots", "sh x.sh " + "x" * 16384)
    monkeypatch.setattr(frozen_bots, "MOST_FILES", 2)
    frozen(built, tmp_path / "bots")
    (built / "one more").touch()
    with pytest.raises(RefereeError, match="it holds more than 2 files"):
        frozen(built, tmp_path / "bots")
    (built / "one more").unlink()
    together = sum(len(text) for text in (toml_of("sh x.sh"), "exit 3\n"))
    monkeypatch.setattr(frozen_bots, "LARGEST_FOLDER", together)
    frozen(built, tmp_path / "bots")
    monkeypatch.setattr(frozen_bots, "LARGEST_FOLDER", together - 1)
    with pytest.raises(RefereeError, match=f"at most {together - 1} B"):
        frozen(built, tmp_path / "bots")


def test_links_count_as_the_files_that_are_written_for_them(tmp_path: Path) -> None:
    """A build may leave so many bytes; a hundred links to one file would make a hundred of it."""
    built = bot(tmp_path / "built")
    (built / "large").write_bytes(bytes(10_000))
    for number in range(9):
        (built / f"link{number}").symlink_to("large")
    (tmp_path / "few").mkdir()
    with pytest.raises(RefereeError, match=r"it holds 97\.7 KiB, .* at most 48\.8 KiB"):
        frozen_bots.freeze(built, "", tmp_path / "few", "x", most=50_000)
    assert os.listdir(tmp_path / "few") == []


def test_a_folder_named_bot_toml_is_not_taken_for_it(tmp_path: Path) -> None:
    """Whatever a build has put in its place."""
    built = bot(tmp_path / "built")
    (built / "bot.toml").unlink()
    (built / "bot.toml").mkdir()
    (built / "bot.toml" / "x").touch()
    assert names(frozen(built, tmp_path / "bots")) == {"bot.toml", "x.sh"}


KILLED = """
import os, signal, sys
from pathlib import Path
from ladder.submissions.frozen_bots import freeze, scratch
with scratch(Path(sys.argv[2])) as folder:
    freeze(Path(sys.argv[1]), "name", folder, "x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_what_a_killed_process_leaves_is_taken_away(tmp_path: Path) -> None:
    """By the next; a half-made bot is never seen under a name of one."""
    built, bots = bot(tmp_path / "built"), tmp_path / "bots"
    (built / "sub").mkdir()
    (built / "sub" / "file").touch()
    words = [sys.executable, "-c", KILLED, str(built), str(bots)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    (left,) = os.listdir(bots)
    assert left.startswith(".")
    with scratch(bots) as mine, scratch(bots) as other:
        assert sorted(bots.iterdir()) == sorted((mine, other))
    assert os.listdir(bots) == []


def test_a_full_disk_leaves_nothing_half_frozen(tmp_path: Path) -> None:
    """It is told as what it is, and what was begun is taken away."""
    built = bot(tmp_path / "built")
    (built / "data").write_bytes(random.Random(1).randbytes(300_000))
    with small_disk(tmp_path / "disk", 256) as disk:
        with pytest.raises(OSError, match="No space left on device"):
            frozen(built, disk / "bots")
        assert os.listdir(disk / "bots") == []
        with pytest.raises(HostError, match="No space left"):
            take(built, disk / "given")


def test_whoever_is_not_root_can_freeze_too() -> None:
    """Read-only folders can still be renamed, and be taken away."""
    need(root=True)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        os.chown(home, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            built = bot(home / "built")
            (built / "sub").mkdir()
            (built / "sub" / "x").touch()
            first = frozen(built, home / "bots")
            assert frozen(built, home / "bots") == first
            with scratch(home / "bots") as folder:
                freeze(built, "name", folder, "x")
            assert os.listdir(home / "bots") == [first.name]
        finally:
            os.seteuid(0)
            os.setegid(0)


def test_a_bot_toml_of_ours_says_what_was_asked(tmp_path: Path) -> None:
    """Whatever quotes, letters and limits there are."""
    words = ("./día", 'say "x"', "back\\slash", "it's", "\U0001f0a1")
    command = " ".join(f"'{word}'" if "'" not in word else f'"{word}"' for word in words)
    (tmp_path / "bot.toml").write_text(toml_of(command, limits={"memory": 300}))
    found = find(str(tmp_path), Settings())
    assert found.words == words
    assert found.bounds == Bounds(memory=300)
    assert BotToml("bot", command).build == found.name.removeprefix("bot")


def test_names_are_plain() -> None:
    """Letters, digits, _ . - and no more than 32 of them; others can be made to fit."""
    for name in ("x", "A-b_c.9", "x" * 32):
        assert name_of(name, "bot") == name == fitted(name)
    for name in ("", "x" * 33, "a b", "é", "a\n", "a/b", "<b>", "x" * 1000):
        with pytest.raises(RefereeError, match=r"author name .* make a name") as refused:
            name_of(name, "author")
        assert len(str(refused.value)) < 200
    assert fitted("Mein Bot (2)\n") == "MeinBot2"
    assert fitted("Бот") == ""
    assert fitted("x" * 100) == "x" * 32
