"""What an organiser says of a provider, and where its secret stays."""

import subprocess
import sys
from pathlib import Path

import pytest

from ladder.web.provider.registration import VARIABLE, is_safe, registration_of
from referee.bots.settings import SignIn, read_settings
from referee.cli import run
from referee.errors import RefereeError

ISSUER = "https://accounts.example"


def sign_in(**given: str) -> SignIn:
    return SignIn(**{"issuer": ISSUER, "client_id": "ladder", "name": "Example", **given})


def test_a_secret_comes_from_a_file_or_the_environment_and_stays_in_neither_text(
    tmp_path: Path,
) -> None:
    """What the site starts, a bot's trial among it, does not find it in its environment."""
    file = tmp_path / "secret"
    file_has, environment_has = "of the file", "of the environment"
    file.write_text(f"{file_has}\n")
    file.chmod(0o600)
    environment = {VARIABLE: environment_has, "PATH": "/bin"}
    found = registration_of(sign_in(), environment)
    assert found is not None
    assert found.secret == environment_has
    assert environment == {"PATH": "/bin"}
    assert environment_has not in repr(found)
    found = registration_of(sign_in(secret_file=str(file)), {VARIABLE: environment_has})
    assert found is not None
    assert found.secret == file_has
    assert registration_of(None, {}) is None


@pytest.mark.parametrize(
    ("given", "secret", "said"),
    [
        ({"issuer": "http://accounts.example"}, "x", "write https://HOST"),
        ({"issuer": f"{ISSUER}?tenant=1"}, "x", "write https://HOST"),
        ({"issuer": "accounts.example"}, "x", "write https://HOST"),
        ({"issuer": "https://me:word@accounts.example"}, "x", "write https://HOST"),
        ({"name": "  "}, "x", "what a button can say"),
        ({"name": "Ex\u202eample"}, "x", "what a button can say"),
        ({}, "", f"no secret: name its file in secret_file, or set {VARIABLE}"),
        ({}, "päss", "that is no secret"),
        ({}, "x" * 1001, "that is no secret"),
        ({"secret_file": "secret"}, "", "from the root on"),
        ({"secret_file": "/no/such/file"}, "", "there is no such file"),
    ],
)
def test_what_cannot_be_right_is_said_in_a_line(
    given: dict[str, str], secret: str, said: str
) -> None:
    with pytest.raises(RefereeError, match=r"^settings: \[site\.sign_in\]: ") as caught:
        registration_of(sign_in(**given), {VARIABLE: secret})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not secret or len(secret) < 2 or secret not in str(caught.value)


def test_a_secret_that_every_user_can_read_is_none(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("secret")
    file.chmod(0o644)
    with pytest.raises(RefereeError, match="chmod o-rwx"):
        registration_of(sign_in(secret_file=str(file)), {})
    file.chmod(0o600)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RefereeError, match="that is no text"):
        registration_of(sign_in(secret_file=str(file)), {})


@pytest.mark.parametrize(
    ("address", "issuer", "safe"),
    [
        ("https://accounts.example/token", ISSUER, True),
        ("https://elsewhere.example:8443/token", ISSUER, True),
        ("http://accounts.example/token", ISSUER, False),
        ("http://127.0.0.1:8080/token", ISSUER, False),
        ("http://127.0.0.1:8080/token", "http://localhost:8080", True),
        ("http://[::1]:8080/token", "http://[::1]:8080", True),
        ("http://127.0.0.1.example/token", "http://localhost:8080", False),
        ("https://", ISSUER, False),
        ("https://accounts.example:99999/", ISSUER, False),
        ("https://accounts.example/\n", ISSUER, False),
        ("https://[accounts.example/", ISSUER, False),
        ("file:///etc/passwd", ISSUER, False),
    ],
)
def test_what_is_said_to_a_provider_is_said_by_tls(address: str, issuer: str, safe: bool) -> None:
    """But on one machine, all of it."""
    assert is_safe(address, issuer) is safe


def test_settings_name_a_provider(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    lines = [f'issuer = "{ISSUER}"', 'client_id = "ladder"', 'name = "Example"']
    path.write_text("\n".join(["[site.sign_in]", *lines]))
    assert read_settings({"REFEREE_SETTINGS": str(path)}).site.sign_in == sign_in()
    path.write_text("[site]\ntables = 0\n")
    assert read_settings({"REFEREE_SETTINGS": str(path)}).site.sign_in is None
    path.write_text("\n".join(["[site.sign_in]", *lines[1:]]))
    with pytest.raises(RefereeError, match="missing required field `issuer`"):
        read_settings({"REFEREE_SETTINGS": str(path)})


def test_a_site_does_not_start_with_half_a_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it opens a ladder or a sandbox: one line says what is missing."""
    path = tmp_path / "settings.toml"
    path.write_text(
        f'[site.sign_in]\nissuer = "{ISSUER}"\nclient_id = "ladder"\nname = "Example"\n'
    )
    monkeypatch.setenv("REFEREE_SETTINGS", str(path))
    monkeypatch.delenv(VARIABLE, raising=False)
    assert run(["serve", "--ladder", str(tmp_path / "ladder")]) == 2
    told = capsys.readouterr().err
    assert "no secret" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "ladder").exists()


@pytest.mark.slow
def test_a_site_without_a_provider_does_not_wait_for_the_library(tmp_path: Path) -> None:
    program = "import ladder.commands.serve, sys; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "ladder.web.author_routes" in found
    assert not {"authlib", "joserfc", "httpx2"} & set(found)
