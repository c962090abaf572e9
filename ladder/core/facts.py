"""The facts of a ladder: what was opened, handed in, decided and played. Pure.

Facts are only added. Each has a digest, and a hash over it and all before it; everything else that
a ladder shows (ratings, who plays, who is benched) follows from them.
"""

import hashlib
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ladder.terms import LuckUse
from protocol.messages import Rules
from referee.match.outcome import MatchOutcome, nothing_played
from referee.match.terms import Terms
from referee.rules.game import Sides

SALT_BYTES: Final = 16
FIRST_HASH: Final = "0" * 64
"""What the first fact of a ladder is chained to."""


class Opened(Struct, frozen=True, tag=True):
    """The ladder begins.

    Attributes:
        ladder: its id, 32 hex digits, drawn when it was made.
        at_ms: milliseconds since 1970, UTC; so in all facts.
        referee: the version that made it.
    """

    ladder: str
    name: str
    at_ms: int
    referee: str


class Pool(Struct, frozen=True, tag=True, kw_only=True):
    """A game that the ladder ranks, and how it is played. A changed one is another pool.

    Attributes:
        pool: its number, from 1.
        name: as people see it; the last pool of a name is the one that plays.
        partners: the seats that score together.
        places: how many bots sit at a table: one a seat, or one a side.
        seatings: in how many seatings each deck is played: so many deals has a block.
        blocks: how many blocks a match has, which its processes live for.
        luck_values: names the table of values that luck is counted by; "" where it is not.
        bench: so many faulty blocks, or void deals, may bench a bot; 0: none do.
        season: what people call the time in which it is played; "" before the first was begun.
        league: the game whose division it is; "" where that has none.
        division: from 1, the highest; 0 for none.
        moves: how many of its bots may go up, and down, when a season ends.
        size: so many bots it has room for: where fewer play, the best of the next one fill it.
    """

    pool: int
    name: str
    terms: Terms
    rules: Rules
    seats: int
    partners: Sides
    places: int
    seatings: int
    blocks: int
    luck: LuckUse
    luck_values: str
    bench: int
    season: str = ""
    league: str = ""
    division: int = 0
    moves: int = 0
    size: int = 0
    at_ms: int

    @property
    def label(self) -> str:
        """The name, and the season where that is told."""
        return f"{self.name}, {self.season}" if self.season else self.name

    @property
    def game_name(self) -> str:
        """What bots are handed in for: the game, whatever divisions it has."""
        return self.league or self.name

    @property
    def sides(self) -> Sides:
        """The places of a table that score together; empty where every bot scores for itself."""
        return self.partners if len(self.partners) < self.places else ()


class Submission(Struct, frozen=True, tag=True, kw_only=True):
    """A version of a bot, as it was taken in.

    Attributes:
        entrant: its number, from 1: what plays, and what is rated.
        bot: the entrant number of the first version; name and author make a bot.
        version: from 1.
        hash: SHA-256 of the frozen folder, as `referee.bots.files.hash_files` has it.
        source: SHA-256 of what was handed in.
        partners: bots that its author declared to be its partners: only with them may it sit at a
            table, on their side, though they are of the same author.
        games: the names of the pools in which it plays; empty for all, those to come included.
        salt: `SALT_BYTES` random bytes in hex, so that name and author cannot be found by trying.
        names: "" while name and author are there; once they were erased, and the salt with them,
            what `names_digest` has made of them.
    """

    entrant: int
    bot: int
    name: str
    author: str
    version: int
    hash: str
    source: str
    partners: tuple[int, ...] = ()
    games: tuple[str, ...] = ()
    at_ms: int
    salt: str = ""
    names: str = ""

    @property
    def unnamed(self) -> "Submission":
        """The same without what names people."""
        if self.names:
            return self
        digest = names_digest(self.name, self.author, self.salt)
        return replace(self, name="", author="", salt="", names=digest)


class Deed(StrEnum):
    """What can be decided of a bot, of a pool, or of the whole ladder."""

    RETIRED = "retired"
    """No version of it plays any more."""
    CHOSEN = "chosen"
    """This version of it plays, and no other; it may have been benched or retired before."""
    BENCHED = "benched"
    """This version plays no more in a pool, since it faults or its deals are void too often."""
    CLOSED = "closed"
    """No more matches are played in this pool."""
    OPENED = "opened"
    """Matches are played in this pool again, and in no other of its name."""
    PAUSED = "paused"
    """No next match is chosen in this pool, or in none; those that were chosen are played."""
    RESUMED = "resumed"
    """The same is over."""
    ANNOUNCED = "announced"
    """The reason is what people are to read, until the next of these; "" is nothing."""
    PLACED = "placed"
    """This bot plays in this division of its league from now on, in this and later seasons."""
    ERASED = "erased"
    """Name, author, files and records of this bot are gone for ever; no version of it plays."""


class Decision(Struct, frozen=True, tag=True, kw_only=True):
    """Something was decided: by the organiser, or since a bot has faulted too often.

    Attributes:
        entrant: the version that it is about; 0 for none.
        pool: where; 0 for everywhere.
        reason: in words, for its author, or for all.
    """

    deed: Deed
    entrant: int = 0
    pool: int = 0
    reason: str
    at_ms: int


class Keep(StrEnum):
    """Which matches keep their records."""

    ALL = "all"
    LAST = "last"
    """The newest; how many, the policy says."""
    FACTS = "facts"
    """None: only the facts stay."""


class Retention(Struct, frozen=True, tag=True, kw_only=True):
    """The organiser decided which records stay; the newest such decision is in force.

    Attributes:
        last: how many matches, where `keep` is `LAST`; else 0.
    """

    keep: Keep
    last: int = 0
    at_ms: int

    @property
    def newest(self) -> int | None:
        """How many of the newest matches keep their records; None: all do."""
        return None if self.keep is Keep.ALL else self.last


class Sealed(Struct, frozen=True, tag=True, kw_only=True):
    """The organiser has committed to the secret of an epoch, in which matches are drawn later.

    What was handed in before this fact may play in it: an author who learns the secret cannot hand
    in a bot any more that knows the decks.

    Attributes:
        epoch: its number, from 1.
        commitment: to the secret, as `ladder.core.seal.commitment` has it.
        beacon: what others publish later and the organiser cannot choose: whose, of which moment.
        rule: by which tables are drawn, `ladder.core.matchmaking.RULE`.
    """

    epoch: int
    commitment: str
    beacon: str
    rule: int
    at_ms: int


class Begun(Struct, frozen=True, tag=True, kw_only=True):
    """The beacon was published: from now on matches are drawn in this epoch, and in no other.

    Attributes:
        epoch: the one that was sealed last.
        beacon: what was published.
    """

    epoch: int
    beacon: str
    at_ms: int


class Revealed(Struct, frozen=True, tag=True, kw_only=True):
    """An epoch is over, and its secret is told: no match of it counts from now on.

    Attributes:
        epoch: its number.
        secret: what the organiser has committed to.
        draws: how many were taken, as he says.
    """

    epoch: int
    secret: str
    draws: int
    at_ms: int


class DrawName(Struct, frozen=True, order=True, array_like=True):
    """Which draw of a sealed ladder: the number of its epoch, and its own there, from 1."""

    epoch: int
    number: int


class Draw(Struct, frozen=True, kw_only=True):
    """What a match of a sealed ladder was drawn by, so that its table can be drawn again.

    Attributes:
        name: which draw it was; the key follows from it, the table from key and situation.
        broken: the draws of the same table before it whose matches were broken off: the key of
            the first has drawn the table, in the situation that is told here.
        facts: how many the ladder had.
        beside: the draws whose matches were under way, in the order of those that seated them.
        without: entrants that the runner left out, since they could not play there.
    """

    name: DrawName
    broken: tuple[DrawName, ...] = ()
    facts: int
    beside: tuple[DrawName, ...]
    without: tuple[int, ...] = ()

    @property
    def seated_by(self) -> DrawName:
        """The draw whose key has drawn the table."""
        return self.broken[0] if self.broken else self.name


class LadderJob(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match to be played. Its name is a hash of it, so it is not a fact before it was played.

    Attributes:
        ladder: the id of the ladder.
        pool: the number of the pool, which is fixed by what the ladder's facts say of it.
        entrants: who plays, in the order in which they hold seats or sides.
        hashes: of their frozen folders.
        key: the text that the event key is made of; no other job of any ladder has it.
        blocks: how many.
        draw: what it was drawn by, where the ladder is sealed; its hash has it only there.
    """

    ladder: str
    pool: int
    entrants: tuple[int, ...]
    hashes: tuple[str, ...]
    key: str
    blocks: int
    draw: Draw | None = None

    @property
    def name(self) -> str:
        """The id of the job: SHA-256 of all that it is, 64 hex digits."""
        return digest_of(self)


class Match(Struct, frozen=True, tag=True, kw_only=True):
    """A match that was played; a job has one.

    Attributes:
        job: the job.
        outcome: what it brought, with the first `FAULTS_KEPT` faults in words; bots are places.
        record: SHA-256 of the record's file, as it lies compressed; size: its bytes.
        referee: the version that played it.
    """

    job: LadderJob
    outcome: MatchOutcome
    record: str
    size: int
    referee: str
    at_ms: int


Fact = Opened | Pool | Submission | Decision | Retention | Sealed | Begun | Revealed | Match


def unplayed(job: LadderJob, why: str, at_ms: int) -> Match:
    """The match of a job that no runner could play: it has brought nothing, and says why."""
    outcome = nothing_played(len(job.entrants), why)
    return Match(job=job, outcome=outcome, record="", size=0, referee="", at_ms=at_ms)


as_bytes = msgspec.json.Encoder().encode
"""A value as it is hashed, and kept: compact JSON, its keys in the order of their declaration."""


def kind_of(fact: Fact) -> str:
    """The word for a fact."""
    return type(fact).__name__.lower()


def digest_of_bytes(body: bytes) -> str:
    """SHA-256 of a value as bytes."""
    return hashlib.sha256(body).hexdigest()


def digest_of(value: Struct) -> str:
    """SHA-256 of a value, as `as_bytes` has it; of a submission without what names people."""
    return digest_of_bytes(as_bytes(value.unnamed if isinstance(value, Submission) else value))


def names_digest(name: str, author: str, salt: str) -> str:
    """SHA-256 of what names people in a submission: an array of three texts as compact JSON."""
    return digest_of_bytes(as_bytes((name, author, salt)))


def chained(before: str, digest: str) -> str:
    """The hash of a fact: SHA-256 of the 128 hex digits of the one before it, and its digest."""
    return hashlib.sha256((before + digest).encode()).hexdigest()
