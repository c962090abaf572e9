"""What the organiser has agreed with a provider: as settings have it, with the secret."""

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from referee.bots.settings import SignIn
from referee.errors import RefereeError
from referee.text import printable

VARIABLE: Final = "REFEREE_SIGN_IN_SECRET"
"""The environment variable that has the client's secret."""

_LONGEST: Final = 1000
_OTHERS: Final = 0o007
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class Registration:
    """A site as its provider knows it; the secret shows in no text of it.

    Attributes:
        issuer: the provider's address, as it calls itself.
        client_id: what it calls the site.
        name: what people call it.
        secret: by which it knows the site.
    """

    def __init__(self, sign_in: SignIn, secret: str) -> None:
        """Check what settings say.

        Raises:
            RefereeError: it cannot be right.
        """
        if not is_safe(sign_in.issuer, sign_in.issuer) or set("?#") & set(sign_in.issuer):
            raise _wrong(f"issuer = {sign_in.issuer!r}: write https://HOST, and nothing behind it")
        if not sign_in.name.strip() or printable(sign_in.name) != sign_in.name:
            raise _wrong(f"name = {sign_in.name!r}: write what a button can say")
        self.issuer, self.client_id, self.name = sign_in.issuer, sign_in.client_id, sign_in.name
        self.secret = secret


def registration_of(
    sign_in: SignIn | None, environment: MutableMapping[str, str] = os.environ
) -> Registration | None:
    """Return a registration, if there is one, with its secret.

    That leaves the environment: what we start has none of it.

    Raises:
        RefereeError: there is no secret, or something cannot be right.
    """
    secret = environment.pop(VARIABLE, "")
    if sign_in is None:
        return None
    if sign_in.secret_file:
        secret = _read(Path(sign_in.secret_file))
    secret = secret.strip()
    if not secret:
        raise _wrong(f"no secret: name its file in secret_file, or set {VARIABLE}")
    if not (secret.isascii() and secret.isprintable()) or len(secret) > _LONGEST:
        raise _wrong(f"that is no secret: it has up to {_LONGEST} letters, digits and signs")
    return Registration(sign_in, secret)


def is_safe(address: str, issuer: str) -> bool:
    """Whether what is said to an address of a provider is said to it alone.

    That is by TLS; or, as is good for a trial, on this machine, if the whole provider is here.
    """
    try:
        parts, whole = urlsplit(address), urlsplit(issuer)
        _ = parts.port  # raises where it is none
    except ValueError:
        return False
    if not parts.hostname or parts.username is not None or not address.isprintable():
        return False
    if parts.scheme == "https":
        return True
    here = parts.hostname in _LOOPBACK and whole.hostname in _LOOPBACK
    return here and parts.scheme == whole.scheme == "http"


def _read(path: Path) -> str:
    if not path.is_absolute():
        raise _wrong(f"secret_file = {str(path)!r}: name it from the root on: /etc/...")
    try:
        if not path.is_file():
            raise _wrong(f"secret_file {str(path)!r}: there is no such file")
        if path.stat().st_mode & _OTHERS:
            raise _wrong(f"secret_file {str(path)!r}: every user may read it: chmod o-rwx it")
        with path.open("rb") as file:
            return file.read(_LONGEST + 2).decode()
    except OSError as error:
        raise _wrong(f"secret_file {str(path)!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _wrong(f"secret_file {str(path)!r}: that is no text") from error


def _wrong(what: str) -> RefereeError:
    return RefereeError(f"settings: [site.sign_in]: {what}")
