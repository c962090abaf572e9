"""client.py of the kit for Python has a type for everything that SPEC.md names."""

import dataclasses
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.bots.kits import KITS

SPEC = (Path(__file__).parents[2] / "SPEC.md").read_text()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:  # a module that is found by no import
    """The module, as a bot has it beside itself."""
    spec = importlib.util.spec_from_file_location("client_of_a_kit", KITS / "python" / "client.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def section(number: str) -> str:
    """The text of a section of SPEC.md."""
    found = re.search(rf"^### {re.escape(number)} .*?(?=^##)", SPEC, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


def test_a_view_has_every_key(client: Any) -> None:
    """All rows of SPEC 4.1 are fields, and no field is anything else."""
    rows = re.findall(r"^\| (`.*?) \|", section("4.1"), re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}

    assert {field.name for field in dataclasses.fields(client.View)} == keys


def test_every_event_is_read_whole(client: Any) -> None:
    """What SPEC 4.2 shows becomes an event of its own kind that has each of its fields."""
    shown = [json.loads(text) for text in re.findall(r"^\| `({.*?})` \|", section("4.2"), re.M)]
    events = client.read_events(shown)

    assert len(events) == len(shown) > 15
    assert len({type(event) for event in events}) == len({one["type"] for one in shown})
    for event, one in zip(events, shown, strict=True):
        values = dataclasses.asdict(event)
        assert {**one, "type": ""} == {"type": ""} | {
            key: values[key] for key in one if key != "type"
        }


def test_every_action_is_of_a_kind(client: Any) -> None:
    """What SPEC 3.4 shows becomes an action of a kind that has a name."""
    column = [row.split("|")[2] for row in section("3.4").splitlines() if row.count("|") == 4]
    shown = [text for cell in column for text in re.findall(r"`(.+?)`", cell)]
    actions = [client.read_action(text) for text in shown]

    assert {"7D", "exchange 7H", "bid 2 65", "force 6", "call AD 3D", "suit D"} < set(shown)
    assert [action.text for action in actions] == shown
    assert client.Action not in {type(action) for action in actions}


def test_a_bid_is_a_rank_points_or_both(client: Any) -> None:
    """Rank, points, and whether the rank is frozen."""
    bids = [client.read_action(text) for text in ("bid 62", "bid 3", "bid 2 65", "force 6 62")]

    assert [(bid.rank, bid.points, bid.force) for bid in bids] == [
        (None, 62, False),
        ("3", None, False),
        ("2", 65, False),
        ("6", 62, True),
    ]


def test_rows_of_a_view_have_names(client: Any) -> None:
    """What is a list in a list of the view is a value with names; what is unknown is left out."""
    message = json.loads(re.findall(r"^> ({.*})$", SPEC, re.M)[-1])
    view = client.read_view({**message["view"], "x": 1, "exchanges": [[1, "2H", "6H"]]})

    assert view.auction[0] == client.Bidden(seat=1, action="bid A")
    assert view.exchanges == [client.Exchanged(seat=1, gives="2H", takes="6H")]
    assert (view.caller, view.called, view.removed) == (1, ["4S"], [])


def test_what_a_bot_says_beside_its_action(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A note and an estimate go into the answer, and only if there are any."""
    message = json.loads(re.findall(r"^> ({.*})$", SPEC, re.M)[0])
    capsys.readouterr()
    client.answer(lambda act: client.Answer(act.legal[0], note="why", eval=-3), message, None)
    client.answer(lambda act: act.legal[0], message, None)
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    plain = {"id": message["id"], "action": "AD"}
    assert said == [{**plain, "note": "why", "eval": -3}, plain]
