"""The client of a ladder's site."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

import httpx2
import msgspec

from ladder.core.tokens import is_token
from ladder.show.logs_json import LogsJson
from ladder.show.upload_json import MeJson, UploadJson
from referee.errors import HostError, RefereeError
from referee.text import printable

VARIABLE: Final = "REFEREE_TOKEN"
"""The environment variable that has an author's token."""

_TIMEOUT: Final = httpx2.Timeout(30.0, connect=10.0)
_CHUNK: Final = 1 << 16
_SECONDS_MOST: Final = 60
_LARGEST_ANSWER: Final = 4 << 20
_LONGEST_PROBLEM: Final = 4000

T = TypeVar("T")


class Problem(msgspec.Struct, frozen=True):
    """Why a site has not done what it was asked for."""

    problem: str


def token_of(environment: Mapping[str, str] = os.environ) -> str:
    """Return the token of who runs us.

    Raises:
        RefereeError: there is none.
    """
    text = environment.get(VARIABLE, "").strip().rpartition("#")[2]  # the whole link will do
    if not text:
        raise RefereeError(
            f"set {VARIABLE} to the token of your invitation, what stands in it behind the #"
        )
    if not is_token(text):
        raise RefereeError(f"{VARIABLE}: that is no token: it begins with bref_")
    return text


class SiteClient:
    """Asks a ladder's site as an author; a context that closes its connection."""

    def __init__(self, url: str, token: str, transport: httpx2.BaseTransport | None = None) -> None:
        """Asks nothing yet.

        Args:
            url: of the site.
            token: of the author.
            transport: how it is reached; None: over the network.

        Raises:
            RefereeError: that is no address of a site.
        """
        address = url.rstrip("/")
        try:
            parsed = httpx2.URL(address)
        except httpx2.InvalidURL as error:
            raise RefereeError(f"--to {url!r}: {error}") from error
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise RefereeError(f"--to {url!r}: write http://HOST or https://HOST")
        self._client = httpx2.Client(
            base_url=address,
            headers={"authorization": f"Bearer {token}", "accept": "application/json"},
            timeout=_TIMEOUT,
            transport=transport,
        )
        self._url = address

    def hand_in(
        self, file: Path, called: str, name: str, sent: Callable[[int], None]
    ) -> UploadJson:
        """Send a bot; its trial comes later.

        Args:
            file: with its bytes.
            called: what its author calls the file.
            name: what tables are to call it; "" for as the file says.
            sent: is told how many bytes were sent.

        Raises:
            RefereeError: the site does not take it.
            HostError: the site cannot be reached.
        """
        size = file.stat().st_size
        answer = self._ask(
            "POST",
            "/api/uploads",
            params={"file": called, "name": name},
            headers={"content-length": str(size), "content-type": "application/octet-stream"},
            content=_chunks(file, sent),
        )
        return self._value(answer, UploadJson)

    def upload(self, identity: str) -> UploadJson:
        """Return how far an upload is; for what it raises see `hand_in`."""
        return self._value(self._ask("GET", f"/api/uploads/{identity}"), UploadJson)

    def logs(self, bot: str | None, match: str | None) -> LogsJson:
        """Return what our bots wrote to stderr; for what it raises see `hand_in`.

        Args:
            bot: only this one, by its name; None: all of ours.
            match: only in this match; None: in the last ones.
        """
        given = {"bot": bot, "match": match}
        params = {name: value for name, value in given.items() if value is not None}
        return self._value(self._ask("GET", "/api/logs", params=params), LogsJson)

    def me(self) -> MeJson:
        """Return who we are there, and our uploads; for what it raises see `hand_in`."""
        return self._value(self._ask("GET", "/api/me"), MeJson)

    def _ask(self, method: str, path: str, **request: object) -> httpx2.Response:
        try:
            answer = self._client.request(method, path, **request)  # type: ignore[arg-type]  # as named
        except httpx2.TransportError as error:
            raise HostError(f"{self._url} cannot be reached: {printable(str(error))}") from error
        if answer.is_success:
            return answer
        told = problem_in(answer.content, answer.status_code)
        raise RefereeError(f"{self._url}: {told}")

    def _value(self, answer: httpx2.Response, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.content[:_LARGEST_ANSWER], type=kind)
        except msgspec.MsgspecError as error:
            told = f"{self._url}: that is no site of a ladder, or one of another version"
            raise RefereeError(told) from error

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()


def problem_in(content: bytes, status: int) -> str:
    """Return why a site has not done what it was asked for, by its answer and its HTTP status."""
    try:
        text = msgspec.json.decode(content[:_LARGEST_ANSWER], type=Problem).problem
    except msgspec.MsgspecError:
        text = f"it answers {status} {httpx2.codes.get_reason_phrase(status)}"
    return printable(text[:_LONGEST_PROBLEM])


def _chunks(file: Path, sent: Callable[[int], None]) -> Iterator[bytes]:
    with file.open("rb") as source:
        done = 0
        while chunk := source.read(_CHUNK):
            yield chunk
            done += len(chunk)
            sent(done)
