"""Makes a ladder of an archive that anybody may have sent: whole, or nothing is left of it.

Files come into a folder of their own first. They get their names when all was looked at and the
database has taken every fact, in a transaction that is then closed; so what a power cut leaves is
at worst files without a ladder, which the next import tells of.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct

from ladder.archive.absent_records import AbsentRecords
from ladder.archive.export import record_name
from ladder.archive.format import (
    FACTS,
    HEAD,
    LONGEST_LINE,
    Entries,
    fact_of,
    opened,
    pieces,
    runs,
)
from ladder.audit.plausibility import Story
from ladder.core.facts import (
    FIRST_HASH,
    Fact,
    Match,
    Opened,
    Submission,
    chained,
    digest_of,
)
from ladder.core.roster import Roster
from ladder.files import record_store, signed_head
from ladder.files.scratch import scratch_name, sweep
from ladder.files.signed_head import SignedHead
from ladder.files.signing import KEY_FILE
from ladder.store.bulk_import import import_facts
from ladder.store.database import DatabaseGone
from ladder.store.head_log import HEADS, begin_log
from ladder.store.location import Where, usual_files
from ladder.submissions.bot_toml import TOML
from ladder.submissions.clearing import needed_by
from ladder.submissions.frozen_bots import BOTS, freeze, hash_of, keep, parts_of, scratch
from ladder.terms import LARGEST_RECORD
from referee.bots.find import LARGEST_TOML, BotToml
from referee.bots.held_folder import LARGEST_FOLDER
from referee.errors import HostError, RefereeError
from referee.sandbox.folders import remove_tree
from referee.text import printable
from referee.whole_file import sync_folder

_LARGEST_HEAD: Final = 4096
_COMING: Final = ".import-"
_FOLDERS: Final = (record_store.RECORDS, BOTS, HEADS)

ProgressCallback = Callable[[int], None]
"""Is told how many facts were read."""


class Imported(Struct, frozen=True):
    """What was taken in.

    Attributes:
        gone: how many matches have no record there, as was decided.
    """

    facts: int
    records: int
    gone: int
    bots: int
    head: SignedHead
    key: Path
    """Where the key belongs that signed it, which no archive holds."""


def take_in(
    where: Where,
    path: Path,
    *,
    public_key: str | None = None,
    watch: ProgressCallback = lambda _: None,
) -> Imported:
    """Makes a ladder of an archive.

    Args:
        where: there must be no ladder there.
        path: of the archive.
        public_key: whose signature it has to have, in hex; without it, anybody's will do.
        watch: is told how it goes.

    Raises:
        RefereeError: there is a ladder, or the archive is not what `export` writes.
        HostError: the disk or the database does not let us.
    """
    if path.is_dir() or not path.exists():
        raise RefereeError(f"archive {str(path)!r}: there is no such file")
    there = where.is_local and where.database.parent.exists()
    try:
        with opened(path) as entries:
            with entries.taken(HEAD) as (file, _):
                text = b"".join(pieces(file, _LARGEST_HEAD))
            signed = signed_head.from_json(text, HEAD)
            signed_head.check(signed, public_key)
            coming = _Coming(where, entries, signed, watch)
            with coming.undone_unless_done():
                import_facts(where, coming.facts())
            key = coming.files / KEY_FILE
            return Imported(
                signed.head.facts, coming.records, coming.gone, coming.bots, signed, key
            )
    except OSError as error:
        named = error.filename or path
        raise HostError(f"{str(named)!r}: {error.strerror}") from error
    finally:
        if where.is_local and not there:
            with suppress(OSError):
                where.database.parent.rmdir()  # nothing has come into it


class _Coming:
    """A ladder on its way from an archive.

    Attributes:
        records: how many have come.
        bots: how many have come.
        files: where they belong.
    """

    def __init__(
        self, where: Where, entries: Entries, signed: SignedHead, watch: ProgressCallback
    ) -> None:
        self.records = self.bots = 0
        self.files = where.files or usual_files(signed.head.ladder)
        self._elsewhere = (
            "import into another folder"
            if where.is_local
            else "say with ?files=DIR at the end of the URL where its files are to be"
        )
        self._entries = entries
        self._signed = signed
        self._head = signed.head
        self._watch = watch
        self._absent = AbsentRecords()
        self._folder = self.files / scratch_name(_COMING)
        self._named: list[Path] = []
        """Folders that have come to where they belong."""

    @property
    def gone(self) -> int:
        """How many have not come; once all facts came, they do not have to."""
        return self._absent.gone

    @contextmanager
    def undone_unless_done(self) -> Iterator[None]:
        """Takes everything away again if the block fails."""
        try:
            yield
        except DatabaseGone:
            raise  # the last word may have reached it: then the ladder is there, and whole
        except BaseException:
            for folder in self._named:
                remove_tree(folder)
            raise
        finally:
            remove_tree(self._folder)

    def facts(self) -> Iterator[Fact]:
        """All facts; when one is given its record was kept, and after the last all has its name.

        Raises:
            RefereeError: the archive is not what it says.
        """
        self._begin()
        story, roster, hashes = Story(), Roster(), dict[str, None]()
        with self._entries.taken(FACTS) as (file, _):
            for fact in self._chained(file):
                for what in story.add(fact):
                    raise RefereeError(f"fact {self._seq}: {what}")
                roster.add(fact)
                if isinstance(fact, Submission):
                    hashes[fact.hash] = None
                self._absent.see(fact)
                if isinstance(fact, Match):
                    self._take_record(fact)
                yield fact
                self._watch(self._seq)
        for what in story.end():
            raise RefereeError(what)
        self._absent.end()
        if self._entries.next_name:
            playing = needed_by(roster, ())
            for digest in hashes:  # the files of those that do not play may have been cleared
                there = self._entries.next_name.startswith(f"{BOTS}/{digest}/")
                if there or digest in playing:
                    self._take_bot(digest)
        if self._entries.next_name:
            raise RefereeError(f"{self._entries.next_name[:80]!r} does not belong there")
        self._name_all()

    def _begin(self) -> None:
        """Makes our folder, and takes away what imports have left that were killed."""
        for name in _FOLDERS:
            if any((self.files / name).glob("*")):
                raise RefereeError(
                    f"there are {name} in {str(self.files)!r} already, and they may be a living "
                    f"ladder's: {self._elsewhere}"
                )
        self.files.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep(self.files, _COMING)
        self._folder.mkdir(mode=0o700)

    def _chained(self, file: IO[bytes]) -> Iterator[Fact]:
        """The facts of the lines, each with the hash that the chain gives it."""
        self._seq, hashed = 0, FIRST_HASH
        head = self._head
        while line := file.readline(LONGEST_LINE):
            self._seq += 1
            try:
                found = fact_of(line)
            except (ValueError, RecursionError) as error:
                raise RefereeError(
                    f"line {self._seq} of {FACTS}: {printable(str(error))}"
                ) from error
            hashed = chained(hashed, digest_of(found.fact))
            if (found.seq, found.hash) != (self._seq, hashed):
                raise RefereeError(f"fact {self._seq} is not what it was: its hash is another one")
            if isinstance(found.fact, Opened) and found.fact.ladder != head.ladder:
                raise RefereeError("its head is another ladder's")
            yield found.fact
        if (self._seq, hashed) != (head.facts, head.hash):
            raise RefereeError(f"its {self._seq} facts do not end as its head says")

    def _take_record(self, match: Match) -> None:
        if not match.record or record_store.path_of(self._folder, match.record).exists():
            return
        if self._entries.next_name != record_name(match.record):
            number, there = self._absent.matches, self._entries.next_name[:80]
            trouble = f"record {match.record} of match {number} is expected, and there is {there!r}"
            self._absent.add(match, trouble)  # if it had to come, that is said at the end
            return
        with self._entries.taken(record_name(match.record)) as (file, _):
            kept = record_store.keep_packed(
                self._folder, pieces(file, min(match.size, LARGEST_RECORD))
            )
        if kept != (match.record, match.size):
            raise RefereeError(f"record {match.record} was changed")
        self.records += 1

    def _take_bot(self, digest: str) -> None:
        """Freezes a bot as if it had been built here; its files have to make its hash."""
        bots, start = self._folder / BOTS, f"{BOTS}/{digest}/"
        with scratch(bots) as given, scratch(bots) as frozen:
            left = LARGEST_FOLDER
            while self._entries.next_name.startswith(start):
                name = self._entries.next_name
                with self._entries.taken(name) as (file, info):
                    target = given / _inside(name.removeprefix(start))
                    left -= _copied(file, target, left)
                    target.chmod(0o555 if runs(info) else 0o444)
            freeze(given, _toml(given, digest), frozen, digest)
            if hash_of(frozen) != digest:
                raise RefereeError(f"bot {digest} was changed")
            keep(frozen, digest)
        self.bots += 1

    def _name_all(self) -> None:
        """Puts the folders where they belong, with a log that begins with the archive's head."""
        begin_log(self._folder, self._signed)
        for name in _FOLDERS:
            if (self._folder / name).is_dir():
                (self._folder / name).rename(self.files / name)
                self._named.append(self.files / name)
        sync_folder(self.files)


def _toml(folder: Path, digest: str) -> str:
    """The bot.toml of a bot, which is built already.

    Raises:
        RefereeError: there is none, or it wants to be built.
    """
    try:
        with (folder / TOML).open("rb") as file:
            text = file.read(LARGEST_TOML + 1)
        if not msgspec.toml.decode(text, type=BotToml).build:
            return text.decode()
    except (OSError, ValueError, RecursionError) as error:
        raise RefereeError(f"bot {digest} has no {TOML} that can be read") from error
    raise RefereeError(f"bot {digest} was not built")


def _inside(name: str) -> Path:
    """Where a file of a bot belongs in its folder.

    Raises:
        RefereeError: it is not within it.
    """
    try:
        return Path(*parts_of(name))
    except ValueError as error:
        raise RefereeError(
            f"{name[:80]!r} is no name of a file of a bot: {printable(str(error))}"
        ) from error


def _copied(file: IO[bytes], to: Path, most: int) -> int:
    """Writes a file that is not there yet; returns its bytes.

    Raises:
        RefereeError: it is too large, or a folder is there.
    """
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("xb") as target:
            return sum(target.write(piece) for piece in pieces(file, most))
    except (FileExistsError, NotADirectoryError) as error:
        raise RefereeError(f"{to.name!r} is a file and a folder") from error
