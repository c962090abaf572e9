"""A provider of OpenID Connect for tests, honest until it is told otherwise: real sockets and keys.

It is at `localhost`, so that a browser takes it for another site than one at 127.0.0.1. It checks
what providers check: client, secret, where to send browsers, PKCE, and that a code is used once.
"""

import base64
import hashlib
import hmac
import html
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

CLIENT: Final = "ladder-of-tests"
SECRET: Final = "s3cret-of-the-client"  # noqa: S105  # of a provider for tests
ACCESS_TOKEN: Final = "an-access-token-without-a-use"  # noqa: S105  # likewise

Claims = dict[str, Any]
"""Of an ID token: JSON."""

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


@cache
def keys() -> KeySet:
    """The provider's own keys, one for each kind of signature, made once."""
    rsa = RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"})
    return KeySet([rsa, ECKey.generate_key("P-256", {"kid": "ec"})])


@cache
def foreign_key(kid: str) -> RSAKey:
    """A key that is not the provider's, whatever it calls itself."""
    return RSAKey.generate_key(2048, {"kid": kid})


def signed(claims: Claims, alg: str = "RS256", key: RSAKey | ECKey | None = None) -> str:
    """An ID token of these claims, by the provider's own key or another one."""
    own = keys().keys[0 if alg.startswith(("RS", "PS")) else 1]
    assert isinstance(own, RSAKey | ECKey)
    found = key or own
    return jwt.encode({"alg": alg, "kid": found.kid}, claims, found, algorithms=[alg])


def unsigned(claims: Claims) -> str:
    """An ID token that says it need not be signed."""
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def signed_with_what_is_public(claims: Claims) -> str:
    """An ID token whose HMAC takes the provider's public key for a secret."""
    head = f"{_part({'alg': 'HS256', 'kid': 'rsa'})}.{_part(claims)}"
    public = keys().keys[0]
    assert isinstance(public, RSAKey)
    pem = public.as_pem(private=False)
    return f"{head}.{_base64(hmac.digest(pem, head.encode(), 'sha256'))}"


def _part(value: object) -> str:
    return _base64(json.dumps(value).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class LocalProvider:
    """What it says, and what it has heard; tests change the first.

    Attributes:
        issuer: its address.
        subject: who is at the browser.
        claims: of ID tokens, in the place of the usual ones; None leaves one out.
        sign: makes an ID token of claims.
        says: what it says of itself, beside or in the place of the usual.
        instead: what it does in the place of an answer, by path; else see `Answer`.
        asked: paths of requests, with their queries and forms.
    """

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.subject = "account-of-ada"
        self.claims: dict[str, object] = {}
        self.sign: Callable[[Claims], str] = signed
        self.says: dict[str, object] = {}
        self.instead: dict[str, Callable[[BaseHTTPRequestHandler], Answer | None]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self._codes: dict[str, dict[str, str]] = {}

    def paths(self) -> list[str]:
        """What it was asked for."""
        return [path for path, _ in self.asked]

    def answer(self, path: str, given: dict[str, str], authorization: str) -> Answer:
        """Answers a request of anybody."""
        if path == "/.well-known/openid-configuration":
            return _json(200, self.configuration())
        if path == "/keys":
            return _json(200, keys().as_dict(private=False))
        if path == "/authorize":
            form = "".join(
                f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
                for name, value in given.items()
            )
            page = f'<title>provider</title><form method="post" action="/in">{form}<button>In'
            return (200, {"content-type": "text/html"}, page.encode())
        if path == "/in":
            return (303, {"location": self.back(given)}, b"")
        if path == "/token":
            return self._tokens(given, authorization)
        return _json(200 if path == "/favicon.ico" else 404, {})

    def configuration(self) -> dict[str, object]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            **self.says,
        }

    def back(self, given: dict[str, str]) -> str:
        """Where a browser is sent back to that came with this, its person being signed in."""
        assert given["client_id"] == CLIENT
        assert (given["response_type"], given["scope"]) == ("code", "openid")
        assert given["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self._codes[code] = given
        return f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"

    def _tokens(self, given: dict[str, str], authorization: str) -> Answer:
        known = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != f"Basic {known}":
            return _json(401, {"error": "invalid_client"})
        begun = self._codes.pop(given["code"], None)
        if begun is None or begun["redirect_uri"] != given["redirect_uri"]:
            return _json(400, {"error": "invalid_grant", "error_description": "<b>no</b>"})
        challenge = _base64(hashlib.sha256(given["code_verifier"].encode()).digest())
        if challenge != begun["code_challenge"]:
            return _json(400, {"error": "invalid_grant"})
        found = {"access_token": ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 60}
        return _json(200, {**found, "id_token": self.id_token(begun["nonce"])})

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        usual = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": nonce,
            **self.claims,
        }
        return self.sign({name: value for name, value in usual.items() if value is not None})


def _json(status: int, value: object) -> Answer:
    return (status, {"content-type": "application/json"}, json.dumps(value).encode())


@contextmanager
def provider() -> Iterator[LocalProvider]:
    """A provider that listens, until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._answer(parts.path, parts.query)

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            self._answer(self.path, self.rfile.read(length).decode())

        def _answer(self, path: str, query: str) -> None:
            given = {name: values[0] for name, values in parse_qs(query).items()}
            found.asked.append((path, given))
            with suppress(OSError):  # who asked has heard enough
                instead = found.instead.get(path)
                if instead is not None:
                    told = instead(self)
                else:
                    told = found.answer(path, given, self.headers.get("authorization", ""))
                if told is not None:
                    self._send(*told)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = LocalProvider(f"http://localhost:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
