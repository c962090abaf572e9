"""Compiles what is written in C when the package is built, or installed from its sources.

Without a compiler the package is built all the same; what then does not work says so.
"""

import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FOLDER: Final = Path("referee", "native")
_PROGRAM: Final = (
    *("-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-s", "-static", "-nostdlib"),
    *("-ffreestanding", "-fno-builtin", "-fno-tree-loop-distribute-patterns"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-pie", "-no-pie"),
    *("-Wl,-z,noexecstack", "-Wl,--build-id=none"),
)
"""How a program is compiled that stands on no library."""

_MODULE: Final = (
    *("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-s", "-shared", "-fPIC"),
    f"-I{sysconfig.get_path('include')}",
)
"""How a module of the interpreter is; by its stable interface, so that it serves later ones."""


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # its config is hatchling's own
    """Compiles what is written in C into its folder, and has a wheel take it along."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # hatchling's own
        """Compile, before the files of a wheel are chosen."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.app.display_warning("no C compiler: bots will only run without a sandbox")
            return
        folder = Path(self.root) / _FOLDER
        made = []
        for source, product, flags, without in (
            ("launcher.c", "launcher", _PROGRAM, "bots will only run without a sandbox"),
            ("exchange.c", "exchange.abi3.so", _MODULE, "acts will take a little longer"),
        ):
            mistake = compiled(compiler, folder / source, folder / product, flags)
            if mistake:
                self.app.display_warning(f"{source} does not compile, so {without}: {mistake}")
                continue
            made.append(product)
            build_data["artifacts"].append(str(_FOLDER / product))
        if made and version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            python = "cp311-abi3" if "exchange.abi3.so" in made else "py3-none"
            build_data["pure_python"] = False
            build_data["tag"] = f"{python}-{platform}"


def compiled(compiler: str, source: Path, product: Path, flags: Sequence[str] = _PROGRAM) -> str:
    """Compile one file; return what the compiler says if it cannot.

    The product is there whole or not at all: others may be using the one before it.
    """
    scratch = product.with_name(f".{product.name}.new")
    words = [compiler, *flags, "-o", str(scratch), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    if done.returncode:
        scratch.unlink(missing_ok=True)
        product.unlink(missing_ok=True)  # of sources that are older
        return done.stderr.strip() or f"exit status {done.returncode}"
    scratch.chmod(0o755)
    scratch.replace(product)
    return ""
