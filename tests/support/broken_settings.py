"""The kinds of sandboxes whose walls are broken, by what they are called on a command line."""

from typing import Final

from referee.sandbox.names import SandboxName
from support import walls_of_bwrap, walls_of_docker, walls_of_masks, walls_of_watched
from support.walls import Setting, Wall


def _setting(
    word: str, walls: tuple[Wall, ...], *, cgroups: bool = True, landlock: bool = True
) -> Setting:
    name = SandboxName.DOCKER if word.startswith("docker") else SandboxName.BWRAP
    return Setting(word, name, cgroups, landlock, walls)


SETTINGS: Final = {
    one.word: one
    for one in (
        _setting("bwrap", walls_of_bwrap.WALLS),
        _setting("watched", walls_of_watched.WALLS, cgroups=False),
        _setting("masked", walls_of_masks.OF_BWRAP, landlock=False),
        _setting("docker", walls_of_docker.WALLS),
        _setting("docker-masked", walls_of_masks.OF_DOCKER, landlock=False),
    )
}
