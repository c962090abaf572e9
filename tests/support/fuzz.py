"""Honest conversations and records with random damage, fed to the referee without processes.

Whatever is found here can be found again: all dice come from a seed.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn
from unittest import mock

import trio
from msgspec import Struct
from msgspec.structs import replace
from trio.testing import MockClock

from protocol.errors import RemoteProtocolError
from protocol.limits import LINE_FROM_BOT, PROTOCOL_VERSION
from protocol.messages import Answer, Ready
from referee.bots.find import BotSource, BotSpec
from referee.errors import RefereeError
from referee.match.leg import Ask, Leg
from referee.match.lines import (
    FORMAT,
    BotLine,
    FrozenLine,
    Header,
    Line,
    StartLine,
    VoidLine,
)
from referee.match.match import Match
from referee.match.plan import MatchPlan, make_plan
from referee.match.verdict import Blame, Evidence, FaultCode, Freeze, Receipt, Verdict
from referee.play.conductor import MatchResult, play_match
from referee.play.seat import Seat
from referee.record.as_json import match_object
from referee.record.chain import BadLine, Chain, decode
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.record.writer import Recorder
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.streams import Streams
from referee.terminal.json_output import json_text
from support.terms import config_of

READ: Final = 4096
"""The most that the referee reads from a bot at once."""

_READY: Final = b'{"type":"ready","protocol":1,"name":"honest","version":"1"}\n'

TOKENS: Final = (
    *(b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"null", b"true", b"NaN", b"-Infinity"),
    *(b"\n", b"\r\n", b"\r", b"\n\n\n", b" \n", b"\x00", b"\x0b", b"\x0c", b"\t", b"\x1b[2J"),
    *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\xc2\x85"),
    *(b"\xef\xbb\xbf", b"\xfe\xff", "\N{EARTH GLOBE AMERICAS}".encode(), b"\xcc\x81" * 300),
    *(rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\"", rb"\x41", rb"\u004"),
    *(b"1e400", b"-1e400", b"1E-999", b"9" * 400, b"-" + b"8" * 5000, b"9007199254740993"),
    *(b"0.1" * 40, b"1" + b"0" * 18, b"-0", b"01", b"[" * 9, b"[" * 4000, b'{"a":' * 2000),
    *(b"]" * 4000, b"x" * LINE_FROM_BOT, b'"' * 99, b"\\" * 999, b" " * 3000, b"{}", b"[]", b'""'),
    *(
        b',"id":"0"',
        b',"note":"n"',
        b',"note":7',
        b',"eval":1.5',
        b',"eval":true',
        b',"action":"A"',
    ),
    *(b',"extra":{"a":[1]}', b'"type":"ready"', b'{"type":"end"}\n', _READY),
)


def damaged(data: bytes, dice: Random) -> bytes:
    """The data with one to three random changes; now and then a change changes nothing.

    What comes early is changed more often: what comes after the first fault is heard by nobody.
    """
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at = int(dice.random() ** 3 * (len(data) + 1))
        to = min(len(data), at + dice.choice((1, 1, 2, 7, 30, 400)))
        other = dice.randrange(len(data) + 1)
        match dice.randrange(8):
            case 0:
                flipped = bytes(byte ^ 1 << dice.randrange(8) for byte in data[at : at + 1])
                data = data[:at] + flipped + data[at + 1 :]
            case 1:
                data = data[:at] + dice.randbytes(dice.choice((1, 1, 3, 50))) + data[at:]
            case 2:
                data = data[:at] + data[to:]
            case 3:
                data = data[:to] + data[at:to] * dice.choice((1, 1, 2, 40)) + data[to:]
            case 4:
                data = data[:at]
            case 5:
                data = data[:at] + data[at:to][::-1] + data[to:]
            case 6:
                data = data[:other] + data[at:to] + data[other:]
            case _:
                data = data[:at] + dice.choice(TOKENS) + data[dice.choice((at, to)) :]
    return data


class Setting(Struct, frozen=True):
    """A match, and what its bots say when they are honest.

    Attributes:
        said: by place and deal, without the `ready`.
    """

    plan: MatchPlan
    said: tuple[tuple[bytes, ...], ...]

    def from_deal(self, place: int, deal: int) -> bytes:
        """All that a process says which is started for this deal, counted from 0."""
        return _READY + b"".join(self.said[place][deal:])


SETTINGS: Final = (
    ("briscola-2", 2, 1, ()),
    ("mariagio", 2, 1, ()),
    ("bisca-tres", 2, 1, ()),
    ("briscola-scoperta", 2, 1, ()),
    ("briscolone", 2, 2, ()),
    ("briscola-4", 2, 1, ("signals=on",)),
    ("briskula-dupla", 2, 1, ()),
    ("briscola-chiamata-mixed", 5, 1, ()),
)


def _written(answer_to: str, action: str, dice: Random) -> bytes:
    """An honest answer, in one of the ways in which bots write them."""
    said: dict[str, object] = {"id": answer_to, "action": action}
    style = dice.randrange(8)
    if style == 0:
        said |= {"note": "p\N{LATIN SMALL LETTER E WITH ACUTE}r \u2028", "eval": -3}
    if style == 1:
        said = {"x": [1, {"y": None}], **said, "z": 0.5}
    text = json.dumps(said, ensure_ascii=style % 2 == 0, indent=None)
    if style in (2, 3, 4):
        text = json.dumps(said, separators=(",", ":"))
    if style == 5:
        text = f" {text}\t\r"
    return text.encode() + b"\n"


@cache
def setting(number: int) -> Setting:
    """One of the `SETTINGS`, with what honest bots say in it."""
    game, bots, deals, options = SETTINGS[number]
    asked = config_of(game=game, options=options, bots=bots, deals=deals, key="fuzz", dealer=0)
    plan = make_plan(asked)
    leg, dice = Leg(plan.leg(0)), Random(number)
    said = [[b""] * deals for _ in leg.voices]
    for deal in range(deals):
        leg.next_deal()
        for place in leg.to_start():
            ask = leg.greet(place)
            ask.connection.receive(_READY)
            ask.connection.next_message()
        leg.open_deal()
        while (asked_now := leg.ask()) is not None:
            action = dice.choice(leg.deal.table.legal)
            line = _written(asked_now.id, action, dice)
            said[asked_now.place][deal] += line
            asked_now.connection.receive(line)
            asked_now.connection.next_message()
            leg.answered(Answer(asked_now.id, action), Receipt(0, 0, 0, 0))
        leg.close_deal()
    return Setting(plan, tuple(map(tuple, said)))


class Puppet(Streams):
    """A process of which nothing is real but the pipes; see `referee.sandbox.BotProcess`."""

    pid = 0

    def __init__(self) -> None:
        """Opens the pipes; whoever plays the bot has their other ends."""
        self.hears, stdin = os.pipe()
        stdout, self.says = os.pipe()
        stderr, self.warns = os.pipe()
        super().__init__(stdin, stdout, stderr)
        self.exited_fd, self.lives = map(self.keep, os.pipe())
        for end in (self.hears, self.says, self.warns):
            os.set_blocking(self.keep(end), False)
        self.ended: str | None = None
        self.worked_us = 0

    def cpu_us(self) -> int:
        """What the test says."""
        return self.worked_us

    def recount(self) -> None:
        """It is counted at each reading."""

    def counts_all(self) -> bool:
        """Yes."""
        return True

    def threads(self) -> tuple[int, ...]:
        """None that /proc knows."""
        return ()

    def status(self) -> str | None:
        """What the test says."""
        return self.ended

    def waits_for_input(self) -> bool:
        """Never."""
        return False

    def out_of_memory(self) -> bool:
        """Never."""
        return False

    def ended_by_host(self) -> bool | None:
        return False

    def freeze(self, *, for_now: bool = False) -> None:
        """There is nothing to stop."""

    def is_stopped(self) -> bool:
        """It never runs."""
        return True

    def stops_at_once(self) -> bool:
        """There is nothing to stop."""
        return True

    def freezer(self) -> FreezerFile:
        """No file stops it."""
        return NO_FILE

    def goes_on(self) -> None:
        """As ever."""

    def thaw(self) -> None:
        """Nothing was stopped."""

    def end(self, status: str) -> None:
        """The bot ends of itself."""
        self.ended = status
        for end in (self.hears, self.says, self.warns, self.lives):
            trio.lowlevel.notify_closing(end)
            self.close(end)

    def end_processes(self) -> None:
        """It has none."""

    def send_kill(self) -> None:
        """It takes no time to end."""
        self.kill()

    def is_gone(self) -> bool:
        """Nothing of it lasts."""
        return self.ended is not None

    def kill(self) -> None:
        """The referee ends it."""
        if self.ended is None:
            self.end("killed by SIGKILL")


class Mouth:
    """What a bot still has to say, in pieces of random size."""

    def __init__(self, data: bytes, dice: Random) -> None:
        """Nothing was said yet."""
        self._data, self._at = data, 0
        self._sizes = dice.choice(((1,), (1, 2, 7), (60, 13), (64,), (500, 1), (READ,), (READ, 1)))
        self._next = dice.randrange(5)

    def more(self) -> bytes:
        """The next piece, or nothing when all was said."""
        self._next += 1
        size = self._sizes[self._next % len(self._sizes)]
        if self._next > 40:
            size = READ  # more single bytes would prove nothing more
        piece = self._data[self._at : self._at + size]
        self._at += size
        return piece


class _Paper:
    """Lines of a record, in memory."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self._chain = Chain()

    def write(self, line: Line) -> None:
        self.data.append(self._chain.encode(line))


def _header(plan: MatchPlan) -> Header:
    return Header(
        record=FORMAT,
        referee="fuzz",
        terms=plan.terms,
        rules=plan.name,
        bots=(BotLine("honest", ""),) * plan.bots,
        decks=plan.decks,
        given=plan.given,
        legs=len(plan.seatings),
    )


class Conductor:
    """Plays a setting over connections alone, as the conductor and its seats would."""

    def __init__(self, scene: Setting, said: Sequence[bytes], dice: Random) -> None:
        """Takes what the first process at each place says; processes after it are honest."""
        self._scene, self._dice = scene, dice
        self._paper = _Paper()
        self._match = Match(scene.plan, self._paper.write)
        self._first = list(said)
        self._mouths: dict[int, Mouth] = {}
        self._puppet = Puppet()
        self.verdicts: list[FaultCode] = []

    def play(self) -> bytes:
        """The record of the match."""
        try:
            self._play()
        finally:
            self._puppet.release()
        return b"".join(self._paper.data)

    def _play(self) -> None:
        match = self._match
        self._paper.write(_header(self._scene.plan))
        leg = match.next_leg()
        assert leg is not None
        while (start := match.next_deal()) is not None:
            self._start(start.deal - 1)
            leg.open_deal()
            while (ask := leg.ask()) is not None:
                self._act(ask)
            match.close_deal()
        for place in leg.end_lines():
            self._part(place)
        match.end()

    def _start(self, deal: int) -> None:
        leg = self._match.leg
        for ask in [leg.greet(place) for place in leg.to_start()]:
            said, self._first[ask.place] = self._first[ask.place], b""
            honest = self._scene.from_deal(ask.place, deal)
            self._mouths[ask.place] = Mouth(said or honest, self._dice)
            ready = self._heard(ask)
            if isinstance(ready, Ready) and ready.protocol != PROTOCOL_VERSION:
                ready = Verdict(ask.place, FaultCode.STARTUP, "a protocol that was not offered")
            if isinstance(ready, Verdict):
                self._fault(ready)
                continue
            assert isinstance(ready, Ready)
            us = self._dice.randrange(1000)
            self._match.started(
                StartLine(ask.place, us, PROTOCOL_VERSION, ready.name, ready.version)
            )

    def _heard(self, ask: Ask) -> Answer | Ready | Verdict:
        """What is heard of one question: a message that keeps to the protocol, or a verdict."""
        connection, mouth = ask.connection, self._mouths[ask.place]
        try:
            while (message := connection.next_message()) is None:
                data = mouth.more()
                if not data:
                    return Verdict(ask.place, FaultCode.LATE, "it says no more")
                connection.receive(data)
                assert len(connection.unread()) <= LINE_FROM_BOT + READ
        except RemoteProtocolError as error:
            return self._seat(ask).protocol_verdict(error, Receipt(1, 2, 3, 0))
        return message

    def _seat(self, ask: Ask) -> Seat:
        seat = Seat(ask.place, self._puppet)
        seat.said = ask.line
        return seat

    def _act(self, ask: Ask) -> None:
        deal = self._match.leg.deal
        heard = self._heard(ask)
        if isinstance(heard, Verdict):
            self._fault(heard)
            return
        assert isinstance(heard, Answer)
        us = self._dice.choice((5, 5, 5, 900_000))
        receipt = Receipt(1, us, us, 0)
        legal = deal.table.legal
        verdict = self._match.answer(ask, heard, receipt)
        if verdict is not None:
            self._fault(replace(verdict, evidence=self._seat(ask).evidence(receipt)))
            return
        assert heard.action in legal
        assert heard.id == ask.id
        assert deal.table.acts[-1][1] == heard.action

    def _fault(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict.code)
        self._match.fault(verdict)

    def _part(self, place: int) -> None:
        left = self._match.leg.voices[place].connection.unread() or self._mouths[place].more()
        if left:
            verdict = Verdict(place, FaultCode.PROTOCOL, "a line that nobody asked for")
            self.verdicts.append(verdict.code)
            self._match.fault_at_end(verdict)


def trouble(data: bytes, path: Path, *, shown: bool = False) -> str | None:
    """What is wrong with a record, or None; whatever else is raised is a bug.

    Args:
        data: the record.
        path: a file to put it in.
        shown: whether it is shown as `replay --json` does instead of being only verified.
    """
    path.write_bytes(data)
    try:
        with RecordReader(path) as reader:
            found = Resimulation(reader)
            if shown:
                json_text(match_object(found, found.deals(), None))
            else:
                for _ in found.deals():
                    pass
    except (Mismatch, RefereeError) as error:
        return str(error)
    return found.unfinished


def conversation(seed: int) -> tuple[Setting, list[bytes], Random]:
    """A setting, and what its bots say, one of them, or two, with damage."""
    dice = Random(seed)
    scene = setting(seed % len(SETTINGS))
    said = [scene.from_deal(place, 0) for place in range(len(scene.said))]
    for place in dice.sample(range(len(said)), dice.choice((1, 1, 2))):
        said[place] = damaged(said[place], dice)
    return scene, said, dice


def fuzz_conversations(seeds: Sequence[int], *, verify_every: int = 16) -> dict[FaultCode, int]:
    """Plays damaged conversations over connections; counts the verdicts.

    Args:
        seeds: one for each conversation.
        verify_every: how many records there are to each that is verified.

    Raises:
        AssertionError: naming the seed, when the referee did what it must never do.
    """
    counts: dict[FaultCode, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        for seed in seeds:
            try:
                conductor = Conductor(*conversation(seed))
                record = conductor.play()
                if seed // len(SETTINGS) % verify_every == 0:
                    assert trouble(record, path) is None, trouble(record, path)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error
            for code in conductor.verdicts:
                counts[code] = counts.get(code, 0) + 1
    return counts


class Stage:
    """A sandbox of puppets; see `referee.sandbox.Sandbox`."""

    name = "stage"
    how = "puppets"

    def __init__(self, speak: Callable[[Puppet, int], None]) -> None:
        """`speak` is told of every puppet, and of the number of the bot."""
        self._speak = speak

    async def prepare(self, found: BotSource) -> BotSpec:
        """Puppets need none.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(found.name)

    def temporarily(self, found: BotSource) -> NoReturn:
        """Puppets need no preparation.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(found.name)

    def hold(self, bot: BotSpec) -> bool:
        """Puppets are always there."""
        return bool(bot.name)

    def release(self, bot: BotSpec) -> None:
        """Puppets leave nothing."""

    def close(self) -> None:
        """Puppets leave nothing."""

    async def launch(self, bot: BotSpec) -> Puppet:
        """A new puppet; the bot's name is its number."""
        puppet = Puppet()
        self._speak(puppet, int(bot.name))
        return puppet

    def trouble(self) -> str | None:
        """None."""
        return None

    def clear(self) -> None:
        """Puppets leave nothing."""

    def sweep(self) -> None:
        """Puppets leave nothing."""


async def _speaks(puppet: Puppet, data: bytes, dice: Random) -> None:
    """Says it all, or not quite, in pieces and with pauses; then stays, or goes."""
    if dice.randrange(2):
        data = data[: dice.randrange(len(data) + 1)]
    mouth, pauses = Mouth(data, dice), dice.choice(((0.0,), (0.0, 0.01), (0.0,) * 30 + (0.2, 3.0)))
    end = dice.choice(("stay", "close", "exit status 0", "killed by SIGSEGV"))
    while piece := mouth.more():
        while piece:
            try:
                await trio.lowlevel.wait_writable(puppet.says)
            except (OSError, trio.ClosedResourceError):
                return  # it was ended meanwhile
            if puppet.ended is not None:
                return  # the number may be another pipe's by now
            piece = piece[os.write(puppet.says, piece) :]
            with suppress(BlockingIOError):
                os.read(puppet.hears, 1 << 16)
        await trio.sleep(dice.choice(pauses))
        if puppet.ended is not None:
            return
    if end == "close":
        puppet.close(puppet.says)
    elif end != "stay":
        puppet.end(end)


async def _at_once(work: Callable[..., Any], *args: Any, **_: object) -> Any:
    """Do here what is for a thread: a clock that jumps would turn the loop until it is done."""
    await trio.lowlevel.checkpoint()
    return work(*args)


async def _on_stage(seed: int, path: Path) -> MatchResult:
    """A whole match between puppets, one of which says damaged things."""
    scene, said, _ = conversation(seed)
    bots = [BotSpec(str(bot), (), "", "", "") for bot in sorted(set(scene.plan.seatings[0]))]
    first = [said[scene.plan.seatings[0].index(int(bot.name))] for bot in bots]
    recorder = Recorder(path)
    try:
        async with trio.open_nursery() as nursery:

            def speak(puppet: Puppet, bot: int) -> None:
                data, first[bot] = first[bot], _READY
                nursery.start_soon(_speaks, puppet, data, Random(f"{seed}/{bot}"))

            scope = trio.CancelScope()
            plan = replace(scene.plan, terms=replace(scene.plan.terms, freeze=Freeze.NEVER))
            result = await play_match(plan, bots, Stage(speak), recorder, interrupt=scope)
            nursery.cancel_scope.cancel()
    finally:
        recorder.close()
    return result


class Watched(Seat):
    """A seat that is sure that no act took longer than it may, on trio's clock."""

    def ask_at_once(self, ask: Ask) -> Any:
        """As its parent."""
        self.due = trio.current_time() + ask.allowance_us / 1e6 + 1e-6
        return super().ask_at_once(ask)

    async def finish(self) -> Any:
        """As its parent."""
        found = await super().finish()
        assert trio.current_time() <= self.due
        return found


def fuzz_matches(seeds: Sequence[int]) -> dict[FaultCode, int]:
    """Plays damaged conversations through everything but processes; counts the verdicts.

    Raises:
        AssertionError: naming the seed, when the referee did what it must never do.
    """
    counts: dict[FaultCode, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            path = Path(folder, str(seed))
            try:
                clock = MockClock(autojump_threshold=0)
                with mock.patch("trio.to_thread.run_sync", _at_once):
                    result = trio.run(partial(_on_stage, seed, path), clock=clock)
                assert result.bug is None, repr(result.bug)
                assert result.given_up is None, result.given_up
                assert trouble(path.read_bytes(), path) is None, trouble(path.read_bytes(), path)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error
            for row in result.totals.faults:
                counts[row.code] = counts.get(row.code, 0) + 1
    return counts


def sample_record(seed: int) -> bytes:
    """The record of a match with faults, a void deal and a bot that was stopped."""
    scene, said, dice = conversation(seed)
    lines = Conductor(scene, said, dice).play().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"deal"'))
    void = VoidLine(1, Blame.HOST, None, "the host stood still", Evidence(exit="x"))
    frozen = FrozenLine(0, 1500)
    chain = Chain()
    parsed = [decode(line[:-1]) for line in lines]
    parsed[at:at] = [parsed[at], void]
    parsed.insert(at + 3, frozen)
    return b"".join(map(chain.encode, parsed))


_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, -1, 0, 1, 2, 7, 2**31, 2**53, 2**63, -(2**63), 10**30, 0.5, 1e300),
    *("", "A", "ZZ", "\x00", "\u2028", "x" * 70_000, [], [0], [0, 0], [-1], {}, {"id": 1}),
    *("host", "interrupted", "fault", "played", "deals", "0" * 64, "bid 62", "pass"),
)


def _slots(found: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value that holds another: the container, and the key or the index."""
    pairs = enumerate(found) if isinstance(found, list) else ()
    if isinstance(found, dict):
        pairs = found.items()  # type: ignore[assignment]  # keys instead of indices
    for key, value in pairs:
        yield found, key
        yield from _slots(value)


def forged(data: bytes, dice: Random) -> bytes:
    """A record with a value changed, or with lines moved, and with hashes that fit again.

    Where the change leaves no line of a record, the hashes are those of before.
    """
    lines = data.splitlines(keepends=True)
    at, to = dice.randrange(len(lines)), dice.randrange(len(lines))
    match dice.randrange(6):
        case 0:
            lines.insert(to, lines.pop(at))
        case 1:
            lines.insert(to, lines[at])
        case 2:
            del lines[at]
        case _:
            found = json.loads(lines[at])
            holder, key = dice.choice(list(_slots(found)))
            holder[key] = dice.choice(_VALUES)
            lines[at] = json.dumps(found, separators=(",", ":")).encode() + b"\n"
    chain = Chain()
    try:
        return b"".join(chain.encode(decode(line[:-1])) for line in lines)
    except BadLine:
        return b"".join(lines)


def fuzz_records(seeds: Sequence[int]) -> tuple[int, int]:
    """Verifies damaged and forged records; counts them, and those whose forgery holds.

    Raises:
        AssertionError: naming the seed, when a damaged record was taken for whole, or when
            anything was raised that a person would not understand.
    """
    holds = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        records = [sample_record(number) for number in range(12)]
        for record in records:
            assert trouble(record, path) is None, trouble(record, path)
        for seed in seeds:
            dice = Random(seed)
            record = records[seed // 2 % len(records)]
            try:
                if seed % 2:
                    holds += trouble(forged(record, dice), path, shown=dice.random() < 0.3) is None
                    continue
                data = damaged(record, dice)
                assert data == record or trouble(data, path) is not None, "it was taken for whole"
                for line in data.splitlines():
                    try:
                        decode(line)
                    except BadLine:
                        continue
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error
    return len(seeds), holds
