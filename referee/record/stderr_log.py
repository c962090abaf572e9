"""What bots wrote to stderr during a match: a file beside the record, for the bots' authors alone.

Anyone may verify the record; this file is for an author who looks into why a bot played as it did.
Lines of JSON, compressed; each is what a process had written when it was read, with the act that
was under way. A file that a killed referee has left ends in the middle and is read as far as it
goes. How much is kept has bounds, and what is beyond them is counted.
"""

import codecs
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
import zstandard
from msgspec import Meta, Struct

from referee.errors import HostError, RefereeError
from referee.record.compressed import Damaged, Unpacked
from referee.record.opened import opened
from referee.text import printable

DEAL_MOST: Final = 32 * 1024
"""Bytes of each process that are kept in a deal."""

MATCH_MOST: Final = 4 * 1024 * 1024
"""Bytes of each bot in a match."""

StderrByAct = dict[tuple[int, int], dict[int, list[str]]]
"""By leg and deal, then by act: texts in the order in which they were read; what one bot wrote of a
line is one text."""

ENDING: Final = ".stderr.zst"
_OF_RECORDS: Final = (".zst", ".jsonl")
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
"""A link that has come meanwhile is not followed."""

_LONGEST: Final = 1 << 20
_ESCAPED: Final = 4
"""Characters that a byte becomes at most, where it is no text."""

_MOST_CHUNKS: Final = 1_000_000
_MOST_PLACES: Final = 16
_MOST_BOTS: Final = 8
"""So many fill the log of a match at most; no game has more seats."""

_Number = Annotated[int, Meta(ge=0)]
_Place = Annotated[int, Meta(ge=0, lt=_MOST_PLACES)]


class Moment(Struct, frozen=True):
    """When something was heard: leg from 0, deal of the leg from 1, acts carried out before.

    The deal is 0 after the last one of a leg.
    """

    leg: int
    deal: int
    act: int


class StderrChunk(Struct, frozen=True, omit_defaults=True):
    """A line of the file.

    Attributes:
        leg: as `Moment` has it; `deal` and `act` likewise.
        place: whose it is: a seat of the leg's first deal.
        bot: likewise, from 0.
        text: what was written.
        left_out: how many bytes more were not kept until then, of this place.
    """

    leg: _Number
    deal: _Number
    act: _Number
    place: _Place
    bot: _Place
    text: str = ""
    left_out: _Number = 0


def stderr_file(record: Path) -> Path:
    """Return where the log of a record lies, or would."""
    name = record.name
    for ending in _OF_RECORDS:
        name = name.removesuffix(ending)
    return record.parent / (name + ENDING)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what the kernel says of the file that is written."""
    try:
        yield
    except OSError as error:
        raise HostError(f"stderr of bots {str(path)!r}: {error.strerror}") from error


class StderrLog:
    """The file while it is written; there is none as long as no bot writes anything."""

    def __init__(self, path: Path) -> None:
        """Nothing was written yet.

        Raises:
            RefereeError: there is something of that name, a link that leads nowhere included.
        """
        if os.path.lexists(path):
            raise RefereeError(
                f"stderr of bots {str(path)!r}: it exists already; it is not written over"
            )
        self._path = path
        self._file: zstandard.ZstdCompressionWriter | None = None
        self._moment = Moment(0, 0, 0)
        self._in_deal = Counter[int]()
        self._in_match = Counter[int]()
        self._left_out = Counter[int]()
        self._bots: dict[int, int] = {}
        self._decoders: dict[int, codecs.IncrementalDecoder] = {}

    def add(self, moment: Moment, place: int, bot: int, data: bytes) -> None:
        """Take what a process has written.

        Raises:
            HostError: the file cannot be written.
        """
        if (moment.leg, moment.deal) != (self._moment.leg, self._moment.deal):
            self._in_deal.clear()
            self._flush()
        self._moment = moment
        self._bots[place] = bot
        room = min(DEAL_MOST - self._in_deal[place], MATCH_MOST - self._in_match[bot])
        kept = data[: max(room, 0)]
        self._left_out[place] += len(data) - len(kept)
        self._in_deal[place] += len(kept)
        self._in_match[bot] += len(kept)
        if kept:
            self._write(moment, place, bot, self._text(place, kept))

    def _text(self, place: int, data: bytes) -> str:
        """Decode bytes of which a character may be cut at the end."""
        decoder = self._decoders.get(place)
        if decoder is None:
            decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
            self._decoders[place] = decoder
        return decoder.decode(data)

    def _write(self, moment: Moment, place: int, bot: int, text: str) -> None:
        chunk = StderrChunk(
            leg=moment.leg,
            deal=moment.deal,
            act=moment.act,
            place=place,
            bot=bot,
            text=text,
            left_out=self._left_out.pop(place, 0),
        )
        with _told(path := self._path):
            if self._file is None:
                compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
                self._file = compressor.stream_writer(os.fdopen(os.open(path, _NEW, 0o644), "wb"))
            self._file.write(msgspec.json.encode(chunk) + b"\n")

    def _flush(self) -> None:
        """Give the kernel what is held, so that a killed referee loses one deal at most.

        Raises:
            HostError: it cannot be written.
        """
        if self._file is None:
            return
        with _told(self._path):
            self._file.flush(zstandard.FLUSH_BLOCK)

    def close(self) -> None:
        """Close the file, with what was left out last.

        Raises:
            HostError: it cannot be written.
        """
        if self._file is None:
            return
        for place in [place for place, count in self._left_out.items() if count]:
            self._write(self._moment, place, self._bots[place], "")
        with _told(self._path):
            self._file.close()  # type: ignore[no-untyped-call]  # its stub gives close() no types


class _Bounds:
    """What a log can hold, if a referee has written it; a file of strangers may hold anything."""

    def __init__(self) -> None:
        self._in_deal = Counter[tuple[int, int, int]]()
        self._in_match = Counter[int]()
        self._chunks = 0

    def has_room(self, chunk: StderrChunk) -> bool:
        """Count a line; return whether there could be as much."""
        place, size = (chunk.leg, chunk.deal, chunk.place), max(1, len(chunk.text.encode()))
        self._chunks += 1
        self._in_deal[place] += size
        self._in_match[chunk.bot] += size
        return (
            self._chunks <= _MOST_CHUNKS
            and self._in_match.total() <= _MOST_BOTS * _ESCAPED * MATCH_MOST
            and self._in_deal[place] <= _ESCAPED * DEAL_MOST + _MOST_PLACES
            and self._in_match[chunk.bot] <= _ESCAPED * MATCH_MOST + _MOST_PLACES
        )


def read_stderr(path: Path) -> Iterator[StderrChunk]:
    """Yield what a log has, as far as it is whole.

    Raises:
        RefereeError: it cannot be read, is no such file, or holds more than a referee writes.
    """
    bounds = _Bounds()
    try:
        with opened(path, "stderr of bots") as file:
            unpacked = Unpacked(file)
            try:
                while line := unpacked.readline(_LONGEST):
                    chunk = msgspec.json.decode(line, type=StderrChunk)
                    if not bounds.has_room(chunk):
                        raise RefereeError(
                            f"{str(path)!r} holds more than a referee keeps of a bot's stderr"
                        )
                    yield chunk
            except Damaged as error:
                if "cut off" not in str(error):
                    raise RefereeError(f"{str(path)!r}: {error}") from error
            except (msgspec.DecodeError, RecursionError) as error:
                raise RefereeError(
                    f"{str(path)!r} has no stderr of bots: {printable(str(error))}"
                ) from error
    except OSError as error:
        raise RefereeError(f"{str(path)!r}: {error.strerror}") from error


def stderr_by_act(path: Path, *, bot: int | None = None, place: int | None = None) -> StderrByAct:
    """Return what processes wrote, by leg and deal, then by act; nothing where there is no file.

    Args:
        path: the log.
        bot: whose is wanted; None: all.
        place: likewise.

    Raises:
        RefereeError: it cannot be read, or is no such file.
    """
    found: dict[tuple[int, int], dict[int, list[list[str]]]] = {}
    if not path.exists():
        return {}
    before: tuple[int, ...] = ()
    for chunk in read_stderr(path):
        if bot not in (None, chunk.bot) or place not in (None, chunk.place):
            continue
        texts = found.setdefault((chunk.leg, chunk.deal), {}).setdefault(chunk.act, [])
        of = chunk.leg, chunk.deal, chunk.act, chunk.bot, chunk.place
        if chunk.left_out:
            texts.append([f"... {chunk.left_out} bytes were not kept"])
            before = ()
        if of == before and not texts[-1][-1].endswith("\n"):
            texts[-1].append(chunk.text)
        elif chunk.text:
            texts.append([chunk.text])
            before = of
    return {
        deal: {act: list(map("".join, texts)) for act, texts in acts.items()}
        for deal, acts in found.items()
    }
