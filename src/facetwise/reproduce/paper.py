"""The whole paper in one call: work, table, figures, verdicts, page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from facetwise.reproduce import gather, summary, table
from facetwise.reproduce.claims.all import CLAIMS
from facetwise.reproduce.claims.claim import Verdict
from facetwise.reproduce.figures import all as figures
from facetwise.reproduce.page import page
from facetwise.reproduce.work import Request, Told, work
from facetwise.version import __version__


def reproduce(
    request: Request,
    claims: Sequence[str],
    folder: Path,
    processes: int,
    told: Told,
) -> list[Verdict]:
    """Do what is not done yet, and write all results to a folder; the verdicts.

    The folder gets `results.csv`, `summary.csv`, `request.json`, `figures/`,
    `index.html`, and in `pieces/` what need not be computed again.
    """
    done = work(request, folder / "pieces", processes, told)
    table.write(folder / "results.csv", gather.rows(done.accuracies, done.paths))
    about = {**asdict(request), "facetwise": __version__}
    (folder / "request.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
    return present(folder, claims)


def present(folder: Path, claims: Sequence[str]) -> list[Verdict]:
    """Figures, summary and page, from the table in the folder alone."""
    results = table.read(folder / "results.csv")
    about = json.loads((folder / "request.json").read_text("utf-8"))
    summary.write(folder / "summary.csv", results)
    drawn = dict(figures.draw(results, folder / "figures"))
    verdicts = [Verdict.on(CLAIMS[name], results) for name in claims]
    sources = {
        name: path.relative_to(folder).as_posix() for name, path in drawn.items()
    }
    sentence = (
        f"{about['instances']:,} test images of each data set, drawn uniformly with "
        f"seed {about['seed']}; neighbours are looked for among all 10,000."
    )
    text = page(sentence, results, sources, verdicts)
    (folder / "index.html").write_text(text, "utf-8")
    return verdicts
