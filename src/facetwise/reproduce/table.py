"""One tidy table of all that was measured, in a file that anything can read.

A line is a data set, a model, a method and its setting, an instance, a measure and a
value. Measures of a single instance name its number among the test images. What is
averaged over instances says so where the number would be.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import InputError

COLUMNS = (
    "dataset",
    "model",
    "method",
    "setting",
    "instance",
    "measure",
    "value",
)

ALL = "all"
"""The instance of a measure of all of them."""

PAPER_LETTERS = {"plnn": "PLNN", "lmt": "LMT"}
PAPER_NAMES = {"fashion-mnist": "FMNIST", "mnist": "MNIST"}

Row = tuple[str, str, str, str, str, str, float]


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured of one model on one data set."""

    data_set: str
    model: str
    values: Mapping[tuple[str, str, str], Mapping[str, float]]

    @property
    def name(self) -> str:
        """As the paper has it: `FMNIST (LMT)`."""
        return f"{PAPER_NAMES[self.data_set]} ({PAPER_LETTERS[self.model]})"

    def of(self, method: str, measure: str, setting: str = "") -> Floats:
        """The values of a measure, instance by instance; empty if there are none."""
        return np.array(list(self.values.get((method, setting, measure), {}).values()))

    def mean(self, method: str, measure: str, setting: str = "") -> float:
        """The mean over instances that have a number; NaN if none has."""
        found = self.of(method, measure, setting)
        found = found[np.isfinite(found)]
        return float(found.mean()) if found.size else np.nan

    def curve(self, method: str, measure: str, setting: str = "") -> Floats:
        """Measures `name 0`, `name 1`, … of all instances, as long as there are any."""
        points: list[float] = []
        while (key := (method, setting, f"{measure} {len(points)}")) in self.values:
            points.append(self.values[key][ALL])
        return np.array(points)

    def groups(self, method: str) -> dict[str, Floats]:
        """Averaged images or weights (d,), by the name of their class."""
        pixels: dict[str, list[float]] = defaultdict(list)
        j = 0
        while found := self.values.get((method, "", f"pixel {j}")):
            for group, value in found.items():
                pixels[group].append(value)
            j += 1
        return {group: np.array(values) for group, values in pixels.items()}


@dataclass(frozen=True, slots=True)
class Table:
    """The table by cells, in the order in which it was written."""

    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Table:
        """The table of these lines."""
        values: dict[tuple[str, str], dict[tuple[str, str, str], dict[str, float]]] = {}
        for data_set, model, method, setting, instance, measure, value in rows:
            cell = values.setdefault((data_set, model), {})
            cell.setdefault((method, setting, measure), {})[instance] = value
        return cls(tuple(Cell(*names, found) for names, found in values.items()))


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the table; every digit of a number is kept."""
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for *names, value in rows:
            lines.writerow([*names, repr(float(value))])
    part.replace(path)


def read(path: Path) -> Table:
    """Read what `write` wrote."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        if tuple(next(lines, ())) != COLUMNS:
            raise InputError(
                f"{path} is no table of results; its columns should be "
                f"{', '.join(COLUMNS)}."
            )
        return Table.of(_parsed(path, lines))


def _parsed(path: Path, lines: Iterator[Sequence[str]]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=2):
        try:
            data_set, model, method, setting, instance, measure, value = line
            yield data_set, model, method, setting, instance, measure, float(value)
        except ValueError as error:
            raise InputError(f"Line {number} of {path} is damaged: {line}.") from error
