"""SOURCES.md: everything that it names is there, and nothing is left out of it."""

import ast
import json
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from referee.errors import RefereeError
from referee.games import catalogue

TESTS = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (TESTS.parent / "SOURCES.md").read_text().splitlines()
    if re.match(r"\| (?:S\d\.|X\.|U)\d+ \|", line)
]
IN_A_FILE = re.compile(r"`(referee/[\w/]+\.py)` \(((?:`[\w.]+`(?:, )?)+)\)")
OF_A_VECTOR = re.compile(r"`([\w-]+\.json)`((?:,? \"[^\"]+\")*)")
OPTIONS = [option for variant in catalogue().values() for option in variant.options]


@cache
def names_in(path: str) -> set[str]:  # and Class.member
    tree = ast.parse((TESTS.parent / path).read_text())
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    return {
        prefix + getattr(target, "id", getattr(target, "name", ""))
        for prefix, body in [("", tree.body), *((f"{one.name}.", one.body) for one in classes)]
        for one in body
        for target in getattr(one, "targets", [getattr(one, "target", one)])
    }


def is_choice(text: str) -> bool:  # option, or option=value
    name, equals, value = text.partition("=")
    for option in OPTIONS:
        with suppress(RefereeError):
            if option.name == name and (not equals or value in option.values or option.read(value)):
                return True
    return False


@pytest.mark.parametrize("table", ["S0.", "S1.", "S2.", "S3.", "S4.", "U", "X."])
def test_rows_and_the_sentences_of_a_heading_are_numbered_without_gaps(table: str) -> None:
    """No row is missing from a table, and no sentence under its heading."""
    rows = [row for row in ROWS if row[0].startswith(table)]
    assert [int(row[0].removeprefix(table)) for row in rows] == list(range(1, len(rows) + 1))
    last: dict[str, int] = {}
    for number, place, *_ in rows if table.startswith("S") else ():
        heading, _, sentences = place.partition(" (")[0].rpartition(", ")
        first, *to = map(int, sentences.split("-"))
        assert first - last.get(heading, 0) in {0, 1}, number
        last[heading] = max([first, *to])


def test_every_name_is_one() -> None:
    """Files, names in them, vectors, tests, games, options and rows that are named exist."""
    known = set(
        re.findall(r"def (test_\w+)", "".join(p.read_text() for p in TESTS.rglob("test_*.py")))
    )
    for number, *cells in ROWS:
        text = " | ".join(cells)
        assert cells[-1] != "-" or cells[1].startswith("no rule"), number
        for path, names in IN_A_FILE.findall(text):
            assert set(re.findall(r"[\w.]+", names)) <= names_in(path), (number, path)
        for file, said in OF_A_VECTOR.findall(text):
            vectors = (TESTS / "vectors" / file).read_text()
            for name in re.findall(r"\"([^\"]+)\"", said):
                assert f'"description": {json.dumps(name)},' in vectors, (number, file)
        for name in re.findall(r"`([^`]+)`", OF_A_VECTOR.sub("", IN_A_FILE.sub("", text))):
            assert name in known or name in catalogue() or is_choice(name), (number, name)
        assert set(re.findall(r"\bS\d\.\d+|\bU\d\d\b", text)) <= {row[0] for row in ROWS}, number


def test_every_game_and_option_is_in_a_table() -> None:
    """Whatever can be played or chosen comes from a sentence, or is said to come from none."""
    named = set(re.findall(r"`([\w-]+)(?:=[^`]*)?`", str(ROWS)))
    assert set(catalogue()) | {option.name for option in OPTIONS} <= named
