"""The kinds of sandboxes whose walls are broken, by what they are called on a command line."""

from typing import Final

from referee.sandbox.names import SandboxName
from support import walls_of_bwrap, walls_of_docker, walls_of_watched
from support.walls import Setting

SETTINGS: Final = {
    one.word: one
    for one in (
        Setting("bwrap", SandboxName.BWRAP, cgroups=True, walls=walls_of_bwrap.WALLS),
        Setting("watched", SandboxName.BWRAP, cgroups=False, walls=walls_of_watched.WALLS),
        Setting("docker", SandboxName.DOCKER, cgroups=True, walls=walls_of_docker.WALLS),
    )
}
