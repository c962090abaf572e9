"""Breaks each wall of a sandbox, one at a time, and tells which rows of `referee doctor` notice.

    python -m tests.broken_walls SANDBOX [WALL...]

SANDBOX is `bwrap`, `docker`, `watched` (bwrap without control groups, as users have it), `masked`
or `docker-masked` (without Landlock, as on older kernels); WALL is the name of a wall, or how it
begins. It takes root, and a machine with nothing else to do. The exit code is 1 when no row notices
a wall's end, and no reason stands beside it in `tests/support`.
"""

import sys
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import trio

from referee.errors import SandboxError
from referee.sandbox.names import SandboxName
from support.broken_settings import SETTINGS  # it lies beside this file
from support.docker import some_daemon
from support.walls import Setting, Wall, broken_rows, noticed, notices


def told(setting: Setting, wall: Wall, usual: set[str]) -> tuple[bool, str]:
    """Break a wall; return whether it was noticed, or need not be, and a line that says by what."""
    if wall.test:
        good = notices(setting, wall)
        return good, f"{wall.name:40} {wall.test} {'fails' if good else 'does not fail'}"
    try:
        alone = trio.run(broken_rows, setting, (wall,))
    except SandboxError as error:
        alone = {"it": str(error)}
    line = f"{wall.name:40} {', '.join(sorted(alone.keys() - usual)) or '-'}"
    if not wall.behind:
        good = noticed(wall, alone) or (not wall.rows and bool(wall.reason))
        return good, f"{line}{'; ' + wall.reason if wall.reason else ''}{_details(wall, alone)}"
    both = trio.run(broken_rows, setting, setting.group(wall))
    line += f"; redundant: {wall.reason}; with {', '.join(wall.behind)} broken, too: "
    return noticed(wall, both), line + ", ".join(sorted(both.keys() - usual)) + _details(wall, both)


def _details(wall: Wall, found: dict[str, str]) -> str:
    if noticed(wall, found) or not wall.rows:
        return ""
    return f" !! expected: {', '.join(wall.rows)} with {wall.word!r}; found: {found}"


def main() -> int:
    """The script."""
    words = sys.argv[1:]
    if not words or words[0] not in SETTINGS:
        print(__doc__, file=sys.stderr)
        return 2
    setting = SETTINGS[words[0]]
    walls = [one for one in setting.walls if not words[1:] or one.name.startswith(tuple(words[1:]))]
    unnoticed = 0
    with ExitStack() as stack:
        if setting.name is SandboxName.DOCKER:
            stack.enter_context(some_daemon())
        usual = trio.run(broken_rows, setting, ())
        print(f"{'(none is broken)':40} {', '.join(usual) or '-'}", flush=True)
        for wall in walls:
            try:
                good, line = told(setting, wall, set(usual))
            except SandboxError as error:
                good, line = False, f"{wall.name:40} {error}"
            unnoticed += not good
            print(f"{'ok' if good else 'NOT NOTICED':12}{line}", flush=True)
    print(f"{len(walls)} walls, {unnoticed} of them unnoticed")
    return int(unnoticed > 0 or bool(usual))


if __name__ == "__main__":
    sys.exit(main())
