"""Options that make no sense are refused before the match, with one line that says why."""

import pytest

from referee.cli import run

TWO, THREE, FOUR, FIVE = ("sample:first " * bots for bots in (2, 3, 4, 5))
SENSELESS: list[tuple[str, str, list[str], str]] = [
    ("briscola-6", TWO, ["exchange_two=first_trick"], "the pack of 6 players has no twos"),
    ("bisca-tres", THREE, ["teams=pairs"], "teams=pairs: 3 seats play for themselves"),
    ("bisca-tres", FIVE, [], "bisca-tres wants 2, 3, 4, 6 or 8 bots; got 5"),
    ("bisca-tres", TWO, ["seats=5"], "option seats=5: it can be 2, 3, 4, 6, 8"),
    ("bisca-tres", THREE, ["seats=4"], "bisca-tres wants 4 bots, or 2: one a side; got 3"),
    ("bisca-sete", TWO, ["equal_cards=last_wins"], "one pack has no equal cards"),
    ("bisca-sete", TWO, ["removed_two=H"], "no single two leaves the pack here"),
    ("bisca-sete", FOUR, ["teams=solo", "signals=on"], "signals=on: nobody has a partner here"),
    ("bisca-tres", TWO, ["bisca_scale=82_all"], "bisca_scale=82_all: it can be flat, 91_120"),
    ("bisca-tres", TWO, ["seats=6", "removed_two=random"], "there is no single two to leave out"),
    (
        "briscola-2",
        TWO,
        ["rank_profile=pt7", "exchange_seven=while_turnup"],
        "exchange_seven=while_turnup: the seven is worth 10 points in pt7",
    ),
    (
        "brisca-2",
        TWO,
        ["rank_profile=pt10", "exchange_seven=while_turnup"],
        "rank_profile=pt10 has no sevens",
    ),
    ("briscola-2", TWO, ["team_view=both"], "briscola-2 has no option 'team_view'"),
    ("briscola-scoperta", THREE, ["deal_scoring=pennycook"], "it is not for 3 sides"),
    ("sueca", FOUR, ["rank_profile=es48"], "option rank_profile=es48: it can be pt7,"),
    ("sueca", FOUR, ["follow=free"], "sueca has no option 'follow'"),
    ("sueca-italiana", FIVE, ["bid_min=90", "bid_max=80"], "bid_max=80: nobody can raise"),
    ("sueca-italiana", FIVE, ["bid_min=60"], "bid_min=60: at least 61 are pledged"),
    ("sueca-italiana", FIVE, ["bid_step=60"], "bid_step=60, bid_max=120: nobody can raise"),
    ("briscola-chiamata-mixed", FIVE, ["bid_min=61"], "bid_min=61: at least 62 are pledged"),
    ("briscolone", TWO, ["target=6001"], "match=points:6001: 50 deals cannot bring that much"),
    ("sueca-italiana", FIVE, ["bid_max=121"], "a deal has 120 points"),
    ("briscola-chiamata-rank", TWO, [], "briscola-chiamata-rank wants 5 bots; got 2"),
    (
        "briscola-chiamata-rank",
        FIVE,
        ["blind_first_trick=only_if_bid_ge_62"],
        "option blind_first_trick=only_if_bid_ge_62: it can be off, on",
    ),
    ("briscola-chiamata-mixed", FIVE, ["target=500"], "match=points:500: 50 deals cannot bring"),
]


@pytest.mark.parametrize(("game", "bots", "options", "said"), SENSELESS)
def test_senseless_options_are_refused(
    game: str, bots: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr, exit code 2, nothing on stdout."""
    chosen = [f"-o{option}" for option in options]
    assert run(["match", *bots.split(), "--game", game, *chosen]) == 2
    out, err = capsys.readouterr()

    assert out == ""
    assert err.count("\n") == 1
    assert said in err
