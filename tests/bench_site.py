"""What a site costs its runner, and how long its pages take, while many follow and hand in bots.

    python -m tests.bench_site [--readers N] [--uploads N] [--seconds S]

Plays a ladder of three sample bots in bubblewrap: first `referee ladder run` alone, then beside
`referee serve --no-run`, whose readers do as people with browsers do: each has a page open, which
says over a stream what is new, and goes to another page twice a minute or so. It takes root,
and a machine with nothing else to do; the readers are on the same cores.
"""

import argparse
import gzip
import html
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import httpx2
import trio

from ladder.core.tokens import Scope
from ladder.store.location import where_of
from ladder.store.store import Store
from support.ladders import made  # it lies beside this file
from support.sites import Serving, started

PAGES = ("/", "/games/1", "/matches", "/bots", "/bots/1", "/queue")
BOTS = ("first", "random", "greedy")


STAY_S = 30.0
"""A reader stays on a page so long on average."""


class Readers:
    """Pages that are open, how long each took to come, and what was said over their streams."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.times: list[float] = []
        self.events = self.bytes = 0
        self.cores = 0.0
        self.statuses: dict[bytes, int] = {}
        self._numbers = itertools.count(1)

    async def read(self) -> None:
        """Goes from page to page for ever, as a browser does."""
        number = next(self._numbers)
        dice = Random(number)
        visitor = f"10.{number // 250}.{number % 250}.1"
        head = f"host: site\r\nx-forwarded-for: {visitor}\r\naccept-encoding: gzip\r\n\r\n"
        while True:
            path = dice.choice(PAGES)
            begun = time.perf_counter()
            stream = await trio.open_tcp_stream("127.0.0.1", self.port)
            page = await self._ask(stream, f"GET {path} HTTP/1.1\r\n{head}".encode(), begun)
            live = page.partition(b'hx-sse:connect="')[2].partition(b'"')[0]
            asked = f"GET {html.unescape(live.decode())} HTTP/1.1\r\n{head}"
            await stream.send_all(asked.encode())  # over the same, as Chromium does
            with trio.move_on_after(dice.uniform(0, 2 * STAY_S)):
                while chunk := await stream.receive_some(65536):
                    self.events += 1
                    self.bytes += len(chunk)
            await trio.aclose_forcefully(stream)

    async def _ask(self, stream: trio.SocketStream, asked: bytes, begun: float) -> bytes:
        await stream.send_all(asked)
        data = b""
        while b"\r\n\r\n" not in data:
            more = await stream.receive_some(65536)
            if not more:
                raise trio.BrokenResourceError
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        left = int(fields.get(b"content-length", 0)) - len(body)
        while left > 0:
            body += (more := await stream.receive_some(65536))
            left -= len(more)
        self.times.append(time.perf_counter() - begun)
        status = head.split(b" ", 2)[1]
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return gzip.decompress(body)


def _blocks(folder: Path) -> int:
    with Store(where_of(str(folder))) as store:
        return sum(len(match.outcome.blocks) for _, match in store.newest_matches(10**6))


def _runner(folder: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "referee", "ladder", "run", "--sandbox", "bwrap"]
    quiet = subprocess.DEVNULL
    words += ["--ladder", str(folder)]
    # Linux shares cores out by session, and an organiser has a terminal for each
    return subprocess.Popen(words, stdout=quiet, stderr=quiet, start_new_session=True)


class Speed:
    """How many blocks a second a runner plays from now on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before, self._begun = _blocks(folder), time.monotonic()

    def now(self) -> float:
        return (_blocks(self._folder) - self._before) / (time.monotonic() - self._begun)


@contextmanager
def _playing(folder: Path) -> Iterator[None]:
    """A runner that has begun to play."""
    before, runner = _blocks(folder), _runner(folder)
    try:
        while _blocks(folder) == before:
            time.sleep(0.2)
        yield
    finally:
        runner.terminate()
        runner.wait()


def _alone(folder: Path, seconds: float) -> float:
    with _playing(folder):
        speed = Speed(folder)
        time.sleep(seconds)
        return speed.now()


def _uploads(url: str, tokens: list[str]) -> dict[str, int]:
    """How many uploads are in each state."""
    states = Counter[str]()
    for token in tokens:
        headers = {"authorization": f"Bearer {token}"}
        for upload in httpx2.get(f"{url}/api/me", headers=headers).json()["uploads"]:
            states[upload["state"]] += 1
    return dict(states)


def _memory_mib(process: "subprocess.Popen[bytes]") -> float:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def _spent_s(process: "subprocess.Popen[bytes]") -> tuple[float, float]:
    """Processor time of the site itself, and of the trials that are over."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    forks = [pid for task in tasks for pid in task.read_text().split()]
    own, trials = _ticks(str(process.pid))[:2], [_ticks(pid) for pid in forks]
    tick = os.sysconf("SC_CLK_TCK")
    return sum(own) / tick, sum(map(sum, trials)) / tick


def _ticks(pid: str) -> list[int]:
    """Return the time of a process and, behind it, of those that it has seen end."""
    return [int(one) for one in Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[11:15]]


class Found(NamedTuple):
    """What was measured: speeds in blocks a second, memory of the site in MiB."""

    readers: Readers
    while_they_come: float
    beside: float
    memory: tuple[float, float]
    """Once all readers are there, and when they have read for half of the time."""
    cores: tuple[float, float]
    """What the site took of them, and what its trials did."""


async def _load(
    serving: Serving, folder: Path, asked: argparse.Namespace, tokens: list[str]
) -> Found:
    port = int(serving.url.rpartition(":")[2])
    readers, coming = Readers(port), Speed(folder)
    bot = (Path(__file__).parents[1] / "sample_bots" / "first_bot.py").read_bytes()

    async def hand_in(token: str) -> None:
        async with httpx2.AsyncClient(base_url=serving.url, timeout=60) as client:
            headers = {"authorization": f"Bearer {token}"}
            found = await client.post("/api/uploads?file=bot.py", content=bot, headers=headers)
            if found.status_code != 202:
                print("upload", found.status_code, found.text[:100])

    async with trio.open_nursery() as nursery:
        for _ in range(asked.readers):
            nursery.start_soon(readers.read)
            await trio.sleep(0.02)
        await trio.sleep(5)  # all have their page
        for token in tokens:
            nursery.start_soon(hand_in, token)
        while_they_come, there = coming.now(), _memory_mib(serving.process)
        readers.times.clear()
        readers.events = readers.bytes = 0
        speed, spent_s = Speed(folder), time.process_time()
        own_s, trials_s = _spent_s(serving.process)
        await trio.sleep(asked.seconds / 2)
        halfway = _memory_mib(serving.process)
        await trio.sleep(asked.seconds / 2)
        beside = speed.now()
        readers.cores = (time.process_time() - spent_s) / asked.seconds
        own, trials = _spent_s(serving.process)
        cores = (own - own_s) / asked.seconds, (trials - trials_s) / asked.seconds
        nursery.cancel_scope.cancel()
    return Found(readers, while_they_come, beside, (there, halfway), cores)


def main() -> None:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=40.0)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its site and runner end, too
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "ladder"
        with made(folder, bots=BOTS) as store:
            tokens = [store.tokens.add(f"a{at}", tuple(Scope), 1)[1] for at in range(asked.uploads)]
        alone = _alone(folder, asked.seconds)
        print(f"runner alone: {alone:.1f} blocks/s")
        serving = started(folder, "--no-run", "--proxy", "--sandbox", "bwrap")
        try:
            before = _memory_mib(serving.process)
            with _playing(folder):
                found = trio.run(_load, serving, folder, asked, tokens)
            after = _memory_mib(serving.process)
            states = _uploads(serving.url, tokens)
        finally:
            serving.process.terminate()
            serving.process.wait()
    readers, coming, beside, memory, (own, trials) = found
    ms = sorted(1000 * one for one in readers.times)
    print(f"while the readers come: {coming:.1f} blocks/s, {100 * coming / alone:.0f} %")
    print(f"runner beside the site: {beside:.1f} blocks/s, {100 * beside / alone:.0f} %")
    print(f"{len(ms)} pages, {len(ms) / asked.seconds:.0f} a second: {readers.statuses}")
    said, kib = readers.events / asked.seconds, readers.bytes / 1024 / asked.seconds
    print(f"over streams, a second: {said:.0f} pieces, {kib:.0f} KiB")
    print(f"median {median(ms):.0f} ms, p95 {quantiles(ms, n=20)[-1]:.0f} ms, most {ms[-1]:.0f} ms")
    left = 100 * beside / alone / (1 - readers.cores / (os.cpu_count() or 1))
    print(f"readers took {readers.cores:.2f} cores of the same machine: {left:.0f} % of the rest")
    print(f"the site took {own:.2f} cores, and its trials that are over {trials:.2f}")
    print(f"uploads at the end: {states}")
    told = ", ".join(f"{one:.0f}" for one in (before, *memory, after))
    print(f"memory of the site in MiB before readers, with them, halfway, at the end: {told}")


if __name__ == "__main__":
    main()
