"""What an author's bots wrote to stderr in their last matches, out of the ladder's files."""

from collections.abc import Callable, Iterator
from typing import Final

from ladder.core.facts import Match
from ladder.files import record_store
from ladder.files.shared_records import found_stderr
from ladder.show.logs_json import LogLine, LogsJson, MatchLog
from ladder.store.store import Store
from ladder.web.content import Missing
from ladder.web.pages.match_found import match_of
from referee.record.stderr_log import read_stderr, stderr_file

MATCHES_READ: Final = 20
"""So many of an author's last matches are looked at."""

MOST_CHARACTERS: Final = 1 << 20


def fetched(store: Store, author: str, bot: str, match: str) -> Callable[[], None]:
    """Return what brings the logs that `logs_of` will read, in a thread of its own.

    Raises:
        Missing: as for `logs_of`.
    """
    _, wanted = _wanted(store, author, bot, match)
    records = [found.record for _, found in wanted if found.record]

    def bring() -> None:
        for record in records:
            found_stderr(store.files, record)

    return bring


def logs_of(
    store: Store, author: str, bot: str, match: str, most: int = MOST_CHARACTERS
) -> LogsJson:
    """Return what an author's own bots wrote; of matches that are over, as all that are facts.

    Args:
        store: the ladder.
        author: whose.
        bot: the name of the one bot that is meant; "" for all of the author's.
        match: the one match that is meant; "" for the last ones.
        most: so many characters at most.

    Raises:
        Missing: the author has no such bot, or none in that match.
    """
    own, wanted = _wanted(store, author, bot, match)
    logs: list[MatchLog] = []
    left = most
    for number, found in wanted:
        for log in _logs(store, number, found, own):
            left -= sum(len(line.text) for line in log.lines)
            if left < 0:
                return LogsJson(author, tuple(logs), is_cut=True)
            logs.append(log)
    return LogsJson(author, tuple(logs), is_cut=False)


def _wanted(
    store: Store, author: str, bot: str, match: str
) -> tuple[set[int], list[tuple[int, Match]]]:
    """Return an author's entrants that are meant, and the matches, with their numbers.

    Raises:
        Missing: the author has no such bot, or none in that match.
    """
    roster = store.refresh()
    own = {
        one.entrant
        for one in roster.entrants.values()
        if one.author == author and bot in ("", one.name)
    }
    if not own:
        raise Missing(f"You have no bot {bot!r}." if bot else "You have no bot yet.")
    wanted = [match_of(store, match)] if match else store.matches_of(own, MATCHES_READ)
    if match and own.isdisjoint(wanted[0][1].job.entrants):
        raise Missing(f"No bot of yours that is meant played match {wanted[0][0]}.")
    return own, wanted


def _logs(store: Store, number: int, match: Match, own: set[int]) -> Iterator[MatchLog]:
    """Yield what each of some bots wrote in a match; nothing of those that were silent."""
    if not match.record:
        return
    roster, labels = store.roster, store.roster.labels(versions=True)
    path = stderr_file(record_store.path_of(store.files, match.record))
    chunks = list(read_stderr(path)) if path.is_file() else []
    for place, entrant in enumerate(match.job.entrants):
        if entrant not in own:
            continue
        lines = tuple(
            LogLine(chunk.leg + 1, chunk.deal, chunk.act, chunk.text)
            for chunk in chunks
            if chunk.bot == place
        )
        if lines:
            game = roster.pools[match.job.pool].label
            yield MatchLog(number, match.at_ms, game, labels[entrant], lines)
