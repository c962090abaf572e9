"""A real server of S3 on this machine, in a process of its own, and buckets on it.

Public: `own_s3` starts one; `bucket` has the environment of a test speak to it.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

import pytest

from support.sandboxes import lacking

_SERVER: Final = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


class S3:
    """A server that runs.

    Attributes:
        address: its URL.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """It says its port."""
        assert process.stdout is not None
        self.process = process
        self.address = f"http://127.0.0.1:{int(process.stdout.readline())}"
        self._buckets = 0

    def bucket(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Make a bucket, and have this process and those that it starts know the server."""
        from s3fs import S3FileSystem  # noqa: PLC0415  # only `make ci` installs it

        self._buckets += 1
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.address,
        }.items():
            monkeypatch.setenv(name, value)
        name = f"bucket-{self._buckets}"
        S3FileSystem(skip_instance_cache=True).mkdir(name)
        return f"s3://{name}/ladders/one"

    def files(self, url: str) -> "dict[str, bytes]":
        """Return what lies there, by the name below a URL."""
        from s3fs import S3FileSystem  # noqa: PLC0415  # see above

        there, root = S3FileSystem(skip_instance_cache=True, use_listings_cache=False), url[5:]
        return {path.removeprefix(f"{root}/"): there.cat_file(path) for path in there.find(root)}

    def write(self, url: str, name: str, content: bytes) -> None:
        """Put a file there, whatever is there."""
        from s3fs import S3FileSystem  # noqa: PLC0415  # see above

        S3FileSystem(skip_instance_cache=True).pipe_file(f"{url[5:]}/{name}", content)


@contextmanager
def own_s3() -> Iterator[S3]:
    """A server that runs; it is gone afterwards, and when we are killed, too."""
    if find_spec("moto") is None or find_spec("s3fs") is None:
        lacking("moto and s3fs are not installed: make ci installs them")
    command = [sys.executable, "-W", "ignore", "-c", _SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield S3(process)
        finally:
            process.kill()
