"""The shape of the house: imports go one way, pure modules stay pure, modules stay small."""

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
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


def test_nothing_is_raised_in_an_except_star() -> None:
    """Before 3.11.4 Python puts it into a group, alone as it is: Debian 12 has 3.11.2."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                handlers = node.handlers if isinstance(node, ast.TryStar) else []
                within = [inner for handler in handlers for inner in ast.walk(handler)]
                assert not any(isinstance(inner, ast.Raise) for inner in within), path


def test_every_module_says_what_it_is() -> None:
    """Each module begins with a docstring."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            assert ast.get_docstring(ast.parse(path.read_text())), path


def test_a_package_that_took_our_name_is_named(tmp_path: Path) -> None:
    """Where another `protocol` comes first, the error says which file it is."""
    (tmp_path / "protocol.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import referee"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert f"the name `protocol` is taken by {tmp_path}/protocol.py" in done.stderr


def test_the_wheel_holds_the_four_packages_and_nothing_else(tmp_path: Path) -> None:
    """Built as users install it: samples and schemas are in, tests are not."""
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        names = wheel.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}

    assert tops == set(PACKAGES)
    assert "sample_bots/first-c/bot.toml" in names
    assert {"sample_bots/kits/go/go.mod", "sample_bots/kits/shell/test.sh"} < set(names)
    assert "protocol/schemas/act.json" in names
    assert {"ladder/web/documents/SPEC.md", "ladder/web/documents/results.md"} < set(names)
    assert "referee/bench/ping.c" in names
