"""The documents: what people can type or get stands in them."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from referee.bots import sample_names
from referee.cli import add_plug_ins, app
from referee.verdict import FaultCode

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SPEC = (ROOT / "SPEC.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


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


def test_every_command_and_option_is_in_the_readme() -> None:
    """Nothing can be typed that the README does not show."""
    for name, _, command in commands():
        assert name in README
        for option in command.params:
            for text in option.opts:
                if text.startswith("--") and text != "--help":
                    assert text in README, f"{name} {text}"


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
    for text in (README, CONTRIBUTING):
        names = re.findall(r"\]\(([A-Za-z0-9_./-]+)\)", text)
        names += re.findall(r"`((?:referee|protocol|tests|sample_bots)/[A-Za-z0-9_./-]+)`", text)
        for name in names:
            assert (ROOT / name).exists(), name


def test_the_map_names_every_module() -> None:
    """CONTRIBUTING's picture has each module of the referee and of the protocol."""
    for package in ("referee", "protocol"):
        for path in (ROOT / package).glob("*.py"):
            if path.stem != "__init__":
                assert re.search(rf"\b{path.stem}\b", CONTRIBUTING), path


def test_no_path_of_a_machine_is_in_the_project() -> None:
    """Nothing under version control names a home or a workplace."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for name in listed.stdout.split():
        text = (ROOT / name).read_bytes()
        assert not re.search(rb"/(?:home|root|work)/[a-z]", text), name
