"""Accounts by which authors sign in, in both databases: what they stand for, and what ends them."""

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from ladder.archive.backup import back_up
from ladder.archive.export import export
from ladder.core.tokens import Scope
from ladder.store import bindings
from ladder.store.bindings import DAY_MS, NotBound
from ladder.store.location import where_of
from ladder.store.store import Store
from referee.errors import RefereeError
from support.ladders import made

ISSUER = "https://accounts.example"
SUBJECT = "account-of-ada"

both = pytest.mark.parametrize(
    "where", ["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)], indirect=True
)


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What `--ladder` would say of an empty place."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "ladder")
    return f"{request.getfixturevalue('database')}?files={tmp_path / 'files'}"


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    with made(where, bots=("first",)) as found:
        yield found


def later(monkeypatch: pytest.MonkeyPatch, store: Store, days: float) -> None:
    """Has the database's clock go on."""
    now = type(store._database).now_ms
    monkeypatch.setattr(
        type(store._database),
        "now_ms",
        lambda self, connection: now(self, connection) + int(days * DAY_MS),
    )


@both
def test_an_account_stands_for_an_invitation(store: Store) -> None:
    """A session is for what that is for; two issuers may each have an account of the same name."""
    invitation, _ = store.tokens.add("ada", (Scope.PLAY,), 365)
    found = store.bindings.add(invitation.id, ISSUER, SUBJECT)
    assert store.bindings.add(invitation.id, ISSUER, SUBJECT) == found
    assert store.bindings.of("ada") == store.bindings.every() == [found]
    assert store.bindings.of("eve") == []
    made_now = store.bindings.session(ISSUER, SUBJECT)
    assert made_now is not None
    session, text = made_now
    assert store.tokens.by_text(text) == session
    assert (session.author, session.scopes, session.binding) == ("ada", (Scope.PLAY,), found.id)
    assert store.bindings.session("https://evil.example", SUBJECT) is None
    eve, _ = store.tokens.add("eve", (Scope.PLAY,), 365)
    assert store.bindings.add(eve.id, "https://other.example", SUBJECT).author == "eve"


@both
@pytest.mark.parametrize("by", ["invitation", "binding", "author"])
def test_what_ends_an_account_ends_its_sessions(store: Store, by: str) -> None:
    """A session that is named ends alone."""
    invitation, _ = store.tokens.add("ada", tuple(Scope), 365)
    other, kept = store.tokens.add("bob", tuple(Scope), 365)
    binding = store.bindings.add(invitation.id, ISSUER, SUBJECT)
    second = store.bindings.add(other.id, ISSUER, "bob")
    sessions = [store.bindings.session(ISSUER, SUBJECT) for _ in range(2)]
    texts = [text for found in sessions if found is not None for text in found[1:]]
    one = store.tokens.by_text(texts[0])
    assert one is not None
    assert [token.id for token in store.tokens.revoke(one.id).tokens] == [one.id]
    assert store.tokens.by_text(texts[1]) is not None

    named = {"invitation": invitation.id, "binding": binding.id, "author": "ada"}[by]
    ended = store.tokens.revoke(named)

    assert ended.bindings == (binding,)
    assert [store.tokens.by_text(text) for text in texts] == [None, None]
    assert store.bindings.session(ISSUER, SUBJECT) is None
    assert store.bindings.every() == [second]
    assert store.tokens.by_text(kept) is not None
    assert len(ended.tokens) == (1 if by == "binding" else 2)


@both
def test_an_account_ends_with_its_invitation(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be bound by what has ended, and nothing that was bound by it lets in."""
    invitation, _ = store.tokens.add("ada", tuple(Scope), 1)
    store.bindings.add(invitation.id, ISSUER, SUBJECT)
    later(monkeypatch, store, 1.1)
    assert store.bindings.session(ISSUER, SUBJECT) is None
    with pytest.raises(NotBound, match="has ended"):
        store.bindings.add(invitation.id, ISSUER, "another")
    with pytest.raises(NotBound, match="has ended"):
        store.bindings.add("00000000", ISSUER, "another")


@both
def test_sessions_that_are_over_are_forgotten_but_not_what_counts_for_the_day(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an author would have uploads beyond those of a day by signing in anew."""
    invitation, _ = store.tokens.add("ada", tuple(Scope), 365)
    store.bindings.add(invitation.id, ISSUER, SUBJECT)
    monkeypatch.setattr(bindings, "MOST_SESSIONS", 2)
    for _ in range(2):
        found = store.bindings.session(ISSUER, SUBJECT)
        assert found is not None
        store.tokens.note_use(found[0].id, "submit", "192.0.2.1")
        store.tokens.end(found[0].id)
    with pytest.raises(NotBound, match="2 times today"):
        store.bindings.session(ISSUER, SUBJECT)
    assert store.tokens.used_today("ada", "submit") == 2
    later(monkeypatch, store, 1.1)
    assert store.bindings.session(ISSUER, SUBJECT) is not None
    assert len(store.tokens.every()) == 2
    later(monkeypatch, store, 31)
    assert store.bindings.session(ISSUER, SUBJECT) is not None
    assert len(store.tokens.every()) == 2


@both
def test_who_is_erased_signs_in_no_more(store: Store) -> None:
    """Nor by an account that was to be chosen for another person just then."""
    invitation, _ = store.tokens.add("ada", tuple(Scope), 365)
    store.bindings.add(invitation.id, ISSUER, SUBJECT)
    assert store.bindings.session(ISSUER, SUBJECT) is not None
    assert (store.erasure.of("ada").tokens, store.erasure.of("ada").bindings) == (2, 1)
    store.erasure.erase("ada", "why")
    assert (store.tokens.every(), store.bindings.every()) == ([], [])
    assert store.bindings.session(ISSUER, SUBJECT) is None
    with pytest.raises(NotBound):
        store.bindings.add(invitation.id, ISSUER, SUBJECT)
    with pytest.raises(RefereeError, match="no token 'ada'"):
        store.tokens.revoke("ada")


@pytest.mark.slow
def test_a_backup_has_accounts_and_an_export_has_none(store: Store, tmp_path: Path) -> None:
    invitation, _ = store.tokens.add("ada", tuple(Scope), 365)
    found = store.bindings.add(invitation.id, ISSUER, SUBJECT)
    back_up(store, tmp_path / "copy")
    with Store(where_of(str(tmp_path / "copy"))) as copy:
        assert copy.bindings.every() == [found]
    export(store, tmp_path / "it.zip")
    with ZipFile(tmp_path / "it.zip") as archive:
        for name in archive.namelist():
            assert SUBJECT.encode() not in archive.read(name)
