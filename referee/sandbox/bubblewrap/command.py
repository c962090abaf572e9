"""The command line of bubblewrap: what it shows a bot, and what it takes away."""

import os
from collections.abc import Iterable, Mapping
from typing import Final

from referee.bots.find import BotSpec
from referee.sandbox.bubblewrap.mounts import HostFolder, memory_folders
from referee.sandbox.build import SOURCE_FOLDER
from referee.sandbox.copies import BOT_FOLDER
from referee.sandbox.environment import ENTRIES, NOBODY, environment
from referee.sandbox.masks import NO_FILE, Masks

_DEVICES: Final = ("/dev/null", "/dev/full", "/dev/urandom")
_SAME_DEVICES: Final = {"/dev/random": "urandom", "/dev/zero": "full"}
"""Reading gives the same. Zeros from the other cannot be mapped: a mapping of /dev/zero is memory
that stays when no process maps it any more."""

_STREAMS: Final = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}


def _links() -> list[str]:
    """What points into /usr."""
    links = [path for path in (f"/{name}" for name in ENTRIES) if os.path.islink(path)]
    return [word for path in links for word in ("--symlink", os.readlink(path), path)]


def _devices() -> list[str]:
    """The devices that programs need; no terminals. bubblewrap's own set is twice as many mounts.

    For each mount bubblewrap reads the list of all: they are most of what a start costs.
    """
    found = ["--perms", "0755", "--dir", "/dev"]
    for path in _DEVICES:
        found += ["--dev-bind", path, path]
    links = {f"/dev/{name}": f"/proc/self/fd{end}" for name, end in _STREAMS.items()}
    for path, target in (_SAME_DEVICES | links).items():
        found += ["--symlink", target, path]
    return found


def _masked(masks: Masks, memory: int) -> list[str]:
    """Options that put constants in the place of what counts for the whole machine."""
    pairs = [*masks.constants(memory), *((NO_FILE, path) for path in masks.files())]
    pairs += [(str(masks.empty), path) for path in masks.folders()]
    return [word for pair in pairs for word in ("--ro-bind", *pair)]


def arguments(
    bot: BotSpec,
    hosts: Iterable[HostFolder],
    path: str,
    masks: Masks,
    points: Mapping[str, str],
) -> list[str]:
    """The options of bwrap, but for those that name descriptors.

    Args:
        bot: whom they are for.
        hosts: the folders of the host that it sees.
        path: the bot's PATH.
        masks: what it sees in place of the machine's counters.
        points: where the launcher has mounted folders, by where the bot sees them.
    """
    found = [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "bot"),
        "--clearenv",
    ]
    for name, value in environment(bot.bounds, path).items():
        found += ["--setenv", name, value]
    found += [*_links(), "--proc", "/proc", *_devices()]
    found += _masked(masks, bot.bounds.memory)
    for memory in memory_folders(bot):
        found += memory.shown(points.get(memory.path))
    for host in hosts:  # after /tmp: a toolchain may lie there
        found += host.shown(points.get(host.path))
    if bot.is_build:
        found += ["--ro-bind", bot.folder, SOURCE_FOLDER]
    else:
        found += ["--ro-bind", bot.folder, BOT_FOLDER]
    found += ["--chdir", BOT_FOLDER]
    return [*found, "--remount-ro", "/"]
