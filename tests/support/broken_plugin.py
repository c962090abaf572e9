"""A plug-in of pytest that has one wall broken, as BROKEN_WALL says: the setting, |, its name."""

import os

import pytest

from support.broken_settings import SETTINGS


def pytest_configure() -> None:
    """Break it, until the process ends."""
    word, _, name = os.environ["BROKEN_WALL"].partition("|")
    setting = SETTINGS[word]
    for wall in setting.group(setting.wall(name)):
        wall.breaks(pytest.MonkeyPatch())
