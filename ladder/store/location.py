"""Where a ladder is: `--ladder WHERE`."""

import os
import pwd
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from referee.errors import RefereeError

VARIABLE: Final = "REFEREE_LADDER"
"""The environment variable that says which ladder is meant where nothing else does."""

USUAL_FOLDER: Final = "ladder-data"
DATABASE: Final = "ladder.db"
_POSTGRESQL: Final = ("postgres", "postgresql", "postgresql+psycopg")
_FILES: Final = "files"
_PASSWORD: Final = "password"  # noqa: S105  # the name of one


class Where(Struct, frozen=True):
    """A ladder's two halves.

    Attributes:
        url: of the database.
        files: the folder of bots, records and the signing key; None where the ladder's own name
            for it is not known before the database is read.
        typed: as a person may see it; without a password.
        option: what a person adds to a command to mean this ladder; "" for the usual one.
    """

    url: URL
    files: Path | None
    typed: str
    option: str

    @property
    def is_local(self) -> bool:
        """Whether the database is a file."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def is_missing(self) -> bool:
        """Whether the database is a file that is not there: there is no such ladder yet."""
        return self.is_local and not self.database.exists()

    @property
    def database(self) -> Path:
        """The file of the database."""
        return Path(self.url.database or "")

    @property
    def places(self) -> tuple[Path, ...]:
        """Where something of it lies on this machine, as far as that is known already."""
        local = (self.database.parent, self.database) if self.is_local else ()
        return tuple(dict.fromkeys((*local, *filter(None, (self.files,)))))


def anywhere(where: Where) -> str:
    """Return what means a ladder from any folder, for another process of ours; it may be secret."""
    if where.is_local:
        return str(where.database.parent)
    url = where.url.set(drivername="postgresql")
    if where.files is not None:
        url = url.update_query_dict({_FILES: str(where.files)})
    return url.render_as_string(hide_password=False)


def check_owner(where: Where) -> None:
    """Look whether what lies of a ladder on this machine is its user's own, where there is any.

    The owner of its folder can put another file, or a link, in the place of each of its own.

    Raises:
        RefereeError: another user owns a part of it, or every user may write there.
    """
    for path in where.places:
        try:
            status = path.stat()
        except OSError:
            continue  # there is none yet, or opening it says why not
        if status.st_uid != os.geteuid():
            raise RefereeError(
                f"ladder {where.typed!r}: {str(path)!r} is owned by {_user(status.st_uid)}, and "
                f"you are {_user(os.geteuid())}: run this as its owner, or chown it to yourself"
            )
        if status.st_mode & stat.S_IWOTH:
            raise RefereeError(
                f"ladder {where.typed!r}: every user may write to {str(path)!r}: chmod o-w it"
            )


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def where_of(typed: str | None, environment: Mapping[str, str] = os.environ) -> Where:
    """Reads WHERE: a folder, or the URL of a PostgreSQL database.

    Args:
        typed: what was typed, if anything was.
        environment: the second place to look.

    Raises:
        RefereeError: it is neither.
    """
    meant = typed or environment.get(VARIABLE) or USUAL_FOLDER
    option = f" --ladder {shlex.quote(meant)}" if typed else ""
    if "://" in meant:
        return _by_url(meant, option)
    folder = Path(meant)
    if folder.name == DATABASE and folder.is_file():
        folder = folder.parent
    if folder.exists() and not folder.is_dir():
        raise RefereeError(f"ladder {meant!r}: that is no folder")
    path = (folder / DATABASE).absolute()
    return Where(URL.create("sqlite", database=str(path)), folder.absolute(), str(folder), option)


def _by_url(typed: str, option: str) -> Where:
    try:
        url = make_url(typed)
    except (ArgumentError, ValueError) as error:
        raise RefereeError(
            "ladder: that is no URL of a database: write postgresql://..."
        ) from error
    if url.drivername not in _POSTGRESQL:
        raise RefereeError(
            f"ladder: {url.drivername}:// is no kind of ladder: name a folder, or postgresql://..."
        )
    named = url.query.get(_FILES)
    files = Path(named).absolute() if isinstance(named, str) else None
    url = url.set(drivername="postgresql+psycopg").difference_update_query([_FILES])
    plain = url.set(drivername="postgresql", query={})
    secret = url.password is not None or _PASSWORD in url.query
    shown = plain.render_as_string(hide_password=True)
    return Where(url, files, shown, " --ladder URL" if secret and option else option)


def usual_files(ladder: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Where the files of a ladder are whose database is elsewhere, if its URL does not say."""
    base = environment.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return Path(base, "briscola-referee", "ladders", ladder).absolute()
