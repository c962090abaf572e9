"""The slowest acts of a match are found, faults among them."""

import sys
from pathlib import Path

import pytest

from referee.bots.find import BotSpec
from referee.match.lines import ActLine
from referee.match.verdict import Verdict
from referee.record.slowest import slowest_acts
from support.matches import lines_of, match

SLOW = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"slow"}', flush=True)
    elif message["type"] == "act":
        tricks = len(message["view"]["tricks"])
        time.sleep({3: 0.02, 4: 0.01, 5: 0.015, 6: 10}.get(tricks, 0))
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@pytest.mark.slow
async def test_the_slowest_are_named_and_the_slowest_of_all_is_first(tmp_path: Path) -> None:
    """A late one took as long as it might; acts that are counted are those of the record."""
    path = tmp_path / "record"
    slow = BotSpec("slow", (sys.executable, "-S", "-c", SLOW), "/", "0" * 64, "slow")
    time = "move=200ms,bank=0s,soft=0ms"
    result = await match(path, "briscola-2", "sample:first-perl", slow, deals=1, time=time)
    found = slowest_acts(path)
    lines = lines_of(path)
    late = next(line for line in lines if isinstance(line, Verdict)).evidence.receipt
    acts = [line for line in lines if isinstance(line, ActLine)]

    assert late is not None
    assert [one.us for one in found] == sorted((one.us for one in found), reverse=True)
    assert (found[0].us, found[0].act, found[0].bot) == (late.complete, len(acts), 1)
    assert len(found) == 3
    assert all(acts[one.act].us.complete == one.us for one in found[1:])
    assert result.match.used_us[1] > late.complete


def test_what_is_no_record_has_none(tmp_path: Path) -> None:
    """The report of a match does not fail for it."""
    (tmp_path / "x").write_text("nothing\n")
    assert slowest_acts(tmp_path / "x") == ()
