# story: reads what other processes are and what their environments hold
# row: escape: read of /proc of others
# expect: plays
# not-bare: bare hides no processes
import os

from hostile.honest import spy

HARMLESS = {
    b"PATH",
    b"HOME",
    b"LANG",
    b"TMPDIR",
    b"HOSTNAME",
    b"PWD",
    b"REFEREE_BOT",
    b"JDK_JAVA_OPTIONS",
}
LONGEST = 400


def attack() -> str:
    others = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(others) > 8:
        return f"sight of {len(others)} processes"
    for pid in others:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                names = {entry.partition(b"=")[0] for entry in file.read().split(b"\0") if entry}
            strange = {name for name in names if not name.startswith(b"PYTHON")} - HARMLESS
            if strange:
                return f"environment of {pid}: {min(strange).decode()}"
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if len(words) > LONGEST or b"first" in words or b"bind" in words:
            return f"command line of {pid}"
    return ""


spy(attack)
