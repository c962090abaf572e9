# story: has links to secrets and pipes that nobody reads where others would look for its logs
# row: escape: symlink named like a log, FIFO in its folder
# expect: plays
import os
from contextlib import suppress

from hostile.honest import TMP, Act, answer, play, sandboxed

LINKS = ("bot.log", "stderr.log", "stdout.log", "replay.jsonl", "output.txt")
PIPES = ("error.log", "core", "result.json")


def misdeed(act: Act) -> None:
    for place in ("/bot", TMP) if sandboxed() else (".",):
        for name in LINKS:
            with suppress(OSError):
                os.symlink("/etc/shadow", f"{place}/{name}")
        for name in PIPES:
            with suppress(OSError):
                os.mkfifo(f"{place}/{name}")
    answer(act)


play(misdeed)
