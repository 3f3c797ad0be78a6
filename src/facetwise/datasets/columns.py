"""The text of a table, read as columns of numbers or of words."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

from facetwise.errors import DataError

MISSING = ("", "NA")
"""What stands in a text where a value is missing."""

ROW_NAMES = "rownames"
"""The column that R adds when it writes a table; it holds no data."""

Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one kind, None where one is missing: numbers, or words.

    Numbers are integers where all of them are whole and none is missing.
    """

    values: tuple[Value, ...]
    numeric: bool


def read_columns(text: str, name: str) -> dict[str, Column]:
    """The columns of a text with commas and a header; `name` is for the errors."""
    header, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    if not rows or len(set(header)) < len(header):
        raise DataError(f"{name} is no table: it has no rows, or columns of one name.")
    for line, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise DataError(
                f"{name} is no table: line {line} has {len(row)} fields, the header "
                f"{len(header)}."
            )
    cells = zip(*rows, strict=True)
    columns = dict(zip(header, map(_column, cells), strict=True))
    columns.pop(ROW_NAMES, None)
    return columns


def _column(cells: tuple[str, ...]) -> Column:
    present = [cell for cell in cells if cell not in MISSING]
    numbers = dict(zip(present, map(_number, present), strict=True))
    if not present or None in numbers.values():
        return Column(tuple(c if c not in MISSING else None for c in cells), False)
    values = [numbers.get(cell) for cell in cells]
    if all(value is not None and value.is_integer() for value in values):
        return Column(tuple(int(value) for value in values if value is not None), True)
    return Column(tuple(values), True)


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
