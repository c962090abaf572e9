"""What an author starts from: a folder with a bot, in one of a dozen languages.

A kit is a folder of `sample_bots/kits`; in its files the word `my-bot` stands for the bot's name.
"""

import os
import re
import secrets
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from referee.bots.find import SAMPLES
from referee.errors import RefereeError

KITS: Final = SAMPLES / "kits"

TESTS: Final[Mapping[str, str]] = {
    "python": "python3 -m unittest",
    "c": "gcc -Wall -Wextra -o test test.c choose.c && ./test",
    "cpp": "g++ -std=c++17 -Wall -Wextra -o test test.cpp choose.cpp && ./test",
    "rust": "rustc --edition 2021 --test -o test bot.rs && ./test",
    "go": "go test",
    "java": "javac -d out DecisionTest.java && java -cp out DecisionTest",
    "javascript": "node --test",
    "ruby": "ruby test_choose.rb",
    "lua": "lua5.4 test.lua",
    "csharp": "mcs -out:bot.exe *.cs && mono bot.exe test",
    "perl": "perl decision.t",
    "shell": "sh test.sh",
}
"""By language, what runs the test of the decision; a shell runs it in the bot's folder."""

_PLACE: Final = b"my-bot"
_NAME: Final = re.compile(r"(?!-|\.\.?$)[A-Za-z0-9_.-]{1,32}", re.ASCII)


def kit_files(language: str, name: str) -> dict[str, bytes]:
    """Return what is in a new bot's folder, by file name.

    Raises:
        RefereeError: there is no kit in this language, or this is no name for a bot.
    """
    if language not in TESTS:
        raise RefereeError(f"no kit in {language!r}; there are {', '.join(TESTS)}")
    if not _NAME.fullmatch(name):
        raise RefereeError(
            f"name {name!r}: it must be 1 to 32 of A-Z a-z 0-9 _ . - and not begin with -"
        )
    paths = sorted(path for path in (KITS / language).iterdir() if path.is_file())
    return {path.name: path.read_bytes().replace(_PLACE, name.encode()) for path in paths}


def write_kit(files: Mapping[str, bytes], folder: Path) -> None:
    """Make a folder that is there with all its files or not at all.

    Raises:
        RefereeError: there is something of that name, or it cannot be made there.
        OSError: the disk is full, and the like.
    """
    unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        unfinished.mkdir()
        for name, text in files.items():
            (unfinished / name).write_bytes(text)
        folder.mkdir()  # fails where there is something; an empty folder can be replaced
        os.rename(unfinished, folder)
    except FileExistsError as error:
        raise RefereeError(f"there is already something at {str(folder)!r}") from error
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise RefereeError(f"cannot make {str(folder)!r}: {error.strerror}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def next_commands(language: str, folder: Path) -> tuple[str, ...]:
    """Return what an author types next: the test, a check, a match."""
    where = shlex.quote(str(folder))
    return (
        f"(cd {where} && {TESTS[language]})",
        f"referee check {where}",
        f"referee match {where} sample:greedy",
    )
