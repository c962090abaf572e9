# story: asks for parts of the kernel that have often been broken into
# row: escape: io_uring, userfaultfd, bpf, perf
# expect: plays
# not-bare: bare forbids no system call
from hostile.honest import first_that_works, spy
from hostile.kernel import buffer, call

USER_MODE_ONLY, BY_HANDLE_MOUNT = 1, -100
ARRAY_MAP = b"".join(number.to_bytes(4, "little") for number in (2, 4, 8, 1))
SOFTWARE_CLOCK = b"".join(
    (
        (1).to_bytes(4, "little"),
        (112).to_bytes(4, "little"),
        bytes(32),
        (0x61).to_bytes(8, "little"),  # disabled, without kernel and hypervisor
    )
)


def attack() -> str:
    return first_that_works(
        {
            "io_uring": lambda: call("io_uring_setup", 4, buffer(120)),
            "userfaultfd": lambda: call("userfaultfd", USER_MODE_ONLY),
            "bpf": lambda: call("bpf", 0, buffer(128, ARRAY_MAP), 128),
            "perf": lambda: call("perf_event_open", buffer(112, SOFTWARE_CLOCK), 0, -1, -1, 0),
            "memfd_secret": lambda: call("memfd_secret", 0),
            "fanotify": lambda: call("fanotify_init", 0x200, 0),
            "personality": lambda: call("personality", 0x0040000),
            "syslog": lambda: call("syslog", 3, buffer(64), 64),
            "kexec": lambda: call("kexec_load", 0, 0, None, 0),
            "delete_module": lambda: call("delete_module", b"no_such_module", 0),
            "swapon": lambda: call("swapon", b"/tmp/none", 0),
            "sethostname": lambda: call("sethostname", b"x", 1),
        }
    )


spy(attack)
