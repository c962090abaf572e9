"""What the machine itself has done to processes."""

from pathlib import Path


def killed_for_memory() -> int:
    """How many processes the kernel has ended for want of memory since it was started."""
    try:
        text = Path("/proc/vmstat").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))
