# story: leaves a message in the kernel's keyrings
# row: escape: keyrings
# expect: plays
# not-bare: bare forbids no system call
from hostile.honest import first_that_works, spy
from hostile.kernel import call

SESSION, USER = -3, -4


def attack() -> str:
    return first_that_works(
        {
            "session keyring": lambda: call("keyctl", 0, SESSION, 1),
            "user keyring": lambda: call("keyctl", 0, USER, 1),
            "a key": lambda: call("add_key", b"user", b"hostile", b"x", 1, USER),
        }
    )


spy(attack)
