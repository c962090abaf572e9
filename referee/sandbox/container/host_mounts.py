"""What containers see of the host when no image of their own is named: its programs, read-only."""

import os
from collections.abc import Iterator
from pathlib import Path

from docker.types import DriverConfig, Mount

from referee.sandbox.container.image import FOLDERS_OF_ROOT
from referee.sandbox.environment import ETC
from referee.sandbox.overlays import can_be_overlaid, overlay


class HostMounts:
    """The mounts that show it.

    Attributes:
        overlaid: whether folders are shown through overlays, one for each container.
    """

    def __init__(self, empty: Path) -> None:
        """Begin with overlays; who starts the first container sees whether the daemon has them.

        Args:
            empty: a folder that is made, for nothing to be in.

        Raises:
            OSError: it cannot be made.
        """
        self._empty = empty
        empty.mkdir(exist_ok=True)
        empty.chmod(0o755)
        self.overlaid = True

    def of(self, toolchains: tuple[str, ...]) -> Iterator[Mount]:
        """Yield the mounts of one container.

        Args:
            toolchains: folders outside /usr; the daemon is root and reaches them wherever they lie.
        """
        for path in _shown(toolchains):
            yield self._mount(path, os.path.realpath(path))

    def are_own(self, toolchains: tuple[str, ...]) -> bool:
        """Whether all of these folders are overlays."""
        return all(self._is_own(path) for path in _shown(toolchains) if os.path.isdir(path))

    def _is_own(self, source: str) -> bool:
        return self.overlaid and can_be_overlaid(source)

    def _mount(self, path: str, source: str) -> Mount:
        if not self._is_own(source):
            return Mount(path, source, type="bind", read_only=True)
        options = {"type": "overlay", "device": "overlay"}
        options["o"] = f"ro,nosuid,nodev,{overlay(source, str(self._empty))}"
        # without a name it is gone with its container, and "read-only" is the mount's word
        driver = DriverConfig("local", options)
        return Mount(path, None, type="volume", no_copy=True, driver_config=driver)


def _shown(toolchains: tuple[str, ...]) -> Iterator[str]:
    real = (path for path in FOLDERS_OF_ROOT if not os.path.islink(path))
    return (path for path in ("/usr", *real, *ETC, *toolchains) if os.path.exists(path))
