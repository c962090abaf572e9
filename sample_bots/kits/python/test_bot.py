"""What `choose` does in positions of SPEC.md, given as the referee gives them.

Run: python3 -m unittest
"""

import json
import unittest

from bot import choose
from client import Bid, Deal, Pass, Play, TurnedUp, read_act, read_action, read_deal

ACT = """{"type":"act","id":"89fad77366c20356","view":{"phase":"play","seat":0,"dealer":0,
"hand":["5C","QS","KD"],"trump":"H","turn_up":"6H","talon":32,"leader":1,"trick":["JD"],
"points":[0,11],"leaders":[1],"tricks":[["4H","AD"]]},"legal":["5C","QS","KD"],"events":[],
"time":{"move_ms":1000,"bank_ms":10000,"strikes":3}}"""
FIRST: dict[str, object] = {"hand": ["AD", "5C", "QS"], "trick": ["4H"]}
FIVE = ["6S", "3H", "KH", "7D", "6D", "3C", "KC", "7S"]
AUCTION: dict[str, object] = {
    "phase": "auction",
    "hand": FIVE,
    "trump": None,
    "trick": [],
    "auction": [[1, "bid A"], [2, "bid K"], [3, "pass"], [4, "bid 7"]],
}
AFTER_IT: dict[str, object] = {
    **AUCTION,
    "phase": "play",
    "trump": "S",
    "trick": ["4H", "2S", "KD", "JH"],
}


def rules(profile: str) -> Deal:
    """What `deal` says, as far as it matters here."""
    deal = {"deal": 1, "seats": [0, 1], "seat": 0, "dealer": 0, "game": "any", "scores": [0, 0]}
    return read_deal({**deal, "options": {"rank_profile": profile}, "x_grease": 1})


def chosen(view: dict[str, object], legal: list[str], profile: str) -> str:
    """What the bot plays in the position of SPEC 3.4 with another view, and other actions."""
    message = json.loads(ACT)
    message["view"].update(view)
    return choose(read_act({**message, "legal": legal}, rules(profile)))


class Decision(unittest.TestCase):
    """What the bot plays."""

    def test_takes_a_trick_with_what_scores_most(self) -> None:
        """SPEC 3.4: the king beats the knave that was led."""
        self.assertEqual(chosen({}, ["5C", "QS", "KD"], "gen7"), "KD")

    def test_throws_what_is_cheapest_where_nothing_takes(self) -> None:
        """SPEC 4.2: a trump was led, and there is none in the hand."""
        self.assertEqual(chosen(FIRST, ["AD", "5C", "QS"], "gen7"), "5C")

    def test_spends_the_lowest_trump_on_points(self) -> None:
        """SPEC 11.6: a two of trumps lies highest, and the trick has six points."""
        self.assertEqual(chosen(AFTER_IT, FIVE, "it3"), "6S")

    def test_passes(self) -> None:
        """SPEC 11.6: an auction is not for this bot yet."""
        self.assertEqual(chosen(AUCTION, ["pass", "bid 6", "bid 5", "bid 4"], "it3"), "pass")


class Reading(unittest.TestCase):
    """What client.py makes of what the referee says."""

    def test_actions_are_types(self) -> None:
        """SPEC 3.4: each kind of action is a class."""
        self.assertEqual(read_action("7D"), Play("7D", "7D"))
        self.assertEqual(read_action("pass"), Pass("pass"))
        self.assertEqual(read_action("force 6 62"), Bid("force 6 62", "6", 62, force=True))

    def test_what_is_unknown_is_ignored(self) -> None:
        """SPEC 3.1: fields and events may be added."""
        message = json.loads(ACT)
        message["view"]["x_grease"] = [{}]
        message["events"] = [{"type": "x"}, {"type": "turn_up", "card": "6H", "x": 1}]
        self.assertEqual(read_act(message, rules("gen7")).events, [TurnedUp("6H")])


if __name__ == "__main__":
    unittest.main()
