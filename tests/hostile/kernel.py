"""System calls by number, for bots that ask the kernel for what no library offers."""

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

_NUMBERS = {  # name: (x86_64, aarch64)
    "add_key": (248, 217),
    "bpf": (321, 280),
    "cachestat": (451, 451),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fsopen": (430, 430),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_secret": (447, 447),
    "mincore": (27, 232),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "semget": (64, 190),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "swapon": (167, 224),
    "sysinfo": (99, 179),
    "syslog": (103, 116),
    "timer_create": (222, 107),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
_COLUMN = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Makes a system call.

    Raises:
        OSError: it is refused.
    """
    typed = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = int(_LIBC.syscall(ctypes.c_long(_NUMBERS[name][_COLUMN]), *typed))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def buffer(size: int, data: bytes = b"") -> ctypes.Array[ctypes.c_char]:
    """Memory for a structure that the kernel reads or writes."""
    return ctypes.create_string_buffer(data.ljust(size, b"\0"), size)
