"""From what an answer holds to numbers (n, C), or to a sentence on what it is instead.

Answers are lists with an entry for each row: a number, a list of numbers, or a mapping
that names them. Whatever else comes must not be taken for scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.endpoints.faults import Labels, Lost, Unusable

SCORES_OF_A_ROW = (
    "probabilities",
    "predict_proba",
    "scores",
    "logits",
    "probability",
    "score",
)
"""Names under which services give the scores of a row, the most telling first."""

NAMES_OF_SCORES = ("classes", "labels")
"""Names beside them, under which the classes are listed."""

PREDICTED_LABEL = "predicted_label"
"""SageMaker's name for a decision; the score beside it is that of class 1."""

LABELS_OF_A_ROW = {"class", "label", "prediction", "class_name", PREDICTED_LABEL}
"""Names under which services give a decision, and no score."""

NUMBERS = {float, int, type(None)}

QUOTED = 120
"""Characters that are shown of what came instead of scores."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores `values` (n, C), and what the classes are called if the answer says so."""

    values: Floats
    classes: tuple[str, ...] | None = None


def scores_of(entries: Any, rows: int, advice: str) -> Scores:
    """Scores in a list of entries, one for each row.

    `advice` says how to get scores from a service of this kind that answers labels.
    A missing number (null) is NaN.
    """
    if not isinstance(entries, list):
        raise Unusable(
            f"Expected a list with scores for each row; got {_seen(entries)}. {advice}"
        )
    if len(entries) != rows:
        raise Lost(f"The service answered {len(entries)} rows to {rows}.")
    kinds = _kinds(entries)
    if kinds == {dict}:
        return _of_mappings(entries, advice)
    if kinds != {list}:
        return Scores(_table([[entry] for entry in entries], advice))
    if _kinds(chain.from_iterable(entries)) == {dict}:
        return _by_class([_of_pairs(entry, advice) for entry in entries], advice)
    return Scores(_table(entries, advice))


def shaped(data: Any, shape: Any, rows: int, advice: str) -> Scores:
    """Scores in a list of numbers that comes with a shape, nested or not."""
    if not isinstance(data, list):
        raise Lost(f"Expected a list of numbers; got {_seen(data)}.")
    while _kinds(data) == {list}:
        data = list(chain.from_iterable(data))
    width = width_of(shape, len(data), rows)
    return Scores(_numbers(data, width, advice))


def width_of(shape: Any, count: int, rows: int) -> int:
    """The number of scores for each of so many rows, by the shape of all of them."""
    if not _is_shape(shape) or math.prod(shape) != count:
        raise Lost(f"The service answered {count} numbers as shape {_seen(shape)}.")
    if sum(size != 1 for size in shape[1:]) > 1:
        raise Unusable(f"Expected (rows, classes); the answer has shape {shape}.")
    if shape[0] != rows:
        raise Lost(f"The service answered {shape[0]} rows to {rows}.")
    return count // rows


def _of_mappings(entries: list[dict[str, Any]], advice: str) -> Scores:
    """Scores where each row is a mapping: of fields, or from classes to scores."""
    first = entries[0]
    decided = LABELS_OF_A_ROW & {name.lower() for name in first}
    field = next((name for name in SCORES_OF_A_ROW if name in first), None)
    names = next((name for name in NAMES_OF_SCORES if name in first), None)
    if field and names:
        rows = [_zipped(entry.get(names), entry.get(field)) for entry in entries]
        return _by_class(rows, advice)
    if field and decided - {PREDICTED_LABEL} and not isinstance(first[field], list):
        raise Unusable(
            f"The service answered the score of its decision alone, {_seen(first)}: "
            f"ask for those of all classes (top_k). {advice}"
        )
    if field:
        return scores_of([entry.get(field) for entry in entries], len(entries), advice)
    if decided:
        raise Labels(f"The service answered labels, such as {_seen(first)}. {advice}")
    return _by_class(entries, advice)


def _by_class(entries: list[dict[str, Any]], advice: str) -> Scores:
    classes = tuple(sorted(entries[0]))
    if any(entry.keys() != entries[0].keys() for entry in entries):
        raise Unusable(
            "Rows have scores of different classes, as where a service keeps to the "
            f"best few (top_k): ask for all of them. {advice}"
        )
    table = _table([[entry[name] for name in classes] for entry in entries], advice)
    return Scores(table, classes)


def _of_pairs(entry: list[dict[str, Any]], advice: str) -> dict[str, Any]:
    """Scores by class from `[{"label": …, "score": …}, …]`, in whatever order."""
    if any("label" not in pair or "score" not in pair for pair in entry):
        raise Unusable(f"Expected labels with scores; got {_seen(entry)}. {advice}")
    return _zipped([pair["label"] for pair in entry], [pair["score"] for pair in entry])


def _zipped(names: Any, values: Any) -> dict[str, Any]:
    """Scores by class from two lists."""
    if not isinstance(names, list) or not isinstance(values, list):
        raise Unusable(f"Expected classes and scores; got {_seen([names, values])}.")
    row = {str(name): value for name, value in zip(names, values, strict=False)}
    if not len(row) == len(names) == len(values):
        raise Unusable(
            f"Expected a score for each class; got {_seen([names, values])}."
        )
    return row


def _table(rows: list[list[Any]], advice: str) -> Floats:
    """Numbers (n, C) from lists of numbers."""
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        raise Unusable(
            f"Rows have from {min(widths, default=0)} to {max(widths, default=0)} "
            f"scores; expected as many in each, one for every class. {advice}"
        )
    return _numbers(list(chain.from_iterable(rows)), widths.pop(), advice)


def _numbers(flat: list[Any], width: int, advice: str) -> Floats:
    """Numbers (n, C) from a list of numbers, row by row."""
    kinds, first = _kinds(flat), flat[:width]
    if kinds & {str, bool}:
        raise Labels(f"The service answered labels, such as {_seen(first)}. {advice}")
    if not kinds <= NUMBERS:
        raise Unusable(f"Expected numbers; got {_seen(first)}. {advice}")
    try:
        numbers = np.array(flat, dtype=np.float64)
    except OverflowError:
        raise Lost(f"A score is no 64-bit number: {_seen(first)}.") from None
    if float not in kinds and int in kinds and _look_like_labels(numbers, width):
        raise Labels(
            f"The service answered whole numbers, such as {_seen(first)}, which look "
            f"like labels. {advice}"
        )
    return numbers.reshape(-1, width)


def _look_like_labels(whole: Floats, width: int) -> bool:
    """Some services write 1.0 as 1: several zeros and ones a row may be scores."""
    return width == 1 or bool(np.any((whole != 0) & (whole != 1) & ~np.isnan(whole)))


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and bool(shape)
        and all(type(size) is int and size > 0 for size in shape)
    )


def _kinds(values: Iterable[Any]) -> set[type]:
    return set(map(type, values))


def _seen(value: Any) -> str:
    """What came, cut short."""
    text = repr(value)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
