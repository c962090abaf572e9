"""One act over the pipes, compiled and call by call: both do the same."""

import errno
import importlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import plain_answer
from referee.play.exchange import READ_MOST, STDERR_READ_MOST, Exchange, exchange, plain_exchange
from referee.sandbox.freezer_file import NO_FILE, FreezerFile

ID, LEGAL, LINE = "0123456789abcdef", ("1C", "3C", "accuse 1C"), b'{"type":"act"}\n'
ANSWER = b'{"id":"0123456789abcdef","action":"3C"}\n'
FOREVER_MS = 60_000

GONE = (-1, b"")
"""No file tells any more whether the bot has come to a stop."""

Way = Callable[
    [int, int, int, bytes, str, tuple[str, ...], int, int, bytes, bytes, int, bytes], Exchange
]


@pytest.fixture(params=["compiled", "plain"])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way there is; where nothing was compiled, one."""
    if request.param == "compiled" and exchange is plain_exchange:
        pytest.skip("it was not compiled here")
    return exchange if request.param == "compiled" else plain_exchange


class Pipes:
    """A bot's pipes, both of whose ends are here."""

    def __init__(self) -> None:
        self.hears, self.to = os.pipe()
        self.source, self.says = os.pipe()
        self.errors, self.complains = os.pipe()
        for descriptor in (self.to, self.source, self.errors):
            os.set_blocking(descriptor, False)

    def close(self, *names: str) -> None:
        for name in names or ("hears", "to", "source", "says", "errors", "complains"):
            descriptor, open_ = getattr(self, name), -1
            setattr(self, name, open_)
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    found = Pipes()
    yield found
    found.close()


def act(
    way: Way,
    pipes: Pipes,
    line: bytes = LINE,
    wait_ms: int = 0,
    freezer: FreezerFile = NO_FILE,
) -> Exchange:
    return way(pipes.to, pipes.source, pipes.errors, line, ID, LEGAL, wait_ms, *freezer)


def test_what_is_compiled_is_used_wherever_it_was_compiled() -> None:
    """A module that is there and does not load would be a slow referee that says nothing."""
    try:
        module = importlib.import_module("referee.native.exchange")
    except ModuleNotFoundError:
        assert exchange is plain_exchange
    else:
        assert exchange is module.exchange


def test_a_plain_answer_is_a_legal_action(way: Way, pipes: Pipes) -> None:
    """With how long each step took, from a beginning on the referee's own clock."""
    os.write(pipes.says, ANSWER)
    before = time.perf_counter_ns()
    begin, written, data, sent, held, came, talk, action = act(way, pipes)
    whole = time.perf_counter_ns() - before

    assert before <= begin <= before + whole
    assert (written, data) == (len(LINE), ANSWER)
    assert (talk, action) == (b"", LEGAL[1])
    assert 0 <= sent <= came <= whole // 1000
    assert sent <= held <= came
    assert os.read(pipes.hears, 100) == LINE


def test_nothing_comes_of_an_answer_that_is_not_there_in_time(way: Way, pipes: Pipes) -> None:
    """The line was written; the longer wait goes on from there."""
    begin, written, data, _, _, came, _, action = act(way, pipes, wait_ms=1)
    assert time.perf_counter_ns() - begin >= 900_000
    assert (written, data, came, action) == (len(LINE), b"", 0, None)


def test_what_is_on_stderr_when_the_answer_comes_is_read_with_it(way: Way, pipes: Pipes) -> None:
    """Also where it alone was there at first; none of it is waited for."""
    os.write(pipes.complains, b"hm\n")
    later = threading.Timer(0.02, os.write, (pipes.says, ANSWER))
    later.start()
    *_, talk, action = act(way, pipes, wait_ms=FOREVER_MS)
    later.join()
    assert (talk, action) == (b"hm\n", LEGAL[1])

    os.write(pipes.complains, b"x" * (STDERR_READ_MOST + 5))
    os.write(pipes.says, ANSWER)
    assert act(way, pipes)[6] == b"x" * STDERR_READ_MOST
    pipes.close("complains")
    os.write(pipes.says, ANSWER)
    assert act(way, pipes)[6] == b"x" * 5
    os.write(pipes.says, ANSWER)
    assert act(way, pipes)[6:] == (b"", LEGAL[1])


def test_what_is_on_stderr_stays_there_while_no_answer_comes(way: Way, pipes: Pipes) -> None:
    """The longer wait reads it."""
    os.write(pipes.complains, b"hm\n")
    assert act(way, pipes, wait_ms=1)[6:] == (b"", None)
    assert os.read(pipes.errors, 10) == b"hm\n"


def test_a_full_pipe_takes_a_part_or_nothing(way: Way, pipes: Pipes) -> None:
    """Then nothing is awaited: what is left has to be written first."""
    os.write(pipes.says, ANSWER)
    long = bytes(1 << 20)
    written = act(way, pipes, long)[1]
    assert 0 < written < len(long)
    _, written, data, _, _, came, _, action = act(way, pipes, long, FOREVER_MS)
    assert (written, data, came, action) == (0, b"", 0, None)


def test_a_bot_that_has_closed_its_stdin_may_still_answer(way: Way, pipes: Pipes) -> None:
    """It knows what it will be asked, perhaps; no signal reaches us."""
    os.write(pipes.says, ANSWER)
    pipes.close("hears")
    _, written, data, *_, action = act(way, pipes)
    assert (written, data, action) == (len(LINE), ANSWER, LEGAL[1])


def test_a_bot_that_is_gone_answers_with_nothing_at_once(way: Way, pipes: Pipes) -> None:
    """No wait lasts longer than the pipe."""
    pipes.close("says")
    _, _, data, *_, action = act(way, pipes, wait_ms=FOREVER_MS)
    assert (data, action) == (b"", None)


def test_no_more_is_read_than_fits(way: Way, pipes: Pipes) -> None:
    """The rest is read by the longer wait."""
    os.write(pipes.says, b"x" * (READ_MOST + 10))
    assert act(way, pipes)[2] == b"x" * READ_MOST


@pytest.mark.parametrize(
    ("answer", "freeze", "told"),
    [
        (ANSWER, b"FROZEN", b"THAWED FROZEN"),
        (ANSWER, b"", b"THAWED "),
        (b'{"id":"0"}\n', b"FROZEN", b"THAWED "),
        (b"", b"FROZEN", b"THAWED "),
    ],
)
def test_a_bot_that_is_stopped_goes_on_when_its_line_is_there(
    answer: bytes, freeze: bytes, told: bytes, way: Way, pipes: Pipes
) -> None:
    """It is stopped again only after a plain answer: of any other it may still do the rest."""
    reads, file = os.pipe()
    try:
        os.write(pipes.says, answer)
        act(way, pipes, freezer=FreezerFile(file, b"THAWED ", freeze, *GONE))
        os.close(file)
        assert os.read(reads, 20) == told
    finally:
        os.close(reads)


def test_a_bot_whose_group_is_gone_is_asked_all_the_same(way: Way, pipes: Pipes) -> None:
    """That it has ended is found as ever."""
    closed = os.open("/", os.O_RDONLY)  # takes no writing
    try:
        os.write(pipes.says, ANSWER)
        assert act(way, pipes, freezer=FreezerFile(closed, b"0", b"1", *GONE))[-1] == LEGAL[1]
    finally:
        os.close(closed)


@pytest.mark.parametrize(("says", "action"), [(b"frozen 0\n", None), (b"frozen 1\n", LEGAL[1])])
def test_the_answer_of_a_bot_that_does_not_stop_at_once_has_to_wait(
    says: bytes, action: str | None, way: Way, pipes: Pipes, tmp_path: Path
) -> None:
    """What it works on is of its act, and not of the next bot's."""
    tells = tmp_path / "cgroup.events"
    tells.write_bytes(b"populated 1\n" + says)
    file, state = os.open("/dev/null", os.O_WRONLY), os.open(tells, os.O_RDONLY)
    try:
        os.write(pipes.says, ANSWER)
        freezer = FreezerFile(file, b"0", b"1", state, b"frozen 1")
        assert act(way, pipes, wait_ms=1, freezer=freezer)[-1] == action
    finally:
        os.close(file)
        os.close(state)


def test_descriptors_that_are_no_pipes_are_our_mistake(way: Way, pipes: Pipes) -> None:
    """Nothing is made up then."""
    pipes.close("source")
    with pytest.raises(OSError) as caught:  # noqa: PT011  # its number is looked at
        os.read(pipes.source, 1)
    assert caught.value.errno == errno.EBADF
    folder = os.open("/", os.O_RDONLY)
    try:
        with pytest.raises(IsADirectoryError):
            way(pipes.to, folder, pipes.errors, LINE, ID, LEGAL, 0, *NO_FILE)
    finally:
        os.close(folder)


def test_a_signal_during_the_wait_is_handled_in_it(way: Way, pipes: Pipes) -> None:
    """It may raise, as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            act(way, pipes, wait_ms=FOREVER_MS)
    finally:
        signal.signal(signal.SIGALRM, before)


_SPACE = st.text(" \t\r", max_size=2)
_ODD = st.sampled_from(["\0", "\n", '"', "\\u0031", "é", ",", "}", "{", "x", ""])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Lines that are answers, or nearly."""
    id_ = draw(st.sampled_from([f'"{ID}"', f'"{ID[:-1]}"', f'"{ID}0"', '""', "1"]))
    action = draw(st.sampled_from([*(f'"{one}"' for one in LEGAL), '"1"', '"1C "', '""', "null"]))
    words = ["{", '"id"', ":", id_, ",", '"action"', ":", action, "}", "\n"]
    spaced = [word for one in words for word in (draw(_SPACE), one)]
    if draw(st.booleans()):
        spaced.insert(draw(st.integers(0, len(spaced))), draw(_ODD))
    return "".join(spaced).encode()


@given(lines() | st.binary(max_size=60).map(lambda data: data + b"\n"))
def test_what_is_compiled_finds_a_plain_answer_where_the_codec_does(line: bytes) -> None:
    """And none where it does not."""
    pipes = Pipes()
    try:
        answer = plain_answer(line) if line.endswith(b"\n") else None
        is_ours = answer is not None and answer.id == ID and answer.action in LEGAL
        expected = answer.action if is_ours and answer is not None else None
        for one in (exchange, plain_exchange):
            os.write(pipes.says, line)
            _, _, data, *_, action = act(one, pipes)
            assert (data, action) == (line, expected)
    finally:
        pipes.close()
