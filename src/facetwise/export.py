"""Explanations as files for other programs: Parquet, CSV, JSON, or all of it in NPZ."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from facetwise import endings
from facetwise.errors import InputError
from facetwise.explanation import Explanation, feature_lines, row_lines
from facetwise.extras import extra
from facetwise.jsonable import jsonable


def write(explanation: Explanation, path: str | PathLike[str]) -> None:
    """Write an explanation to a file; its ending says of which kind.

    `.npz` holds everything, for `load`. `.json` has each row with its weights. `.csv`
    and `.parquet` are `to_frame()`, a line for each weight.
    """
    file = Path(fspath(path))
    WRITERS[check_ending(file)](explanation, file)


def check_ending(file: Path) -> str:
    """The ending of a file that can be written."""
    return endings.check_ending(file, WRITERS, "results are written to")


def check_place(file: Path, *used: Path | None) -> None:
    """Whether a file can be written, and is none of those used; it is not touched."""
    if file.resolve() in [other.resolve() for other in used if other is not None]:
        why = "it is used for something else"
    elif file.is_dir():
        why = "it is a folder"
    elif not file.parent.is_dir():
        why = f"there is no folder {file.parent}"
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        why = "it may not be written to"
    else:
        return
    raise InputError(f"{file} cannot be written: {why}. Name another file.")


def as_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation as JSON can hold it; null stands for what is not known."""
    lines = {name: list(column) for name, column in row_lines(explanation).items()}
    weights = feature_lines(explanation)
    d = explanation.values.shape[1]
    rows = []
    for i in range(len(explanation)):
        row = {name: column[i] for name, column in lines.items()}
        span = range(i * d, (i + 1) * d)
        row["weights"] = [{name: weights[name][k] for name in PER_WEIGHT} for k in span]
        rows.append(row)
    told: dict[str, Any] = jsonable({"meta": explanation.meta, "rows": rows})
    return told


def _json(explanation: Explanation, file: Path) -> None:
    text = json.dumps(as_json(explanation), allow_nan=False)
    file.write_text(text + "\n", "utf-8")


def _csv(explanation: Explanation, file: Path) -> None:
    columns = feature_lines(explanation)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*map(_cells, columns.values()), strict=True))


def _parquet(explanation: Explanation, file: Path) -> None:
    frame = extra("table", "polars").DataFrame(feature_lines(explanation))
    frame.write_parquet(file)


WRITERS: dict[str, Callable[[Explanation, Path], None]] = {
    ".csv": _csv,
    ".json": _json,
    ".npz": Explanation.save,
    ".parquet": _parquet,
}
"""By the ending of a file."""

PER_WEIGHT = ("feature", "data", "weight", "error_bound")


def _cells(column: Iterable[Any]) -> Iterable[Any]:
    """Values of a column, empty where one is not known, floats with all digits."""
    return ("" if value is None or value != value else value for value in column)
