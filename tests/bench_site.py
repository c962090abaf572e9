"""What a site costs its runner, and how long its pages take, while many follow and hand in bots.

    python -m tests.bench_site [--readers N] [--uploads N] [--seconds S]

Plays a ladder of three sample bots in bubblewrap: first `referee ladder run` alone, then beside
`referee serve --no-run`, whose readers follow as browsers do: each holds a stream of events, and
asks for its page again whenever there is news. It takes root, and a machine with nothing else to
do; the readers are on the same cores.
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parent))

import httpx
import trio

from ladder.core.tokens import Scope
from ladder.store.location import where_of
from ladder.store.store import Store
from support.ladders import made  # it lies beside this file
from support.sites import Serving, started

PAGES = ("/", "/games/1", "/matches", "/bots", "/bots/1", "/queue")
BOTS = ("first", "random", "greedy")


class Readers:
    """Pages that are open, and how long each took when it asked again."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.times: list[float] = []
        self.statuses: dict[bytes, int] = {}
        self._numbers = itertools.count(1)

    async def follow(self, page: str) -> None:
        """Follows for ever, as a browser with this page does."""
        number = next(self._numbers)
        visitor = f"10.{number // 250}.{number % 250}.1"
        head = f"host: site\r\nx-forwarded-for: {visitor}\r\naccept-encoding: gzip\r\n"
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        pages = await trio.open_tcp_stream("127.0.0.1", self.port)
        await stream.send_all(f"GET /live HTTP/1.1\r\n{head}\r\n".encode())
        etag = b""
        while chunk := await stream.receive_some(4096):
            if b"event: news" in chunk:
                known = b"if-none-match: " + etag + b"\r\n" if etag else b""
                asked = f"GET {page} HTTP/1.1\r\n{head}".encode() + known + b"\r\n"
                try:
                    etag = await self._ask(pages, asked)
                except trio.BrokenResourceError:  # it was idle for long
                    pages = await trio.open_tcp_stream("127.0.0.1", self.port)
                    etag = await self._ask(pages, asked)

    async def _ask(self, stream: trio.SocketStream, asked: bytes) -> bytes:
        begun = time.perf_counter()
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
            left -= len(await stream.receive_some(65536))
        self.times.append(time.perf_counter() - begun)
        status = head.split(b" ", 2)[1]
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return fields.get(b"etag", b"")


def _blocks(folder: Path) -> int:
    with Store(where_of(str(folder))) as store:
        return sum(len(match.outcome.blocks) for _, match in store.newest_matches(10**6))


def _runner(folder: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "referee", "ladder", "run", "--sandbox", "bwrap"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*words, "--ladder", str(folder)], stdout=quiet, stderr=quiet)


def _speed(folder: Path, seconds: float, beside: object = None) -> float:
    """How many blocks a second a runner plays, once it has begun."""
    runner, before = _runner(folder), _blocks(folder)
    while _blocks(folder) == before:
        time.sleep(0.2)
    before, begun = _blocks(folder), time.monotonic()
    if callable(beside):
        beside()
    else:
        time.sleep(seconds)
    speed = (_blocks(folder) - before) / (time.monotonic() - begun)
    runner.terminate()
    runner.wait()
    return speed


def _memory_mib(process: "subprocess.Popen[bytes]") -> float:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


async def _load(serving: Serving, asked: argparse.Namespace, tokens: list[str]) -> Readers:
    port = int(serving.url.rpartition(":")[2])
    readers, dice = Readers(port), Random(1)
    bot = (Path(__file__).parents[1] / "sample_bots" / "first_bot.py").read_bytes()

    async def hand_in(token: str) -> None:
        async with httpx.AsyncClient(base_url=serving.url, timeout=60) as client:
            headers = {"authorization": f"Bearer {token}"}
            found = await client.post("/api/uploads?file=bot.py", content=bot, headers=headers)
            if found.status_code != 202:
                print("upload", found.status_code, found.text[:100])

    async with trio.open_nursery() as nursery:
        for _ in range(asked.readers):
            nursery.start_soon(readers.follow, dice.choice(PAGES))
            await trio.sleep(0.02)
        await trio.sleep(5)  # all have their page
        for token in tokens:
            nursery.start_soon(hand_in, token)
        readers.times.clear()
        await trio.sleep(asked.seconds)
        nursery.cancel_scope.cancel()
    return readers


def main() -> None:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=40.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "ladder"
        with made(folder, bots=BOTS) as store:
            tokens = [store.tokens.add(f"a{at}", tuple(Scope), 1)[1] for at in range(asked.uploads)]
        alone = _speed(folder, asked.seconds)
        print(f"runner alone: {alone:.1f} blocks/s")
        serving = started(folder, "--no-run", "--proxy", "--sandbox", "bwrap")
        before = _memory_mib(serving.process)
        found: list[Readers] = []
        beside = _speed(
            folder,
            asked.seconds,
            lambda: found.append(trio.run(_load, serving, asked, tokens)),
        )
        after = _memory_mib(serving.process)
        serving.process.terminate()
        serving.process.wait()
    (readers,) = found
    ms = sorted(1000 * one for one in readers.times)
    print(f"runner beside the site: {beside:.1f} blocks/s, {100 * beside / alone:.0f} %")
    print(f"{len(ms)} pages, {len(ms) / asked.seconds:.0f} a second: {readers.statuses}")
    print(f"median {median(ms):.0f} ms, p95 {quantiles(ms, n=20)[-1]:.0f} ms, most {ms[-1]:.0f} ms")
    print(f"memory of the site: {before:.0f} MiB before, {after:.0f} after")


if __name__ == "__main__":
    main()
