"""At tables of three and more a fault gives neither the bot nor its friend anything."""

from collections.abc import Callable, Iterator

import pytest

from support.fault_effects import Effect, faulter, friend, pays


@pytest.mark.slow
@pytest.mark.parametrize("kind", [faulter, friend])
def test_a_fault_pays_neither_the_bot_nor_its_friend(
    kind: Callable[[int], Iterator[Effect]],
) -> None:
    """Against an honest twin, with the same cards: in a few fields."""
    assert [effect.text() for effect in kind(3) if pays(effect)] == []


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("kind", [faulter, friend])
def test_nor_does_it_in_many_fields(kind: Callable[[int], Iterator[Effect]]) -> None:
    """In as many as tell a gain of two Elo."""
    assert [effect.text() for effect in kind(40) if pays(effect)] == []
