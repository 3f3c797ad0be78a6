"""What a data set is handed out as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from facetwise.core.domain import Domain
from facetwise.core.messages import Floats, Ints
from facetwise.datasets.idx import Bytes
from facetwise.errors import InputError
from facetwise.extras import extra

WHITE = 255
"""The grey level that becomes 1."""

Array = TypeVar("Array", bound=NDArray[Any])


def frozen(array: Array) -> Array:
    """The array, which nobody can write to any more."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class TablePart:
    """Rows to train with or to test with.

    `X` (n, d) are the features, `y` (n,) the classes as numbers from 0, and `rows` (n,)
    says which rows of the whole table these are.
    """

    X: Floats
    y: Ints
    rows: Ints

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True, eq=False)
class ImagePart:
    """Images to train with or to test with.

    `pixels` (n, d) are grey levels from 0 to 255, `y` (n,) the classes as numbers from
    0. The same in [0, 1] is `X`, eight times as large in 64 bits: it is made when it is
    first asked for.
    """

    pixels: Bytes
    y: Ints
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def X(self) -> NDArray[Any]:
        """The images (n, d), grey levels divided by 255."""
        return frozen(np.divide(self.pixels, WHITE, dtype=self.dtype))


Part = TypeVar("Part", TablePart, ImagePart)


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset(Generic[Part]):
    """A data set, read-only: parts to train and to test with, and what they mean.

    Parameters
    ----------
    name
        What it is called.
    train, test
        The two parts. Each has features `X` (n, d) and classes `y` (n,).
    feature_names, class_names
        Names of the d features and of the classes.
    domain
        Where probes may go: limits and a scale for each feature.
    steps
        The step (d,) from one value of a feature to the next one that means something:
        1 for whole numbers and for yes and no, 0 where any number does.
    groups
        Features of which exactly one is 1 and the others are 0, as tuples of positions:
        those that stand for one column of categories.
    image_shape
        Rows and columns of an image; None for tables.
    """

    name: str
    train: Part
    test: Part
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    domain: Domain
    steps: Floats
    groups: tuple[tuple[int, ...], ...] = ()
    image_shape: tuple[int, int] | None = None

    def __repr__(self) -> str:
        rows = f"{len(self.train):,} rows to train and {len(self.test):,} to test with"
        features, classes = len(self.feature_names), len(self.class_names)
        return f"<{self.name}: {rows}, {features} features, {classes} classes>"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Images(Dataset[ImagePart]):
    """A data set of images."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Table(Dataset[TablePart]):
    """A data set that is a table: `columns` are all of it as it is, None for a gap."""

    columns: Mapping[str, tuple[Any, ...]]

    def frame(self, kind: Literal["pandas", "polars"] = "pandas") -> Any:
        """The whole table before it was encoded, as a frame of pandas or polars."""
        if kind not in ("pandas", "polars"):
            raise InputError(f"kind must be one of pandas, polars; got {kind!r}.")
        return extra("table", kind).DataFrame(self.columns)
