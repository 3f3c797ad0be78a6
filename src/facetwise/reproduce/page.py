"""All of a reproduction on one page: figures, what the paper says, and our verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from facetwise.reproduce.claims.claim import Outcome, Verdict
from facetwise.reproduce.methods import ENTRANTS
from facetwise.reproduce.table import Cell, Table

SECTIONS = {
    "Table 1": (),
    "Table 2": (),
    "Section IV": (),
    "Figure 2": ("figure 2",),
    "Figure 3": ("figure 3",),
    "Figure 4": ("figure 4",),
    "Figure 5": ("figure 5",),
    "Figures 5 and 6": ("figure 6",),
    "Figure 7": ("figure 7",),
    "Ours": ("costs", "certificates"),
}
"""Places in the paper, and how the names of their figures begin."""

LOOK = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto;
       padding: 0 1rem; color: #1b1b1b; background: #fff }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0 }
table { border-collapse: collapse; font-size: 13px; margin: .5rem 0 1.5rem }
td, th { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: left;
         vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.confirmed { color: #11652f } .contradicted { color: #a11212 }
.differs { color: #8a5a00 } .not-measured { color: #666 }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid #bbb }
"""

COSTS = ("questions", "seconds", "answered", "L1Dist", "RD", "WD", "cosine similarity")
"""Measures of the table of methods."""


def page(
    about: str,
    table: Table,
    figures: Mapping[str, str],
    verdicts: Sequence[Verdict],
) -> str:
    """The page; `figures` are names and where their files are from here."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>The paper, reproduced</title><style>{LOOK}</style>",
        "<h1>The paper, reproduced</h1>",
        "<p>Cong et al., <i>Exact and Consistent Interpretation of Piecewise Linear "
        "Models Hidden behind APIs: A Closed Form Solution</i>, ICDE 2020. "
        f"{escape(about)}</p>",
        _overview(verdicts),
    ]
    for place, names in SECTIONS.items():
        told = [verdict for verdict in verdicts if verdict.claim.place == place]
        shown = {
            name: source for name, source in figures.items() if name.startswith(names)
        }
        if told or shown:
            parts += [f"<h2 id='{_anchor(place)}'>{escape(place)}</h2>"]
            parts += [
                f"<img src='{escape(source)}' alt='{escape(name)}'>"
                for name, source in shown.items()
            ]
            parts += [_verdict(verdict) for verdict in told]
    return "\n".join([*parts, _methods(table), "</html>", ""])


def _overview(verdicts: Iterable[Verdict]) -> str:
    lines = [
        (
            f"<a href='#{_anchor(v.claim.place)}'>{escape(v.claim.place)}</a>",
            escape(v.claim.statement),
            _coloured(v.outcome),
        )
        for v in verdicts
    ]
    return _table(("in the paper", "statement", "verdict"), lines)


def _verdict(verdict: Verdict) -> str:
    claim = verdict.claim
    lines = [
        (
            escape(finding.where),
            escape(finding.figures),
            _coloured(Outcome.CONFIRMED if finding.holds else Outcome.CONTRADICTED),
        )
        for finding in verdict.findings
    ]
    return (
        f"<h3>{escape(claim.name)}: {_coloured(verdict.outcome)}</h3>"
        f"<blockquote>{escape(claim.statement)}</blockquote>"
        f"<p>Holds where: {escape(claim.rule)}</p>"
        f"{_table(('where', 'figures', ''), lines) if lines else ''}"
    )


def _methods(table: Table) -> str:
    """Means over instances, for every method and setting."""
    parts = ["<h2>All methods</h2><p>Means over the instances that have a number.</p>"]
    for cell in table.cells:
        parts += [f"<h3>{escape(cell.name)}</h3>"]
        parts += [_table(("method", *COSTS), _means(cell), numbers=True)]
    return "\n".join(parts)


def _means(cell: Cell) -> Iterator[tuple[str, ...]]:
    for entrant in ENTRANTS.values():
        if cell.of(entrant.method, "questions", entrant.setting).size:
            means = [cell.mean(entrant.method, m, entrant.setting) for m in COSTS]
            name = f"{entrant.method} {entrant.setting}".strip()
            yield escape(name), *("" if m != m else f"{m:.4g}" for m in means)


def _table(
    head: Iterable[str], lines: Iterable[Iterable[str]], numbers: bool = False
) -> str:
    """A table of cells that are HTML; all but the first column may be numbers."""
    tag = "<td class='n'>" if numbers else "<td>"
    rows = [
        "<tr>" + "".join((tag if k else "<td>") + cell for k, cell in enumerate(line))
        for line in lines
    ]
    titles = "".join(f"<th>{escape(title)}" for title in head)
    return f"<table><tr>{titles}{''.join(rows)}</table>"


def _coloured(outcome: Outcome) -> str:
    return f"<b class='{_anchor(outcome)}'>{outcome}</b>"


def _anchor(text: str) -> str:
    return text.lower().replace(" ", "-")
