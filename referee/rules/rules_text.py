"""The rules as played, in words: rows of (point, rule, source) from the numbers of a layout."""

from collections.abc import Mapping
from typing import Final

from referee.rules.layout import FirstLead, Follow, Layout, Trump

Rows = tuple[tuple[str, str, str], ...]

_DEALT: Final = {
    Trump.TURN_UP: "then one is turned up: its suit is trump, and the talon lies on it",
    Trump.NONE: "the rest is the talon; there is no trump",
    Trump.EXPOSED: "all of them; the dealer shows the last one, its suit is trump",
    Trump.CALLED: "that is all of them",
}
_FOLLOW: Final = {
    Follow.FREE: "any card of the hand: no duty to follow, to trump or to beat",
    Follow.MUST: "the suit led must be followed; who cannot may play any card",
    Follow.AFTER_STOCK: "any card; the suit led must be followed once the talon is empty",
    Follow.AFTER_STOCK_TRUMP_LED: "any card; trump led must be followed once the talon is empty",
}


def shared_rows(
    layout: Layout,
    source: str,
    counts: tuple[int, ...],
    sources: Mapping[str, str],
    before_play: Rows = (),
) -> Rows:
    """What there is to say of every game; for several numbers of seats, of the first.

    Args:
        layout: its numbers.
        source: where its rules come from.
        counts: how many can play.
        sources: where some of them come from instead, by point.
        before_play: what happens between the deal and the first lead.
    """
    dealt = (*_cards(layout, source, counts), *before_play)
    rows = (*dealt, *_play(layout, source))
    return tuple((point, text, sources.get(point, origin)) for point, text, origin in rows)


def _cards(layout: Layout, source: str, counts: tuple[int, ...]) -> Rows:
    """Who plays with what, up to the deal."""
    profile = layout.profile
    worth = ", ".join(f"{rank} {points}" for rank, points in profile.points.items())
    packet = f", {layout.packet} at a time" if layout.packet > 1 else ", one at a time"
    return (
        ("players", _players(layout, counts), source),
        ("pack", _pack(layout, counts), source),
        ("ranks", f"{' '.join(profile.order)}, highest first ({profile.title})", "SPEC 11.1"),
        ("card points", worth, "SPEC 11.1"),
        ("deal", f"{layout.hand} cards each{packet}; {_DEALT[layout.trump]}", source),
    )


def _play(layout: Layout, source: str) -> Rows:
    """The tricks, up to the next deal."""
    left = "left" if layout.first_lead is FirstLead.CUTTER else "right"
    each = "" if layout.cards_each == 1 else f", {layout.cards_each} cards each in turn"
    trick = "the highest trump, else the highest card of the suit led"
    if layout.trump is Trump.NONE:
        trick = "the highest card of the suit led"
    passes = "the dealer's right, after a void deal too"
    return (
        ("lead", f"the dealer's {left} leads first, then whoever won the last trick", source),
        ("play", _FOLLOW[layout.follow] + each, source),
        ("trick", trick, "sbiro.eu, Wikipedia: Bisca"),
        *_drawing(layout, source),
        ("next dealer", passes, f"{source}; void: this project"),
    )


def _players(layout: Layout, counts: tuple[int, ...]) -> str:
    if layout.trump is Trump.CALLED:
        return f"{layout.seats}: the caller and a hidden partner against the others"
    if len(counts) > 1:
        return " or ".join(map(str, counts)) + "; what follows is for " + str(counts[0])
    if len(layout.sides) == layout.seats:
        return f"{layout.seats}: every seat for itself"
    sides = " and ".join(str(list(side)) for side in layout.sides)
    return f"{layout.seats}: {len(layout.sides)} sides, seats {sides}"


def _pack(layout: Layout, counts: tuple[int, ...]) -> str:
    gone = len(layout.profile.order) * 4 * layout.packs - len(layout.pack)
    text = f"{len(layout.pack)} cards"
    text += {0: "", 1: ": one two is left out"}.get(gone, ": the twos are left out")
    if 3 in counts and len(counts) > 1:
        text += "; one two less for 3"
    if 8 in counts:
        text += "; two packs for 6 (without the twos of one suit) and 8"
    return text


def _drawing(layout: Layout, source: str) -> Rows:
    if layout.trump in (Trump.EXPOSED, Trump.CALLED):
        return ()
    cards = "one card" if layout.cards_each == 1 else f"{layout.cards_each} cards"
    last = "; the turn-up comes last" if layout.trump is Trump.TURN_UP else ""
    return (("draw", f"after a trick {cards} each in turn, its winner first{last}", source),)
