"""Rows from files: CSV, JSON lines, Parquet, and arrays of NumPy.

A file whose columns have names becomes a frame where there is a library for frames, so
that rows are sent with these names. Without one, files of numbers can still be read.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from facetwise.archive import UNREADABLE
from facetwise.endings import check_ending
from facetwise.errors import ExtraError, InputError
from facetwise.extras import extra
from facetwise.tables.libraries import frame_of
from facetwise.tables.reading import Names

Rows: TypeAlias = tuple[Any, Names]
"""A frame or an array (n, d), and the names of its columns if it has any."""

TRUTHS = {"True": True, "False": False}

FRACTION = re.compile("[^0-9+ -]")
"""What whole numbers do not have."""

OTHER_SEPARATORS = ";\t|"


def read_rows(path: str | PathLike[str], features: Sequence[str] = ()) -> Rows:
    """Rows of a file, in full; its ending says of which kind it is.

    `features` picks columns by name, in that order, or names those of a file that has
    no names.
    """
    file = Path(fspath(path))
    if not file.is_file():
        raise InputError(f"There is no file {file}. Check its name and the folder.")
    read = READERS[check_ending(file, READERS, "rows are read from")]
    try:
        X, names = read(file)
    except (*UNREADABLE, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{file.name} cannot be read as {file.suffix[1:]}: {error}. Check that it "
            "is whole, and that its ending says what it is."
        ) from error
    return _chosen(X, names, tuple(features), file) if features else (X, names)


def _chosen(X: Any, names: Names, features: tuple[str, ...], file: Path) -> Rows:
    """Rows with these features alone."""
    if names is None:
        return X, features
    for name in features:
        if name not in names:
            raise InputError(
                f"{file.name} has no column {name!r}. Its columns are "
                f"{', '.join(names)}."
            )
    if frame_of(X) is not None:
        return X[list(features)], features
    return X[:, [names.index(name) for name in features]], features


def _csv(file: Path) -> Rows:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = [row for row in csv.reader(lines, strict=True) if row]
    head = rows[0] if rows else []
    named = not all(map(_is_number, head))
    names = _checked(head, file) if named else ()
    body = rows[named:]
    if not body:
        raise InputError(f"{file.name} has no rows.")
    for i, row in enumerate(body):
        if len(row) != len(head):
            raise InputError(
                f"{file.name}: row {i} has {len(row)} entries, and the first line "
                f"{len(head)}. Write one for each column."
            )
    columns = [_values(cells) for cells in zip(*body, strict=True)]
    if not named:
        return np.array(columns, dtype=np.float64).T, None
    return _framed(dict(zip(names, columns, strict=True)), names)


def _values(cells: Sequence[str]) -> list[Any]:
    """The entries of a column: whole numbers, numbers, yes and no, or else text."""
    told = [cell for cell in cells if cell.strip()]
    if set(told) <= TRUTHS.keys() and len(told) == len(cells):
        return [TRUTHS[cell] for cell in cells]
    if not all(map(_is_number, told)):
        return [cell or None for cell in cells]
    if len(told) == len(cells) and not any(map(FRACTION.search, cells)):
        return [int(cell) for cell in cells]
    return [float(cell) if cell.strip() else math.nan for cell in cells]


def _json_lines(file: Path) -> Rows:
    with file.open(encoding="utf-8-sig") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    if not rows:
        raise InputError(f"{file.name} has no rows.")
    if not all(isinstance(row, dict) for row in rows):
        return np.array(rows, dtype=np.float64), None
    names = _checked(list(rows[0]), file)
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            odd = sorted(row.keys() ^ rows[0].keys())[0]
            raise InputError(
                f"{file.name}: row {i} and row 0 do not have the same keys; {odd!r} is "
                "in one of them alone. Write every key in every row, null where a "
                "value is missing."
            )
    return _framed({name: [row[name] for row in rows] for name in names}, names)


def _framed(columns: Mapping[str, Sequence[Any]], names: tuple[str, ...]) -> Rows:
    """A frame of columns; without a library for it, their numbers."""
    try:
        pandas = extra("table", "pandas")
    except ExtraError:
        try:
            numbers = np.array([*columns.values()], dtype=np.float64)
        except (TypeError, ValueError):
            numbers = None  # text has no other place than a frame
        if numbers is None:
            raise
        return numbers.T, names
    return pandas.DataFrame(columns), names


def _parquet(file: Path) -> Rows:
    polars = extra("table", "polars")
    try:
        frame = polars.read_parquet(file)
    except polars.exceptions.PolarsError as error:
        raise InputError(f"{file.name} is no Parquet file: {error}.") from error
    return frame, _checked(frame.columns, file)


def _npy(file: Path) -> Rows:
    return np.atleast_2d(np.load(file, allow_pickle=False)), None


def _npz(file: Path) -> Rows:
    with np.load(file, allow_pickle=False) as arrays:
        if len(arrays.files) != 1 and "X" not in arrays.files:
            raise InputError(
                f"{file.name} holds {', '.join(arrays.files) or 'nothing'}; expected "
                "one array, or one that is called X."
            )
        return np.atleast_2d(arrays["X" if "X" in arrays else arrays.files[0]]), None


READERS: dict[str, Callable[[Path], Rows]] = {
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".npy": _npy,
    ".npz": _npz,
    ".parquet": _parquet,
}
"""By the ending of a file."""


def _checked(head: Sequence[str], file: Path) -> tuple[str, ...]:
    """The names of columns, each there once."""
    if len(head) == 1 and (other := set(head[0]) & set(OTHER_SEPARATORS)):
        raise InputError(
            f"{file.name} has one column, {head[0]!r}. It seems to be separated by "
            f"{other.pop()!r}; write it with commas."
        )
    for name in head:
        if not name.strip():
            raise InputError(
                f"{file.name} has a column without a name, such as an index that was "
                "written along. Leave it out (in pandas: index=False), or name it."
            )
        if list(head).count(name) > 1:
            raise InputError(f"{file.name} has more than one column called {name!r}.")
    return tuple(head)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # which Python takes for a separator, and nobody else does
