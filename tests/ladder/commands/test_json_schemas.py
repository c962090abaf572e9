"""What the commands of a ladder print with `--json` is what the schemas say."""

from pathlib import Path

import pytest
from commands.test_json_schemas import fits, printed

from support import ladders

pytestmark = pytest.mark.slow


def test_what_the_commands_of_a_ladder_print_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a ladder with two matches, one of which has faults."""
    where = ["--ladder", str(tmp_path / "it")]
    with ladders.made(tmp_path / "it") as store:
        store.settle(ladders.play_leased(store, (1, 2)))
        store.settle(ladders.play_leased(store, (2, 4), 1))
    export = ["ladder", "export", str(tmp_path / "it.zip"), *where]

    fits("ladder standings", printed(["ladder", "standings", *where], capsys))
    fits("ladder history", printed(["ladder", "history", "greedy", *where], capsys))
    for words in (["ladder", "bots"], ["ladder", "bots", "illegal"]):
        for bot in printed([*words, *where], capsys):
            fits("ladder bots", bot)
    for number in ("1", "2"):
        fits("ladder match", printed(["ladder", "match", number, *where], capsys))
    fits("ladder records", printed(["ladder", "records", *where], capsys))
    fits("ladder verify", printed(["ladder", "verify", *where], capsys))
    fits("ladder rebuild", printed(["ladder", "rebuild", *where], capsys))
    fits("ladder open", printed(["ladder", "open", *where], capsys))
    fits("ladder export", printed(export, capsys))
    fits("ladder backup", printed(["ladder", "backup", str(tmp_path / "copy"), *where], capsys))
    fits("ladder migrate", printed(["ladder", "migrate", *where], capsys))
    other = ["ladder", "import", str(tmp_path / "it.zip"), "--ladder", str(tmp_path / "other")]
    fits("ladder import", printed(other, capsys))
