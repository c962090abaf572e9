"""A program: the process of a person at a table. It passes lines on, to a socket and from there.

It is started like a bot, with the path of a socket. It imports little, so that it is there at once.
"""

import os
import select
import socket
import sys

_READ = 65536


def main(path: str) -> None:
    """Pass on what comes, until one of the ends is closed."""
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(path)
        to = {0: other.fileno(), other.fileno(): 1}
        while True:
            for source in select.select(list(to), [], [])[0]:
                data = os.read(source, _READ)
                if not data:
                    return
                while data:
                    data = data[os.write(to[source], data) :]


if __name__ == "__main__":
    main(sys.argv[1])
