"""The short way of an act in which nothing unusual happens, a fifth quicker than the long one.

The long way is `Leg.ask`, `Seat.ask_at_once` and `Match.answer`: it is the reference, and all that
is unusual goes it. Here is what those do for an act of a bot that listens, has not been stopped
and answers at once with one plain line, legal and in time; `tests/play/test_usual_act.py` holds
both to the same record.
"""

import time
from collections.abc import Mapping

from referee.match.leg import Ask
from referee.match.lines import ActLine
from referee.match.match import Match
from referee.match.verdict import Mishap, Verdict
from referee.play.evidence import STDERR_MOST, Heard
from referee.play.seat import PREEMPTED_US, Seat
from referee.sandbox.freezer_file import NO_FILE
from referee.signals import continued

Unusual = tuple[Ask, Heard | Verdict | Mishap | None]
"""A question that was asked, and what came of it; None: its answer has to be waited for."""


def play_usual(match: Match, seats: Mapping[int, Seat]) -> Unusual | None:
    """Play acts of the deal under way for as long as they are usual ones.

    Args:
        match: its leg has a deal that is open.
        seats: the bots that play, by place.

    Returns:
        An act in which something unusual has happened after it was asked; None: the next, if the
        deal is not over, has to go the long way, and nothing was said of it.

    Raises:
        HostError: the record cannot be written.
    """
    leg, write, used_us = match.leg, match.write, match.used_us
    deal, voices, seating = leg.deal, leg.voices, leg.plan.seating
    table, places, at_fault = deal.table, deal.places, deal.at_fault
    if not deal.start.played or deal.ended_by is not None:
        return None
    while (at := table.to_move) is not None:
        place = places[at]
        if place in at_fault:
            return None
        seat, voice, legal = seats[place], voices[place], table.legal
        off_turn, process = seat.off_turn, seat.process
        if seat.stderr.total > STDERR_MOST or off_turn.resting:
            return None
        freezer = process.freezer() if off_turn.freezes else NO_FILE
        is_stopped = freezer.descriptor >= 0
        cpu = off_turn.since_us if is_stopped else off_turn.end(time.perf_counter_ns())
        if off_turn.used_us or off_turn.charge:  # it is stopped, or ended, from now on
            return None
        view, news = table.view(at)
        id_, line = voice.ask(view, legal, news)
        seat.begin_act()
        before = continued[0]
        made = seat.exchange(line, id_, legal, freezer)
        _, _, seat.heard, sent, seat.held_us, came, talk, action = made
        if (
            action is None
            or (off_turn.freezes and not freezer.freeze)
            or came > voice.allowance_us
            or came >= PREEMPTED_US
            or continued[0] != before
            or not voice.connection.passes(seat.heard)
        ):
            if is_stopped and (action is None or not freezer.freeze):
                process.goes_on()
            ask = Ask(place, id_, line, voice.allowance_us, voice.connection, legal)
            return leg.asks(ask), seat.judge(ask, made, cpu)
        leg.last_asked, seat.said = place, line
        if talk:
            seat.stderr.feed(talk)
        receipt = seat.receipt(sent, came, came, cpu)
        write(ActLine(action, at, receipt))
        voice.charge(came)
        table.play(action)
        used_us[seating[place]] += came
    return None
