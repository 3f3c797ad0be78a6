"""The domain as users state it: features by their names, limits from typical rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core import domain as core
from facetwise.core.messages import Floats, Mask
from facetwise.core.spread import spread
from facetwise.errors import InputError
from facetwise.tables.libraries import mapping_of
from facetwise.tables.reading import Names, read

SETTINGS = {"lower": -np.inf, "upper": np.inf, "scale": 1.0, "step": 0.0}
"""What may be set to one number, one a feature, or a mapping by name; and the number
that says nothing."""

TOLD = 10
"""Features that a message names at most."""


class Domain(core.Domain):
    """How the features may be moved.

    Features are named after the columns of a table, or by `feature_names`.

    Parameters
    ----------
    lower, upper
        Limits that no probe crosses: one number, one a feature, or a mapping from
        names to numbers. Features that it leaves out have none.
    scale
        A typical step of each feature: one number, one a feature, or a mapping from
        names to numbers. Radii and the scaled bound are counted in it. By default the
        largest magnitude that the feature has in the instances explained, or 1 where
        that is 0. Where most features are alike, as pixels are, one step serves all of
        that unit.
    frozen
        Features that are never moved: their names or indices, or a mask. Their weights
        are NaN. Columns of a table that are not numbers have to be frozen.
    step
        The step between the values of features that have only some, such as 1 for
        whole numbers and for 0 and 1: one number, one a feature, or a mapping from
        names to numbers; 0 where any value will do. Values are multiples of it, counted
        from the lower limit if there is one. Such a feature is asked at its next value,
        and has a weight if the region reaches that far; otherwise it is NaN.
    """

    __slots__ = ()

    @classmethod
    def from_data(
        cls,
        X: ArrayLike | Any,
        frozen: ArrayLike | None = None,
        step: ArrayLike | Any | None = None,
        feature_names: Names = None,
    ) -> Domain:
        """Limits and scale as in typical rows X (n, d), an array or a table.

        Limits are the least and the largest value of each feature; one that has a
        single value is not moved. The scale is the range of the middle half of the
        values, which outliers do not stretch, or their standard deviation where that
        half is a single value. For a table all of this goes by name, and leaves out
        the columns that are frozen or not numbers. A `step` is not guessed: many
        models answer fractions of what is whole in the data. `feature_names` names
        the columns of an array.
        """
        table = read(X, feature_names)
        free = table.numeric & ~frozen_features(frozen, table.names, len(table.numeric))
        table.check(free)
        if not free.any():
            raise InputError(
                "Domain.from_data needs a feature that is a number and not frozen; X "
                "has none."
            )
        rows = table.numbers[:, free]
        found = rows.min(axis=0), rows.max(axis=0), spread(rows)
        settings: dict[str, Any] = {}
        for setting, numbers in zip(("lower", "upper", "scale"), found, strict=True):
            if table.names is None:
                settings[setting] = whole = np.full(len(free), SETTINGS[setting])
                whole[free] = numbers
            else:
                free_names = compress(table.names, free)
                settings[setting] = dict(zip(free_names, numbers.tolist(), strict=True))
        return cls(frozen=frozen, step=step, **settings)


def positional(
    domain: core.Domain, names: Names, X: Floats, coded: Mask
) -> core.Domain:
    """A domain without names, for rows X (n, d).

    Columns that are `coded` (d,) hold codes, to which no limit or scale applies.
    """
    # Codes are no magnitudes that a scale could be taken from.
    usual = core.Domain().resolve(np.where(coded, 0.0, X))
    settled: dict[str, Any] = {}
    for setting in SETTINGS:
        given, default = getattr(domain, setting), getattr(usual, setting)
        if (named := mapping_of(given)) is not None:
            what = f"Domain({setting}=...)"
            settled[setting] = by_name(what, named, names, default)
        elif given is None:
            settled[setting] = default
        elif np.shape(given) in ((), X.shape[1:]):
            settled[setting] = np.where(coded, default, given)
    frozen = frozen_features(domain.frozen, names, X.shape[1])
    return replace(domain, frozen=frozen, **settled)


def frozen_features(frozen: Any, names: Names, d: int) -> Mask:
    """Which of d features (d,) are frozen by name, by index, or by a mask."""
    which: Any = [*frozen] if isinstance(frozen, Set) else frozen
    if which is not None and (told := np.atleast_1d(which)).dtype.kind in "OTU":
        which = _places("Domain(frozen=...)", told.tolist(), names)
    return ~core.Domain(frozen=which).resolve(np.zeros((1, d))).moving


def by_name(
    what: str, given: Mapping[str, float], names: Names, default: Floats
) -> Floats:
    """Numbers (d,): those given by name, and the default for all others."""
    numbers = default.copy()
    for j, name in zip(_places(what, given, names), given, strict=True):
        try:
            numbers[j] = given[name]
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{what} needs a number for {name!r}; got {given[name]!r}."
            ) from error
    return numbers


def _places(what: str, wanted: Iterable[Any], names: Names) -> Sequence[int]:
    """Indices of the features of these names."""
    if names is None:
        raise InputError(
            f"{what} goes by name, and the features have none. Explain a table, or "
            "pass feature_names= to the Explainer."
        )
    place = {name: j for j, name in enumerate(names)}
    if len(place) < len(names):
        raise InputError(f"{what} goes by name, and two features share one name.")
    for name in wanted:
        if not isinstance(name, str) or name not in place:
            known = ", ".join(map(repr, names[:TOLD]))
            more = ", …" if len(names) > TOLD else ""
            raise InputError(
                f"{what} names {name!r}, which is no feature. There are {known}{more}."
            )
    return [place[name] for name in wanted]
