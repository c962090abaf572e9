"""The shape of the house: imports go one way, pure modules stay pure, modules stay small."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "referee", "ladder", "sample_bots")


def test_imports_keep_to_the_contracts() -> None:
    """import-linter finds every contract of pyproject.toml kept."""
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_modules_and_functions_stay_small() -> None:
    """No module over 400 lines, no function over 60: beyond that a concept waits for its name."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text()
            assert text.count("\n") <= 400, path
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    length = (node.end_lineno or 0) - node.body[0].lineno + 1
                    assert length <= 60, f"{path}: {node.name} has {length} lines"


def test_every_module_says_what_it_is() -> None:
    """Each module begins with a docstring."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            assert ast.get_docstring(ast.parse(path.read_text())), path
