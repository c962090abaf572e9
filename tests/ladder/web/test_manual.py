"""What the site tells who writes a bot."""

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.manual import (
    DOCUMENTS,
    first_bot,
    markdown,
    protocol_sections,
    shown,
    slug,
)
from referee.bots.kits import TESTS, kit_files
from support.ladders import made
from support.sites import opened

ROOT = Path(__file__).parents[3]
LINK = re.compile(r'<a href="([^"]*)"')
ID = re.compile(r'<h[1-6] id="([^"]*)"')


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first",)) as found:
        yield found


def test_every_link_of_a_document_leads_to_a_heading_or_out() -> None:
    for one in DOCUMENTS:
        for link in LINK.findall(shown(one.file).html):
            path, _, heading = link.partition("#")
            name = path.removeprefix("/docs/") if path else one.name
            if path.startswith("https://"):
                continue
            (file,) = [other.file for other in DOCUMENTS if other.name == name]
            assert not heading or heading in ID.findall(shown(file).html), link


def test_headings_are_called_as_where_the_documents_are_written() -> None:
    assert slug("7.1 bot.toml") == "71-bottoml"
    assert slug("11.8 biscambiggia-2, -3, -4, -6") == "118-biscambiggia-2--3--4--6"


def test_links_to_what_the_site_does_not_have_are_text() -> None:
    text = (ROOT / "docs" / "commands.md").read_text()
    assert "](events.md)" in text
    assert "](" not in markdown("commands.md").replace("](/docs/", "").replace("](https://", "")


def test_what_is_for_no_reader_is_left_out() -> None:
    assert "<!--" in (ROOT / "SPEC.md").read_text()
    assert "&lt;!--" not in shown("SPEC.md").html


async def test_the_protocol_is_read_on_the_site(store: Store) -> None:
    async with opened(store) as site:
        page = (await site.get("/docs/protocol")).text
        assert '<h2 id="5-clocks">' in page
        assert 'href="#5-clocks"' in page
        assert (await site.get("/docs/protocol.json")).json()["markdown"] == markdown("SPEC.md")
        assert (await site.get("/docs/nothing")).status_code == 404
        begin = "import json, sys\n\nfor line in sys.stdin:\n"
        assert begin in (await site.get("/docs")).text


@pytest.mark.parametrize(
    ("get", "said"),
    [
        ("https://x.test/?a&b", '<a href="https://x.test/?a&amp;b">Get the referee</a>'),
        ("", "Ask the organiser where the referee is to be had"),
    ],
)
async def test_authors_are_told_where_the_referee_is_to_be_had(
    store: Store, get: str, said: str
) -> None:
    async with opened(store, get=get) as site:
        assert said in (await site.get("/docs")).text


def test_the_bot_that_is_shown_is_one(tmp_path: Path) -> None:
    """It answers hello, and an act with what is legal."""
    (tmp_path / "bot.py").write_text(first_bot())
    hello, act = '{"type":"hello"}', '{"type":"act","id":"1","legal":["AD"]}'
    done = subprocess.run(
        [sys.executable, tmp_path / "bot.py"],
        input=f'{hello}\n{act}\n{{"type":"end"}}\n',
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1] == '{"id": "1", "action": "AD"}'


async def test_a_kit_of_every_language_is_had_as_a_zip_that_can_be_handed_in(store: Store) -> None:
    """With the name that was asked for, of its one folder, and in its bot.toml, too."""
    async with opened(store) as site:
        for language in TESTS:
            found = await site.get(f"/kit?language={language}&name=eva-1")
            with zipfile.ZipFile(io.BytesIO(found.content)) as kit:
                files = {name: kit.read(name) for name in kit.namelist()}
            kept = kit_files(language, "eva-1")
            assert files == {f"eva-1/{name}": content for name, content in kept.items()}
            assert b'name = "eva-1"' in files["eva-1/bot.toml"]
            assert found.headers["content-disposition"] == 'attachment; filename="eva-1.zip"'


@pytest.mark.parametrize("query", ["", "language=cobol", "language=c&name=a%0d%0ab", "name=x"])
async def test_a_kit_that_there_is_not_is_refused_in_a_sentence(store: Store, query: str) -> None:
    async with opened(store) as site:
        found = await site.get(f"/kit?{query}")
        assert found.status_code == 400
        assert "content-disposition" not in found.headers


def test_what_names_a_section_of_the_protocol_leads_there() -> None:
    """In what strangers wrote, too, of which nothing else becomes markup."""
    told = str(rendering.sections("<b> (SPEC 3.4), SPEC 99, SPEC 7."))
    where = "/docs/protocol#34-act"
    assert told == (
        f'&lt;b&gt; (<a href="{where}">SPEC 3.4</a>), SPEC 99, '
        '<a href="/docs/protocol#7-limits">SPEC 7</a>.'
    )
    code = rendering.sections("say `--name <b>`, or ` alone")
    assert str(code) == "say <code>--name &lt;b&gt;</code>, or ` alone"
    assert all(
        link.partition("#")[2] in ID.findall(shown("SPEC.md").html)
        for link in protocol_sections().values()
    )
