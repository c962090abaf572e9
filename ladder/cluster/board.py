"""What the machines of a cluster have played, in lines for people who wait. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from ladder.cluster.pace import Pace
from ladder.cluster.peers import Peer
from referee.text import plural, printable

ROWS: Final = 8
"""So many machines have a line of their own while they play."""

_LONGEST_NAME: Final = 24


def board(here: Sequence[Peer], total: Pace, now: float) -> tuple[str, ...]:
    """Return how a cluster does just now: a line, and one for each machine, or for the slowest.

    Args:
        here: the machines that are there.
        total: what was played by all, those included that have gone.
        now: the moment.
    """
    playing = sum(not (peer.left_out or peer.too_slow) for peer in here)
    under_way = sum(map(_under_way, here))
    first = (
        f"{plural(playing, 'machine')}: {plural(under_way, 'match', 'matches')} under way, "
        f"{total.matches:,} played, {total.of_late(now):,.1f} blocks/s"
    )
    return (first, *_rows(here, now))


def _rows(here: Sequence[Peer], now: float) -> Iterator[str]:
    shown, hidden = list(here), len(here) - ROWS
    if hidden > 0:
        shown.sort(key=lambda peer: peer.pace.of_late(now) / peer.machine.cores)
        del shown[ROWS:]
    names = [printable(peer.machine.name)[:_LONGEST_NAME] for peer in shown]
    width = max(map(len, names), default=0)
    for peer, name in zip(shown, names, strict=True):
        state = "left out" if peer.left_out else "too slow for now" if peer.too_slow else ""
        yield (
            f"  {name:<{width}}  {peer.pace.matches:>7,} played  "
            f"{peer.pace.of_late(now):>8,.1f} blocks/s  {state or f'{_under_way(peer)} under way'}"
        )
    if hidden > 0:
        yield f"  and {plural(hidden, 'machine')} more, each of which plays more by core"


def _under_way(peer: Peer) -> int:
    """How many matches a machine plays: what else was sent there waits."""
    return min(peer.busy, peer.machine.cores)


def joining_line(peer: Peer) -> str:
    """Return what is said of a machine that has joined."""
    found = peer.machine
    l_us = "L unknown" if found.l_us is None else f"L {found.l_us:.1f} us"
    about = f"{printable(found.processor)}, {plural(found.cores, 'core')}, {l_us}"
    name, sandbox = printable(found.name), printable(found.sandbox)
    if peer.left_out:
        return f"machine {name} is left out: {peer.left_out} ({about})"
    return f"machine {name} joins: {about}; sandbox: {sandbox}"


def closing_lines(here: Sequence[Peer], total: Pace, now: float) -> Iterator[str]:
    """Yield what each machine has played, and all of them together, once all is over.

    Args:
        here: the machines that are there.
        total: what was played by all, those included that have gone.
        now: the moment.
    """
    for peer in here:
        yield f"machine {printable(peer.machine.name)}: {_played(peer.pace, now)}"
    yield f"cluster: {_played(total, now)}"


def _played(pace: Pace, now: float) -> str:
    matches, blocks = plural(pace.matches, "match", "matches"), plural(pace.blocks, "block")
    return f"{matches}, {blocks}, {pace.in_all(now):,.1f} blocks/s"
