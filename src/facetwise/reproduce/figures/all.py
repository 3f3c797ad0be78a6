"""Every figure by its name, and how all of them are drawn."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from facetwise.reproduce.figures import (
    certificates,
    consistency,
    costs,
    effectiveness,
    heat_maps,
    spread,
)
from facetwise.reproduce.methods import EFFECT, EXACT, LIKENESS, PROBES, measuring
from facetwise.reproduce.table import Table

DOTS_AN_INCH = 110

Draw = Callable[[Table], Any]


def draw(table: Table, folder: Path) -> Iterator[tuple[str, Path]]:
    """Draw what the table has figures for; the name of each, and its file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in figures(table):
        path = folder / f"{name.replace(' ', '-').replace(',', '')}.png"
        make(table).savefig(path, dpi=DOTS_AN_INCH)
        yield name, path


def figures(table: Table) -> Iterator[tuple[str, Draw]]:
    """Names of figures, and who draws them, of those that there are numbers for."""
    for data_set in dict.fromkeys(cell.data_set for cell in table.cells):
        cells = [cell for cell in table.cells if cell.data_set == data_set]
        if heat_maps.drawable(cells):
            yield (
                f"figure 2, {data_set}",
                functools.partial(heat_maps.draw, data_set=data_set),
            )
    for name, what, measure, make in (
        ("figure 3", EFFECT, "CPP 0", effectiveness.draw),
        ("figure 4", LIKENESS, "cosine similarity", consistency.draw),
        ("figure 5", PROBES, "RD", spread.region_difference),
        ("figure 6", PROBES, "WD", spread.weight_difference),
        ("figure 7", EXACT, "L1Dist", spread.l1_distance),
    ):
        if _measured(table, what, measure):
            yield name, make
    yield "costs", costs.draw
    if any(cell.of("facetwise", "certified").size for cell in table.cells):
        yield "certificates", certificates.draw


def _measured(table: Table, what: str, measure: str) -> bool:
    return any(
        cell.of(entrant.method, measure, entrant.setting).size
        for cell in table.cells
        for entrant in measuring(what)
    )
