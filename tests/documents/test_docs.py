"""The documents: what people can type or get stands in them."""

import ast
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from ladder.store.location import VARIABLE, where_of
from referee.bots.find import sample_names
from referee.commands.app import add_plug_ins, app
from referee.match.verdict import FaultCode

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = {path.name: path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))}
HOSTING = {path.name: path.read_text() for path in sorted((ROOT / "docs/hosting").iterdir())}
MANUAL = "\n".join([README, *PAGES.values()])
SPEC = (ROOT / "SPEC.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
TEXTS = {"README.md": README, "CONTRIBUTING.md": CONTRIBUTING}
PACKAGES: Final = ("protocol", "referee", "ladder", "sample_bots")
MAPPED: Final = ("protocol", "referee", "ladder")


def commands() -> Iterator[tuple[str, Any, Any]]:
    """What is typed for each command, how lists name it, and the command once it is imported."""
    add_plug_ins()
    groups = [("referee", typer.main.get_command(app))]
    for path, group in groups:
        for name, listed in getattr(group, "commands").items():  # noqa: B009  # a vendored class
            if hasattr(listed, "commands"):
                groups.append((f"{path} {name}", listed))
                continue
            context = listed.make_context(name, [], resilient_parsing=True)
            yield f"{path} {name}", listed, context.command


def told_of(name: str) -> str:
    """What the manual says of a command: its own section, and rows and items that name it.

    Events have a section beside those of their commands; a row is for all commands of ladders.
    """
    parts = re.findall(rf"^## {name}\b.*?(?=^#)", MANUAL, re.MULTILINE | re.DOTALL)
    parts += [line for line in MANUAL.splitlines() if re.search(rf"`{name}[ `]", line)]
    if name.startswith("referee event"):
        parts.append(PAGES["events.md"])
    if name == "referee submit" or name.startswith("referee ladder"):
        parts += re.findall(r"^\| each of these \|.*", MANUAL, re.MULTILINE)
    return "\n".join(parts)


def test_every_command_and_option_is_in_the_manual() -> None:
    """Nothing can be typed that README and docs/ do not show where they tell of the command."""
    missing, seen = [], 0
    for name, _, command in commands():
        told = told_of(name)
        assert name in told
        for option in command.params:
            for text in (*option.opts, *option.secondary_opts):
                if text.startswith("--") and text != "--help":
                    seen += 1
                    if not re.search(rf"(?<![\w-]){text}(?![\w-])", told):
                        missing.append(f"{name} {text}")

    assert missing == []
    assert seen > 50


def hosted() -> Iterator[list[str]]:
    """The commands of ours that the files of docs/hosting and its page start, as words."""
    for text in (PAGES["hosting.md"], *HOSTING.values()):
        for line in re.findall(r"(?<![\w-])referee (?!referee)([a-z][^\n`#]*)", text):
            yield ["referee", *shlex.split(line)]
        for line in re.findall(r'"referee"((?:, "[^"]+")+)', text):
            yield ["referee", *re.findall(r'"([^"]+)"', line)]


def test_what_is_started_where_a_ladder_is_hosted_can_be_started() -> None:
    """Each command of the unit, of the container and of their page is one, with these options."""
    known = {name: command for name, _, command in commands()}
    seen = list(hosted())
    for words in seen:
        names = [" ".join(words[:length]) for length in (3, 2)]
        name = next((name for name in names if name in known), None)
        assert name is not None, words
        if rest := words[len(name.split()) :]:
            known[name].make_context(name, rest)

    assert sum(words[1] == "serve" for words in seen) >= 3
    assert any(words[1:3] == ["ladder", "migrate"] for words in seen)


def test_what_the_files_for_hosting_name_is_there() -> None:
    """Files, the program, the variables and the address that says that all is well."""
    unit, compose = HOSTING["briscola-referee.service"], HOSTING["compose.yaml"]
    recipe = HOSTING["Dockerfile"]
    context = re.search(r"context: (\S+)", compose)
    assert context is not None
    assert (ROOT / "docs/hosting" / context[1]).resolve() == ROOT
    named = re.findall(r"dockerfile: (\S+)", compose) + re.findall(r"docs/[\w./-]+\.sh", recipe)
    for line in re.findall(r"^COPY (.+) \S+$", recipe, re.MULTILINE):
        named += line.split()
    assert {"docs", "ladder", "docs/hosting/Dockerfile"} <= set(named)
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert "\n$(READY): " in (ROOT / "Makefile").read_text()
    assert "make .venv/.installed" in recipe
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    program = re.search(r"^ExecStart=\S+/\.venv/bin/(\S+)", unit, re.MULTILINE)
    assert program is not None
    assert program[1] in scripts
    (address,) = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", compose)
    assert f'Route("{address}"' in (ROOT / "ladder/web/service_routes.py").read_text()


def test_a_ladder_is_hosted_where_its_commands_look_for_it() -> None:
    """The unit and the image name the ladder, and settings.toml is read from where it is said."""
    folder = Path("/var/lib/briscola-ladder")
    for text in (HOSTING["briscola-referee.service"], HOSTING["Dockerfile"]):
        said = dict(re.findall(r"\b([A-Z_]+)=(/\S+)", text))
        assert where_of(None, {VARIABLE: said[VARIABLE]}).files == folder
    assert f"ladder:{folder}\n" in HOSTING["compose.yaml"]


def test_lists_of_commands_say_what_the_commands_say() -> None:
    """The line of a command that is not imported yet is the first sentence of its docstring."""
    for name, listed, command in commands():
        assert listed.get_short_help_str(1000) == command.get_short_help_str(1000), name


def test_every_sample_and_fault_is_documented() -> None:
    """Samples are listed in the README, fault codes in SPEC 6."""
    for name in sample_names():
        assert f"`{name}`" in README or f"sample:{name}" in README, name
    for code in FaultCode:
        assert f"| `{code}` |" in SPEC, code


def test_links_and_files_exist() -> None:
    """A file that a document names in backticks or links to is there."""
    folders = "|".join((*PACKAGES, "tests"))
    for name, text in TEXTS.items():
        found = re.findall(r"\]\(([A-Za-z0-9_./-]+)(?:#[a-z0-9-]+)?\)", text)
        found += re.findall(rf"`((?:{folders})/[A-Za-z0-9_./-]+)`", text)
        assert found, name
        for path in found:
            assert (ROOT / path).exists(), f"{name}: {path}"


def mapped(package: str) -> list[list[str]]:
    """The lines of a package on CONTRIBUTING's map, each as the modules that it names."""
    block = re.search(rf"^{package}/ .*\n((?:(?: .*)?\n)+)", CONTRIBUTING, re.MULTILINE)
    assert block is not None
    found = []
    for line in block[1].splitlines():
        cells = re.split(" {2,}", line.strip())
        names = [cell.rstrip("/") for cell in takewhile(re.compile(r"[a-z_]+/?").fullmatch, cells)]
        found.append(names)
    return [names for names in found if names]


def modules(package: str) -> dict[str, list[Path]]:
    """The modules and packages directly in a package, each with its files."""
    return {
        path.stem: sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for path in (ROOT / package).iterdir()
        if (path.suffix == ".py" and path.stem != "__init__")
        or (path / "__init__.py").exists()
        or path.name == "schemas"
    }


@pytest.mark.parametrize("package", MAPPED)
def test_the_map_names_every_module(package: str) -> None:
    """CONTRIBUTING's picture has each of the package once, and nothing that is gone."""
    named = [name for names in mapped(package) for name in names]

    assert sorted(named) == sorted(modules(package))


@pytest.mark.parametrize("package", MAPPED)
def test_a_module_imports_from_its_own_line_of_the_map_and_those_above(package: str) -> None:
    """As CONTRIBUTING says under the picture."""
    line_of = {name: at for at, names in enumerate(mapped(package)) for name in names}
    below = {
        f"{module} imports {other}"
        for module, files in modules(package).items()
        for file in files
        for other in imported(file.read_text(), package)
        if line_of.get(other, -1) > line_of[module]
    }

    assert not below


def imported(text: str, package: str) -> set[str]:
    """What a module imports of a package: names directly in it."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return {name.split(".")[1] for name in found if name.startswith(f"{package}.")}


def test_no_path_of_a_machine_is_in_the_project() -> None:
    """Nothing under version control names a home or a workplace."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout: nobody knows what belongs to it")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = listed.stdout.decode().split("\0")[:-1]
    assert {"README.md", "pyproject.toml", "tests/documents/test_docs.py"} <= set(names)
    for name in filter(os.path.isfile, map(str, map(ROOT.joinpath, names))):
        text = Path(name).read_bytes()
        assert not re.search(rb"/(?:home|root|work)/[a-z]", text), name
