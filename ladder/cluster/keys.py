"""The keys of a cluster: who has them may have anything run on all of its machines.

A cluster has a certificate authority of its own, which signs one certificate and is then forgotten.
Scheduler, machines and conductors show each other that certificate: a connection without it ends
before a byte of it is read.
"""

import os
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from distributed.security import Security

from referee.errors import RefereeError

AUTHORITY: Final = "authority.pem"
CERTIFICATE: Final = "cluster.pem"
KEY: Final = "cluster-key.pem"

_YEARS: Final = 10
_OTHERS: Final = 0o077
_SKEW: Final = timedelta(days=1)
"""A machine whose clock is behind by so much may join all the same."""


def make_keys(folder: Path, now: datetime) -> None:
    """Make the keys of a new cluster.

    Args:
        folder: where they are written; made if need be.
        now: from when on they hold, for ten years.

    Raises:
        RefereeError: there are keys already, or they cannot be written.
    """
    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    named = _name("the authority of a cluster of referees")
    until = now + timedelta(days=365 * _YEARS)
    root = (
        _certificate(named, named, authority, now, until)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority, SHA256())
    )
    signed = (
        _certificate(_name("a cluster of referees"), named, own, now, until)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(authority, SHA256())
    )
    secret = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder / KEY, secret)
        _write(folder / AUTHORITY, root.public_bytes(Encoding.PEM))
        _write(folder / CERTIFICATE, signed.public_bytes(Encoding.PEM))
    except FileExistsError as error:
        raise RefereeError(
            f"keys {str(folder)!r}: {Path(error.filename).name} is there already; a cluster keeps "
            "its keys, and a new one has a folder of its own"
        ) from error
    except OSError as error:
        raise RefereeError(f"keys {str(folder)!r}: {error.strerror}") from error


def security_of(folder: Path) -> Security:
    """Return what a process of the cluster shows others, and asks of them.

    Args:
        folder: as `make_keys` has written it.

    Raises:
        RefereeError: the keys are not there, or other users may read them.
    """
    authority, certificate, key = (folder / name for name in (AUTHORITY, CERTIFICATE, KEY))
    try:
        for path in (authority, certificate, key):
            path.read_bytes()
        mode = S_IMODE(key.stat().st_mode)
    except OSError as error:
        raise RefereeError(
            f"keys {str(folder)!r}: {Path(error.filename).name}: {error.strerror}; "
            "`referee cluster keys DIR` makes those of a new cluster, and all of its machines "
            "have the same"
        ) from error
    if mode & _OTHERS:
        raise RefereeError(
            f"key {str(key)!r} may be read by other users, who can run anything on all machines "
            f"of the cluster then: chmod 600 it, or make a new cluster"
        )
    try:
        proof = ssl.create_default_context(cafile=authority)
        proof.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        raise RefereeError(
            f"{str(folder)!r}: its files are no keys of a cluster ({error})"
        ) from error
    pair = {"cert": str(certificate), "key": str(key)}
    roles = ("client", "scheduler", "worker")
    return Security(  # type: ignore[no-untyped-call]  # it has no types
        require_encryption=True,
        tls_ca_file=str(authority),
        **{f"tls_{role}_{what}": path for role in roles for what, path in pair.items()},
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begins: datetime,
    ends: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins.astimezone(UTC) - _SKEW)
        .not_valid_after(ends)
    )


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
