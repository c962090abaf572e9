"""Makes empty files as fast as it can: they are no bytes, and the kernel's memory all the same.

Where only a look at the folder bounded it, it came to 70,000 before the look was done.
"""

import os

made = 0
try:
    while made < 1_000_000:
        if made % 1000 == 0:
            os.mkdir(f"d{made}")
        os.close(os.open(f"d{made // 1000 * 1000}/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
        if made % 1000 == 0:
            print("figure:", made, flush=True)
except OSError as error:
    print(error)
raise SystemExit(3)
