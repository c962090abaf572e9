"""What containers stand on: an image of our own, made here of nothing, or one that a bot names.

Ours holds empty folders and links; the system in it is the host's own /usr, shown read-only.
"""

import hashlib
import io
import os
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from docker import APIClient
from docker.errors import APIError, ImageNotFound

from referee.errors import RefereeError, SandboxError
from referee.sandbox.environment import ENTRIES, NOBODY
from referee.sandbox.user_ids import FIRST_UID, SLOTS

REPOSITORY: Final = "briscola-referee"
IO_FOLDER: Final = "/io"
_FOLDERS: Final = ("bot", "dev", "etc", "io", "proc", "run", "sbin", "source", "sys", "tmp", "usr")
_REFERENCE: Final = re.compile(r"[a-zA-Z0-9][\w./:@-]*", re.ASCII)
_ENTRIES: Final = tuple(name for name in ENTRIES if name != "sbin")  # Docker puts its init there

FOLDERS_OF_ROOT: Final = tuple(f"/{name}" for name in _ENTRIES)
"""Where the system's programs are beside /usr; on most systems links into it."""


def default_image(client: APIClient) -> str:
    """The name of our own image, which is made if it is not there yet.

    Raises:
        SandboxError: the daemon did not take it.
        DockerException: the daemon does not answer.
    """
    data = _archive()
    tag = hashlib.sha256(data).hexdigest()[:16]
    name = f"{REPOSITORY}:{tag}"
    if not client.images(name):
        said = client.import_image_from_data(data, repository=REPOSITORY, tag=tag)
        if not client.images(name):
            raise SandboxError(f"docker: the daemon did not take our image: {said}")
    return name


def check_image(client: APIClient, name: str, typed: str) -> None:
    """Looks whether an image that a bot names can be used; it is never fetched.

    Raises:
        RefereeError: it is not here, or keeps folders that a bot could fill without bounds.
        DockerException: the daemon does not answer.
    """
    if _REFERENCE.fullmatch(name) is None or ".." in name:  # it becomes part of an address
        raise RefereeError(f"bot {typed!r}: bot.toml: image {name!r}: images are not named so")
    inspect: Callable[[str], dict[str, Any]] = client.inspect_image  # which has no types
    try:
        found = inspect(name)
    except ImageNotFound as error:
        raise RefereeError(
            f"bot {typed!r}: bot.toml: there is no image {name!r} here; it must be pulled or "
            "built before"
        ) from error
    except APIError as error:
        if not error.is_client_error():
            raise
        raise RefereeError(
            f"bot {typed!r}: bot.toml: image {name!r}: {error.explanation}"
        ) from error
    volumes = (found.get("Config") or {}).get("Volumes")
    if volumes:
        raise RefereeError(
            f"bot {typed!r}: bot.toml: the image {name!r} has volumes ({', '.join(volumes)}), "
            "whose size nothing would bound"
        )


def _archive() -> bytes:
    """The image as a tar file; the same bytes on every host of the same kind."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in _FOLDERS:
            folder = _entry(name, tarfile.DIRTYPE)
            folder.mode = (
                0o1777 if name == "tmp" else 0o755
            )  # runc gives it to what is mounted there
            archive.addfile(folder)
        for name in _ENTRIES:
            path = Path("/", name)
            if path.is_symlink():
                link = _entry(name, tarfile.SYMTYPE)
                link.linkname = os.readlink(path)
                archive.addfile(link)
            elif path.is_dir():
                archive.addfile(_entry(name, tarfile.DIRTYPE))
        users = "".join(f"bot:x:{uid}:{uid}::/tmp:/bin/sh\n" for uid in _uids()).encode()
        passwd = _entry("etc/passwd", tarfile.REGTYPE)
        passwd.size, passwd.mode = len(users), 0o644
        archive.addfile(passwd, io.BytesIO(users))
    return buffer.getvalue()


def _uids() -> tuple[int, ...]:
    return (NOBODY, *range(FIRST_UID, FIRST_UID + SLOTS))


def _entry(name: str, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, 0o755
    return entry
