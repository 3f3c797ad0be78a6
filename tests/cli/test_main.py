"""What holds for all commands: help, codes, and the page that tells of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from facetwise.cli import failing
from facetwise.cli.main import main
from facetwise.errors import FacetwiseError
from typed import command, typed

PAGE = Path(__file__).parents[2] / "docs/cli.md"
OPTION = re.compile(r"(?<![\w-])--[a-z0-9][a-z0-9-]*")
READ_BY_ITSELF = {"facetwise reproduce"}
"""Commands whose options another page tells."""


def commands(
    group: click.Command = main, path: str = "facetwise"
) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by what is typed."""
    if not isinstance(group, click.Group):
        yield path, group
        return
    for name, inner in group.commands.items():
        yield from commands(inner, f"{path} {name}")


COMMANDS = dict(commands())


def sections(text: str) -> dict[str, str]:
    """The parts of a page, by the command that heads each."""
    parts = re.split(r"^## (.*)$", text, flags=re.M)
    heads = [head.strip("`") for head in parts[1::2]]
    told = dict(zip(heads, parts[2::2], strict=True))
    return {head: told[head] for head in told if head.startswith("facetwise ")}


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_help_with_an_example(path):
    """`--help` says what a command does, and shows one that can be typed."""
    done = typed(*path.split()[1:], "--help")
    assert done.exit_code == 0
    assert re.search(rf"Example: {path}\b", " ".join(done.stdout.split()))


def test_the_page_tells_every_command():
    """docs/cli.md has a section for each command, and for no other."""
    assert set(sections(PAGE.read_text("utf-8"))) == set(COMMANDS)


@pytest.mark.parametrize("path", sorted(set(COMMANDS) - READ_BY_ITSELF))
def test_the_page_tells_every_option(path):
    """A section tells all options of its command, and names none that it lacks."""
    told = set(OPTION.findall(sections(PAGE.read_text("utf-8"))[path]))
    options = {
        word
        for parameter in COMMANDS[path].params
        if isinstance(parameter, click.Option)
        for word in parameter.opts
        if word.startswith("--")
    }
    assert told - {"--help"} == options - {"--debug"}


def test_the_page_tells_every_code():
    """The table of exit codes has those that errors are given."""
    rows = re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.M)
    assert [int(code) for code in rows] == sorted({0, 1, *failing.CODES.values()})


def test_every_error_has_a_code():
    """No error that facetwise raises ends as one that nobody has foreseen."""
    kinds = FacetwiseError.__subclasses__()
    assert all(any(issubclass(kind, k) for k in failing.CODES) for kind in kinds)


def test_a_traceback_is_shown_when_wanted(folder):
    """`--debug` shows where an error comes from, before the line."""
    done = typed("report", "gone.npz", "--debug")
    assert done.exit_code == 8
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("facetwise: gone.npz")
    assert "Traceback" not in typed("report", "gone.npz").stderr


@pytest.mark.parametrize("words", [["foo"], ["--foo"], ["explain"], ["journal", "x"]])
def test_what_was_mistyped_is_one_line(folder, words):
    """Words that no command knows are named in one line, with the way to the help."""
    done = typed(*words)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "--help" in done.stderr


def test_it_is_a_module_too(folder):
    """`python -m facetwise` is the same command, and gives its code to the shell."""
    out, _ = (process := command("--version")).communicate(timeout=60)
    assert (process.returncode, out.split()[0]) == (0, "facetwise,")
    _, err = (process := command("report", "gone.npz")).communicate(timeout=60)
    assert (process.returncode, len(err.splitlines())) == (8, 1)


def test_completion(folder):
    """A shell that asks is told the commands."""
    ask = {"_FACETWISE_COMPLETE": "bash_complete", "COMP_WORDS": "facetwise ex"}
    process = command(variables={**ask, "COMP_CWORD": "1"})
    out, _ = process.communicate(timeout=60)
    assert "explain" in out
