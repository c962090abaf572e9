"""Fills files that it has unlinked: no look at its folder sees them.

Without a bound it had 3 GiB of the disk, which is where it stops by itself.
"""

import os

made, held = 0, []
try:
    while made < 3072:
        held.append(os.open("x", os.O_RDWR | os.O_CREAT))
        os.unlink("x")
        for _ in range(256):
            os.write(held[-1], b"\1" * (1 << 20))
            made += 1
except OSError as error:
    print(error)
print("figure:", made)
raise SystemExit(3)
