"""Tensors of the open inference protocol v2, which REST and gRPC have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise.endpoints.faults import Labels, Unusable
from facetwise.endpoints.protocols import rows
from facetwise.errors import InputError

TYPES: dict[str, Any] = {
    "FP64": np.float64,
    "FP32": np.float32,
    "FP16": np.float16,
    "INT64": np.int64,
    "INT32": np.int32,
    "INT16": np.int16,
    "INT8": np.int8,
    "UINT64": np.uint64,
    "UINT32": np.uint32,
    "UINT16": np.uint16,
    "UINT8": np.uint8,
    "BOOL": np.bool_,
}
"""What the names of the protocol are called here; `BYTES` is text."""

FLOATS = ("FP64", "FP32", "FP16")

SCORES = "predict_proba"
"""The output by which MLServer gives the probabilities of a scikit-learn model."""

ADVICE = (
    "Have it answer probabilities: under MLServer, models of scikit-learn do when "
    f"asked for output={SCORES!r}; elsewhere name the output that holds them: "
    "output='NAME'."
)


@dataclass(frozen=True, slots=True)
class Slot:
    """An input or an output as a model describes it; -1 in a shape is any size."""

    name: str
    datatype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One input of a question: an array of the type that is sent, or a list of text."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    values: Any


def tensors(X: Any, slots: tuple[Slot, ...]) -> list[Tensor]:
    """The rows as inputs of a model, which may describe none of them."""
    n = len(X)
    if len(slots) > 1:
        return [_column(slot, values) for slot, values in _matched(X, slots)]
    if rows.named(X) and not slots:
        named = rows.columns(X).items()
        return [_column(Slot(name, "", (-1, 1)), values) for name, values in named]
    x = rows.numbers(X)
    slot = slots[0] if slots else Slot("x", "FP64", (-1, -1))
    shape = _shape(slot, n, x.shape[1])
    return [Tensor(slot.name, slot.datatype, shape, _cast(x, slot))]


def features(slots: tuple[Slot, ...]) -> int | None:
    """Numbers that a row has by its description; None if that leaves it open."""
    if len(slots) != 1:
        return len(slots) or None  # a column each
    inner = slots[0].shape[1:]
    return math.prod(inner) if inner and min(inner) > 0 else None


def pick(names: list[str], types: list[str], wanted: str | None) -> int:
    """Which output holds the scores."""
    if not names:
        raise Unusable(f"The answer has no outputs. {ADVICE}")
    if wanted is not None:
        if wanted not in names:
            raise Unusable(f"There is no output {wanted!r}; it has {', '.join(names)}.")
        return names.index(wanted)
    floats = [i for i, name in enumerate(types) if name in FLOATS]
    if len(floats) > 1:
        several = ", ".join(names[i] for i in floats)
        raise Unusable(f"Several outputs are numbers: {several}. Name one: output='…'.")
    if not floats:
        kinds = ", ".join(types)
        raise Labels(f"The model answered {kinds}, which is no score. {ADVICE}")
    return floats[0]


def _matched(X: Any, slots: tuple[Slot, ...]) -> list[tuple[Slot, list[Any]]]:
    """Each input with its column, by name or, in rows without names, by place."""
    if not rows.named(X):
        if X.shape[1] != len(slots):
            raise InputError(
                f"The model has {len(slots)} inputs; rows have {X.shape[1]} numbers."
            )
        return [(slot, X[:, j].tolist()) for j, slot in enumerate(slots)]
    values = rows.columns(X)
    if missing := [slot.name for slot in slots if slot.name not in values]:
        raise InputError(
            f"The model has inputs {', '.join(missing)}, and the table has no such "
            f"columns; it has {', '.join(values)}."
        )
    return [(slot, values[slot.name]) for slot in slots]


def _column(slot: Slot, values: list[Any]) -> Tensor:
    shape = (len(values), 1) if len(slot.shape) != 1 else (len(values),)
    kind = slot.datatype or ("FP64" if all(map(_is_number, values)) else "BYTES")
    if kind == "BYTES":
        text = ["" if value is None else str(value) for value in values]
        return Tensor(slot.name, kind, shape, text)
    if not all(map(_is_number, values)):
        raise InputError(
            f"The model's input {slot.name!r} takes {kind}, and the column has others, "
            "such as text. Encode it as the model was trained."
        )
    x = np.array(values, dtype=np.float64)
    return Tensor(slot.name, kind, shape, _cast(x, Slot(slot.name, kind, slot.shape)))


def _is_number(value: Any) -> bool:
    """Text that could be read as a number is none: codes and names may look so."""
    return value is None or isinstance(value, int | float)


def _shape(slot: Slot, n: int, d: int) -> tuple[int, ...]:
    """The shape to send d numbers a row in."""
    inner = slot.shape[1:]
    if math.prod(inner) == d:
        return (n, *inner)
    if -1 in inner or not inner:
        return (n, d)
    raise InputError(
        f"The model's input {slot.name!r} has {math.prod(inner)} numbers a row, of "
        f"shape {list(inner)}; the rows have {d}."
    )


def _cast(x: Any, slot: Slot) -> Any:
    """Numbers as the model will see them."""
    if slot.datatype not in TYPES:
        raise InputError(
            f"The model's input {slot.name!r} takes {slot.datatype}, and rows are "
            "numbers. Only the service's owner can say how they are to be passed."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        cast = x.astype(TYPES[slot.datatype])
    if slot.datatype not in FLOATS and not np.array_equal(cast, x):
        raise InputError(
            f"The model's input {slot.name!r} takes {slot.datatype}, and some values "
            "are no such numbers. Pass Domain(step=1) for features that are whole."
        )
    return cast
