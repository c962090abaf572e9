# story: looks for descriptors, a terminal and an environment that somebody forgot to take away
# row: escape: what is inherited
# expect: plays
import os

from hostile.honest import spy

HARMLESS = {"PATH", "HOME", "LANG", "TMPDIR", "HOSTNAME", "PWD", "REFEREE_BOT"}
FOR_TOOLS = {"JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT", "JDK_JAVA_OPTIONS"}


def attack() -> str:
    for descriptor in range(3, 1024):
        try:
            link = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue
        return f"descriptor {descriptor}: {link}"
    names = {name for name in os.environ if not name.startswith(("PYTHON", "LC_"))}
    strange = names - HARMLESS - FOR_TOOLS
    if strange:
        return f"environment: {min(strange)}"
    os.open("/dev/tty", os.O_RDWR)
    return "a terminal"


spy(attack, only_in_a_sandbox=False)
