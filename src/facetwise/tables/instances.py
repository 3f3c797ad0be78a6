"""The rows to explain, as the engine sees them, and as they are sent to the model.

A frame comes back to the model as a frame of the same columns. Those that are moved
hold fractions, so they are sent as floats: with 32 bits where the column has 32, else
with 64. Those that are frozen are sent as they came; where they are not numbers, the
engine carries codes of their values instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core import domain as core
from facetwise.core.messages import Floats, Mask
from facetwise.errors import InputError
from facetwise.tables.domain import frozen_features, positional
from facetwise.tables.libraries import Library
from facetwise.tables.reading import Names, Table, read


@dataclass(frozen=True, slots=True)
class Frames:
    """How to make frames like the one that came in; columns go by their place.

    Those in `dtypes` are cast, and plain 64-bit floats are left out of it. Those in
    `values` hold codes, each of which stands for an entry.
    """

    library: Library
    labels: list[Any]
    dtypes: dict[int, Any]
    values: dict[int, Any]

    def of(self, points: Floats) -> Any:
        """Points (n, d) as a frame."""
        columns = {
            j: self.library.pick(values, points[:, j].astype(np.intp))
            for j, values in self.values.items()
        }
        return self.library.filled(self.labels, points, self.dtypes, columns)

    def within(self, domain: core.ResolvedDomain) -> core.ResolvedDomain:
        """The domain with limits such that no cast carries a point across them."""
        lower, upper = domain.lower.copy(), domain.upper.copy()
        for j, dtype in self.dtypes.items():
            if domain.moving[j] and self.library.is_single(dtype):
                lower[j] = -_single_below(-lower[j])
                upper[j] = _single_below(upper[j])
        return replace(domain, lower=lower, upper=upper)


@dataclass(frozen=True, slots=True)
class Instances:
    """Rows (n, d) as numbers, with names and domain, and the frames to send.

    `categories` has, by name, the values as text that the codes of a column stand for.
    """

    data: Floats
    names: Names
    domain: core.ResolvedDomain
    categories: dict[str, list[str]]
    frames: Frames | None

    def sent(self, points: Floats) -> Any:
        """What the model is sent for points (n, d)."""
        return points if self.frames is None else self.frames.of(points)


def prepare(X: ArrayLike | Any, feature_names: Names, domain: core.Domain) -> Instances:
    """Make rows ready to be explained, or say what stands against it."""
    table = read(X, feature_names)
    data, names, frames, categories = table.numbers, table.names, None, {}
    frozen = frozen_features(domain.frozen, names, data.shape[1])
    coded = frozen & ~np.isfinite(data).all(axis=0) & (table.library is not None)
    table.check(~coded)
    if table.library is not None and names is not None:
        frames, data = _frames(table, table.library, frozen, coded)
        for j, values in frames.values.items():
            texts = [str(value) for value in table.library.values(values)]
            categories[names[j]] = texts
    placed = positional(domain, names, data, coded).resolve(data)
    if frames is not None:
        placed = frames.within(placed)
    return Instances(data, names, placed, categories, frames)


def _frames(
    table: Table, library: Library, frozen: Mask, coded: Mask
) -> tuple[Frames, Floats]:
    """How to make frames like the table's, and its numbers (n, d) with codes."""
    data, dtypes, values = table.numbers.copy(), {}, {}
    labels = library.labels(table.frame)
    for j, column in enumerate(library.columns(table.frame)):
        if coded[j]:
            data[:, j], rows = _codes(library.values(column), labels[j])
            values[j] = library.pick(column, rows)
        elif frozen[j]:
            dtypes[j] = column.dtype
        elif (dtype := library.float_type(column)) is not None:
            dtypes[j] = dtype
    return Frames(library, labels, dtypes, values), data


def _codes(values: list[Any], label: Any) -> tuple[list[int], list[int]]:
    """A code for each value, and for each code the row in which it comes first."""
    # 1, 1.0 and True are equal, and not the same to a model.
    keys = [(type(value), value) for value in values]
    rows: dict[Any, int] = {}
    try:
        for i, key in enumerate(keys):
            rows.setdefault(key, i)
    except TypeError as error:
        raise InputError(
            f"Column {label!r} holds values such as {values[0]!r}, which cannot be "
            "told apart as categories can. Leave it out, or turn it into text."
        ) from error
    code = {key: k for k, key in enumerate(rows)}
    return [code[key] for key in keys], list(rows.values())


def _single_below(limit: float) -> float:
    """The largest 32-bit number that is not above a limit."""
    with np.errstate(over="ignore"):
        single = np.float32(limit)
    return float(
        single if single <= limit else np.nextafter(single, np.float32(-np.inf))
    )
