"""What pandas and polars do differently, behind one face.

Neither is imported for the sake of a check: a frame has brought its library along.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError
from facetwise.extras import extra

Kind = Literal["pandas", "polars"]

WHOLE = 2.0**53
"""Beyond this, 64-bit floats do not hold every whole number."""


class Library(Protocol):
    """What is asked of a library of frames; a column is one of its own series."""

    kind: Kind

    def labels(self, frame: Any) -> list[Any]:
        """What the columns are called."""

    def columns(self, frame: Any) -> list[Any]:
        """The columns, in their order."""

    def numbers(self, column: Any) -> Floats | None:
        """Its values (n,), NaN where one is missing; None if they are no numbers."""

    def values(self, column: Any) -> list[Any]:
        """Its values as Python objects."""

    def pick(self, column: Any, rows: Ints | list[int]) -> Any:
        """The values in these rows, as a column of the same type."""

    def float_type(self, column: Any) -> Any:
        """The type in which to send fractions for this column, if not plain float64."""

    def is_single(self, dtype: Any) -> bool:
        """Whether a float type has 32 bits."""

    def filled(
        self,
        labels: Sequence[Any],
        points: Floats,
        dtypes: Mapping[int, Any],
        columns: Mapping[int, Any],
    ) -> Any:
        """A frame of points (n, d), but for types and whole columns given by place."""

    def frame(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A frame of these columns."""


def library(kind: Kind) -> Library:
    """The library of that name, if it is installed."""
    known: dict[str, type[Library]] = {"pandas": _Pandas, "polars": _Polars}
    if kind not in known:
        raise InputError(f"kind must be one of {', '.join(known)}; got {kind!r}.")
    return known[kind]()


def frame_of(X: Any) -> tuple[Library, Any] | None:
    """The frame that X is, with its library; None for anything else."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas and isinstance(X, pandas.Series):
        # One row of a frame, which lost the types of its columns where they differ.
        X = X.to_frame().T.infer_objects()
    if pandas and isinstance(X, pandas.DataFrame):
        return _Pandas(), X
    if polars and isinstance(X, polars.LazyFrame):
        raise InputError("X is a polars LazyFrame, without rows yet: X.collect().")
    if polars and isinstance(X, polars.DataFrame):
        return _Polars(), X
    return None


def mapping_of(given: Any) -> Mapping[str, Any] | None:
    """Numbers by name, as a mapping or as a pandas series with names for its index."""
    pandas = sys.modules.get("pandas")
    if pandas and isinstance(given, pandas.Series):
        named: dict[str, Any] = given.to_dict()
        return named if all(isinstance(name, str) for name in named) else None
    return given if isinstance(given, Mapping) else None


def _exact(values: Floats, whole: bool) -> Floats | None:
    """Values that floats hold exactly; long numbers that name something are none."""
    if whole and np.any(np.abs(values) > WHOLE):
        return None
    return values


class _Pandas:
    """Frames of pandas; those that are made have no index but 0, 1, 2, …"""

    kind: Kind = "pandas"

    def __init__(self) -> None:
        self._pandas: Any = extra("table", "pandas")

    def labels(self, frame: Any) -> list[Any]:
        return list(frame.columns)

    def columns(self, frame: Any) -> list[Any]:
        return [frame.iloc[:, j] for j in range(frame.shape[1])]

    def numbers(self, column: Any) -> Floats | None:
        types = self._pandas.api.types
        # Booleans count as numeric there, and so do complex numbers.
        if not types.is_numeric_dtype(column) or types.is_complex_dtype(column):
            return None
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return _exact(values, types.is_integer_dtype(column))

    def values(self, column: Any) -> list[Any]:
        return list(column.tolist())

    def pick(self, column: Any, rows: Ints | list[int]) -> Any:
        return column.take(rows).reset_index(drop=True)

    def float_type(self, column: Any) -> Any:
        dtype = column.dtype
        kept = self._pandas.api.types.is_float_dtype(dtype) and dtype.itemsize in (4, 8)
        return dtype if kept and dtype != np.float64 else None

    def is_single(self, dtype: Any) -> bool:
        return bool(dtype.itemsize == 4)

    def filled(
        self,
        labels: Sequence[Any],
        points: Floats,
        dtypes: Mapping[int, Any],
        columns: Mapping[int, Any],
    ) -> Any:
        frame = self._pandas.DataFrame(points).astype(dict(dtypes))
        for j, column in columns.items():
            frame.isetitem(j, column)
        frame.columns = labels
        return frame

    def frame(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        return self._pandas.DataFrame(columns)


class _Polars:
    """Frames of polars."""

    kind: Kind = "polars"

    def __init__(self) -> None:
        self._polars: Any = extra("table", "polars")

    def labels(self, frame: Any) -> list[Any]:
        return list(frame.columns)

    def columns(self, frame: Any) -> list[Any]:
        return list(frame.get_columns())

    def numbers(self, column: Any) -> Floats | None:
        dtype = column.dtype
        if not (dtype.is_numeric() or dtype == self._polars.Boolean):
            return None
        values = column.cast(self._polars.Float64).to_numpy()
        return _exact(values, dtype.is_integer())

    def values(self, column: Any) -> list[Any]:
        return list(column.to_list())

    def pick(self, column: Any, rows: Ints | list[int]) -> Any:
        return column.gather(rows)

    def float_type(self, column: Any) -> Any:
        return column.dtype if self.is_single(column.dtype) else None

    def is_single(self, dtype: Any) -> bool:
        return bool(dtype == self._polars.Float32)

    def filled(
        self,
        labels: Sequence[Any],
        points: Floats,
        dtypes: Mapping[int, Any],
        columns: Mapping[int, Any],
    ) -> Any:
        frame = self._polars.DataFrame(points, schema=labels, orient="row")
        frame = frame.cast({labels[j]: dtype for j, dtype in dtypes.items()})
        whole = [column.alias(labels[j]) for j, column in columns.items()]
        return frame.with_columns(whole)

    def frame(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        return self._polars.DataFrame(columns)
