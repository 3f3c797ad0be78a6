"""Where results go: files, JSON on standard output, or text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from facetwise import export
from facetwise.cli.showing import show, tell
from facetwise.errors import InputError
from facetwise.explanation import Explanation
from facetwise.report.document import write as write_report
from facetwise.report.terminal import render, summary


@dataclass(frozen=True, slots=True)
class Results:
    """What was asked for."""

    out: Path | None
    report: Path | None
    as_json: bool
    quiet: bool

    def check(self, others: Iterable[Path | None]) -> None:
        """See that files can be written, before there is something to lose."""
        if self.out is not None:
            export.check_ending(self.out)
        files = [file for file in (self.out, self.report) if file is not None]
        taken = [file.resolve() for file in others if file is not None]
        for file in files:
            export.check_place(file)
            if file.resolve() in taken:
                raise InputError(
                    f"{file} is written and used for something else. Name another file."
                )
            taken.append(file.resolve())

    def deliver(self, explanation: Explanation) -> None:
        """Write, print and tell."""
        if self.out is not None:
            export.write(explanation, self.out)
        if self.report is not None:
            write_report(explanation, self.report)
        if self.as_json:
            click.echo(json.dumps(export.as_json(explanation), allow_nan=False))
        elif self.out is None and self.report is None:
            show(render(explanation))
        elif not self.quiet:
            show(summary(explanation))
        if not self.quiet:
            for file in filter(None, (self.out, self.report)):
                tell(f"Written: {file}")
