"""The command `facetwise`: what it can do."""

from __future__ import annotations

import click

from facetwise.cli.command import Commands
from facetwise.cli.demo import demo
from facetwise.cli.explain import explain
from facetwise.cli.inspect import inspect
from facetwise.cli.journal import journal
from facetwise.cli.report import report
from facetwise.cli.reproduce import reproduce
from facetwise.cli.serve import serve
from facetwise.version import __version__


@click.group(
    "facetwise", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="facetwise")
def main() -> None:
    """Exact, certified explanations of models that can only be asked for scores.

    Example: facetwise demo
    """


for command in (explain, inspect, serve, demo, reproduce, report, journal):
    main.add_command(command)
