"""Where results go: files, JSON on standard output, or text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click

from facetwise import export
from facetwise.cli.showing import show, tell
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

    def check(self, *used: Path | None) -> None:
        """See that files can be written, before there is something to lose."""
        if self.out is not None:
            export.check_ending(self.out)
            export.check_place(self.out, self.report, *used)
        if self.report is not None:
            export.check_place(self.report, *used)

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
