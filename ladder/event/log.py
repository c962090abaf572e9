"""The file of an event's log: what was agreed, and each match as soon as it is over.

It is only appended to, and its last line, once all is played, publishes the event key.
"""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
from msgspec.structs import replace

from ladder.core.seal import Contributions
from ladder.event.log_lines import (
    BEGINNING,
    FORMAT,
    NO_LINE,
    BadEventLine,
    EventChain,
    EventEnd,
    EventHeader,
    EventRound,
    Line,
    MatchLine,
    ScheduleKey,
    decode,
    format_of,
)
from ladder.event.plan import EventPlan, differences
from referee.errors import HostError, RefereeError
from referee.whole_file import sync_folder

LOG: Final = "log.jsonl"
_LONGEST_LINE: Final = 16 * 1024 * 1024
_LONGEST_TOLD: Final = 60


class Contents:
    """What a log holds.

    Attributes:
        header: None in a log that was not begun.
        told: the contributions of a sealed event; None before they are told.
        rounds: by section and number.
        matches: by their place in the schedule.
        torn: the number of a last line that has no newline, and was therefore left out.
        size: how many bytes its whole lines have.
    """

    def __init__(self, path: Path) -> None:
        """Reads a log.

        Raises:
            RefereeError: it cannot be read, is of a newer format, or is not as it was written.
        """
        self.header: EventHeader | None = None
        self.told: Contributions | None = None
        self.rounds: dict[tuple[int, int], EventRound] = {}
        self.matches: dict[ScheduleKey, MatchLine] = {}
        self.end: EventEnd | None = None
        self.torn: int | None = None
        self.size = 0
        self.chain = EventChain()
        self._path = path
        try:
            with path.open("rb") as file:
                for number, text in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
                    if not text.endswith(b"\n"):
                        self._check_torn(number, text)
                        self.torn = number
                        return
                    self._take(number, text)
        except OSError as error:
            raise RefereeError(f"log {str(path)!r}: {error.strerror}") from error

    def _check_torn(self, number: int, text: bytes) -> None:
        """Looks whether a last line can be the beginning of one of ours, which may be cut off."""
        if len(text) == _LONGEST_LINE:
            raise self._error(number, f"it is longer than {_LONGEST_LINE} bytes")
        if number == 1 and text[: len(BEGINNING)] != BEGINNING[: len(text)]:
            raise self._error(number, NO_LINE)

    def _take(self, number: int, text: bytes) -> None:
        try:
            if number == 1:
                self._check_format(format_of(text))
            whole = self.chain.check(text)
            line = decode(text)
        except BadEventLine as error:
            raise self._error(number, str(error)) from error
        if not whole:
            raise self._error(number, "its hash does not fit the lines before it")
        if isinstance(line, EventHeader) != (number == 1):
            raise self._error(number, NO_LINE)
        if self.end is not None:
            raise self._error(number, "nothing belongs after the end")
        self.size += len(text)
        match line:
            case EventHeader():
                self.header = line
            case Contributions() if self.told is None:
                if self.rounds:
                    raise self._error(number, "contributions were told after play had begun")
                self.told = line
            case EventRound() if line.round not in self.rounds:
                self.rounds[line.round] = line
            case MatchLine() if line.match not in self.matches:
                self.matches[line.match] = line
            case EventEnd():
                self.end = line
            case _:
                raise self._error(number, "it stands there for the second time")

    def _check_format(self, number: int) -> None:
        if number > FORMAT:
            raise RefereeError(
                f"log {str(self._path)!r} has format {number}; this referee reads up to {FORMAT}"
            )

    def _error(self, number: int, what: str) -> RefereeError:
        return RefereeError(f"log {str(self._path)!r}, line {number}: {what}")


class EventLog:
    """The log of an event while it is played; a context that closes the file.

    The file is locked, and by that its folder: a second run of the event is refused. The lock ends
    with us, however we end.

    Attributes:
        found: what it held when it was opened.
    """

    def __init__(self, folder: Path) -> None:
        """Opens the log of a folder, which is made if need be; cuts off a torn last line.

        Raises:
            RefereeError: it is in use, or damaged, or cannot be made.
        """
        self.path = folder / LOG
        if self.path.exists() and not self.path.is_file():
            raise RefereeError(f"log {str(self.path)!r}: that is no file")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise RefereeError(f"log {str(self.path)!r}: {error.strerror}") from error
        try:
            self._lock()
            self.found = Contents(self.path)
            if self.found.torn is not None:
                os.ftruncate(self._file, self.found.size)
            sync_folder(folder)
        except OSError as error:
            os.close(self._file)
            raise RefereeError(f"log {str(self.path)!r}: {error.strerror}") from error
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefereeError(
                f"log {str(self.path)!r}: another process is playing this event already"
            ) from error

    def begin(self, plan: EventPlan) -> None:
        """Writes what is played, or finds that it is what the log is of.

        Raises:
            RefereeError: it is another event's log; what differs is named.
            HostError: the log cannot be written.
        """
        header = self.found.header
        if header is None:
            self.write(EventHeader(FORMAT, plan.digest(), plan))
        elif header.digest != plan.digest():
            raise RefereeError(
                f"{self._differs(header.plan, plan)}; put it back as it was, or begin anew with "
                "--out DIR"
            )

    def _differs(self, then: EventPlan, now: EventPlan) -> str:
        """Says in what way a plan is not that of the log."""
        pairs = list(zip(then.entrants, now.entrants, strict=False))
        rebuilt = tuple(replace(old, hash=new.hash) for old, new in pairs)
        if replace(then, entrants=rebuilt) == now:
            names = ", ".join(repr(new.name) for old, new in pairs if old.hash != new.hash)
            return f"log {str(self.path)!r}: the event has begun with other files of bot {names}"
        found = differences(msgspec.to_builtins(then), msgspec.to_builtins(now))
        told = "; ".join(
            f"{path} was {_short(old)}, is now {_short(new)}" for path, old, new in found[:3]
        )
        more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
        return f"log {str(self.path)!r} is of another event: {told}{more}"

    def write(self, line: Line) -> None:
        """Appends a line, and returns when it will outlast a loss of power.

        Raises:
            HostError: it cannot be written.
        """
        data = self.found.chain.sealed(line)
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise HostError(f"log {str(self.path)!r}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._file)


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST_TOLD else text[: _LONGEST_TOLD - 3] + "..."
