"""Columns as numbers that a model can take, said once for all tables.

| column | becomes |
|---|---|
| numbers | itself |
| yes and no | `name=yes`: 1 for yes, 0 for no |
| other words | `name=word` for each word, of which exactly one is 1 |
| numbers, some missing | itself, the gaps filled, and `name missing`: 1 where one was |
| words, some missing | as words, with `name=missing` among them |

No word is left out of a group as the one that the others are compared with: the
weights of all of them are wanted, and none is more natural to drop. A gap is filled
with the median of the rows to train with, the lower one of two, which is a value that
occurs: nothing of the rows to test with goes into it, and a whole number stays one.
That it was a gap is a feature of its own, as those who leave an income out are not
like those who have a middling one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.datasets.columns import Column

YES, NO = "yes", "no"

ABSENT = "missing"
"""What a feature says of a value that is not there."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Features X (n, k), their names and steps, and groups of which one is 1."""

    X: Floats
    names: tuple[str, ...]
    steps: Floats
    groups: tuple[tuple[int, ...], ...]


def encode(
    columns: Mapping[str, Column], whole: Collection[str], train: Ints
) -> Encoded:
    """All columns, in their order. `whole` are those that count, in steps of 1.

    Gaps are filled from the rows in `train`.
    """
    X: list[Floats] = []
    names: list[str] = []
    steps: list[float] = []
    groups: list[tuple[int, ...]] = []
    for name, column in columns.items():
        if column.numeric:
            features = _numbers(name, column, train)
            steps.append(1.0 if name in whole else 0.0)
        elif set(column.values) == {YES, NO}:
            features = {f"{name}={YES}": _is(column, YES)}
        else:
            features = _words(name, column)
            groups.append(tuple(range(len(names), len(names) + len(features))))
        X += features.values()
        names += features
        steps += [1.0] * (len(names) - len(steps))
    return Encoded(np.column_stack(X), tuple(names), np.array(steps), tuple(groups))


def _numbers(name: str, column: Column, train: Ints) -> dict[str, Floats]:
    values = np.array(column.values, dtype=np.float64)  # None becomes NaN
    gap = np.isnan(values)
    if not gap.any():
        return {name: values}
    known = values[train][~gap[train]]
    if not known.size:
        known = values[~gap]
    median = np.percentile(known, 50.0, method="lower")
    filled = np.where(gap, median, values)
    return {name: filled, f"{name} {ABSENT}": gap.astype(np.float64)}


def _words(name: str, column: Column) -> dict[str, Floats]:
    words = sorted({str(value) for value in column.values if value is not None})
    features = {f"{name}={word}": _is(column, word) for word in words}
    if None in column.values:
        features[f"{name}={ABSENT}"] = _is(column, None)
    return features


def _is(column: Column, value: str | None) -> Floats:
    return np.array([v == value for v in column.values], dtype=np.float64)
