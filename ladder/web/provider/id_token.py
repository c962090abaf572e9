"""What a provider says of who has signed in: an ID token, believed only if all of it is right."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.jws import JWSRegistry
from msgspec import Struct

LEEWAY_S: Final = 60
"""So far the provider's clock may be from ours."""

ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
)  # fmt: skip
"""Signatures that a public key checks: with others (none, HS256) its readers could sign, too."""

_MOST_KEYS: Final = 50
_PUBLIC: Final = ("kty", "kid", "alg", "n", "e", "crv", "x", "y")
_RSA_BITS: Final = (2048, 8192)
_LONGEST: Final = 16 << 10
_LONGEST_SUBJECT: Final = 255
"""As OpenID Connect has it."""


class NotBelieved(Exception):
    """An ID token is not believed; says in our own words why."""


class KeyUnknown(NotBelieved):
    """It is signed with a key that the provider had not published when we looked."""


class Wanted(Struct, frozen=True):
    """What an ID token has to say.

    Attributes:
        issuer: who has signed it.
        client_id: for whom.
        nonce: for which sign-in.
        access_token: what has come with it.
    """

    issuer: str
    client_id: str
    nonce: str
    access_token: str


def key_set(given: Sequence[Mapping[str, Any]]) -> KeySet:  # of JSON
    """Return those of a provider's public keys that can be used; it may well have others."""
    found = [_key(dict(one)) for one in given[:_MOST_KEYS]]
    return KeySet([key for key in found if key is not None])


def _key(given: dict[str, Any]) -> RSAKey | ECKey | None:  # of JSON
    if given.get("use", "sig") != "sig":
        return None
    public = {name: given[name] for name in _PUBLIC if isinstance(given.get(name), str)}
    try:
        if given.get("kty") == "EC":
            return ECKey.import_key(public)
        # its length first: a key that is too short only makes the library complain on stderr
        if given.get("kty") == "RSA" and len(public.get("n", "")) * 6 >= _RSA_BITS[0]:
            key = RSAKey.import_key(public)
            return key if key.raw_value.key_size <= _RSA_BITS[1] else None
    except Exception:  # noqa: S110  # whatever libraries find wrong with a stranger's key
        pass
    return None


def subject_of(text: str, keys: KeySet, wanted: Wanted) -> str:
    """Return the account that an ID token speaks of.

    Raises:
        KeyUnknown: none of the keys has signed it, by its name.
        NotBelieved: something is not as it has to be.
    """
    if len(text) > _LONGEST:
        raise NotBelieved(f"it has more than {_LONGEST} characters")
    if not keys:
        raise KeyUnknown("the provider has published no key that can be used")
    try:
        token = jwt.decode(
            text, keys, registry=JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        )
        claims = CodeIDToken(
            token.claims,
            token.header,
            {"iss": {"value": wanted.issuer}, "aud": {"value": wanted.client_id}},
            {
                "nonce": wanted.nonce,
                "client_id": wanted.client_id,
                "access_token": wanted.access_token,
            },
        )
        claims.validate(leeway=LEEWAY_S)
        subject = claims["sub"]
    except InvalidKeyIdError as error:
        raise KeyUnknown("it is signed with a key that the provider does not publish") from error
    except ClaimError as error:
        raise NotBelieved(f"its {_known(error.claim)} is not as it has to be") from error
    except JoseError as error:
        raise NotBelieved(f"it is not signed as it has to be ({type(error).__name__})") from error
    except Exception as error:  # what a stranger sends can have any form: libraries stumble
        raise NotBelieved(f"it cannot be read ({type(error).__name__})") from error
    is_one = isinstance(subject, str) and subject.isascii() and subject.isprintable()
    if not is_one or not 0 < len(subject) <= _LONGEST_SUBJECT:
        raise NotBelieved("its sub is not as it has to be")
    return str(subject)


def _known(claim: object) -> str:
    """Return the name of a claim if it is one that is checked: other words are the provider's."""
    names = ("iss", "sub", "aud", "exp", "nbf", "iat", "nonce", "azp", "amr", "auth_time")
    return claim if isinstance(claim, str) and claim in (*names, "at_hash") else "content"
