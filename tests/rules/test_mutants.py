"""A law that no mutant breaks would prove nothing: each leak that is planted here is found."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.events import Bade, Called, Drew, Event, HandShown, Played, Signalled
from referee.games import find
from referee.rules.auction_game import AuctionGame, CalledState
from referee.rules.deal import DealState
from referee.rules.game import EventsBySeat, Game
from referee.rules.plain_game import PlainGame
from support.leaks import leak
from support.strategies import Chance

Mutation = Callable[[Any, Any, Any, EventsBySeat], EventsBySeat]
"""What is shown wrongly: game, state before and after an action, what is shown rightly."""


class _Mutant:
    """A game that shows too much."""

    def __init__(self, game: Game[Any], mutation: Mutation) -> None:
        self._game, self._mutation = game, mutation

    def __getattr__(self, name: str) -> Any:  # whatever is not mutated
        return getattr(self._game, name)

    def deal(self, deck: Any, dealer: int) -> tuple[Any, EventsBySeat]:
        state, shown = self._game.deal(deck, dealer)
        return state, self._mutation(self, None, state, shown)

    def apply(self, state: Any, action: str) -> EventsBySeat:
        before = self._game.copy(state)
        return self._mutation(self, before, state, self._game.apply(state, action))


def _each(shown: EventsBySeat, change: Callable[[int, Event], Event]) -> EventsBySeat:
    return tuple(
        tuple(change(seat, event) for event in events) for seat, events in enumerate(shown)
    )


def shows_draws(_: Any, __: Any, ___: Any, shown: EventsBySeat) -> EventsBySeat:
    """Everybody sees what everybody draws."""
    drawn = {
        event.seat: event
        for events in shown
        for event in events
        if isinstance(event, Drew) and event.card
    }
    return _each(shown, lambda _, event: drawn[event.seat] if isinstance(event, Drew) else event)


def shows_next_card(
    _: Any, before: DealState | None, after: DealState, shown: EventsBySeat
) -> EventsBySeat:
    """Who played the card tells, with a strange word, whether an ace is drawn next."""
    if before is None or not after.talon or after.talon[0][0] != "A":
        return shown
    return _each(shown, lambda _, event: _marked(event))


def _marked(event: Event) -> Event:
    return replace(event, by="") if isinstance(event, Played | Bade | Called) else event


def tells_of_aces(game: Any, _: Any, after: DealState, shown: EventsBySeat) -> EventsBySeat:
    """One bit, whether the next seat holds an ace."""
    aces = [any(card[0] == "A" for card in hand) for hand in after.hands]
    return _each(
        shown, lambda seat, event: _marked(event) if aces[(seat + 1) % game.seats] else event
    )


def deals_openly(_: Any, before: Any, ___: Any, shown: EventsBySeat) -> EventsBySeat:
    """With the cards come those of the first seat."""
    return shown if before else tuple((*shown[0], *events) for events in shown)


def shows_partners_to_all(_: Any, __: Any, ___: Any, shown: EventsBySeat) -> EventsBySeat:
    """Hands that are shown to partners are shown to everybody."""
    open_hands = [event for events in shown for event in events if isinstance(event, HandShown)]
    return tuple((*events, *open_hands) for events in shown)


def tells_the_partner_to_the_caller(
    _: Any, __: Any, after: CalledState, shown: EventsBySeat
) -> EventsBySeat:
    """With the call the caller is shown by one bit whether the partner sits to the right."""
    contract = after.contract
    if contract is None or not contract.partners:
        return shown
    right = contract.partners[0] == (contract.caller + 1) % 5
    return _each(
        shown,
        lambda seat, event: _marked(event) if right and seat == contract.caller else event,
    )


def tells_the_caller_to_all(
    _: Any, before: Any, after: CalledState, shown: EventsBySeat
) -> EventsBySeat:
    """Everybody is told who holds the called card, by the points of the first pledge."""
    contract = after.contract
    if before is None or before.contract is not None or contract is None:
        return shown
    partner = sum(contract.partners)
    return _each(
        shown,
        lambda _, event: (
            replace(event, pledge=event.pledge + partner) if isinstance(event, Called) else event
        ),
    )


def uncovers_twos(_: Any, __: Any, after: CalledState, shown: EventsBySeat) -> EventsBySeat:
    """A covered two is not covered."""
    if not after.play.trick:
        return shown
    true = after.play.trick[-1]
    return _each(
        shown,
        lambda _, event: (
            replace(event, card=true) if isinstance(event, Played) and event.card == "2" else event
        ),
    )


def points_to_the_partner(
    game: Any, before: Any, after: CalledState, shown: EventsBySeat
) -> EventsBySeat:
    """Points are given out by sides that nobody may know yet: whose they are tells."""
    contract = after.contract
    if contract is None or before is None or len(after.play.tricks) == len(before.play.tricks):
        return shown
    team = {contract.caller, *contract.partners}
    won = after.play.tricks[-1].winner in team
    return _each(shown, lambda _, event: _marked(event) if won else event)


MUTANTS: list[tuple[Mutation, str, dict[str, str]]] = [
    (shows_draws, "briscola-2", {}),
    (shows_draws, "bisca-sete", {"seats": "6"}),
    (shows_next_card, "briscolone", {}),
    (shows_next_card, "briscola-4", {}),
    (tells_of_aces, "mariagio", {}),
    (tells_of_aces, "sueca", {}),
    (deals_openly, "briscola-2", {}),
    (deals_openly, "briskula-dupla", {}),
    (shows_partners_to_all, "briscola-4", {"team_view": "before_first"}),
    (shows_partners_to_all, "briscola-6", {"team_view": "talon_empty"}),
    (tells_the_partner_to_the_caller, "auction-biscambiggia", {}),
    (tells_the_partner_to_the_caller, "sueca-italiana", {}),
    (tells_the_caller_to_all, "briscola-chiamata-rank", {}),
    (tells_the_caller_to_all, "briscola-chiamata-points", {}),
    (points_to_the_partner, "briscola-chiamata-mixed", {}),
    (uncovers_twos, "briscola-chiamata-points", {"blind_first_trick": "on"}),
]


@pytest.mark.parametrize(
    ("mutation", "game_id", "options"),
    MUTANTS,
    ids=[f"{mutation.__name__} {game_id}" for mutation, game_id, _ in MUTANTS],
)
def test_the_leak_law_catches(mutation: Mutation, game_id: str, options: dict[str, str]) -> None:
    """A planted leak is found within a few hundred deals."""
    game = find(game_id).rules_of(options)[0].game
    mutant: Any = _Mutant(game, mutation)
    dice = random.Random(1)
    for seed in range(400):
        deck = tuple(dice.sample(game.pack, len(game.pack)))
        chance = Chance(game_id, options, deck, seed % game.seats, dice.randrange(2**32))
        if leak(chance, mutant, seed):
            return
    pytest.fail("nobody noticed")


class _SortsLegal(PlainGame):
    """A mutant: the order of `legal` depends on the next seat's hand."""

    def legal(self, state: DealState) -> tuple[str, ...]:
        own = super().legal(state)
        other = state.hands[state.turn - 1]
        return own if not other or other[0] < own[0] else own[::-1]


class _CallsOnlyWhatOthersHold(AuctionGame):
    """A mutant: what the caller may call tells where a card is."""

    def legal(self, state: CalledState) -> tuple[str, ...]:
        legal = super().legal(state)
        return legal[:-1] if "AH" in state.play.hands[0] and len(legal) > 1 else legal


def test_the_leak_law_catches_what_legal_tells() -> None:
    """The order of `legal`, and what is left out of it, are seen by the bot too."""
    plain = find("briscola-2").rules_of({})[0].game
    called = find("auction-biscambiggia").rules_of({})[0].game
    assert isinstance(plain, PlainGame)
    assert isinstance(called, AuctionGame)
    sorts: Any = _SortsLegal(plain.layout)
    tells: Any = _CallsOnlyWhatOthersHold.__new__(_CallsOnlyWhatOthersHold)
    tells.__dict__.update(called.__dict__)
    for game_id, mutant in (("briscola-2", sorts), ("auction-biscambiggia", tells)):
        dice = random.Random(1)
        decks = [tuple(dice.sample(mutant.pack, len(mutant.pack))) for _ in range(200)]
        chances = [Chance(game_id, {}, deck, 0, dice.randrange(2**32)) for deck in decks]
        assert any(leak(chance, mutant, seed) for seed, chance in enumerate(chances)), game_id


def leaks_signals(game: Any, before: Any, after: DealState, shown: EventsBySeat) -> EventsBySeat:
    """Opponents are told that a signal was given."""
    given = [event for events in shown for event in events if isinstance(event, Signalled)]
    return tuple(events if events else (*events, *given[:1]) for events in shown)


@pytest.mark.parametrize("mutated", [False, True])
def test_another_signal_changes_nothing_for_opponents(mutated: bool) -> None:
    """Whether a partner signals, and what, is in no byte to the other side; a mutant shows it."""
    game: Any = find("briscola-4").rules_of({"signals": "on"})[0].game
    if mutated:
        game = _Mutant(game, leaks_signals)
    told = []
    for signal in (None, "signal ace", "signal load"):
        state, _ = game.deal(game.pack, 0)
        for _ in range(5):
            game.apply(state, game.legal(state)[0])
        seat = game.to_move(state)
        seen: list[tuple[Event, ...]] = []
        if signal is not None:
            shown = game.apply(state, signal)
            seen += [shown[(seat + 1) % 4], shown[(seat + 3) % 4]]
            assert shown[(seat + 2) % 4] == (Signalled(seat, signal.removeprefix("signal ")),)
        told.append([events for events in seen if events])

    assert (told == [[], [], []]) is not mutated
