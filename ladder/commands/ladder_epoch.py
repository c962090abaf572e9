"""`referee ladder epoch`: seals a ladder, so that its organiser cannot choose the decks."""

from typing import Annotated

import typer

from ladder.commands.shared import Where, opened, tell_new_key
from ladder.core.facts import Revealed
from ladder.files import signed_head
from ladder.show.epoch_json import EpochJson, epochs_of
from ladder.store.head_log import publish
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural


def epoch(
    seal: Annotated[
        str | None,
        typer.Option(
            "--seal",
            metavar="BEACON",
            help="Commit to the next epoch. BEACON names whose value decides the decks, and of "
            "which later moment, such as 'drand quicknet, round 12345678'.",
        ),
    ] = None,
    begin: Annotated[
        str | None,
        typer.Option(
            "--begin",
            metavar="VALUE",
            help="Draw matches in the epoch that was sealed last: VALUE is what its beacon has "
            "published. The secret of the one before is told when its last match is over.",
        ),
    ] = None,
    end: Annotated[
        bool,
        typer.Option("--end", help="Draw no more matches until another epoch begins."),
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Seals a ladder: neither its organiser nor an author can choose the decks of an epoch.

    Without an option it lists the epochs. Bots play in an epoch that were handed in before it was
    sealed. Once one has begun, only matches of epochs count. `referee ladder verify` proves them.
    """
    if sum((seal is not None, begin is not None, end)) > 1:
        raise RefereeError("say one of --seal, --begin and --end: each is for another moment")
    with opened(where) as store:
        if seal is not None:
            sealed = store.epochs.seal(seal)
            head = signed_head.as_json(publish(store, tell_new_key)).decode().strip()
            said = [
                f"epoch {sealed.epoch} is sealed: {sealed.commitment}",
                f"publish this before then, so that others can prove when: {head}",
                f"once {sealed.beacon!r} is published: referee ladder epoch --begin VALUE",
            ]
        elif begin is not None:
            begun, revealed = store.epochs.begin(begin)
            said = [f"epoch {begun.epoch} has begun", *_told(revealed)]
        elif end:
            said = [*_told(store.epochs.end())]
        else:
            said = []
        found = epochs_of(store)
    if as_json:
        print(json_text(found))
        return
    for line in said or _listed(found.epochs):
        console().print(line, soft_wrap=True)


def _told(facts: list[Revealed]) -> list[str]:
    return [f"the secret of epoch {fact.epoch} is told: {fact.secret}" for fact in facts]


def _listed(epochs: tuple[EpochJson, ...]) -> list[str]:
    if not epochs:
        return ["this ladder is not sealed: its organiser draws the key of each match"]
    last = max((one.epoch for one in epochs if one.value is not None), default=0)
    return [
        f"epoch {one.epoch} (beacon: {one.beacon}): {_state(one, is_last=one.epoch == last)}"
        for one in epochs
    ]


def _state(one: EpochJson, *, is_last: bool) -> str:
    """Where an epoch stands.

    Args:
        one: it.
        is_last: whether none has begun after it.
    """
    if one.value is None:
        return "sealed, and waits for its beacon"
    draws = "its draws are not known here" if one.draws is None else plural(one.draws, "draw")
    if one.secret is not None:
        return f"over, {draws}"
    unfinished = "under way" if is_last else "followed by a later one, its secret is not told"
    return f"{unfinished}, {draws}"
