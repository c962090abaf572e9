# story: leaves messages to its next life wherever it can, and dies
# row: escape: state between games
# expect: crashed
# not-bare: bare has no folders of its own
import os
import sys
from contextlib import suppress

from hostile.honest import TMP, Act, answer, play
from hostile.kernel import call

PLACES = ("/bot", TMP, "/dev/shm", "/var/tmp", "/run", "/run/lock", "/dev/mqueue")  # noqa: S108
KEY, CREATE = 0x686F7374, 0o1600


def remembered() -> str:
    for place in PLACES:
        if os.path.exists(f"{place}/remember-me"):
            return place
    try:
        call("shmget", KEY, 1, 0)
    except OSError:
        return ""
    return "shared memory"


def misdeed(act: Act) -> None:
    found = remembered()
    if found:
        answer(act, action=f"ESCAPED:state in {found}")
        return
    for place in PLACES:
        with suppress(OSError), open(f"{place}/remember-me", "w") as file:
            file.write("remember me")
    with suppress(OSError):
        call("shmget", KEY, 1, CREATE)
    sys.exit(1)


play(misdeed, only_in_a_sandbox=True)
