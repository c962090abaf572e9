"""The epochs of a sealed ladder as JSON."""

from msgspec import Struct

from ladder.store.store import Store


class EpochJson(Struct, frozen=True, kw_only=True):
    """An epoch of a sealed ladder.

    Attributes:
        commitment: to its secret.
        beacon: whose value, of which moment; `value` is what was published, null before.
        secret: null before it is told.
        draws: how many were taken; null where its secret was lost, as in an import.
        sealed_ms: when that was, in milliseconds since 1970; the others are null before.
    """

    epoch: int
    commitment: str
    beacon: str
    value: str | None
    secret: str | None
    draws: int | None
    sealed_ms: int
    begun_ms: int | None
    revealed_ms: int | None


class EpochsJson(Struct, frozen=True):
    """What `referee ladder epoch --json` prints, and a page of the site: all epochs, by number."""

    ladder: str
    epochs: tuple[EpochJson, ...]


def epochs_of(store: Store) -> EpochsJson:
    """Return all epochs of a ladder, by number."""
    draws = store.epochs.draws()
    found = tuple(
        EpochJson(
            epoch=number,
            commitment=one.sealed.commitment,
            beacon=one.sealed.beacon,
            value=None if one.begun is None else one.begun.beacon,
            secret=None if one.revealed is None else one.revealed.secret,
            draws=draws.get(number),
            sealed_ms=one.sealed.at_ms,
            begun_ms=None if one.begun is None else one.begun.at_ms,
            revealed_ms=None if one.revealed is None else one.revealed.at_ms,
        )
        for number, one in store.refresh().epochs.items()
    )
    return EpochsJson(store.opened.ladder, found)
