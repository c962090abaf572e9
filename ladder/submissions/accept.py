"""Takes in a bot: from what a person hands in to a frozen folder that was tried, or a refusal.

What is tried is what is frozen: it is found, copied and started as runners will do it.
"""

import shlex
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import trio
from msgspec import UNSET, Struct
from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.core.names import LONGEST, fitted, name_of
from ladder.files.disk_limits import read_limits
from ladder.submissions import shared_bots
from ladder.submissions.bot_toml import TOML, toml_of
from ladder.submissions.copy_in import HandedIn, taken
from ladder.submissions.frozen_bots import BOTS, freeze, keep, scratch
from ladder.submissions.refusal import refusal
from ladder.submissions.trial import at_home, build_at_home, examined, played
from ladder.submissions.unzip import unzipped
from referee.bots.find import BotSource, BotSpec, BotToml, find
from referee.bots.settings import Bounds, Settings
from referee.errors import HostError, RefereeError
from referee.play.affinity import apart
from referee.sandbox import Sandbox
from referee.sandbox.folders import cores_folder
from referee.sandbox.names import SandboxName


class Frozen(Struct, frozen=True):
    """A bot that was taken in.

    Attributes:
        name: as it was chosen, or made from its bot.toml or file name.
        hash: SHA-256 of the frozen folder, as `referee.bots.find.find` has it; names the folder.
        source: SHA-256 of what was handed in.
        folder: where it lies, read-only.
        left_out: names of folders of which something is no part of it.
    """

    name: str
    hash: str
    source: str
    folder: Path
    left_out: tuple[str, ...] = ()


async def taken_in(
    path: str,
    files: Path,
    pools: Sequence[Pool],
    sandbox: Sandbox,
    settings: Settings,
    *,
    say: Callable[[str], None],
    name: str | None = None,
) -> Frozen:
    """Takes in a bot.

    Args:
        path: an executable file, a folder with a bot.toml, a zip of one, or sample:NAME.
        files: the folder of the ladder's files.
        pools: in which it has to play without fault; one at least.
        sandbox: where it is built and tried; open, and not bare.
        settings: what the organiser allows.
        say: is told what is going on, in a few words.
        name: what it is called, if its author has said so.

    Raises:
        RefereeError: it is refused: what failed, and the command that shows it at home.
        HostError: the machine does not let us.
    """
    if sandbox.name == SandboxName.BARE:
        raise RefereeError(f"bot {path!r}: what is submitted is built and tried in a sandbox only")
    if not pools:
        raise RefereeError("there is no game that the bot could be tried in")
    if name is not None:
        name_of(name, "bot")
    bots = files / BOTS
    try:
        with apart(cores_folder()), scratch(bots) as given, scratch(bots) as frozen:
            say(f"taking in {path}")
            given_in = await trio.to_thread.run_sync(taken, path, given, settings, (files,))
            async with unzipped(given_in, sandbox) as upload:
                most = read_limits(files).build_output
                found = replace(_found(upload.folder, path, settings), build_output=most)
                called = name or _default_name(upload)
                home = at_home(upload, pools[0], sandbox)
                async with _built(found, sandbox, home, say) as spec:
                    with _seen_by(build_at_home(upload, found.build)):
                        size = most.size << 20
                        await trio.to_thread.run_sync(_freeze, spec, upload, frozen, size)
                final = _found(frozen, path, settings)
                await _tried(final, upload, pools, sandbox, say)
                folder = _kept(frozen, final)
                await trio.to_thread.run_sync(shared_bots.share, files, final.hash)
    except OSError as error:
        raise HostError(f"cannot freeze a bot in {str(bots)!r}: {error.strerror}") from error
    say(f"frozen as {folder.name}")
    return Frozen(called, final.hash, upload.source, folder, upload.left_out)


def _found(folder: Path, typed: str, settings: Settings) -> BotSource:
    """A folder of ours as a bot, marked as a stranger's.

    Raises:
        RefereeError: its bot.toml is wrong; in the author's words, not naming our folder.
    """
    try:
        found = find(str(folder), settings)
    except RefereeError as error:
        text = str(error).replace(repr(str(folder)), repr(typed))
        raise RefereeError(text) from error
    return replace(found, submitted=True, typed=typed)


def _default_name(upload: HandedIn) -> str:
    """The name that it has brought along.

    Raises:
        RefereeError: nothing of it can be in a name.
    """
    text = upload.stem or _toml(upload).name
    found = fitted(text)
    if not found:
        raise RefereeError(
            f"bot {upload.typed!r}: no name can be made of {text!r}: say --name with 1 to "
            f"{LONGEST} of the characters A-Z a-z 0-9 _ . -"
        )
    return found


def _toml(upload: HandedIn) -> BotToml:
    """Its bot.toml, which `find` has read before."""
    return msgspec.toml.decode((upload.folder / TOML).read_bytes(), type=BotToml)


@asynccontextmanager
async def _built(
    found: BotSource, sandbox: Sandbox, home: str, say: Callable[[str], None]
) -> AsyncIterator[BotSpec]:
    """Builds a bot if need be, for as long as the block lasts.

    Args:
        found: as it was handed in.
        sandbox: where it is built.
        home: the command by which its author can see it, should it not build.
        say: is told.

    Raises:
        RefereeError: it does not build.
    """
    if found.build:
        say(f"building: {shlex.join(found.build)}")
    async with AsyncExitStack() as stack:
        with _seen_by(home):
            spec = await stack.enter_async_context(sandbox.temporarily(found))
        yield spec


def _freeze(spec: BotSpec, upload: HandedIn, to: Path, most: int) -> None:
    """Freeze a bot that is built, of `most` bytes, with the limits that it asks for."""
    limits = _toml(upload).limits
    asked = {name: getattr(limits, name) for name in Bounds.__struct_fields__}
    wanted = {name: most for name, most in asked.items() if most is not UNSET}
    toml = toml_of(shlex.join(spec.command), limits=wanted, image=spec.image)
    freeze(Path(spec.folder), toml, to, upload.typed, most)


def _kept(frozen: Path, final: BotSource) -> Path:
    """Gives a frozen bot its name.

    Raises:
        RefereeError: it is frozen already, and was damaged since: this bot's trouble, no other's.
    """
    try:
        return keep(frozen, final.hash)
    except RefereeError as error:
        raise RefereeError(f"bot {final.typed!r}: {error}") from error


@contextmanager
def _seen_by(command: str) -> Iterator[None]:
    """Adds to a refusal the command by which its author can see it."""
    try:
        yield
    except RefereeError as error:
        raise RefereeError(refusal(str(error), command)) from error


async def _tried(
    final: BotSource,
    upload: HandedIn,
    pools: Sequence[Pool],
    sandbox: Sandbox,
    say: Callable[[str], None],
) -> None:
    """Prepares a frozen bot as runners will, and lets it play; leaves nothing of it."""
    async with sandbox.temporarily(final) as prepared:
        spec = replace(prepared, idle=True)
        for pool in pools:
            say(f"checking it with {pool.terms.game}")
            await examined(spec, pool, sandbox, upload)
            say(f"playing {pool.terms.game} against itself")
            await played(spec, pool, sandbox, upload)
