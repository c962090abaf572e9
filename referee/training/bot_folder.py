"""A trained policy as a bot: a folder that `check`, `match` and a ladder take like any other."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.training import encoding as encoding_module
from referee.training.encoding import Encoding

_PROGRAM: Final = Path(__file__).with_name("bot_program.py")
_TOML: Final = """\
name = "{name}"
language = "Python"
command = "python3 bot.py"
"""


def write_bot(
    folder: Path,
    encoding: Encoding,
    policy: Path,
    *,
    files: Mapping[str, str] | None = None,
) -> None:
    """Write a bot that plays a policy; it needs Python where it runs, and what the policy imports.

    Args:
        folder: is made; its name is the bot's.
        encoding: of the game that the policy was trained in.
        policy: a Python file with a function `policy_of(folder, encoding)`, which returns the
            policy: takes an observation and an action mask as sequences of small integers, and
            returns the number of a legal action.
        files: the text of more files, such as the weights, by their names in the folder.

    Raises:
        RefereeError: the folder is there already, or a file is not to be had.
    """
    if folder.exists():
        raise RefereeError(f"{folder} is there already")
    parts = {
        "bot.py": _PROGRAM,
        "encoding.py": Path(encoding_module.__file__),
        "policy.py": policy,
    }
    texts = {
        "encoding.json": json.dumps(encoding.facts()),
        "bot.toml": _TOML.format(name=folder.name),
        **(files or {}),
    }
    try:
        with tempfile.TemporaryDirectory(dir=folder.absolute().parent) as made:
            begun = Path(made) / folder.name
            begun.mkdir()
            for name, file in parts.items():
                shutil.copyfile(file, begun / name)
            for name, text in texts.items():
                (begun / name).write_text(text)
            begun.rename(folder)
    except OSError as error:
        raise RefereeError(f"{error.filename or folder}: {error.strerror}") from error
