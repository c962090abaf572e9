"""The hostile bots of `tests/hostile`: what they say of themselves, and where they are kept.

A bot begins with comment lines `key: value`, as `_KEYS` has them; a line that is indented goes on
with the value before it.
"""

import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Final

import trio
from hostile.lures import ABSTRACT, PORT
from msgspec import Struct
from msgspec.structs import replace

from referee.bots.find import find
from referee.bots.settings import Bounds, Settings
from referee.match.plan import make_plan
from referee.match.verdict import FaultCode
from referee.play.conductor import MatchResult, play_match
from referee.record.writer import Recorder
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.terms import config_of

HOSTILE: Final = Path(__file__).parent.parent / "hostile"
MODES: Final = ("bare", "bwrap", "docker")
PLAYS: Final = "plays"
VERDICTS: Final = frozenset({*map(str, FaultCode), "memory", PLAYS})
HONEST: Final = "sample:first"
PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where bots look for programs, in every mode the same."""

_TIME: Final = "move=300ms,bank=0s,soft=0ms,start=5s"
_HELPERS: Final = ("descriptors.py", "honest.py", "kernel.py", "lures.py")
_BOUNDS: Final = Bounds.__struct_fields__
_KEYS: Final = frozenset(
    {
        *("story", "row", "kinds", "expect", "hint", "time", "before", "after", *_BOUNDS),
        *(f"{word}-{mode}" for word in ("expect", "not") for mode in MODES),
    }
)
_HEADER_LINE: Final = re.compile(r"(?:#|//) (?:([a-z-]+): |  )(.+)")
_INTERPRETERS: Final = {".py": ("python3", "-S"), ".sh": ("bash",), ".js": ("node",)}


class BadHeader(Exception):
    """A bot of the zoo does not say of itself what it must."""


class Animal(Struct, frozen=True):
    """A hostile bot.

    Attributes:
        story: what it tries.
        row: the row of the catalogue of abuse that it stands for.
        expect: by mode, the fault codes that are right; `plays` for none.
        unavailable: by mode where it is not run, why.
        bounds: what it wants to be bound by.
        time: its clock.
        hint: what `referee check` must say of it, or nothing.
        source: its file.
        command: relative to its folder.
        before: what it brought about when it was found, if it did then.
        after: what it brings about now.
    """

    name: str
    story: str
    row: str
    expect: Mapping[str, frozenset[str]]
    unavailable: Mapping[str, str]
    bounds: Bounds
    time: str
    hint: str
    source: Path
    command: tuple[str, ...]
    before: str
    after: str

    @property
    def compiled(self) -> bool:
        """Whether there is something to build."""
        return self.source.suffix == ".c"


def header(source: Path) -> dict[str, str]:
    """What a bot says of itself.

    Raises:
        BadHeader: something is missing, unknown or said twice.
    """
    found: dict[str, str] = {}
    key = ""
    lines = source.read_text().splitlines()
    for line in lines[1:] if lines[0].startswith("#!") else lines:
        matched = _HEADER_LINE.fullmatch(line)
        if matched is None:
            break
        new, value = matched.groups()
        if new in found or (new or key) not in _KEYS:
            raise BadHeader(f"{source.name}: {new or key!r} is unknown or stands twice")
        key = new or key
        found[key] = f"{found[key]} {value}" if new is None else value
    missing = {"story", "row", "expect"} - set(found)
    if missing:
        raise BadHeader(f"{source.name}: no {' and no '.join(sorted(missing))}")
    return found


def kinds(source: Path) -> list[Animal]:
    """Reads one bot, which is told by a word in its command line which of its kinds it is to be.

    Raises:
        BadHeader: its header is wrong.
    """
    said = header(source)
    wanted = {name: int(said[name]) for name in _BOUNDS if name in said}
    compiled = source.suffix == ".c"
    one = Animal(
        name=source.stem,
        story=said["story"],
        row=said["row"],
        expect={mode: _verdicts(said, mode, source) for mode in MODES},
        unavailable={mode: said[f"not-{mode}"] for mode in MODES if f"not-{mode}" in said},
        bounds=Bounds(**wanted),
        time=",".join(filter(None, (_TIME, said.get("time")))),
        hint=said.get("hint", ""),
        source=source,
        command=("./bot",) if compiled else (*_INTERPRETERS[source.suffix], source.name),
        before=said.get("before", ""),
        after=said.get("after", ""),
    )
    words = said.get("kinds", "").split()
    named = (
        replace(one, name=f"{one.name}-{word}", command=(*one.command, word)) for word in words
    )
    return list(named) or [one]


def _verdicts(said: Mapping[str, str], mode: str, source: Path) -> frozenset[str]:
    """The verdicts in a mode; where they differ from the usual ones, a reason must be given."""
    own = said.get(f"expect-{mode}")
    words, _, reason = (own or said["expect"]).partition(" - ")
    found = frozenset(words.split())
    if not found <= VERDICTS or (own is not None and not reason):
        raise BadHeader(f"{source.name}: expect-{mode}: verdicts, and a reason behind a dash")
    return found


def animals() -> tuple[Animal, ...]:
    """All of them, by name."""
    sources = (path for path in HOSTILE.iterdir() if path.suffix in (*_INTERPRETERS, ".c"))
    found = (kinds(path) for path in sorted(sources) if path.name not in _HELPERS)
    return tuple(chain.from_iterable(found))


class Cages:
    """A folder for each animal, made when it is first asked for."""

    def __init__(self, root: Path) -> None:
        """Begins with none, below `root`."""
        self._root = root

    def folder(self, animal: Animal, mode: str) -> Path:
        """A folder with a bot.toml, one for each mode: what a bare bot writes to it stays there."""
        folder = self._root / mode / animal.name
        if not folder.exists():
            (folder / HOSTILE.name).mkdir(parents=True)
            if animal.compiled:
                compile_bot(animal.source, folder / "bot")
            else:
                shutil.copy(animal.source, folder)
                for helper in _HELPERS:
                    shutil.copy(HOSTILE / helper, folder / HOSTILE.name)
            (folder / "bot.toml").write_text(_toml(animal))
        return folder


def compile_bot(source: Path, to: Path) -> None:
    """Compiles a bot that may include what those of the zoo share."""
    warnings = ("-w", "-fno-stack-protector")
    words = ["gcc", "-O1", *warnings, "-I", str(HOSTILE), "-o", str(to), str(source)]
    subprocess.run(words, check=True)


def _toml(animal: Animal) -> str:
    limits = "".join(f"{name} = {getattr(animal.bounds, name)}\n" for name in _BOUNDS)
    command = shlex.join(animal.command)
    return f"name = '{animal.name}'\ncommand = '{command}'\n[limits]\n{limits}"


@asynccontextmanager
async def kept(mode: str) -> AsyncIterator[Sandbox]:
    """The sandbox of a mode."""
    async with opened(SandboxName(mode)) as sandbox:
        yield sandbox


async def meet(
    sandbox: Sandbox, typed: tuple[str, str], record: Path, time: str = _TIME, key: str = "zoo"
) -> MatchResult:
    """Two deals of briscola between two bots, from a fixed key.

    Raises:
        RefereeError: a bot cannot be run.
    """
    plan = make_plan(config_of(game="briscola-2", bots=2, deals=2, key=key, time=time, dealer=0))
    specs = [await sandbox.prepare(find(one, Settings())) for one in typed]
    recorder = Recorder(record)
    try:
        return await play_match(plan, specs, sandbox, recorder, interrupt=trio.CancelScope())
    finally:
        recorder.close()


@contextmanager
def lures() -> Iterator[None]:
    """Listens where a bot that gets out would knock."""
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.socket())
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        with suppress(OSError):  # then somebody else listens, which will do
            tcp.bind(("127.0.0.1", PORT))
            tcp.listen()
        with suppress(OSError):
            local.bind(ABSTRACT)
            local.listen()
        yield


def tools(animal: Animal, mode: str) -> tuple[str, ...]:
    """The programs without which an animal cannot be run in a mode."""
    own = "gcc" if animal.compiled else animal.command[0]
    return (own, "bwrap") if mode == "bwrap" else (own,)
