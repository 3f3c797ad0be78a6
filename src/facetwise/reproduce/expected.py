"""What is kept of a full run beside the code: small tables, figures and verdicts.

    python -m facetwise.reproduce.expected results experiments/cong2020openapi/expected

takes a folder of results, and leaves out what is large: the pieces, and the lines of
single instances, but for those of the first one, which a test makes again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from facetwise.reproduce import table
from facetwise.reproduce.claims.all import CLAIMS
from facetwise.reproduce.claims.claim import Outcome, Verdict
from facetwise.reproduce.paper import present
from facetwise.reproduce.table import Row, Table
from facetwise.reproduce.work import Request

KEPT = ("summary.csv", "request.json")

EVERY = 10
"""Of the curves of figure 3, a point for so many altered features is kept."""


def keep(results: Path, folder: Path) -> None:
    """Draw the results again, and copy what is small."""
    verdicts = present(results, list(CLAIMS))
    folder.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copyfile(results / name, folder / name)
    shutil.copytree(results / "figures", folder / "figures", dirs_exist_ok=True)
    request = json.loads((results / "request.json").read_text("utf-8"))
    found = table.read(results / "results.csv")
    table.write(folder / "curves.csv", _curves(found))
    first = str(Request(instances=1, seed=request["seed"]).drawn[0])
    table.write(folder / "first-instance.csv", _of_instance(found, first))
    text = verdicts_page(verdicts, request["instances"])
    (folder / "verdicts.md").write_text(text, "utf-8")


def verdicts_page(verdicts: Iterable[Verdict], instances: int) -> str:
    """The verdicts in Markdown, those that need words before the others."""
    order = (Outcome.CONTRADICTED, Outcome.DIFFERS, Outcome.CONFIRMED)
    verdicts = list(verdicts)
    lines = [
        "# Verdicts",
        "",
        f"From {instances:,} test images of each data set. A claim is confirmed if it "
        "holds everywhere,",
        "contradicted if it holds nowhere, and differs if it holds here and not there.",
    ]
    for outcome in order:
        told = [v for v in verdicts if v.outcome is outcome]
        if told:
            lines += ["", f"## {outcome.capitalize()}"]
        for verdict in told:
            lines += ["", *_told(verdict)]
    return "\n".join([*lines, ""])


def _told(verdict: Verdict) -> Iterator[str]:
    claim = verdict.claim
    yield f"### {claim.place}: {claim.name}"
    yield ""
    yield f"{claim.statement} Holds where: {claim.rule}"
    yield ""
    yield "| where | figures | holds |"
    yield "|---|---|---|"
    for finding in verdict.findings:
        yield f"| {finding.where} | {finding.figures} | {_yes(finding.holds)} |"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _curves(found: Table) -> Iterator[Row]:
    for row in _rows(found):
        name, _, k = row[5].partition(" ")
        if name in ("CPP", "NLCI") and int(k) % EVERY == 0:
            yield row


def _of_instance(found: Table, instance: str) -> Iterator[Row]:
    return (row for row in _rows(found) if row[4] == instance)


def _rows(found: Table) -> Iterator[Row]:
    """The lines of the table again; averaged pixels are no one's instance."""
    for cell in found.cells:
        for (method, setting, measure), values in cell.values.items():
            if measure.startswith("pixel "):
                continue
            for instance, value in values.items():
                yield (
                    cell.data_set,
                    cell.model,
                    method,
                    setting,
                    instance,
                    measure,
                    value,
                )


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep what is small of a folder of results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("results", type=Path, help="what facetwise.reproduce wrote")
    parser.add_argument("folder", type=Path, help="where to keep it")
    options = parser.parse_args(arguments)
    keep(options.results, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
