"""The documents: what people can type or get stands in them."""

import re
import subprocess
from pathlib import Path

import typer

from referee.bots import sample_names
from referee.cli import app
from referee.verdict import FaultCode

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SPEC = (ROOT / "SPEC.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


def test_every_command_and_option_is_in_the_readme() -> None:
    """Nothing can be typed that the README does not show."""
    root = typer.main.get_command(app)
    commands = getattr(root, "commands")  # noqa: B009  # the vendored class has no name of its own
    for name, command in commands.items():
        assert f"referee {name}" in README
        for option in command.params:
            for text in option.opts:
                if text.startswith("--") and text != "--help":
                    assert text in README, f"{name} {text}"


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
