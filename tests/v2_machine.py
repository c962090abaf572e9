"""Runs tests on a kernel that has control groups of version 2 only, in an emulated machine.

    python -m tests.v2_machine FOLDER [--systemd] [--kvm] ["COMMAND"]

In FOLDER a Debian is made, if there is none yet: that takes root, network, and the packages
debootstrap, e2fsprogs and qemu-system-x86. It is booted by qemu with nothing kept of what it
writes, and COMMAND runs there as root, in the project's folder; without one, those of `USUAL`.
The first process is a shell script and all runs in the root group; with --systemd it is systemd,
and COMMAND a unit of it. Without --kvm the processor is emulated: some ten times slower, and bots
with short limits are late. The exit code is that of COMMAND.

What the disk below a virtual machine keeps in memory is no matter of the kernel in it. To measure
what the kernel drops, put FOLDER where nothing is slower the first time: on a tmpfs.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).parent.parent
PACKAGES: Final = (
    *("systemd-sysv", "linux-image-cloud-amd64", "initramfs-tools", "zstd", "bubblewrap"),
    *("docker.io", "apparmor", "iptables", "kmod", "procps", "gcc", "libc6-dev", "python3-venv"),
    "ca-certificates",
)
USUAL: Final = (
    ".venv/bin/referee doctor --sandbox bwrap; found=$?; "
    ".venv/bin/pytest --thorough tests/sandbox/test_cgroups.py || found=1; "
    ".venv/bin/python -m tests.page_cache_channel bwrap 300 || found=1; exit $found"
)
END: Final = "v2_machine: exit status "
FIRST: Final = """#!/bin/sh
# the first process: control groups of version 2, and nothing else of what systemd would do
mount -o remount,rw /
for kind in proc:/proc sysfs:/sys devtmpfs:/dev; do
    mountpoint -q "${kind#*:}" || mount -t "${kind%:*}" none "${kind#*:}"
done
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
for folder in /dev/shm /run /tmp; do mount -t tmpfs -o mode=1777 tmpfs $folder; done
chmod 755 /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up 2> /dev/null
/run-it
"""
RUNS: Final = f"""#!/bin/sh
exec < /dev/null > /dev/console 2>&1
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
cd /project
(sh -c COMMAND; echo "{END}$?") 2>&1 | cat  # no terminal: nothing is drawn twice
sync
poweroff -f
"""


def run(words: Sequence[str | Path]) -> None:
    """Run a program, which says itself what it does and what goes wrong."""
    subprocess.run(words, check=True)


def make(root: Path) -> None:
    """Make a Debian with what the project wants, and an environment of its own for it."""
    run(("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", root))
    copy(root)
    run(("chroot", root, "python3", "-m", "venv", "/project/.venv"))
    pip = ("chroot", root, "/project/.venv/bin/pip", "--disable-pip-version-check", "install")
    run((*pip, "--quiet", "--require-hashes", "-r", "/project/requirements.lock"))


def install(root: Path) -> None:
    """Compile what of the project is in C; a copy has nothing that was compiled."""
    pip = ("chroot", root, "/project/.venv/bin/pip", "--disable-pip-version-check", "install")
    run((*pip, "--quiet", "--no-deps", "--no-build-isolation", "--editable", "/project"))


def copy(root: Path) -> None:
    """Copy the project as it is now, but for what git does not know; its environment stays."""
    names = ("git", "-C", PROJECT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(names, check=True, capture_output=True).stdout
    files = [name for name in listed.decode().split("\0") if name and (PROJECT / name).exists()]
    project = root / "project"
    project.mkdir(exist_ok=True)
    for old in project.iterdir():
        if old.name != ".venv":
            run(("rm", "-rf", old))
    words = ("cp", "--parents", "--archive", f"--target-directory={project.resolve()}", *files)
    subprocess.run(words, check=True, cwd=PROJECT)


def image(root: Path, file: Path, command: str) -> None:
    """Make the disk of the machine, with what it is to run."""
    for name, text in (("first", FIRST), ("run-it", RUNS.replace("COMMAND", shlex.quote(command)))):
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    file.unlink(missing_ok=True)
    run(("truncate", "--size=8G", file))
    run(("mke2fs", "-q", "-t", "ext4", "-d", root, file))


def booted(root: Path, disk: Path, *, systemd: bool, kvm: bool) -> int:
    """Boot the machine, and print what it says; the exit status that is among it."""
    kernel = next((root / "boot").glob("vmlinuz-*"))
    initrd = next((root / "boot").glob("initrd.img-*"))
    first = "systemd.run=/run-it" if systemd else "init=/first"
    words = (
        *("qemu-system-x86_64", "-machine", "q35", "-smp", "2", "-m", "3072", "-snapshot"),
        *("-accel", "kvm" if kvm else "tcg,thread=multi", "-cpu", "max", "-nic", "none"),
        *("-kernel", kernel, "-initrd", initrd, "-nographic", "-no-reboot"),
        *("-append", f"root=/dev/vda rw console=ttyS0 quiet {first}"),
        *("-drive", f"file={disk},format=raw,if=virtio", "-device", "virtio-rng-pci"),
    )
    status = 3
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as machine:
        assert machine.stdout is not None
        for line in machine.stdout:
            text = line.decode(errors="replace").rstrip()
            print(text, flush=True)
            if text.startswith(END):
                status = int(text.removeprefix(END))
    return status


def main() -> int:
    """The script."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systemd", action="store_true")
    parser.add_argument("--kvm", action="store_true")
    parser.add_argument("command", nargs="?", default=USUAL)
    words = parser.parse_intermixed_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    root, disk = words.folder / "debian", words.folder / "disk"
    if not (root / "project" / ".venv" / "bin" / "pip").exists():
        make(root)
    copy(root)
    install(root)
    image(root, disk, words.command)
    return booted(root, disk, systemd=words.systemd, kvm=words.kvm)


if __name__ == "__main__":
    sys.exit(main())
