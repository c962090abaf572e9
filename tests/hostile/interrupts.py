# story: has timers fire while it sleeps, each of which wakes ten thousand waiting descriptors
# row: resources: processor stolen by every means
# expect: plays
# time: move=2s
# before: 900 timers voided 2 of 2 matches, 400 made the opponent late in 3 of 4 deals; uncharged
# after: timers and signals are not to be had as descriptors, nor timers by the hundred
# not-bare: bare refuses no calls
import ctypes
import os

from hostile.honest import spy

CALLS = {
    "x86_64": {"signalfd4": 289, "timerfd_create": 283, "timer_create": 222},
    "aarch64": {"signalfd4": 74, "timerfd_create": 85, "timer_create": 107},
}
MONOTONIC = 1


def attack() -> str:
    call = ctypes.CDLL(None, use_errno=True).syscall
    numbers = CALLS.get(os.uname().machine, {})
    mask, made = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
    arguments = {
        "signalfd4": (-1, mask, 8, 0),
        "timerfd_create": (MONOTONIC, 0),
        "timer_create": (MONOTONIC, None, made),
    }
    had = [name for name, number in numbers.items() if call(number, *arguments[name]) >= 0]
    return ", ".join(had)


spy(attack)
