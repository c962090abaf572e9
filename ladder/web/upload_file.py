"""What the file of an upload is called where it is kept, and where it is tried."""

import shutil
from pathlib import Path
from typing import Final

from ladder.core.names import fitted

_LONGEST_ENDING: Final = 8


def plain_name(file: str) -> str:
    """Return the name of a file without folders, and without what no name of a bot may have."""
    last = file.replace("\\", "/").rpartition("/")[2]
    stem, _, ending = last.rpartition(".")
    kept = fitted(ending)[:_LONGEST_ENDING] if stem else ""
    name = fitted(stem or last).lstrip(".") or "bot"
    return f"{name}.{kept}" if kept.strip(".") else name


def laid_out(name: str, file: Path, folder: Path) -> Path:
    """Put an upload into a new folder under the name that its author gave it; return that path."""
    folder.mkdir()
    path = folder / name
    shutil.copyfile(file, path)
    path.chmod(0o755)
    return path
