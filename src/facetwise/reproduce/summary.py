"""What the table comes to: each measure of each method, over all instances."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from facetwise.reproduce.table import ALL, Table


@dataclass(frozen=True, slots=True)
class Line:
    """Of `instances` values those that are numbers, `numbers` of them."""

    dataset: str
    model: str
    method: str
    setting: str
    measure: str
    instances: int
    numbers: int
    mean: float
    median: float
    least: float
    most: float


def summary(table: Table) -> Iterator[Line]:
    """A line for each measure of single instances, and of models."""
    for cell in table.cells:
        for (method, setting, measure), values in cell.values.items():
            if measure.split()[0] in ("CPP", "NLCI", "pixel"):
                continue
            numbers = np.array([v for v in values.values() if np.isfinite(v)])
            if numbers.size:
                yield Line(
                    cell.data_set,
                    cell.model,
                    method,
                    setting,
                    measure,
                    0 if ALL in values else len(values),
                    len(numbers),
                    float(numbers.mean()),
                    float(np.median(numbers)),
                    float(numbers.min()),
                    float(numbers.max()),
                )


def write(path: Path, table: Table) -> None:
    """Write the summary, six digits of each number."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow([field.name for field in fields(Line)])
        for line in summary(table):
            lines.writerow(
                f"{value:.6g}" if isinstance(value, float) else value
                for value in astuple(line)
            )
