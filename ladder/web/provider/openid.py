"""The provider that authors may sign in at: where it is, where browsers go, whom it vouches for.

The way is the authorization code flow of OpenID Connect, with PKCE, for the one scope `openid`: the
site learns which account it is, and nothing else of who has it.
"""

import secrets
from collections.abc import Callable
from typing import Any, Final, TypeVar

import httpx2
import msgspec
import trio
from authlib.integrations.httpx_client import OAuthError
from authlib.oidc.discovery import get_well_known_url
from joserfc.jwk import KeySet
from msgspec import Struct

from ladder.web.content import EnoughForNow, Forbidden, Refused, Told
from ladder.web.provider.asking import NoAnswer, asking, client_of
from ladder.web.provider.id_token import KeyUnknown, NotBelieved, Wanted, key_set, subject_of
from ladder.web.provider.pending import Account, Begun
from ladder.web.provider.registration import Registration, is_safe

FRESH_S: Final = 3600.0
"""So long we remember what the provider says of itself, its keys among it."""

REST_S: Final = 10.0
"""After a failure it is left alone for so long; keys that it lacks are looked for as seldom."""

MOST_ASKING: Final = 8
"""So many browsers may come back at once."""

_TOLD_S: Final = 60.0
_LONGEST_CODE: Final = 4096
_SECRET_BYTES: Final = 32
_OUR_MISTAKES: Final = ("invalid_client", "unauthorized_client", "invalid_request")
_METHODS: Final = ("client_secret_basic", "client_secret_post")

T = TypeVar("T")


class ProviderAway(Told):
    """The provider does not do its part just now."""

    status = 503


class _Metadata(Struct, frozen=True):
    """What a provider says of itself, as far as we go by it."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = (_METHODS[0],)
    authorization_response_iss_parameter_supported: bool = False


class _Keys(Struct, frozen=True):
    keys: tuple[dict[str, Any], ...]  # of JSON


class _Known(Struct, frozen=True):
    """A provider as it was when we looked."""

    says: _Metadata
    keys: KeySet
    at: float
    keys_at: float


class Provider:
    """A provider of OpenID Connect; it is first asked when the first author wants to sign in.

    Attributes:
        name: what people call it.
    """

    def __init__(self, registration: Registration, say: Callable[[str], None]) -> None:
        """Asks nothing yet.

        Args:
            registration: the site, as the provider knows it.
            say: is told what the organiser should know, in lines.
        """
        self.name = registration.name
        self._registration = registration
        self._say = say
        self._tls = httpx2.create_ssl_context()
        self._known: _Known | None = None
        self._looking = trio.Lock()
        self._failed: tuple[float, str] | None = None
        self._told: tuple[float, str] | None = None
        self._asking = trio.CapacityLimiter(MOST_ASKING)

    async def begin(self, redirect_uri: str) -> Begun:
        """Return a sign-in that begins, with the address where a browser goes on.

        Raises:
            ProviderAway: the provider does not say where that is.
        """
        known = await self._look()
        state, nonce, verifier = (secrets.token_urlsafe(_SECRET_BYTES) for _ in range(3))
        async with client_of(self._registration, self._tls, redirect_uri) as client:
            onward, _ = client.create_authorization_url(
                known.says.authorization_endpoint,
                state=state,
                nonce=nonce,
                code_verifier=verifier,
            )
        return Begun(
            state=state,
            nonce=nonce,
            verifier=verifier,
            redirect_uri=redirect_uri,
            onward=onward,
        )

    async def account(self, begun: Begun, code: str, issuer: str | None) -> Account:
        """Return the account of who comes back from the provider.

        Args:
            begun: the sign-in, which is over with this.
            code: what the provider gives for it.
            issuer: who the provider says it is, if it says so.

        Raises:
            Refused: the code is not good, or not any more.
            Forbidden: what it says of who that is cannot be believed.
            ProviderAway: it does not answer as it should.
            EnoughForNow: too many come back at once.
        """
        known = await self._look()
        says = known.says
        is_said = issuer is not None or says.authorization_response_iss_parameter_supported
        if not 0 < len(code) <= _LONGEST_CODE or (is_said and issuer != says.issuer):
            raise Refused(f"That does not come from {self.name}: begin again.")
        try:
            self._asking.acquire_nowait()
        except trio.WouldBlock as error:
            raise EnoughForNow("Many sign in just now: begin again in a moment.") from error
        try:
            id_token, access_token = await self._exchanged(says, begun, code)
            wanted = Wanted(says.issuer, self._registration.client_id, begun.nonce, access_token)
            return Account(says.issuer, await self._subject(known, id_token, wanted))
        except NoAnswer as error:
            raise self._away(str(error)) from error
        except NotBelieved as error:
            self._tell(f"an ID token is not believed: {error}")
            told = f"What {self.name} says of you cannot be believed, so you are not signed in."
            raise Forbidden(told) from error
        finally:
            self._asking.release()

    async def _exchanged(self, says: _Metadata, begun: Begun, code: str) -> tuple[str, str]:
        """Return the ID token that there is for a code, and the access token beside it."""
        what = "its token endpoint"
        method = next(one for one in _METHODS if one in says.token_endpoint_auth_methods_supported)
        with asking(what):
            async with client_of(
                self._registration, self._tls, begun.redirect_uri, method
            ) as client:
                try:
                    found = await client.fetch_token(
                        says.token_endpoint,
                        grant_type="authorization_code",
                        code=code,
                        code_verifier=begun.verifier,
                    )
                except OAuthError as error:
                    if error.error in _OUR_MISTAKES:
                        raise NoAnswer(f"{what}: {error.error}") from error
                    raise Refused(f"{self.name} wants you to begin again.") from error
                except (httpx2.HTTPError, NoAnswer):
                    raise
                except Exception as error:  # whatever authlib stumbles over in its answer
                    raise NoAnswer(
                        f"{what}: it gives no tokens ({type(error).__name__})"
                    ) from error
        id_token, access_token = found.get("id_token"), found.get("access_token", "")
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise NoAnswer(f"{what}: it gives no ID token")
        return id_token, access_token

    async def _subject(self, known: _Known, id_token: str, wanted: Wanted) -> str:
        """Return the account that an ID token speaks of; keys may be new since we looked."""
        try:
            return subject_of(id_token, known.keys, wanted)
        except KeyUnknown:
            if trio.current_time() < known.keys_at + REST_S:
                raise
        keys = await self._keys(known.says)
        self._known = _Known(known.says, keys, known.at, trio.current_time())
        return subject_of(id_token, keys, wanted)

    async def _look(self) -> _Known:
        """Return what the provider says of itself; one asks, and the others wait for it.

        Raises:
            ProviderAway: it does not, or says what cannot be.
        """
        async with self._looking:
            now = trio.current_time()
            if self._known is not None and now < self._known.at + FRESH_S:
                return self._known
            if self._failed is not None and now < self._failed[0] + REST_S:
                raise self._away(self._failed[1])
            try:
                says = await self._says()
                keys = await self._keys(says)
                self._known = _Known(says, keys, now, trio.current_time())
            except NoAnswer as error:
                self._failed = (trio.current_time(), str(error))
                raise self._away(str(error)) from error
            return self._known

    async def _says(self) -> _Metadata:
        issuer = self._registration.issuer
        says = await self._asked(get_well_known_url(issuer, external=True), _Metadata)
        if says.issuer != issuer:
            raise NoAnswer("its configuration is of another issuer than settings name")
        for address in (says.authorization_endpoint, says.token_endpoint, says.jwks_uri):
            if not is_safe(address, issuer):
                raise NoAnswer("its configuration names an address that is not of https")
        if not set(_METHODS) & set(says.token_endpoint_auth_methods_supported):
            raise NoAnswer("it takes no client's secret in a way that we know")
        return says

    async def _keys(self, says: _Metadata) -> KeySet:
        return key_set((await self._asked(says.jwks_uri, _Keys)).keys)

    async def _asked(self, address: str, kind: type[T]) -> T:
        """Return what the provider says at an address, as a value."""
        what = "its keys" if kind is _Keys else "its configuration"
        with asking(what):
            async with client_of(self._registration, self._tls) as client:
                answer = await client.request("GET", address, withhold_token=True)
        if answer.status_code != httpx2.codes.OK:
            raise NoAnswer(f"{what}: it answers {answer.status_code}")
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise NoAnswer(f"{what}: that is not what it has to be") from error

    def _away(self, why: str) -> ProviderAway:
        """Return what a visitor is told; the organiser is told why."""
        self._tell(why)
        return ProviderAway(
            f"{self.name} does not do its part just now. Open the link of your invitation, or try "
            "again in a minute."
        )

    def _tell(self, why: str) -> None:
        """Tell the organiser what is wrong; the same once a minute, however many meet it."""
        now = trio.current_time()
        if self._told is None or why != self._told[1] or now >= self._told[0] + _TOLD_S:
            self._told = (now, why)
            self._say(f"sign-in: {self.name}: {why}")
