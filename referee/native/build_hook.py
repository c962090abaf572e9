"""Compiles what is written in C when the package is built, or installed from its sources.

Without a compiler the package is built all the same; what then does not work says so.
"""

import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FOLDER: Final = Path("referee", "native")
_FLAGS: Final = (
    *("-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-s", "-static", "-nostdlib"),
    *("-ffreestanding", "-fno-builtin", "-fno-tree-loop-distribute-patterns"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-pie", "-no-pie"),
    *("-Wl,-z,noexecstack", "-Wl,--build-id=none"),
)


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # its config is hatchling's own
    """Compiles the launcher into its folder, and has a wheel take it along."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # hatchling's own
        """Compile, before the files of a wheel are chosen."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.app.display_warning("no C compiler: bots will only run without a sandbox")
            return
        folder = Path(self.root) / _FOLDER
        made = compiled(compiler, folder / "launcher.c", folder / "launcher")
        if made:
            self.app.display_warning(f"the launcher does not compile: {made}")
            return
        build_data["artifacts"].append(str(_FOLDER / "launcher"))
        if version != "editable":  # no library, so any Python of this kind of machine
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"


def compiled(compiler: str, source: Path, program: Path) -> str:
    """Compile a program that stands on no library; return what the compiler says if it does not.

    The program is there whole or not at all: others may be starting the one before it.
    """
    scratch = program.with_name(f".{program.name}.new")
    words = [compiler, *_FLAGS, "-o", str(scratch), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    if done.returncode:
        scratch.unlink(missing_ok=True)
        return done.stderr.strip() or f"exit status {done.returncode}"
    scratch.chmod(0o755)
    scratch.replace(program)
    return ""
