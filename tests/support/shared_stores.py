"""Machines of a ladder whose records and bots are in a store that they share."""

from pathlib import Path

from ladder.files.object_store import ObjectStore, note


def machine(tmp_path: Path, name: str) -> Path:
    """The folder of files of a machine; the store is `store`, beside it."""
    url = f"file://{tmp_path}/store"
    ObjectStore(url).claim("it")
    note(tmp_path / name, url)
    return tmp_path / name
