"""The results of a ladder as an Atom feed (RFC 4287)."""

from datetime import UTC, datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from ladder.store.store import Store
from ladder.web.pages.match_list import MatchLine, match_lines
from referee.text import printable

SHOWN: Final = 50


def feed(store: Store, root: str) -> bytes:
    """Return the newest matches as a feed.

    Args:
        store: the ladder.
        root: the address of the site, without a slash at its end.
    """
    lines = match_lines(store.refresh(), store.newest_matches(SHOWN))
    updated = lines[0].at_ms if lines else store.opened.at_ms
    entries = "".join(_entry(line, root, store.opened.ladder) for line in lines)
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{_text(store.opened.name)}: results</title>\n"
        f"<id>urn:briscola-referee:{store.opened.ladder}</id>\n"
        f'<link rel="self" href={quoteattr(f"{root}/feed.atom")}/>\n'
        f"<link href={quoteattr(f'{root}/')}/>\n"
        f"<updated>{_time(updated)}</updated>\n"
        f"<author><name>{_text(store.opened.name)}</name></author>\n{entries}</feed>\n"
    )
    return text.encode()


def _entry(line: MatchLine, root: str, ladder: str) -> str:
    scores = ", ".join(f"{bot.bot} {bot.value:+d}" for bot in line.bots)
    told = f"{scores}; {line.blocks} blocks"
    if line.given_up:
        told += f"; given up: {line.given_up}"
    title = f"{line.game}: {' - '.join(bot.bot for bot in line.bots)}"
    return (
        f"<entry>\n<title>{_text(title)}</title>\n"
        f"<id>urn:briscola-referee:{ladder}:{line.id}</id>\n"
        f"<link href={quoteattr(f'{root}/matches/{line.match}')}/>\n"
        f"<updated>{_time(line.at_ms)}</updated>\n<summary>{_text(told)}</summary>\n</entry>\n"
    )


def _text(text: str) -> str:
    return escape(printable(text))


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
