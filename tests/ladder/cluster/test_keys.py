"""The keys of a cluster, and the addresses that it speaks at."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from distributed.security import Security

from ladder.cluster.address import PORT, Address, read_address
from ladder.cluster.engine import pages
from ladder.cluster.keys import AUTHORITY, CERTIFICATE, KEY, make_keys, security_of
from referee.errors import RefereeError

NOW = datetime.now(UTC)


def test_each_end_of_a_connection_asks_the_other_for_the_certificate(tmp_path: Path) -> None:
    """Scheduler, machine and conductor alike: none of them speaks in the clear."""
    make_keys(tmp_path / "keys", NOW)
    found = security_of(tmp_path / "keys")
    for role in ("client", "scheduler", "worker"):
        for listens in (False, True):
            assert context(found, role, listens=listens).verify_mode is ssl.CERT_REQUIRED
    assert found.require_encryption


def context(found: Security, role: str, *, listens: bool = False) -> ssl.SSLContext:
    """What an end of a connection speaks TLS by."""
    arguments = found.get_listen_args if listens else found.get_connection_args
    asked: ssl.SSLContext = arguments(role)["ssl_context"]  # type: ignore[no-untyped-call]  # it has no types
    return asked


def test_a_certificate_of_another_cluster_is_none(tmp_path: Path) -> None:
    """The handshake fails on either side, before anything is read."""
    for name in ("one", "other"):
        make_keys(tmp_path / name, NOW)
    one, other = (security_of(tmp_path / name) for name in ("one", "other"))
    assert shaken(one, one)
    with pytest.raises(ssl.SSLError):
        shaken(one, other)


def shaken(one: Security, other: Security) -> bool:
    """Whether a machine and a scheduler agree, in memory."""
    client, server = context(one, "worker"), context(other, "scheduler", listens=True)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    done = set[int]()
    for _ in range(10):
        for at, end in enumerate(ends):
            try:
                end.do_handshake()
                done.add(at)
            except ssl.SSLWantReadError:
                pass
    return len(done) == 2


def test_keys_are_for_their_owner_and_are_never_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    make_keys(folder, NOW)
    assert {path.name for path in folder.iterdir()} == {AUTHORITY, CERTIFICATE, KEY}
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / KEY).stat().st_mode & 0o077 == 0
    before = (folder / KEY).read_bytes()
    with pytest.raises(RefereeError, match=f"{KEY} is there already"):
        make_keys(folder, NOW)
    assert (folder / KEY).read_bytes() == before


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    make_keys(tmp_path, NOW)
    (tmp_path / KEY).chmod(0o640)
    with pytest.raises(RefereeError, match="may be read by other users"):
        security_of(tmp_path)


@pytest.mark.parametrize("name", [AUTHORITY, CERTIFICATE, KEY])
def test_keys_that_are_not_whole_are_named(name: str, tmp_path: Path) -> None:
    make_keys(tmp_path, NOW)
    (tmp_path / name).unlink()
    with pytest.raises(RefereeError, match=f"{name}: No such file"):
        security_of(tmp_path)
    (tmp_path / name).write_text("no key\n")
    (tmp_path / name).chmod(0o600)
    with pytest.raises(RefereeError, match="are no keys of a cluster"):
        security_of(tmp_path)


def test_keys_that_do_not_hold_any_more_are_no_keys(tmp_path: Path) -> None:
    make_keys(tmp_path, NOW - timedelta(days=20 * 365))
    found = security_of(tmp_path)
    with pytest.raises(ssl.SSLError):
        shaken(found, found)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tls://host:9000", Address("host", 9000)),
        ("host:9000", Address("host", 9000)),
        ("host", Address("host", PORT)),
        ("192.0.2.7", Address("192.0.2.7", PORT)),
        ("[2001:db8::1]:9000", Address("2001:db8::1", 9000)),
        ("tls://[2001:db8::1]", Address("2001:db8::1", PORT)),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert read_address(text) == address
    assert read_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tls://",
        ":9000",
        "host:",
        "host:0",
        "host:65536",
        "host:a",
        "tls://host/x",
        "2001:db8::1",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(RefereeError, match="write tls://HOST:PORT"):
        read_address(text)


@pytest.mark.parametrize("scheme", ["tcp", "ws", "http", "TLS", ""])
def test_a_cluster_is_not_spoken_to_in_the_clear(scheme: str) -> None:
    """Not on this machine either: any of its users could have it run what they like."""
    with pytest.raises(RefereeError, match="speaks TLS only"):
        read_address(f"{scheme}://127.0.0.1:8786")


def test_the_pages_of_the_engine_show_and_do_nothing_else() -> None:
    """Whatever a machine's own files of settings name; and to no page from elsewhere."""
    shown = pages(8787)
    routes = shown["distributed.scheduler.http.routes"]
    assert "distributed.http.scheduler.api" not in routes, "it ends machines"
    assert "distributed.http.proxy" not in routes, "it fetches from anywhere"
    (origins,) = (value for name, value in shown.items() if "websocket" in name)
    assert origins == ["127.0.0.1:8787", "localhost:8787"]
