"""Blocks as bytes and as arrays: how a ladder keeps a million of them. Pure.

A block at a table of n places is 1 + 6n little-endian integers of 32 bits: its index in the match,
then by place the deal values, the luck in thousandths (`UNKNOWN` where it was not counted), the
faults, the deals charged but not played, and the two rows of `BlockResult.meetings` (likewise).
"""

import struct
from array import array
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from msgspec import UNSET, Struct

from ladder.results import less_luck
from ladder.stats.arrays import Flags, Ints
from referee.match.outcome import BlockResult, MatchOutcome

UNKNOWN: Final = -(2**31)
_NUMBER: Final = np.dtype("<i4")
_FIELDS: Final = 6
"""Of a block, by place."""


def packed(blocks: Sequence[BlockResult], places: int) -> bytes:
    """The blocks of a match, whose table has so many places."""
    rows = np.zeros((len(blocks), 1 + _FIELDS * places), _NUMBER)
    none, unknown = (0,) * places, (UNKNOWN,) * places
    for row, block in zip(rows, blocks, strict=True):
        luck, unplayed = block.luck or unknown, block.unplayed or none
        met = (unknown, unknown) if block.meetings is UNSET else block.meetings
        row[:] = (block.block, *block.values, *luck, *block.faults, *unplayed, *chain(*met))
    return rows.tobytes()


def unpacked(data: bytes, places: int, deals: int) -> tuple[BlockResult, ...]:
    """The blocks of a match, each of which has so many deals.

    Raises:
        ValueError: that is not what `packed` makes.
    """
    rows = np.frombuffer(data, _NUMBER).reshape(-1, 1 + _FIELDS * places).tolist()
    found = []
    for index, *rest in rows:
        values, luck, faults, unplayed, *met = (
            tuple(rest[at * places : (at + 1) * places]) for at in range(_FIELDS)
        )
        known, meetings = UNKNOWN not in luck, UNSET if UNKNOWN in met[0] else tuple(met)
        found.append(
            BlockResult(
                index,
                deals,
                values,
                luck if known else (),
                faults,
                unplayed if any(unplayed) else (),
                meetings,
            )
        )
    return tuple(found)


class PlainBlock(NamedTuple):
    """A block as numbers; lists by place."""

    values: Sequence[int]
    luck: Sequence[int]
    faults: Sequence[int]
    unplayed: Sequence[int]

    @property
    def at_fault(self) -> tuple[bool, ...]:
        """Whether something in the block is charged to a bot."""
        return tuple(
            bool(fault or missing)
            for fault, missing in zip(self.faults, self.unplayed, strict=True)
        )

    def scores(self, *, adjusted: bool) -> Sequence[int]:
        """What it is decided by: deal values, or those less luck, in thousandths."""
        if not adjusted or UNKNOWN in self.luck:
            return self.values
        return less_luck(self.values, self.luck)


def plain_blocks(data: bytes, places: int) -> Iterator[PlainBlock]:
    """What `packed` made bytes of, block by block; quicker than `unpacked` for a few of them."""
    block = struct.Struct(f"<{1 + _FIELDS * places}i")
    for numbers in block.iter_unpack(data):
        yield PlainBlock(*(numbers[at : at + places] for at in range(1, 4 * places, places)))


class Results(Struct, frozen=True):
    """All blocks of a pool: `b` blocks of `m` matches at tables of `n` places.

    Attributes:
        match: which match each block is of, as a row of the arrays below, b; rising.
        block: a number for each block that depends on the facts alone: equal in every copy of the
            ladder, whatever order matches were committed in, b.
        values: deal values summed over the deals of a block, b x n.
        luck: the part of them that was luck, in thousandths, b x n; zeros where not counted.
        lucky: whether luck was counted, b.
        faults: b x n.
        unplayed: deals charged to a bot that it did not play, b x n.
        met: what first and later legs brought (`BlockResult.meetings`), b x 2 x n; zeros where
            it is not known.
        known: whether it is, b.
        seated: who sat where in each match, m x n.
        used_us: what clocks were charged, m x n.
        voids: m x n.
        all_faults: those outside finished blocks included, m x n.
        acts: decisions, m.
        wall_us: m.
    """

    match: Ints
    block: Ints
    values: Ints
    luck: Ints
    lucky: Flags
    faults: Ints
    unplayed: Ints
    met: Ints
    known: Flags
    seated: Ints
    used_us: Ints
    voids: Ints
    all_faults: Ints
    acts: Ints
    wall_us: Ints

    def without(self, entrants: Collection[int]) -> "Results":
        """Leave out the matches that any of these entrants played in."""
        if not entrants:
            return self
        stays: Flags = ~np.logical_or.reduce(np.isin(self.seated, list(entrants)), axis=1)
        blocks = stays[self.match]
        return Results(
            match=(np.cumsum(stays) - 1)[self.match[blocks]],
            block=self.block[blocks],
            values=self.values[blocks],
            luck=self.luck[blocks],
            lucky=self.lucky[blocks],
            faults=self.faults[blocks],
            unplayed=self.unplayed[blocks],
            met=self.met[blocks],
            known=self.known[blocks],
            seated=self.seated[stays],
            used_us=self.used_us[stays],
            voids=self.voids[stays],
            all_faults=self.all_faults[stays],
            acts=self.acts[stays],
            wall_us=self.wall_us[stays],
        )


class Gathering:
    """The matches of a pool on their way into arrays: few objects, however many there are."""

    def __init__(self, places: int) -> None:
        """Has none yet; a table has so many places."""
        self._places = places
        self._jobs: list[str] = []
        self._blocks: list[bytes] = []
        self._counts: list[bytes] = []
        self._lengths, self._acts, self._wall_us = (array("q") for _ in range(3))

    def add(
        self,
        jobs: Sequence[str],
        blocks: Sequence[bytes],
        counts: Sequence[bytes],
        acts: Sequence[int],
        wall_us: Sequence[int],
    ) -> None:
        """Adds some matches, in any order.

        Args:
            jobs: the ids, 64 hex digits each.
            blocks: what `packed` made of each match.
            counts: what `packed_counts` made of each match.
            acts: by match.
            wall_us: by match.
        """
        self._jobs.append("".join(jobs))
        self._blocks.append(b"".join(blocks))
        self._counts.append(b"".join(counts))
        self._lengths.extend(map(len, blocks))
        self._acts.extend(acts)
        self._wall_us.extend(wall_us)

    def results(self) -> Results:
        """The matches as arrays, in the order of their jobs' ids."""
        places = self._places
        order = _order("".join(self._jobs))
        width = _NUMBER.itemsize * (1 + _FIELDS * places)
        lengths = np.frombuffer(self._lengths, np.int64) // width
        rows = np.frombuffer(b"".join(self._blocks), _NUMBER).reshape(-1, 1 + _FIELDS * places)
        rows = rows[_runs(lengths, order)]
        tallies = np.frombuffer(b"".join(self._counts), "<i8").reshape(-1, 4, places)[order]
        match = np.repeat(np.arange(len(order)), lengths[order])
        values, luck, faults, unplayed = (
            rows[:, 1 + at * places : 1 + (at + 1) * places].astype(np.int64) for at in range(4)
        )
        met = rows[:, 1 + 4 * places :].astype(np.int64).reshape(-1, 2, places)
        known: Flags = np.logical_and.reduce(met != UNKNOWN, axis=(1, 2))
        lucky: Flags = np.logical_and.reduce(luck != UNKNOWN, axis=1)
        return Results(
            match=match,
            block=np.arange(len(rows)),
            values=values,
            luck=np.where(lucky[:, None], luck, 0),
            lucky=lucky,
            faults=faults,
            unplayed=unplayed,
            met=np.where(known[:, None, None], met, 0),
            known=known,
            seated=tallies[:, 0],
            used_us=tallies[:, 1],
            voids=tallies[:, 2],
            all_faults=tallies[:, 3],
            acts=np.frombuffer(self._acts, np.int64)[order],
            wall_us=np.frombuffer(self._wall_us, np.int64)[order],
        )


def _order(jobs: str) -> Ints:
    """Where the ids are, rising; they are SHA-256, so their first 64 bits nearly always do."""
    parts = np.frombuffer(bytes.fromhex(jobs), ">u8").reshape(-1, 4)
    first = parts[:, 0].astype(np.uint64)
    order = np.argsort(first)
    if (np.diff(first[order]) == 0).any():
        return np.lexsort(parts.T[::-1])
    return order


def _runs(lengths: Ints, order: Ints) -> Ints:
    """Where the rows of runs of such lengths are, once the runs stand in that order."""
    moved = lengths[order]
    begins, ends = np.cumsum(lengths) - lengths, np.cumsum(moved)
    return np.repeat(begins[order] - (ends - moved), moved) + np.arange(int(moved.sum()))


def packed_counts(entrants: Sequence[int], outcome: MatchOutcome) -> bytes:
    """What a match has by place, as bytes: little-endian integers of 64 bits."""
    return np.array((entrants, outcome.used_us, outcome.voids, outcome.faults), "<i8").tobytes()


def unpacked_counts(data: bytes, places: int) -> tuple[tuple[int, ...], ...]:
    """The entrants, times, voids and faults that `packed_counts` made bytes of.

    Raises:
        ValueError: it did not.
    """
    try:
        found = struct.unpack(f"<{4 * places}q", data)
    except struct.error as error:
        raise ValueError(f"{len(data)} bytes, not {32 * places}") from error
    return tuple(found[at : at + places] for at in range(0, 4 * places, places))
