"""The files of contributions: an author's own, and those that the organiser was told."""

import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ladder.core.seal import CONTRIBUTION_BYTES, Contributions, Seal, commitment_to, misfit
from ladder.event.plan import EventPlan
from referee.errors import HostError, RefereeError
from referee.text import printable
from referee.whole_file import atomic_write

TOLD: Final = "contributions.toml"
"""In the folder of an event: what authors have told its organiser."""

_LARGEST: Final = 1 << 20

T = TypeVar("T")


class Contribution(Struct, frozen=True, forbid_unknown_fields=True):
    """What an author contributes to an event.

    Attributes:
        contribution: 64 hex digits, drawn once; a secret until the log of the event has begun.
        told_for: the digest of the plan for which it was told, which it is good for alone; ""
            before.
    """

    contribution: str
    told_for: str = ""


class _Told(Struct, frozen=True, forbid_unknown_fields=True):
    contributions: dict[str, str] = {}
    beacon: str = ""


def drawn(path: Path) -> Contribution:
    """Return the contribution of a file, which is made if there is none.

    Raises:
        RefereeError: the file is no contribution's.
        HostError: it cannot be written.
    """
    if path.exists():
        return _read(path, Contribution)
    made = Contribution(secrets.token_hex(CONTRIBUTION_BYTES))
    _write(path, made)
    return made


def told_for(path: Path, plan: EventPlan) -> tuple[str, tuple[str, ...]]:
    """Return the contribution of a file for an event whose log has begun, and whose bots it is for.

    From then on it is good for this event alone: who has told it could be asked again for another
    one, whose decks the organiser could choose.

    Args:
        path: of the file.
        plan: in the first line of the event's log.

    Raises:
        RefereeError: the event has no commitment to it, or it was told for another event.
        HostError: the file cannot be written.
    """
    found, own = _own(path, plan)
    if found.told_for not in ("", plan.digest()):
        raise RefereeError(
            f"contribution {str(path)!r} was told for another event, or another log of this one, "
            "and an organiser who knows it can choose decks by it: draw a new one for this event"
        )
    _write(path, replace(found, told_for=plan.digest()))
    return found.contribution, tuple(plan.entrants[at].name for at in own)


def wrong_in(path: Path, plan: EventPlan, told: Contributions) -> str:
    """Return what is wrong with an author's contribution in a log that has all; "" if nothing is.

    No other reader of the log can find it out: that the author had told it before this log began,
    or had told it in time, and the organiser left it out.

    Args:
        path: of the author's file.
        plan: in the first line of the log.
        told: the log's contributions.

    Raises:
        RefereeError: the log has no commitment to it.
    """
    found, own = _own(path, plan)
    is_told = found.told_for == plan.digest()
    for at in own:
        name, given = plan.entrants[at].name, told.contributions[at]
        if given and not is_told:
            return (
                f"the contribution of {name} was not told for this log: an organiser who knew it "
                "before has chosen the decks"
            )
        if is_told and not given:
            return (
                f"the contribution of {name} is left out of this log, though this file has told "
                "it: publish it, and all can see that it was not withheld"
            )
    return ""


def _own(path: Path, plan: EventPlan) -> tuple[Contribution, tuple[int, ...]]:
    """Return the contribution of a file, and of which entrants of an event it is.

    Raises:
        RefereeError: there is no such file, or the event has no commitment to it.
    """
    if not path.exists():
        raise RefereeError(f"contribution {str(path)!r}: there is no such file")
    found = _read(path, Contribution)
    due = plan.seal.commitments if plan.seal is not None else ()
    own = tuple(at for at, one in enumerate(due) if one == commitment_to(found.contribution))
    if not own:
        raise RefereeError(
            f"the log of {plan.name!r} has no commitment to contribution {str(path)!r}: do not "
            "tell it"
        )
    return found, own


def told(folder: Path, plan: EventPlan, seal: Seal, missing: Sequence[str]) -> Contributions | None:
    """Return what the organiser was told; None where there is nothing yet.

    Args:
        folder: of the event.
        plan: of the event.
        seal: in the plan.
        missing: the names of bots whose authors have not told what they promised.

    Raises:
        RefereeError: something of it does not fit, or more is missing.
    """
    path = folder / TOLD
    names = [entrant.name for entrant in plan.entrants]
    for name in missing:
        if name not in _due(names, seal):
            due = ", ".join(_due(names, seal)) or "no bot"
            raise RefereeError(f"--withheld: {name!r}: a contribution is due of {due} only")
    if not path.exists() and (seal.beacon or not set(_due(names, seal)) <= set(missing)):
        return None
    found = _read(path, _Told) if path.exists() else _Told()
    for name in found.contributions:
        if name not in names:
            raise RefereeError(f"{str(path)!r}: there is no bot {name!r} in this event")
    lacking = [name for name in _due(names, seal) if name not in {*found.contributions, *missing}]
    if lacking:
        raise RefereeError(
            f"{str(path)!r}: nothing of {', '.join(lacking)} yet; --withheld NAME goes on without"
        )
    made = Contributions(
        contributions=tuple(found.contributions.get(name, "") for name in names),
        beacon=found.beacon,
    )
    wrong = misfit(seal, made)
    if wrong:
        raise RefereeError(f"{str(path)!r}: {wrong}")
    return made


def contributions_lines(plan: EventPlan, seal: Seal) -> list[str]:
    """Return how the file of what was told has to look, by lines."""
    names = [entrant.name for entrant in plan.entrants]
    beacon = [f'beacon = "..."    # {seal.beacon}'] if seal.beacon else []
    due = [f'{json.dumps(name)} = "64 hex digits"' for name in _due(names, seal)]
    return [*beacon, *(["[contributions]", *due] if due else [])]


def _due(names: Sequence[str], seal: Seal) -> list[str]:
    return [name for name, due in zip(names, seal.commitments, strict=True) if due]


def _read(path: Path, kind: type[T]) -> T:
    try:
        with path.open("rb") as file:
            return msgspec.toml.decode(file.read(_LARGEST), type=kind)
    except OSError as error:
        raise RefereeError(f"{str(path)!r}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RefereeError(f"{str(path)!r}: {printable(str(error))}") from error


def _write(path: Path, value: Contribution) -> None:
    try:
        with atomic_write(path, mode=0o600) as file:
            text = f'contribution = "{value.contribution}"\ntold_for = "{value.told_for}"\n'
            file.write(text.encode())
    except OSError as error:
        raise HostError(f"contribution {str(path)!r}: {error.strerror}") from error
