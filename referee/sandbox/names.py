"""What sandboxes are called on the command line and in files."""

from enum import StrEnum


class SandboxName(StrEnum):
    """What `--sandbox` can be."""

    AUTO = "auto"
    BWRAP = "bwrap"
    DOCKER = "docker"
    BARE = "bare"
