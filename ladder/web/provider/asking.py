"""How a provider is asked: bounded in time and bytes, and never led elsewhere."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx2
import trio
from authlib.integrations.httpx_client import AsyncOAuth2Client

from ladder.web.provider.registration import Registration

LONGEST_S: Final = 10.0
"""So long the provider has for an answer, from the first packet to the last."""

LARGEST: Final = 256 << 10
"""Bytes of an answer."""


class NoAnswer(Exception):
    """The provider has not answered as it should; says in our own words why."""


def client_of(
    registration: Registration, tls: ssl.SSLContext, redirect_uri: str = "", method: str = ""
) -> Any:  # authlib comes without types
    """Return a client for a few questions; a context that closes its connections.

    Args:
        registration: the site, as the provider knows it.
        tls: checks who answers.
        redirect_uri: where the provider sends browsers back to.
        method: how the provider wants the secret.
    """
    return AsyncOAuth2Client(
        client_id=registration.client_id,
        client_secret=registration.secret,
        token_endpoint_auth_method=method or None,
        scope="openid",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        transport=_Bounded(httpx2.AsyncHTTPTransport(verify=tls)),
        follow_redirects=False,
        timeout=LONGEST_S,
        trust_env=False,
    )


@contextmanager
def asking(what: str) -> Iterator[None]:
    """A block in which the provider is asked; it has to end in time.

    Args:
        what: is asked for, in words.

    Raises:
        NoAnswer: the provider cannot be reached, is slow, or says what is no answer.
    """
    try:
        with trio.fail_after(LONGEST_S):
            yield
    except (trio.TooSlowError, httpx2.TimeoutException) as error:
        raise NoAnswer(f"{what}: no answer in {LONGEST_S:.0f} s") from error
    except httpx2.HTTPStatusError as error:
        raise NoAnswer(f"{what}: it answers {error.response.status_code}") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NoAnswer(f"{what}: it cannot be reached ({type(error).__name__})") from error


class _Bounded(httpx2.AsyncBaseTransport):
    """Brings answers whole, or not at all."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        answer = await self._inner.handle_async_request(request)
        try:
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise NoAnswer("an answer is compressed, though that was not asked for")
            body = bytearray()
            with trio.CancelScope() as enough:
                async for chunk in answer.aiter_raw():
                    body += chunk[: LARGEST + 1 - len(body)]
                    if len(body) > LARGEST:
                        enough.cancel()  # the next read ends it, so that the library can clear up
            if enough.cancel_called:
                raise NoAnswer(f"an answer has more than {LARGEST >> 10} KiB")
        finally:
            await answer.aclose()
        kind = answer.headers.get("content-type", "")
        return httpx2.Response(
            answer.status_code,
            headers={"content-type": kind},
            content=bytes(body),
            request=request,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()
