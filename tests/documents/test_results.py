"""docs/results.md, 5: a ladder can be checked with a zip, JSON and SHA-256 by the text alone.

Nothing here recomputes by our own functions; they only make what is checked.
"""

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import msgspec
import pytest
import zstandard
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from ladder.archive.export import export
from ladder.archive.format import fact_of
from ladder.core.facts import (
    Begun,
    Decision,
    Deed,
    Keep,
    LadderJob,
    Match,
    Opened,
    Pool,
    Retention,
    Revealed,
    Sealed,
    Submission,
)
from ladder.files.signed_head import Head, SignedHead
from support import ladders

RESULTS = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
SECTION = re.split(r"^## 5\. Ladders\n", RESULTS, flags=re.MULTILINE)[1].partition("\n## ")[0]
EXAMPLE = re.findall(r"^```facts\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
NOUGHTS = "0" * 64
KINDS = (Opened, Pool, Submission, Decision, Retention, Sealed, Begun, Revealed, Match)


def written(value: object) -> str:
    """JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sha256(text: str) -> str:
    """In hex, of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def unnamed(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact as its digest is taken of it."""
    if fact["type"] != "Submission" or fact["names"]:
        return fact
    names = sha256(written([fact[name] for name in ("name", "author", "salt")]))
    return {**fact, "name": "", "author": "", "salt": "", "names": names}


def chain(lines: list[dict[str, Any]]) -> list[str]:
    """The hashes that the facts of some lines should have."""
    found = [NOUGHTS]
    for line in lines:
        found.append(sha256(found[-1] + sha256(written(unnamed(line["fact"])))))
    return found[1:]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """An export of a ladder in which matches were really played, and something was decided."""
    folder = tmp_path_factory.mktemp("ladder")
    with ladders.made(folder / "it", ladders.usual_pools("briscola-2", "briscola-3")) as store:
        ladders.filled(store, 3, really=True)
        ladders.filled(store, 1, really=True, pool=2)
        retired = Decision(deed=Deed.RETIRED, entrant=2, reason='è "\\ \x01\x7f\t', at_ms=1)
        store.add(lambda _, __: [retired, Retention(keep=Keep.LAST, last=3, at_ms=1)])
        export(store, folder / "it.zip", bots=True)
    return ZipFile(folder / "it.zip")


@pytest.fixture(scope="module")
def lines(archive: ZipFile) -> list[dict[str, Any]]:
    """The lines of its facts."""
    return [json.loads(line) for line in archive.read("facts.jsonl").splitlines()]


@pytest.fixture(scope="module")
def matches(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts that are matches."""
    return [line["fact"] for line in lines if line["fact"]["type"] == "Match"]


def first_words(cell: str) -> list[str]:
    """The names in a cell of the table; what stands in brackets explains them."""
    return re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell))


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_the_fields_of_each_fact(kind: type[Struct]) -> None:
    """All of them, in their order."""
    (row,) = re.findall(rf"^\| `{kind.__name__}` \|.*\| (.*) \|$", SECTION, re.MULTILINE)

    assert tuple(first_words(row)) == kind.__struct_fields__


def test_the_table_has_every_kind_and_deed() -> None:
    """And no others."""
    assert re.findall(r"^\| `(\w+)` \|", SECTION, re.MULTILINE) == [kind.__name__ for kind in KINDS]
    for name, words in (("deed", Deed), ("keep", Keep)):
        (told,) = re.findall(rf"`{name}` \((.*?)\)", SECTION)
        assert re.findall(r"`(\w+)`", told) == list(words)


def test_the_fields_of_a_job_and_of_a_head_are_those_that_are_told() -> None:
    """In their order, too."""
    (job,) = re.findall(r"A job is (.*?);", SECTION)
    (head,) = re.findall(r"`(\{\"head\".*?\})`", SECTION)

    assert tuple(first_words(job)) == LadderJob.__struct_fields__
    assert tuple(re.findall(r'"(\w+)"', head)) == (
        "head",
        *Head.__struct_fields__,
        *SignedHead.__struct_fields__[1:],
    )


def test_the_example_is_a_chain() -> None:
    """Its hashes follow, it is written as an export writes it, and another bit breaks it."""
    (text,) = EXAMPLE
    found = [json.loads(line) for line in text.splitlines()]

    assert [line["seq"] for line in found] == [1, 2, 3]
    assert [line["hash"] for line in found] == chain(found)
    assert [written(line) for line in found] == text.splitlines()
    for line in text.splitlines(keepends=True):
        fact_of(line.encode())
    erased = [{**line, "fact": unnamed(line["fact"])} for line in found]
    assert [line["hash"] for line in erased] == chain(erased)
    found[1]["fact"]["version"] += 1
    assert [line["hash"] for line in found[1:]] != chain(found)[1:]


@pytest.mark.slow
def test_the_facts_of_an_export_are_a_chain(archive: ZipFile, lines: list[dict[str, Any]]) -> None:
    """Fields, bytes and hashes are as the text has them."""
    kinds = {kind.__name__: kind for kind in KINDS}
    for line in lines:
        fields = kinds[line["fact"]["type"]].__struct_fields__
        assert list(line) == ["seq", "hash", "fact"]
        assert list(line["fact"]) == ["type", *fields]

    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert [line["hash"] for line in lines] == chain(lines)
    assert "".join(written(line) + "\n" for line in lines) == archive.read("facts.jsonl").decode()


@pytest.mark.slow
def test_jobs_are_named_by_what_they_are(matches: list[dict[str, Any]]) -> None:
    """Keys are of 128 bits, no two alike; a job's id is what `ladder match` says."""
    keys = [match["job"]["key"] for match in matches]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)
    for match in matches:
        job = match["job"]
        name = msgspec.convert(job, LadderJob).name
        assert name == sha256(written(job))
        assert list(job) == ["ladder", "pool", "entrants", "hashes", "key", "blocks"]


@pytest.mark.slow
def test_the_files_of_an_export_are_those_that_are_told_in_their_order(
    archive: ZipFile, lines: list[dict[str, Any]], matches: list[dict[str, Any]]
) -> None:
    """Head, facts, records by match, bots by submission; nothing is compressed once more.

    The policy lets the record of the first match go.
    """
    names = archive.namelist()
    records = [f"records/{one['record'][:2]}/{one['record']}.jsonl.zst" for one in matches[1:]]
    submitted = [line["fact"]["hash"] for line in lines if line["fact"]["type"] == "Submission"]
    bots = [name.split("/")[1] for name in names if name.startswith("bots/")]

    assert names[:2] == ["head.json", "facts.jsonl"]
    assert names[2 : 2 + len(records)] == records
    assert list(dict.fromkeys(bots)) == list(dict.fromkeys(submitted))
    assert len(names) == 2 + len(records) + len(bots)
    assert all(info.compress_type == ZIP_STORED for info in archive.infolist())


@pytest.mark.slow
def test_records_are_named_by_their_bytes_and_dealt_from_the_keys_of_their_jobs(
    archive: ZipFile, matches: list[dict[str, Any]]
) -> None:
    """Block k of a match has key k of the event key that its job's text makes."""
    for match in matches[1:]:
        packed = archive.read(f"records/{match['record'][:2]}/{match['record']}.jsonl.zst")
        assert hashlib.sha256(packed).hexdigest() == match["record"]
        assert len(packed) == match["size"]

        text = zstandard.ZstdDecompressor().stream_reader(packed).read().decode()
        event = hashlib.sha256(match["job"]["key"].encode()).digest()
        wanted = {_hmac(event, str(block).encode()) for block in range(match["job"]["blocks"])}
        assert set(re.findall(r'"key":"([0-9a-f]{64})"', text)) == wanted


def _hmac(key: bytes, message: bytes) -> str:
    """HMAC-SHA-256 as RFC 2104 has it."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(each ^ 0x36 for each in padded) + message).digest()
    return hashlib.sha256(bytes(each ^ 0x5C for each in padded) + inner).hexdigest()


@pytest.mark.slow
def test_faults_are_counted_by_place_and_the_first_are_listed(
    matches: list[dict[str, Any]],
) -> None:
    """No more than 20, and each by a place of its table."""
    outcomes = [match["outcome"] for match in matches]
    assert any(outcome["fault_list"] for outcome in outcomes)
    for match in outcomes:
        assert len(match["fault_list"]) == min(sum(match["faults"]), 20)
        for fault in match["fault_list"]:
            assert list(fault) == ["leg", "deal", "act", "seat", "bot", "code", "detail"]
            assert match["faults"][fault["bot"]] > 0


@pytest.mark.slow
def test_a_head_is_signed_byte_for_byte_as_told(
    archive: ZipFile, lines: list[dict[str, Any]]
) -> None:
    """Ed25519 over the words, a newline, and the JSON of the head."""
    text = archive.read("head.json").decode()
    found = json.loads(text)
    head, key = (
        found["head"],
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(found["public_key"])),
    )
    said = f"briscola-referee ladder head 1\n{written(head)}".encode()

    assert text == written(found) + "\n"
    assert list(found) == ["head", "public_key", "signature"]
    assert list(head) == ["ladder", "facts", "hash", "at_ms"]
    assert (head["facts"], head["hash"]) == (len(lines), lines[-1]["hash"])
    assert head["ladder"] == lines[0]["fact"]["ladder"]
    key.verify(bytes.fromhex(found["signature"]), said)
    with pytest.raises(InvalidSignature):
        key.verify(bytes.fromhex(found["signature"]), said[:-1] + b" ")


@pytest.mark.slow
def test_times_do_not_go_back_by_much(lines: list[dict[str, Any]]) -> None:
    """They are milliseconds since 1970: of this century, but for those that the test invents."""
    times = [line["fact"]["at_ms"] for line in lines if line["fact"]["type"] == "Submission"]
    assert all(before <= after for before, after in pairwise(times))
    assert min(times) > 1_700_000_000_000
