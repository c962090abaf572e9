"""protocol.codec and protocol.strict: one line and one message."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import decode_answer, decode_ready, encode
from protocol.errors import LocalProtocolError, RemoteFault, RemoteProtocolError
from protocol.messages import Answer, Fault
from protocol.strict import parse_object

VALID = [
    b'{"id":"83c6a3ca3dbcfa75","action":"7D"}',
    b'{"id": "83c6a3ca3dbcfa75", "action": "bid 62", "note": "hm\\u00e9", "eval": -12}',
    b'{"action":"7D","id":"83c6a3ca3dbcfa75","mine":{"a":[1,2.5,null,true]}}',
    b'{"type":"ready","protocol":1,"name":"x","version":"2"}',
]


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A valid line with a few bytes deleted, inserted or changed."""
    line = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(line) - 1))
        piece = draw(
            st.sampled_from([b"", b'"', b"\\", b"\xff", b"\xef\xbb\xbf", b"\\ud800", b"[", b"NaN"])
            | st.binary(max_size=2)
        )
        line[at : at + draw(st.integers(0, 2))] = piece
        if not line:
            return b""
    return bytes(line)


@given(spoiled())
def test_any_line_is_an_answer_or_a_fault(line: bytes) -> None:
    """Nothing a bot writes raises anything but a RemoteProtocolError."""
    for decode in (decode_answer, decode_ready):
        with suppress(RemoteProtocolError):
            decode(line)


@given(spoiled())
@example(VALID[0])
def test_the_short_way_to_an_answer_says_what_the_long_way_says(line: bytes) -> None:
    """What the plain form matches means the same to the strict parser."""
    plain = codec.plain_answer(line)
    if plain is not None:
        assert parse_object(line) == {"id": plain.id, "action": plain.action}


def test_the_plainest_line_goes_the_short_way() -> None:
    """What the law above is about."""
    assert codec.plain_answer(VALID[0]) == Answer("83c6a3ca3dbcfa75", "7D")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"", "empty"),
        (b" \t", "empty"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ('{"id":"x"}'.encode("utf-16"), "UTF-8"),
        (b'{"id":"\xff"}', "UTF-8"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"a":{"b":1,"b":1}}', "twice"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":-Infinity}', "Infinity"),
        (b'{"a":1e400}', r"2\^53"),
        (b'{"a":' + b"9" * 5000 + b"}", r"2\^53"),
        (b'{"a":9007199254740992}', r"2\^53"),
        (b'{"a":"\\ud800"}', "surrogate"),
        (b'{"a":' + b"[" * 8 + b"]" * 8 + b"}", "deeper"),
        (b"[" * 5000, "deeper"),
        (b"[1]", "object"),
        (b"null", "object"),
        (b'{"id":"x"} {}', "JSON"),
        (b"{'id':1}", "JSON"),
        (b'{"a":"\x00"}', "JSON"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_not_strict_json_is_malformed(line: bytes, word: str) -> None:
    """Each lenience of common parsers is refused, with a word that says which."""
    with pytest.raises(RemoteProtocolError, match=word) as caught:
        parse_object(line)

    assert caught.value.fault is RemoteFault.MALFORMED


def test_separators_that_are_not_newlines_are_ordinary_characters() -> None:
    """U+2028 and U+0085 in a string end no line and spoil no message."""
    line = json.dumps({"id": "a", "action": "\u2028\u0085"}, ensure_ascii=False).encode()

    assert decode_answer(line).action == "\u2028\u0085"


def test_note_and_eval_are_kept_and_bounded() -> None:
    """A note of 512 bytes is kept, one more is malformed; eval is an integer."""
    assert decode_answer(
        b'{"id":"a","action":"7D","note":"' + b"x" * 512 + b'","eval":3}'
    ) == Answer("a", "7D", "x" * 512, 3)
    for rest in (b'"note":"' + b"x" * 513 + b'"', b'"note":1', b'"eval":1.5', b'"eval":true'):
        with pytest.raises(RemoteProtocolError):
            decode_answer(b'{"id":"a","action":"7D",' + rest + b"}")


def test_unknown_fields_are_kept_up_to_a_limit() -> None:
    """What the protocol does not know is no fault, and cannot grow the record."""
    assert decode_answer(b'{"id":"a","action":"7D","mine":[1]}').extra == '{"mine":[1]}'
    long = decode_answer(b'{"id":"a","action":"7D","mine":"' + b"\xc3\xa9" * 4000 + b'"}').extra
    assert long is not None
    assert len(long.encode()) <= 512


def test_ready_must_be_of_its_type() -> None:
    """An answer to hello that is no ready is a protocol fault, a wrong field is malformed."""
    with pytest.raises(RemoteProtocolError) as caught:
        decode_ready(b'{"id":"a","action":"7D"}')
    assert caught.value.fault is RemoteFault.PROTOCOL
    for line in (
        b'{"type":"ready","protocol":"1","name":"x"}',
        b'{"type":"ready","protocol":true,"name":"x"}',
        b'{"type":"ready","protocol":1,"name":""}',
        b'{"type":"ready","protocol":1,"name":"' + b"x" * 65 + b'"}',
    ):
        with pytest.raises(RemoteProtocolError) as caught:
            decode_ready(line)
        assert caught.value.fault is RemoteFault.MALFORMED


def test_lines_to_bots_are_ascii_and_short() -> None:
    """Other characters are escaped; a line beyond the promise is our own bug."""
    line = encode(Fault(None, "malformed", "perché"))
    assert line == b'{"type":"fault","id":null,"code":"malformed","detail":"perch\\u00e9"}\n'
    with pytest.raises(LocalProtocolError):
        encode(Fault(None, "malformed", "x" * 65536))
