"""referee.match.leg_state: from deal to deal, with faults; what the cards say is given."""

from referee.games import find
from referee.match.leg_state import LegState
from referee.match.verdict import OnFault
from referee.rules.deal_scoring import SCORINGS, DealOutcome, tally
from referee.rules.game import Tally
from referee.rules.match_end import Reason
from support.drive import leg_plan


def course(
    game: str,
    seating: tuple[int, ...],
    *,
    decks: int | None = None,
    on_fault: OnFault | None = None,
    **options: str,
) -> LegState:
    rules, _ = find(game).rules_of(options)
    return LegState(leg_plan(rules, seating, decks=decks, on_fault=on_fault))


def cards(one: LegState, *points: int, scoring: str = "one") -> Tally:
    """What the cards say when the sides took these points."""
    outcome = DealOutcome(points, (0,) * len(points))
    return tally(outcome, one.game.partners, SCORINGS[scoring])


def test_the_bot_at_fault_scores_the_least_and_everybody_else_what_the_cards_say() -> None:
    """Its partner too: a bot must not be able to save a friend from a lost deal."""
    four = course("briscola-4", (0, 1, 2, 3), decks=4)

    assert four.close(cards(four, 50, 70), {0}).values == (-120, 20, -20, 20)
    assert four.close(cards(four, 80, 40), {0}).values == (-120, -40, 40, -40)


def test_partners_who_were_both_charged_have_not_won() -> None:
    """Whose side the cards favour wins, but without those that deals were charged to."""
    four = course("briscola-4", (0, 1, 2, 3), decks=3)
    four.close(cards(four, 30, 90), {0})
    four.close(cards(four, 20, 100), {2})
    four.close(cards(four, 120, 0), ())
    assert four.over is not None
    assert four.over.winner == (1, 3)

    four = course("briscola-4", (0, 1, 2, 3), decks=3)
    four.close(cards(four, 60, 60), {0})
    four.close(cards(four, 60, 60), {2})
    four.close(cards(four, 61, 59), ())
    assert four.over is not None
    assert four.over.winner is None


def test_a_bot_that_holds_a_side_counts_by_its_own_figures() -> None:
    """Two bots at a table of four are like two at a table of two."""
    two = course("briscola-4", (0, 1, 0, 1), decks=2, on_fault=OnFault.PLAY_ON)
    two.close(cards(two, 60, 60), {1, 3})
    two.close(cards(two, 30, 90), ())

    assert two.scores() == (-60, -60)
    assert two.over is not None
    assert two.over.winner is None


def test_end_match_ends_it_for_the_other_side() -> None:
    """Unless the match was over by itself with that deal."""
    two = course("briscola-2", (0, 1), decks=5, on_fault=OnFault.END_MATCH)
    assert two.fault(0, again=False)
    two.close(cards(two, 0, 120), {0})

    assert two.over is not None
    assert (two.over.winner, two.over.reason) == ((1,), Reason.FAULT)

    last = course("briscola-2", (0, 1), decks=1, on_fault=OnFault.END_MATCH)
    last.close(cards(last, 0, 120), {0})
    assert last.over is not None
    assert (last.over.winner, last.over.reason) == ((1,), Reason.DEALS)


def test_a_benched_bot_has_lost_a_match_to_its_own_end() -> None:
    """After three faults nobody plays on for a match that it cannot win."""
    two = course("briscola-2", (0, 1), match="first-to:9")
    for _ in range(3):
        assert two.over is None
        two.fault(0, again=False)
        two.close(cards(two, 0, 120), {0})

    assert two.over is not None
    assert (two.over.winner, two.over.reason) == ((1,), Reason.FAULT)


def test_at_larger_tables_faults_do_not_stop_a_match() -> None:
    """Or a bot would commit them while its friend is ahead; the others play for it to the end."""
    three = course("biscambiggia-3", (0, 1, 2))
    for points in ((30, 50, 40), (20, 60, 40), (30, 40, 50)):
        three.fault(0, again=False)
        three.close(cards(three, *points), {0})
    goes_on = three.over is None
    three.close(cards(three, 30, 40, 50), {0})
    three.close(cards(three, 30, 40, 50), {0})

    assert goes_on
    assert three.over is not None
    assert (three.over.winner, three.over.reason) == ((2,), Reason.TARGET)


def test_a_bot_that_plays_no_more_does_not_win_by_what_it_had() -> None:
    """At the end of so many deals the best of the others has won."""
    four = course("briscola-chiamata-points", (0, 1, 2, 3, 4), match="deals:4")
    level, none = (0,) * 5, Tally((0,) * 5, (0, 3, 1, 0, 0), (0, 3, 1, 0, 0))
    four.close(Tally(level, (99, 0, 0, 0, 0), (99, 0, 0, 0, 0)), ())
    for _ in range(3):
        assert four.over is None
        four.fault(0, again=False)
        four.close(none, {0})

    assert four.scores()[0] > four.scores()[1]
    assert four.over is not None
    assert (four.over.winner, four.over.reason) == ((1,), Reason.FAULT)


def test_a_match_stops_when_one_side_is_left_to_play_for_it() -> None:
    """Two of three play no more: the third has won."""
    three = course("biscambiggia-3", (0, 1, 2), match="first-to:9")
    for _ in range(3):
        assert three.over is None
        three.fault(0, again=False)
        three.fault(1, again=False)
        three.close(cards(three, 50, 40, 30), {0, 1})

    assert three.over is not None
    assert (three.over.winner, three.over.reason) == ((2,), Reason.FAULT)


def test_of_two_who_go_on_without_the_third_none_may_have_been_benched() -> None:
    """What they would go on for is lost for the one; the other has won."""
    three = course("briscola-3", (0, 1, 2), deal_scoring="three_hand_40", target="4")
    for _ in range(4):
        three.close(cards(three, 50, 50, 20, scoring="three_hand_40"), ())
    assert three.places == (0, 1)

    three = course("briscola-3", (0, 1, 2), deal_scoring="three_hand_40", target="4")
    three.faults[0] = 3
    for _ in range(4):
        assert three.over is None
        three.close(cards(three, 50, 50, 20, scoring="three_hand_40"), ())
    assert three.over is not None
    assert (three.over.winner, three.over.reason) == ((1,), Reason.FAULT)


def test_several_processes_of_a_bot_are_one_fault_a_deal() -> None:
    """A side of three that does not start has one fault, not three."""
    six = course("briscola-6", (0, 1, 0, 1, 0, 1), decks=9)
    for place in (0, 2, 4):
        six.fault(place, again=place > 0)
    assert six.faults == [1, 0]
    assert six.benched() == ()


def test_a_tie_on_the_last_deal_of_all_is_drawn_not_played_on() -> None:
    """The cap of 50 deals comes before a drop-out."""
    three = course("briscola-3", (0, 1, 2), deal_scoring="three_hand_40", target="50")
    for _ in range(50):
        assert three.over is None
        three.close(cards(three, 50, 50, 20, scoring="three_hand_40"), ())

    assert three.over is not None
    assert (three.over.winner, three.over.reason) == (None, Reason.CAP)


def test_a_deal_won_by_the_bot_at_fault_is_not_void() -> None:
    """With void_keeps_dealer the deal still passes: the cards were not level."""
    three = course("biscambiggia-3", (0, 1, 2), void_keeps_dealer="true")
    three.close(cards(three, 80, 20, 20), {0})
    assert three.dealer == 1
    three.close(cards(three, 40, 40, 40), ())
    assert three.dealer == 1


def test_all_who_are_level_after_an_auction_have_won_together() -> None:
    """Tokens are shared; whoever paid a fault is below."""
    five = course("auction-biscambiggia", (0, 1, 2, 3, 4), decks=1)
    five.close(Tally((0,) * 5, (1, -2, 1, -1, 1), (1, -2, 1, -1, 1)), {4})
    assert five.over is not None
    assert five.over.winner == (0, 2)


def test_the_caller_of_a_bot_at_fault_loses_what_the_cards_say() -> None:
    """A hidden partner cannot take back a call that goes wrong."""
    five = course("briscola-chiamata-points", (0, 1, 2, 3, 4), decks=1)
    brought = Tally((0,) * 5, (1, -2, 1, -1, 1), (1, -2, 1, -1, 1))

    assert five.close(brought, {3}).scores == (1, -2, 1, -8, 1)


def test_an_auction_that_all_pass_is_not_one_of_the_deals() -> None:
    """A match of sixty deals is decided after sixty that were played, not drawn at the sixtieth."""
    five = course("briscola-chiamata-points", (0, 1, 2, 3, 4), match="deals:60")
    void = Tally((0,) * 5, (0,) * 5, (0,) * 5, counted=False)
    won = Tally((0,) * 5, (1, -2, 1, -1, 1), (1, -2, 1, -1, 1))
    ends = []
    for brought in (void, *[won] * 60):
        five.close(brought, ())
        ends.append(five.over and (five.over.winner, five.over.reason))
    assert ends == [*[None] * 60, ((0, 2, 4), Reason.DEALS)]


def test_a_void_deal_makes_the_next_one_count_for_more() -> None:
    """Twice after all have passed; one more for each drawn sueca; not where decks stand alone."""
    void = Tally((0,) * 5, (0,) * 5, (0,) * 5, counted=False)
    won = Tally((0,) * 5, (1, -2, 1, -1, 1), (1, -2, 1, -1, 1))
    five = course("briscola-chiamata-rank", (0, 1, 2, 3, 4), all_pass="redeal_next_double")  # noqa: S106  # no password
    five.close(void, ())
    assert five.worth.times == 2
    five.close(void, ())
    assert five.close(won, ()).scores == (2, -4, 2, -2, 2)
    assert five.worth.times == 1

    four = course("sueca", (0, 1, 2, 3), sueca_tie_bonus="next_plus_one")
    level = Tally((60,) * 4, (0,) * 4, (0,) * 4)
    four.close(level, ())
    four.close(level, ())
    assert four.close(Tally((70, 50) * 2, (1, 0) * 2, (20, -20) * 2), ()).scores == (3, 0, 3, 0)

    alone = course("sueca", (0, 1, 2, 3), decks=3, sueca_tie_bonus="next_plus_one")
    alone.close(level, ())
    assert alone.worth.plus == 0
