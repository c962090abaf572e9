"""What can be said of a bot's process, and what it is to blame for: evidence and verdicts."""

import os
from contextlib import suppress
from typing import Final

from protocol.errors import RemoteFault, RemoteProtocolError
from referee.escaping import printable
from referee.sandbox import BotProcess
from referee.stderr import STDERR_MOST, Stderr
from referee.verdict import Evidence, Family, FaultCode, Mishap, Receipt, Verdict, starved

_LINE_KEPT: Final = 2000

_CODES: Final = {
    RemoteFault.MALFORMED: FaultCode.MALFORMED,
    RemoteFault.PROTOCOL: FaultCode.PROTOCOL,
    RemoteFault.OUTPUT: FaultCode.OUTPUT,
}


class Witness:
    """Who has seen what a process did.

    Attributes:
        said: what it was told last.
        heard: what came of its answer so far.
        lag_us: by how much we were woken too late during the last act.
    """

    def __init__(self, process: BotProcess) -> None:
        """Begins with a process that was just started."""
        self.process = process
        self.stderr = Stderr()
        self.said = b""
        self.heard = b""
        self.lag_us = 0

    def hears(self, data: bytes) -> None:
        """Keeps what came, as far as it is of use."""
        self.heard = (self.heard + data)[-_LINE_KEPT:]

    def accuse(self, error: RemoteProtocolError, receipt: Receipt | None) -> Verdict:
        """The verdict on bytes that break the protocol."""
        detail = error.detail
        if error.fault is not RemoteFault.OUTPUT:
            line = printable(error.line[:80].decode(errors="backslashreplace"))
            detail = f"{detail}; the bot wrote: {line}"
        self.heard = error.line or self.heard
        return Verdict(_CODES[error.fault], detail, self.evidence(receipt))

    def flood_verdict(self, receipt: Receipt | None) -> Verdict:
        """The verdict on too much on stderr."""
        detail = f"more than {STDERR_MOST} bytes on stderr"
        return Verdict(FaultCode.OUTPUT, detail, self.evidence(receipt))

    def _drain_now(self) -> None:
        """Reads what is in stderr already, for evidence; the rest is `drain_stderr`'s."""
        with suppress(OSError):
            for _ in range(16):
                data = os.read(self.process.stderr, 65536)
                self.stderr.feed(data)
                if not data:
                    return

    def evidence(self, receipt: Receipt | None = None) -> Evidence:
        """What there is to see of this process now."""
        self._drain_now()
        return Evidence(
            to_bot=self.said[-_LINE_KEPT:].decode(),
            from_bot=self.heard[:_LINE_KEPT].decode(errors="backslashreplace"),
            stderr_head=self.stderr.head.decode(errors="backslashreplace"),
            stderr_tail=self.stderr.tail.decode(errors="backslashreplace"),
            exit=self.process.status(),
            receipt=receipt,
        )

    def memory_verdict(self, receipt: Receipt | None = None) -> Verdict | None:
        """The verdict on too much memory, if it wanted that."""
        if not self.process.out_of_memory():
            return None
        detail = "it wanted more memory than a bot may have here"
        return Verdict(FaultCode.MEMORY, detail, self.evidence(receipt))

    def excuse(self, receipt: Receipt, allowance_us: int) -> Mishap | None:
        """What to say of lateness when neither the bot nor we could run; None: it is the bot's."""
        self.lag_us = max(self.lag_us, receipt.complete - allowance_us)
        if not starved(allowance_us, self.lag_us, receipt.cpu):
            return None
        detail = f"the host stood still for {self.lag_us // 1000} ms while the bot was to move"
        return Mishap(Family.HOST, detail, self.evidence(receipt))
