"""The pages of the site: what stands on them, as HTML and as JSON, and that they follow."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from ladder.show.as_json import as_json
from ladder.standings.from_store import standings_of
from ladder.store.store import Store
from ladder.web.openapi import json_path
from ladder.web.page_routes import PAGES
from ladder.web.pages.ladder import heading_of
from support.ladders import count, filled, invented, job, made, play, submit, usual_pools
from support.sites import Asked, opened

ADDRESSES = (
    "/",
    "/games/1",
    "/games/1?all=1",
    "/games/2",
    "/bots",
    "/bots/1",
    "/pairs/1/2",
    "/pairs/1/2?game=2",
    "/pairs/1/3?all=1",
    "/matches",
    "/matches?before=5",
    "/matches?bot=4&game=1&faults=1",
    "/matches/1",
    "/matches/2?bot=1",
    "/matches/1/deals",
    "/queue",
    "/rules",
    "/rules/sueca",
    "/docs",
    "/docs/protocol",
)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A ladder of two games, two matches that were really played, and a bot of two versions."""
    pools = usual_pools("briscola-2", "sueca")
    with made(tmp_path_factory.mktemp("site") / "ladder", pools) as store:
        filled(store, 2, really=True)
        filled(store, 20)
        submit(store, "greedy", "author-of-greedy", "first")
        yield store


@pytest.fixture
async def site(ladder: Store) -> AsyncIterator[Asked]:
    async with opened(ladder) as asked:
        yield asked


def as_program(address: str) -> str:
    path, mark, query = address.partition("?")
    seen_by = "bot=" in query and path != "/matches"  # whose eyes a match is seen with
    return json_path(path) + ("" if seen_by else mark + query)


@pytest.mark.parametrize("address", ADDRESSES)
async def test_every_page_is_there_as_html(site: Asked, address: str) -> None:
    """With a title and a description, its own JSON, and nothing that a strict policy refuses."""
    found = await site.get(address)
    assert found.status_code == 200, found.text
    text = found.text
    assert re.search(r"<title>[^<]{3,}</title>", text)
    assert re.search(r'<meta name="description" content="[^"]{10,}">', text)
    assert text.count("<h1>") == 1
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?! src=)", text)
    assert f'href="{escape(as_program(address))}"' in text


@pytest.mark.parametrize("address", ADDRESSES)
async def test_every_page_is_there_as_json_as_the_api_describes_it(
    site: Asked, address: str
) -> None:
    described = (await site.get("/openapi.json")).json()
    found = await site.get(as_program(address))
    assert found.status_code == 200
    assert found.headers["content-type"] == "application/json"
    pattern = next(
        path
        for path in described["paths"]
        if re.fullmatch(re.sub(r"\{\w+\}", r"[^/]+", path), as_program(address).partition("?")[0])
    )
    answer = described["paths"][pattern]["get"]["responses"]["200"]
    schema = {
        **answer["content"]["application/json"]["schema"],
        "components": described["components"],
    }
    jsonschema.validate(found.json(), schema)


async def test_every_link_of_every_page_leads_somewhere(site: Asked) -> None:
    """From the first page on, as a reader goes; each address once."""
    site.site.making.rate = msgspec.structs.replace(site.site.making.rate, burst=10_000)
    site.site.asking.rate = msgspec.structs.replace(site.site.asking.rate, burst=10_000)
    site.site.making._buckets.clear()
    site.site.asking._buckets.clear()
    waiting, seen = ["/"], {"/"}
    while waiting:
        address = waiting.pop()
        found = await site.get(address)
        if address.startswith("/matches/") and "film" in address and found.status_code == 404:
            continue  # an invented match, whose record is none
        assert found.status_code == 200, address
        if not found.headers["content-type"].startswith("text/html"):
            continue
        for link in re.findall(r'(?:href|src|data-film|data-texts)="(/[^"#]*)', found.text):
            if link not in seen:
                seen.add(link)
                waiting.append(link.replace("&amp;", "&"))
    assert {"/queue", "/rules/mariagio", "/matches/1/film.json?bot=2", "/bots/4"} <= seen


async def test_a_game_s_table_is_the_one_that_the_command_prints(
    site: Asked, ladder: Store
) -> None:
    found = (await site.get("/games/1.json")).json()
    wanted = as_json(heading_of(ladder), [standings_of(ladder, ladder.roster.pools[1])])
    assert found == json.loads(msgspec.json.encode(wanted))


async def test_a_counted_result_is_on_the_page_within_a_second(tmp_path: Path) -> None:
    """Pages are made anew once the ladder has another fact, and only then."""
    with made(tmp_path / "ladder") as store:
        async with opened(store) as site:
            before = await site.get("/matches")
            assert "No match was played yet" in before.text
            match = invented(store, job(store, (1, 2)))
            count(store, match)
            await site.news()
            after = await site.get("/matches")
            assert 'href="/matches/1"' in after.text
            assert (await site.get("/matches")).headers["etag"] == after.headers["etag"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("bot=5", {"bots": {3, 5}}),
        ("game=1", {"game": 1}),
        ("game=2", {"game": 2}),
        ("faults=1", {"faulty": True}),
        ("bot=1&game=1&faults=1", {"bots": {1}, "game": 1, "faulty": True}),
    ],
)
async def test_matches_are_looked_for_by_bot_by_game_and_by_faults(
    site: Asked, query: str, meant: dict[str, object]
) -> None:
    """Of a bot all versions, and its own faults; a page and its JSON have the same."""
    every = (await site.get("/matches.json")).json()["matches"]
    found = (await site.get(f"/matches.json?{query}")).json()
    bots = meant.get("bots", {1, 2, 3, 4, 5})
    assert isinstance(bots, set)
    wanted = [
        one["match"]
        for one in every
        if any(
            bot["entrant"] in bots and (bot["faults"] or "faulty" not in meant)
            for bot in one["bots"]
        )
        and one["pool"] == meant.get("game", one["pool"])
    ]
    assert [one["match"] for one in found["matches"]] == wanted
    assert (found["before"], len(every)) == (None, 22)
    page = (await site.get(f"/matches?{query}")).text
    assert re.findall(r'<td><a href="/matches/(\d+)">', page) == [str(one) for one in wanted]


async def test_a_form_that_was_left_empty_asks_for_all_matches(site: Asked) -> None:
    """As browsers send it; older ones are of the same kind, and a page follows that kind only."""
    every = (await site.get("/matches")).text
    empty = (await site.get("/matches?bot=&game=")).text
    assert empty == every
    shown = (await site.get("/matches?bot=4&game=&faults=1")).text
    assert re.search(r'<option value="4" selected>illegal</option>', shown)
    assert 'name="faults" value="1" checked' in shown
    assert 'hx-sse:connect="/matches.live?bot=4&amp;faults=1&amp;has=' in shown


async def test_older_matches_are_of_those_that_are_looked_for(tmp_path: Path) -> None:
    with made(tmp_path / "ladder", bots=("first", "random", "greedy")) as store:
        for number in range(52):
            count(store, invented(store, job(store, (1, 2), number)))
        count(store, invented(store, job(store, (1, 3))))
        async with opened(store) as site:
            page = (await site.get("/matches?bot=2")).text
            older = (await site.get("/matches.json?bot=2&before=3")).json()
    assert 'href="/matches?bot=2&amp;before=3"' in page
    assert ([one["match"] for one in older["matches"]], older["before"]) == ([2, 1], None)


async def test_the_rules_say_what_a_match_is_on_this_ladder(site: Asked) -> None:
    """Beside what ends a match of people, which no match of a ladder does."""
    row = re.search(
        r'<th scope="row"><a href="/rules/briscola-2">.*', (await site.get("/rules")).text
    )
    assert row is not None
    assert 'first to 2 won deals</td><td class="text"><a href="/games/1">' in row[0]
    says = "4 deals (2 decks, each in 2 seatings)"
    pages = [(await site.get(path)).text for path in ("/rules/briscola-2", "/games/1")]
    assert all(says in page for page in (row[0], *pages))
    assert "On this ladder" not in (await site.get("/rules/mariagio")).text


async def test_only_what_can_change_follows_the_results(site: Asked) -> None:
    """A match that is looked at stays as it is: else its cards were laid anew at each result."""
    for address in ("/", "/games/1", "/bots/1", "/queue", "/matches"):
        assert "hx-sse:connect" in (await site.get(address)).text
    for address in ("/matches/1", "/matches/1?bot=1", "/rules", "/rules/sueca"):
        assert "hx-" not in (await site.get(address)).text.replace("hx-sse", "")


async def test_a_page_that_a_browser_has_is_not_sent_again(site: Asked) -> None:
    found = await site.get("/games/1")
    again = await site.get("/games/1", if_none_match=found.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/nothing", 404),
        ("/games/9", 404),
        ("/games/x", 404),
        ("/bots/99", 404),
        ("/bots/0", 404),
        ("/bots/-1", 404),
        ("/bots/1%00", 404),
        ("/matches/99", 404),
        ("/matches/zzzz", 404),
        ("/matches/99/film.json", 404),
        ("/matches/99/record", 404),
        ("/pairs/1/1", 404),
        ("/pairs/1/99", 404),
        ("/rules/chess", 404),
        ("/rules/..%2f..%2fetc", 404),
        ("/static/x/passwd", 404),
        ("/static/x/..%2fapp.py", 404),
        ("/matches?before=x", 400),
        ("/matches?before=0", 400),
        ("/matches?bot=99", 404),
        ("/matches?game=99", 404),
        ("/matches.json?game=", 400),
        ("/matches/1?bot=x", 400),
        ("/matches/1/film.json?bot=9", 400),
        ("/pairs/1/2?game=99", 404),
    ],
)
async def test_what_is_not_there_is_said_in_a_sentence(
    site: Asked, address: str, status: int
) -> None:
    """To a person as a page, to a program as JSON; none of ours is in it."""
    for accept, kind in (("text/html", "text/html"), ("application/json", "application/json")):
        found = await site.get(address, accept=accept)
        assert found.status_code == status, found.text
        if not address.partition("?")[0].endswith(".json"):
            assert found.headers["content-type"].startswith(kind)
        assert "Traceback" not in found.text
        assert "/ladder" not in found.text.replace("/ladder.json", "")


async def test_a_name_that_is_not_known_is_refused_in_json_and_passed_over_in_a_link(
    site: Asked,
) -> None:
    """Programs misspell names; people pass links on that have got others on their way."""
    assert (await site.get("/matches.json?befor=3")).status_code == 400
    assert (await site.get("/matches?utm_source=x")).status_code == 200


async def test_every_answer_has_the_headers_that_keep_browsers_safe(site: Asked) -> None:
    for address in ("/", "/nothing", "/ladder.json", "/feed.atom", "/healthz", "/metrics"):
        found = await site.get(address)
        assert "script-src 'self'" in found.headers["content-security-policy"]
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in found.headers["content-security-policy"]
        assert "set-cookie" not in found.headers


async def test_only_what_reads_is_allowed(site: Asked) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for page in PAGES:
            address = re.sub(r"\{\w+\}", "1", page.path)
            found = await site.client.request(method, address)
            assert found.status_code == 405


async def test_the_film_of_a_bot_hides_what_it_did_not_see(site: Asked) -> None:
    """What is sent is looked into: before the first act the others' cards are nowhere in it."""
    everything = (await site.get("/matches/1/film.json")).json()
    for bot in (1, 2):
        film = (await site.get(f"/matches/1/film.json?bot={bot}")).json()
        assert film["viewer"] == film["bots"][bot - 1]
        for open_deal, deal in zip(everything["deals"], film["deals"], strict=True):
            own = str(deal["viewer"])
            hands = open_deal["frames"][0]["hands"]
            first = json.dumps(deal["frames"][0])
            for seat, hand in hands.items():
                assert all((card in first) is (seat == own) for card in hand["cards"])


async def test_a_match_has_a_table_of_its_deals_that_adds_up(site: Asked, ladder: Store) -> None:
    """Its page has them without any script, each with its place in the moving pictures."""
    found = (await site.get("/matches/1/deals.json")).json()
    film = (await site.get("/matches/1/film.json")).json()
    page = (await site.get("/matches/1")).text
    assert [deal["deal"] for deal in found["deals"]] == [deal["called"] for deal in film["deals"]]
    for deal, shown in zip(found["deals"], film["deals"], strict=True):
        assert [seat["bot"] for seat in deal["seats"]] == list(shown["bots"])
        assert [seat["points"] for seat in deal["seats"]] == shown["outcome"]["points"]
        assert f'href="#deal={deal["deal"]}&amp;act=0"' in page
    totals = [bot["value"] for bot in (await site.get("/matches/1.json")).json()["bots"]]
    for place, total in enumerate(totals):
        seats = [seat for deal in found["deals"] for seat in deal["seats"] if seat["bot"] == place]
        assert sum(seat["value"] for seat in seats) == total
    assert found["next"] is None


async def test_the_table_of_deals_has_faults_and_deals_that_were_not_played(tmp_path: Path) -> None:
    with made(tmp_path / "ladder", usual_pools("briscola-2", blocks=4)) as store:
        count(store, await play(store, job(store, (1, 4))))
        async with opened(store) as site:
            deals = (await site.get("/matches/1/deals.json")).json()["deals"]
            page = (await site.get("/matches/1")).text
    assert {fault["code"] for deal in deals for fault in deal["faults"]} == {"illegal"}
    assert "unplayed" in {deal["reason"] for deal in deals}
    assert "illegal: illegal: " in page
    assert "not played" in page


async def test_the_deals_of_a_long_match_are_looked_through_page_by_page(tmp_path: Path) -> None:
    """The first fifty are on the match's own page, folded; each deal is on one page."""
    with made(tmp_path / "ladder", bots=("first", "greedy")) as store:
        count(store, await play(store, job(store, (1, 2), blocks=26)))
        async with opened(store) as site:
            page = (await site.get("/matches/1")).text
            first = (await site.get("/matches/1/deals.json")).json()
            rest = (await site.get(f"/matches/1/deals.json?from={first['next']}")).json()
            last = await site.get("/matches/1/deals?from=51")
            none = await site.get("/matches/1/deals?from=53")
    assert page.count('<a href="#deal=') == 50
    assert "<summary>50 deals</summary>" in page
    assert 'href="/matches/1/deals?from=51"' in page
    names = [deal["deal"] for deal in (*first["deals"], *rest["deals"])]
    assert (len(names), len(set(names)), rest["next"]) == (52, 52, None)
    assert last.text.count('<a href="/matches/1#deal=') == 2
    assert none.status_code == 404


async def test_no_deal_is_shown_of_a_record_that_went_while_its_page_was_kept(
    tmp_path: Path,
) -> None:
    """A page that is looked at is made ahead of who asks, of what was found before."""
    with made(tmp_path / "ladder", bots=("first", "greedy")) as store:
        count(store, await play(store, job(store, (1, 2))))
        author = store.roster.entrants[1].author
        async with opened(store) as site:
            assert "<h2>Deals</h2>" in (await site.get("/matches/1")).text
            assert (await site.get("/matches/1/deals.json")).status_code == 200
            store.erasure.erase(author, "asked")
            await site.news()
            assert "<h2>Deals</h2>" not in (await site.get("/matches/1")).text
            assert (await site.get("/matches/1/deals.json")).status_code == 404


async def test_a_match_whose_record_is_gone_has_no_table_of_deals(tmp_path: Path) -> None:
    with made(tmp_path / "ladder") as store:
        count(store, replace(invented(store, job(store, (1, 2))), record="", size=0))
        async with opened(store) as site:
            assert "<h2>Deals</h2>" not in (await site.get("/matches/1")).text
            assert (await site.get("/matches/1/deals")).status_code == 404


async def test_a_record_can_be_had_and_proved(site: Asked, ladder: Store, tmp_path: Path) -> None:
    from referee.cli import run  # noqa: PLC0415  # slow to import

    found = await site.get("/matches/1/record")
    assert found.headers["content-disposition"] == 'attachment; filename="match-1.jsonl.zst"'
    (tmp_path / "record").write_bytes(found.content)
    assert run(["replay", str(tmp_path / "record"), "--verify"]) == 0


async def test_the_feed_is_atom(site: Asked) -> None:
    found = await site.get("/feed.atom")
    tree = ElementTree.fromstring(found.text)  # noqa: S314  # our own
    atom = "{http://www.w3.org/2005/Atom}"
    assert tree.tag == f"{atom}feed"
    entries = tree.findall(f"{atom}entry")
    assert len(entries) == 22
    ids = [entry.findtext(f"{atom}id") for entry in entries]
    assert len(set(ids)) == 22
    link = entries[0].find(f"{atom}link")
    assert link is not None
    assert link.get("href") == "http://site.test/matches/22"


async def test_the_queue_says_why_a_bot_waits(tmp_path: Path) -> None:
    with made(tmp_path / "ladder", bots=("first",)) as store:
        async with opened(store) as site:
            found = (await site.get("/queue.json")).json()
            assert "1 bot plays" in found["idle"]
            assert "1 bot plays" in found["bots"][0]["reason"]
            submit(store, "random", "other")
            store.take("runner", 60_000, lambda _: True, lambda _: job(store, (1, 2)))
            await site.news()
            found = (await site.get("/queue.json")).json()
            assert found["idle"] is None
            (match,) = found["matches"]
            assert (match["state"], match["bots"]) == ("playing", ["first", "random"])
            assert "number 1 of 2 in line; it is new, and new bots" in found["bots"][0]["reason"]


async def test_the_pair_of_two_bots_adds_up(site: Asked, ladder: Store) -> None:
    """Blocks of both, from each other's point of view."""
    one, other = [(await site.get(f"/pairs/{pair}.json")).json() for pair in ("1/2", "2/1")]
    assert (one["won"], one["level"], one["lost"]) == (other["lost"], other["level"], other["won"])
    assert one["won"] + one["level"] + one["lost"] == len(one["blocks"]) > 0
    assert one["difference"]["value"] == -other["difference"]["value"]
    game = (await site.get("/games/1.json")).json()["sections"][0]
    numbers = [row["entrant"] for row in game["bots"]]
    cells = game["cross_table"]["cells"]
    cell = cells[numbers.index(1)][numbers.index(2)]
    assert abs(one["difference"]["value"] - cell["difference"]) < 0.01, "as the table has it"
    worst = [block["difference"] for block in one["worst"]]
    assert worst == sorted(worst)


async def test_a_pair_is_of_the_versions_that_play_unless_all_are_wanted(
    site: Asked, ladder: Store
) -> None:
    """An address says which, so that a link leads others to the same; greedy has a new version."""
    now, every = [(await site.get(f"/pairs/1/3.json{all_}")).json() for all_ in ("", "?all=1")]
    assert (now["bots"], now["matches"]) == (["first", "greedy v2"], 0)
    assert every["bots"] == ["first", "greedy"]
    assert every["matches"] > 0
    page = (await site.get("/pairs/1/3")).text
    assert "These versions have not met" in page
    assert 'href="/pairs/1/3?game=1&amp;all=1"' in page
    assert 'href="/pairs/1/3?game=1"' in (await site.get("/pairs/1/3?all=1")).text
    assert "&amp;all=1" in (await site.get("/games/1?all=1")).text


async def test_the_figures_are_for_prometheus(site: Asked) -> None:
    await site.get("/")
    await site.get("/bots/99")
    found = (await site.get("/metrics")).text
    assert 'referee_site_requests_total{page="bot",status="404"} 1.0' in found
    assert "referee_ladder_matches 22.0" in found
    assert "referee_database_away 0.0" in found


async def test_no_page_names_an_author_who_was_erased(tmp_path: Path) -> None:
    """A bot of theirs has its number, on pages that were made before, too; its results stay."""
    with made(tmp_path / "ladder") as store:
        filled(store, 6)
        author = store.roster.entrants[1].author
        addresses = ("/", "/games/1?all=1", "/bots", "/bots/1", "/pairs/1/2", "/matches", "/queue")
        async with opened(store) as site:
            for address in addresses:
                await site.get(address)
            store.erasure.erase(author, "asked")
            await site.news()
            pages = {address: (await site.get(address)) for address in addresses}

    assert {page.status_code for page in pages.values()} == {200}
    assert not [address for address, page in pages.items() if author in page.text]
    assert "#1" in pages["/games/1?all=1"].text
    assert "(erased)" in pages["/bots/1"].text


async def test_the_page_of_a_bot_has_its_row_of_the_table(site: Asked, ladder: Store) -> None:
    """The rating that the table has stands there beside the one that tables are drawn by."""
    (pool,) = (one for one in ladder.roster.open_pools if one.pool == 1)
    found = standings_of(ladder, pool)
    row = found.rows[0]
    page = (await site.get(f"/bots/{row.bot}")).text
    assert f"of {len(found.rows)}: at which" in page or f"of {len(found.rows)}." in page
    assert f"{row.blocks:,}</td>" in page
    met = [one.bot for one, cell in zip(found.rows, found.cross[0], strict=True) if cell]
    assert met
    assert all(f'href="/pairs/{row.bot}/{one}?game=1"' in page for one in met)
    bot = (await site.get(json_path(f"/bots/{row.bot}"))).json()
    (place,) = (one for one in bot["places"] if one["pool"] == pool.pool)
    assert place["bots"] == len(found.rows)
    table = (await site.get(json_path("/games/1"))).json()["sections"][0]
    assert place["row"] == table["bots"][0]
