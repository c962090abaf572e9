"""`referee ladder invite`, `tokens` and `revoke`: who may hand in bots on the ladder's site."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened
from ladder.core.names import author_name
from ladder.core.tokens import Binding, Scope, Token, scopes_of
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
    """A token; `last_use` is null without any, `binding` for an invitation."""

    id: str
    author: str
    scopes: tuple[Scope, ...]
    state: str
    made_ms: int
    expires_ms: int
    revoked_ms: int | None
    last_use: TokenUse | None
    binding: str | None


class TokensJson(Struct, frozen=True):
    """What `referee ladder tokens --json` prints: tokens, and accounts to sign in by."""

    tokens: tuple[TokenJson, ...]
    bindings: tuple[Binding, ...]


class RevokedJson(Struct, frozen=True):
    """What `referee ladder revoke --json` prints: the ids of what was valid."""

    revoked: tuple[str, ...]
    bindings: tuple[str, ...]


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
    author_name(author)
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
    """Lists the tokens of authors, when each was used last, and the accounts they sign in by."""
    with opened(where) as store:
        found, bindings = store.tokens.every(), store.bindings.every()
    if as_json:
        told = TokensJson(tuple(_json(*one) for one in found), tuple(bindings))
        print(json_text(told, indent=None))
        return
    if not found:
        console().print("no tokens yet: `referee ladder invite NAME` makes one")
        return
    columns = ("token", "author", "for", "state", "until", "last use")
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
    print_grid(console(), [Column(name, name=True) for name in columns], lines)
    if bindings:
        console().print()
        _print_bindings(bindings)


def _print_bindings(bindings: list[Binding]) -> None:
    columns = ("binding", "author", "signs in by", "account", "for token", "since")
    lines = [
        (
            said(one.id),
            said(one.author, "bold"),
            said(one.issuer),
            said(one.subject),
            said(one.token),
            said(_day(one.made_ms)),
        )
        for one in bindings
    ]
    print_grid(console(), [Column(name, name=True) for name in columns], lines)


def revoke(
    named: Annotated[
        str,
        typer.Argument(
            metavar="TOKEN", help="The id of a token or a binding, or an author: all of theirs."
        ),
    ],
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Ends tokens at once: what they were for cannot be done with them any more.

    With an invitation end the accounts that sign in instead of it, and their sessions.
    """
    with opened(where) as store:
        ended = store.tokens.revoke(named)
    tokens, bindings = ended.tokens, ended.bindings
    if as_json:
        ids = tuple(one.id for one in tokens)
        print(json_text(RevokedJson(ids, tuple(one.id for one in bindings)), indent=None))
        return
    print(f"{plural(len(tokens), 'token')} revoked{_ids(tokens)}")
    if bindings:
        print(f"{plural(len(bindings), 'binding')} removed{_ids(bindings)}")


def _ids(found: Sequence[Token | Binding]) -> str:
    return ": " + ", ".join(one.id for one in found) if found else ""


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
        binding=token.binding or None,
    )


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
