"""What commands say whose matches machines play, and a bot that takes its time."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from support.processes import REFEREE

_BOT: Final = """#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"bot"}', flush=True)
    if message["type"] == "act":
        PAUSE
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
    if message["type"] == "end":
        break
"""


def dawdler(folder: Path, seconds: float) -> Path:
    """A bot that plays the first legal action, after so many seconds, so that matches take some."""
    return _bot(folder / "dawdler", f"time.sleep({seconds})")


def thinker(folder: Path, seconds: float) -> Path:
    """The same, with a processor busy for so long."""
    used = f"end = time.process_time() + {seconds}\n        while time.process_time() < end: pass"
    return _bot(folder / "thinker", used)


def _bot(path: Path, pause: str) -> Path:
    path.write_text(_BOT.replace("PAUSE", pause))
    path.chmod(0o755)
    return path


def told(
    *words: str, environment: Mapping[str, str] | None = None, within_s: float = 100
) -> tuple[str, str]:
    """What a command prints that is done, on stdout and stderr."""
    done = subprocess.run(
        [str(REFEREE), *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=within_s,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def without_times(text: str) -> str:
    """A report, its times left out, and how wide they make a table."""
    return re.sub(r" +", " ", re.sub(r"[\d.]+ m?s\b", "", text))
