"""`facetwise journal`: what was asked and answered, after the fact."""

from __future__ import annotations

from pathlib import Path

import click

from facetwise.cli.command import Command, Commands
from facetwise.cli.showing import show, tell
from facetwise.endpoints.journal import audit
from facetwise.errors import JournalError
from facetwise.export import check_place

FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group(cls=Commands)
def journal() -> None:
    """Look into a journal, the record of all questions and answers.

    Example: facetwise journal show rows.journal
    """


@journal.command("show", cls=Command)
@FILE
def show_runs(file: Path) -> None:
    """Show the runs that FILE holds: whom they asked, when, and how much.

    Example: facetwise journal show rows.journal
    """
    show(audit.show(file))


@journal.command(cls=Command)
@FILE
def verify(file: Path) -> None:
    """Check that FILE is whole: every hash is derived again.

    Example: facetwise journal verify rows.journal
    """
    faults = audit.verify(file)
    if faults:
        show("\n".join(faults))
        raise JournalError(
            f"The journal {file} is damaged in {len(faults)} places. Restore a copy, "
            "or begin anew with another file."
        )
    show(f"{file} is whole.")


@journal.command(cls=Command)
@FILE
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The CSV to write."
)
def export(file: Path, out: Path) -> None:
    """Write every answer in FILE as a line of CSV, floats with all their digits.

    Example: facetwise journal export rows.journal --out answers.csv
    """
    check_place(out, file)
    audit.show(file)  # what is no journal is told before a file is made
    with out.open("w", encoding="utf-8", newline="") as lines:
        count = audit.export(file, lines)
    tell(f"{count:,} answers are in {out}.")
