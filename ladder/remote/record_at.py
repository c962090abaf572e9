"""Records at the address of a match on a ladder's site: what `referee replay URL` asks for."""

import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx2

from ladder.remote.site_client import problem_in
from referee.errors import HostError, RefereeError
from referee.terminal.console import busy, console
from referee.text import in_bytes, printable

LARGEST: Final = 1 << 30
"""Bytes of a record, compressed as the site keeps it."""

_TIMEOUT: Final = httpx2.Timeout(30.0, connect=10.0)
_MATCH: Final = re.compile(r"/matches/(?:[0-9]{1,18}|[0-9a-f]{8,64})(?=/record$|$)", re.ASCII)
_held: Final = ExitStack()
"""Keeps what was fetched until we end: it is read more than once."""


def find(url: str, transport: httpx2.BaseTransport | None = None) -> Path:
    """Fetch the record of a match; the file is there until this process ends.

    Args:
        url: the address of the match's page, or of its record.
        transport: how the site is reached; None: over the network.

    Raises:
        RefereeError: that is no match's address, or the site has no such record.
        HostError: the site cannot be reached, or the disk does not let us.
    """
    address = _record_of(url)
    try:
        folder = _held.enter_context(tempfile.TemporaryDirectory(prefix="referee-record-"))
        path = Path(folder) / f"match-{address.path.split('/')[-2]}"
        with (
            busy(console(stderr=True), f"fetching {url} ...") as say,
            httpx2.Client(
                headers={"accept": "application/json"}, timeout=_TIMEOUT, transport=transport
            ) as client,
            client.stream("GET", address) as answer,
            path.open("wb") as file,
        ):
            if not answer.is_success:
                told = problem_in(answer.read(), answer.status_code)
                raise RefereeError(f"record {url!r}: {told}")
            size = 0
            for chunk in answer.iter_bytes():
                size += len(chunk)
                if size > LARGEST:
                    raise RefereeError(f"record {url!r}: larger than {in_bytes(LARGEST)}")
                file.write(chunk)
                say(f"fetched {in_bytes(size)}")
    except httpx2.TransportError as error:
        raise HostError(f"{url!r} cannot be reached: {printable(str(error))}") from error
    except OSError as error:
        raise HostError(f"record {url!r}: {error.strerror}") from error
    return path


def _record_of(url: str) -> httpx2.URL:
    """Return where the record of a match is.

    Raises:
        RefereeError: that is no match's address.
    """
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise RefereeError(f"record {url!r}: {error}") from error
    found = _MATCH.search(parsed.path)
    if found is None or not parsed.host:
        raise RefereeError(
            f"record {url!r}: write the address of a match's page: https://HOST/matches/NUMBER"
        )
    return parsed.copy_with(path=f"{parsed.path[: found.end()]}/record", query=None, fragment=None)
