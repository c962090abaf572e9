"""`referee ladder invite`, `tokens` and `revoke`: who may hand in bots on the ladder's site."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened
from ladder.core.names import GUEST, name_of
from ladder.core.tokens import Scope, Token, scopes_of
from ladder.show.text_table import Column, print_grid, said
from ladder.store.tokens import TokenUse
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural

USUAL_URL = "http://127.0.0.1:8000"
LONGEST_DAYS = 3650


class InviteJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder invite --json` prints: the one time that a token's text is told."""

    id: str
    author: str
    scopes: tuple[Scope, ...]
    expires_ms: int
    token: str
    link: str


class TokenJson(Struct, frozen=True, kw_only=True):
    """A token, as `referee ladder tokens --json` lists them; `last_use` is null without any."""

    id: str
    author: str
    scopes: tuple[Scope, ...]
    state: str
    made_ms: int
    expires_ms: int
    revoked_ms: int | None
    last_use: TokenUse | None


class RevokedJson(Struct, frozen=True):
    """What `referee ladder revoke --json` prints: the ids of the tokens that were valid."""

    revoked: tuple[str, ...]


def invite(
    author: Annotated[str, typer.Argument(metavar="NAME", help="Whose bots it may hand in.")],
    days: Annotated[
        int, typer.Option(min=1, max=LONGEST_DAYS, help="So long the invitation is valid.")
    ] = 365,
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="submit, logs or play; several.  [default: all]"),
    ] = None,
    url: Annotated[str, typer.Option(help="Where people reach the site.")] = USUAL_URL,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Invites an author: prints a link that lets them hand in bots on the site.

    The link is told once: the ladder keeps only a hash of what is in it. Send it to the author by a
    way that you trust. A second invitation leaves the first one valid; see `revoke`.
    """
    if name_of(author, "author").startswith(GUEST):
        raise RefereeError(f"author name {author!r}: names that begin with {GUEST} are of guests")
    scopes = scopes_of(tuple(scope or ()))
    if not url.startswith(("http://", "https://")):
        raise RefereeError(f"--url {url!r}: it begins with http:// or https://")
    with opened(where) as store:
        token, text = store.tokens.add(author, scopes, days)
    link = f"{url.rstrip('/')}/join#{text}"
    if as_json:
        told = InviteJson(
            id=token.id,
            author=author,
            scopes=token.scopes,
            expires_ms=token.expires_ms,
            token=text,
            link=link,
        )
        print(json_text(told, indent=None))
        return
    print(link)
    talk = console(stderr=True)
    valid = f"valid until {_day(token.expires_ms)}, for: {', '.join(token.scopes)}"
    talk.print(f"token {token.id} of {author}, {valid}", style="dim")
    talk.print(f"in a shell: export REFEREE_TOKEN={text}", style="dim", soft_wrap=True)


def tokens(where: Where = None, as_json: Json = False) -> None:
    """Lists the tokens of authors, and when each was used last."""
    with opened(where) as store:
        found = store.tokens.every()
    if as_json:
        print(json_text([_json(*one) for one in found], indent=None))
        return
    if not found:
        console().print("no tokens yet: `referee ladder invite NAME` makes one")
        return
    columns = [
        Column("token", name=True),
        Column("author", name=True),
        Column("for", name=True),
        Column("state", name=True),
        Column("until", name=True),
        Column("last use", name=True),
    ]
    lines = [
        (
            said(token.id),
            said(token.author, "bold"),
            said(" ".join(token.scopes)),
            said(state, "green" if state == "valid" else "dim"),
            said(_day(token.expires_ms)),
            said("never" if use is None else f"{_day(use.at_ms)} {use.what} from {use.address}"),
        )
        for token, state, use in found
    ]
    print_grid(console(), columns, lines)


def revoke(
    named: Annotated[
        str, typer.Argument(metavar="TOKEN", help="A token's id, or an author: all of theirs.")
    ],
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Ends tokens at once: what they were for cannot be done with them any more."""
    with opened(where) as store:
        ended = store.tokens.revoke(named)
    if as_json:
        print(json_text(RevokedJson(tuple(token.id for token in ended)), indent=None))
        return
    ids = ", ".join(token.id for token in ended)
    print(f"{plural(len(ended), 'token')} revoked{f': {ids}' if ids else ''}")


def _json(token: Token, state: str, use: TokenUse | None) -> TokenJson:
    return TokenJson(
        id=token.id,
        author=token.author,
        scopes=token.scopes,
        state=state,
        made_ms=token.made_ms,
        expires_ms=token.expires_ms,
        revoked_ms=token.revoked_ms or None,
        last_use=use,
    )


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
