"""What every answer says beside its content, so that browsers do nothing with it but show it."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
"""No script or style stands in a page, and none comes from elsewhere."""

SECURITY: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
HSTS: Final = "max-age=31536000"
"""Browsers that came by TLS come by TLS for a year."""


class SecurityHeaders:
    """Adds the headers to every answer, whatever made it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand around an application."""
        self._app = app
        self._headers = [(name.encode(), value.encode()) for name, value in SECURITY.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_tls = scope["scheme"] == "https"

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                added = [pair for pair in self._headers if pair[0] not in there]
                if is_tls:
                    added.append((b"strict-transport-security", HSTS.encode()))
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receive, send_more)
