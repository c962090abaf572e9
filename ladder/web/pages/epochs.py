"""The page of a sealed ladder's epochs: what its organiser has committed to, and told."""

from ladder.show.epoch_json import EpochsJson, epochs_of
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page


def _make(store: Store, asked: Asked) -> Content:
    value = epochs_of(store)
    sealed = "is sealed" if store.roster.is_sealed else "is not sealed"
    return Content(
        title="Epochs",
        description=f"{store.opened.name} {sealed}: who could have chosen its decks.",
        template="epochs.html",
        value=value,
    )


EPOCHS = Page(
    name="epochs",
    path="/epochs",
    about="The epochs of a sealed ladder: what its organiser has committed to, and told.",
    type=EpochsJson,
    make=_make,
)
