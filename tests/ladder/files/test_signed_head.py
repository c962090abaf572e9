"""A signed head: nobody but the organiser makes one, and no byte of it can be changed."""

import os
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.files.signed_head import (
    CONTEXT,
    Head,
    as_json,
    check,
    from_json,
    misfit,
    public_of,
    signed,
)
from ladder.files.signing import KEY_FILE, kept_key
from referee.errors import RefereeError

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HEAD = Head(ladder="0f" * 16, facts=12, hash="ab" * 32, at_ms=1_800_000_000_123)
LINE = as_json(signed(HEAD, KEY))
HASHES = {11: "cd" * 32, 12: HEAD.hash, 13: "ef" * 32}


def taken(text: bytes) -> Head:
    """The head that a text holds, checked."""
    found = from_json(text)
    check(found)
    return found.head


def test_what_is_signed_can_be_checked() -> None:
    """By anybody, and by who knows the key."""
    found = from_json(LINE)

    check(found)
    check(found, public_of(KEY))
    check(found, f" {public_of(KEY).upper()}\n")
    assert found == signed(HEAD, KEY)
    assert taken(LINE.strip()) == HEAD


def test_the_bytes_that_are_signed_can_be_made_by_hand() -> None:
    """What another program needs in order to check a head, written out."""
    text = (
        b"briscola-referee ladder head 1\n"
        b'{"ladder":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","facts":12,"hash":"'
        + b"ab" * 32
        + b'","at_ms":1800000000123}'
    )
    found = signed(HEAD, KEY)

    assert text.startswith(CONTEXT)
    assert found.public_key == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(found.public_key))
    public.verify(bytes.fromhex(found.signature), text)


def test_every_flipped_bit_is_found() -> None:
    """Each bit of the line, its newline included."""
    for at in range(len(LINE)):
        for bit in range(8):
            changed = bytearray(LINE)
            changed[at] ^= 1 << bit
            with pytest.raises(RefereeError, match="head"):
                taken(bytes(changed))


def test_every_other_byte_is_found() -> None:
    """A hex digit as a capital, a space, a control character: nothing in its place passes."""
    for at in range(len(LINE)):
        for byte in b'aAfF09 \t\r\n\0"}\xff':
            if byte != LINE[at]:
                with pytest.raises(RefereeError, match="head"):
                    taken(LINE[:at] + bytes([byte]) + LINE[at + 1 :])


def test_a_cut_or_longer_line_is_no_head() -> None:
    """Every beginning of it, and what has something behind."""
    for size in range(len(LINE) - 1):
        with pytest.raises(RefereeError, match="'-' is no"):
            taken(LINE[:size])
    for more in (b"\n", b" ", b"{}", b"\0", LINE):
        with pytest.raises(RefereeError, match="'-' is no"):
            taken(LINE + more)


@given(st.binary(max_size=300))
def test_strangers_text_is_refused(text: bytes) -> None:
    """In one line, whatever it is."""
    with pytest.raises(RefereeError) as caught:
        taken(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        LINE.replace(b":", b": ", 1),
        LINE.replace(b'"facts":12', b'"facts":12,"facts":12'),
        LINE.replace(b'"facts":12', b'"facts":12.0'),
        LINE.replace(b'"facts":12', b'"facts":-12'),
        LINE.replace(b'"facts":12', b'"facts":12,"more":1'),
        LINE.replace(b"0f0f", b"0f0f0f", 1),
        LINE.replace(b'","at_ms"', b'\\n","at_ms"'),
    ],
)
def test_another_way_to_write_it_is_refused(text: bytes) -> None:
    """One head has one text."""
    assert text != LINE
    with pytest.raises(RefereeError, match=r"not as it was written|no signed head"):
        taken(text)


@pytest.mark.parametrize(
    "other",
    [
        replace(HEAD, ladder="0e" * 16),
        replace(HEAD, facts=13),
        replace(HEAD, hash="ac" * 32),
        replace(HEAD, at_ms=0),
    ],
)
def test_a_signature_is_of_one_head(other: Head) -> None:
    """It fits no other, field by field."""
    with pytest.raises(RefereeError, match="changed or forged"):
        check(replace(signed(HEAD, KEY), head=other))


def test_a_forger_has_another_key() -> None:
    """A head that somebody else signed holds by itself, but not for who knows the ladder's key."""
    forged = signed(replace(HEAD, hash="00" * 32), Ed25519PrivateKey.generate())

    check(forged)
    with pytest.raises(RefereeError, match=f"another key, {forged.public_key}"):
        check(forged, public_of(KEY))
    with pytest.raises(RefereeError, match="changed or forged"):
        check(replace(forged, public_key=public_of(KEY)), public_of(KEY))


def test_a_public_key_that_is_none_is_refused() -> None:
    """Bytes that are no point, or one that nothing is signed with, raise nothing else."""
    for key in ("00" * 32, "01" + "00" * 31, "ff" * 32, "ec" + "ff" * 30 + "7f"):
        with pytest.raises(RefereeError, match="changed or forged"):
            check(replace(signed(HEAD, KEY), public_key=key))


@pytest.mark.parametrize("key", ["zz", "", "0" * 63, "0" * 65, "g" * 64])
def test_what_is_no_key_is_not_another_key(key: str) -> None:
    """Whoever mistypes a key is not told that a head is forged."""
    with pytest.raises(RefereeError, match="is not 64 hex digits"):
        check(signed(HEAD, KEY), key)


def test_a_ladder_goes_on_from_its_head() -> None:
    """It may have more facts, not fewer, and the old ones are those of then."""
    assert misfit(HEAD, HEAD.ladder, HASHES.get) is None
    assert "is of ladder 0f0f" in str(misfit(HEAD, "00" * 16, HASHES.get))
    assert "cut off" in str(misfit(replace(HEAD, facts=14), HEAD.ladder, HASHES.get))
    assert "fact 11 or one before it" in str(
        misfit(replace(HEAD, facts=11), HEAD.ladder, HASHES.get)
    )


def test_a_key_is_made_once_and_kept(tmp_path: Path) -> None:
    """For its owner only, and nothing else is left in the folder."""
    key = kept_key(tmp_path)

    assert public_of(kept_key(tmp_path)) == public_of(key)
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / KEY_FILE).read_text() == f"{key.private_bytes_raw().hex()}\n"
    assert public_of(key) != public_of(KEY)


def test_makers_at_once_agree(tmp_path: Path) -> None:
    """Several that find no key end up with the same one."""
    gate, found = threading.Barrier(8), list[str]()

    def make() -> None:
        gate.wait()
        found.append(public_of(kept_key(tmp_path)))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8
    assert len(set(found)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_a_key_that_others_can_read_signs_nothing(tmp_path: Path) -> None:
    """The mode tells whether it may have leaked."""
    kept_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o640)

    with pytest.raises(RefereeError, match=r"chmod 600"):
        kept_key(tmp_path)


@pytest.mark.parametrize("text", [b"", b"ab\n", b"x" * 64, b"\xff" * 64, b"ab" * 33, b"ab" * 9999])
def test_a_damaged_key_is_named(tmp_path: Path, text: bytes) -> None:
    """It is not replaced: people know its public half."""
    (tmp_path / KEY_FILE).write_bytes(text)
    (tmp_path / KEY_FILE).chmod(0o600)

    with pytest.raises(RefereeError, match=r"head-key' is not 64 hex digits"):
        kept_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == text


def test_a_key_that_cannot_be_kept_is_an_error(tmp_path: Path) -> None:
    """And half of one is never there under its name."""
    with pytest.raises(RefereeError, match=r"head-key': No such file"):
        kept_key(tmp_path / "nothing")
    os.symlink("nowhere", tmp_path / KEY_FILE)
    with pytest.raises(RefereeError, match=r"head-key': No such file"):
        kept_key(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]
