"""What a record of decks that stand alone says of a match: what was agreed, and what it brought."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from protocol.messages import Rules
from referee.match.chance import block_key, event_key, first_dealer
from referee.match.leg import DealResult
from referee.match.lines import DealLine, Header, LegLine, Line, VoidLine
from referee.match.luck import luck_of
from referee.match.outcome import MatchOutcome
from referee.match.terms import Terms
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.rules.match_end import Reason
from referee.workers.block_sums import Blocks, outcome_of


class Decks(Struct, frozen=True):
    """The decks of a match, which stand alone.

    Attributes:
        key: that they follow from.
        first: the index of the first block.
        blocks: how many there are.
        seatings: in how many each deck is played.
        seats: of the game.
    """

    key: str
    first: int
    blocks: int
    seatings: int
    seats: int


class Agreed(Struct, frozen=True, kw_only=True):
    """What was agreed before the first card, as the header of a record has to say it.

    Attributes:
        referee: the version that was to play.
        names: of the bots, by place; None: unknown.
    """

    terms: Terms
    rules: Rules
    referee: str
    decks: Decks
    benched: tuple[int, ...]
    sandbox: str
    hashes: tuple[str, ...]
    names: tuple[str, ...] | None

    def rows(self, header: Header) -> Iterator[tuple[str, object, object]]:
        """Yield what there is to compare: what it is, as the header says it, as was agreed."""
        for name in Terms.__struct_fields__:
            yield name, getattr(header.terms, name), getattr(self.terms, name)
        yield "referee", header.referee, self.referee
        yield "rules", header.rules, self.rules
        yield "decks", header.decks, self.decks.blocks
        yield "given", header.given, False
        yield "legs", header.legs, self.decks.seatings
        yield "benched", header.benched, self.benched
        yield "clocks", header.clocks, {}
        yield "sandbox", header.sandbox, self.sandbox
        yield "the bots' hashes", tuple(bot.hash for bot in header.bots), self.hashes
        if self.names is not None:
            yield "the bots' names", tuple(bot.name for bot in header.bots), self.names


class KeyedLines(RecordReader):
    """The lines of a record whose chance has to follow from a key.

    Attributes:
        last_void: the last void deal so far.
    """

    def __init__(self, path: Path, decks: Decks) -> None:
        """Opens the record; for errors see `RecordReader`."""
        self._secret, self._first = event_key(decks.key), decks.first
        dealer = first_dealer(block_key(self._secret, 0), decks.seats)
        self._dealer = (dealer + decks.first) % decks.seats
        self.last_void: VoidLine | None = None
        super().__init__(path)

    def __iter__(self) -> Iterator[Line]:
        for line in super().__iter__():
            match line:
                case DealLine() if line.key != block_key(self._secret, self._first + line.deal - 1):
                    raise Mismatch(self.number, f"deal {line.deal}: its key is not of the job")
                case LegLine() if line.dealer != self._dealer:
                    raise Mismatch(self.number, f"place {self._dealer} is the first to deal")
                case VoidLine():
                    self.last_void = line
            yield line


class Unfinished(Exception):
    """The record ends before the match does; the text says how."""


def record_outcome(
    lines: KeyedLines,
    decks: Decks,
    bots: int,
    *,
    luck: bool,
    wall_us: int,
    watch: Callable[[DealResult], None] = lambda _: None,
) -> MatchOutcome:
    """Return what was played, as the worker has to have counted it.

    Args:
        lines: of the record, none of which was read.
        decks: what the match was played with.
        bots: how many played.
        luck: whether what chance brought is counted.
        wall_us: what the deals took, of which a record says nothing.
        watch: is shown each deal.

    Raises:
        Mismatch: the record does not hold.
        Unfinished: it has no end.
    """
    found = Resimulation(lines)
    counted = luck_of if luck else None
    blocks = Blocks(decks.first, decks.blocks, bots, decks.seatings, counted)
    for deal in found.deals():
        blocks.add(deal)
        watch(deal)
    end = found.end
    given_up = found.unfinished is not None
    if end is None or (given_up and end.end != Reason.HOST):
        raise Unfinished(f"it is unfinished: {found.unfinished}")
    return outcome_of(
        found.match,
        blocks.finished(),
        given_up=_reason(lines.last_void) if given_up else "",
        game_digest=end.game_digest,
        wall_us=wall_us,
        sandbox=lines.header.sandbox,
    )


def _reason(void: VoidLine | None) -> str:
    return "" if void is None else f"{void.family}: {void.detail}"
