"""Leaves 100 files of a GiB each that are nothing but holes: copies of them would be full."""

import os

for number in range(100):
    file = os.open(f"s{number}", os.O_RDWR | os.O_CREAT)
    os.ftruncate(file, (1 << 30) - 1)
    os.close(file)
