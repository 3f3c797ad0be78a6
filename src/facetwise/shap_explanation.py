"""An explanation as shap's own record, for its plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.explanation import Explanation, labels, shown
from facetwise.extras import extra
from facetwise.tables.domain import by_name
from facetwise.tables.libraries import mapping_of


def to_shap(
    explanation: Explanation,
    reference: ArrayLike | Mapping[str, float] | None = None,
) -> Any:
    """A `shap.Explanation` that shap's plots accept.

    Its values are not Shapley values of the model. They are the terms of the affine
    function that the model is around each instance x: feature j contributes
    D_j (x_j - ref_j), with D_j its weight and `ref` the reference, 0 by default. The
    base value is that function at the reference, B + D·ref (shap's plots call it
    E[f(X)], which it is not). Base value and values add up to the log-odds, or the
    output, that the model gives x, as closely as the certificate says. Beyond the
    region of x, and so perhaps at the reference, the model is another function.

    A frozen feature contributes 0, and what it does contribute is in the base value.
    `lower_bounds` and `upper_bounds` enclose each value by its error bound, where all
    rows are certified. Rows may explain different classes: see `explanation.target`
    and `explanation.contrast`.

    Parameters
    ----------
    explanation
        Rows that all have values.
    reference
        What to compare with: a number for each feature (d,), or a mapping from names
        to numbers. Those of frozen features do not matter.
    """
    shap = extra("shap", "shap")
    lost = np.flatnonzero(~np.isfinite(explanation.base_values))
    if lost.size:
        n, i = len(explanation), lost[0]
        raise InputError(
            f"{lost.size} of {n} rows have no values to show, such as row {i}: "
            f"{explanation.status[i]} Leave them out, as in "
            "to_shap(explanation[explanation.certified])."
        )
    ref = _reference(reference, explanation)
    # Frozen features hold NaN: their part is in the base already.
    D = np.nan_to_num(explanation.values)
    values = D * (explanation.data - ref)
    bounded = explanation.certified.all()
    has_text = bool(explanation.meta.get("categories"))
    off = np.nan_to_num(explanation.error_bound) * np.abs(explanation.data - ref)
    return shap.Explanation(
        values=values,
        base_values=explanation.base_values + D @ ref,
        data=explanation.data,
        display_data=shown(explanation) if has_text else None,
        feature_names=labels(explanation),
        lower_bounds=values - off if bounded else None,
        upper_bounds=values + off if bounded else None,
    )


def _reference(
    given: ArrayLike | Mapping[str, float] | None, explanation: Explanation
) -> Floats:
    """The reference (d,), 0 for features that are frozen."""
    d = explanation.values.shape[1]
    frozen = np.isnan(explanation.values).all(axis=0)
    if given is None:
        return np.zeros(d)
    if (named := mapping_of(given)) is not None:
        unknown = np.full(d, np.nan)
        given = by_name("reference", named, explanation.feature_names, unknown)
    try:
        reference = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        reference = np.empty(0)
    if reference.shape != (d,):
        raise InputError(
            f"reference needs {d} numbers, one a feature, or a mapping from names to "
            f"numbers; got {given!r}."
        )
    reference = np.where(frozen, 0.0, reference)
    if not np.isfinite(reference).all():
        missing = labels(explanation)[int(np.argmin(np.isfinite(reference)))]
        raise InputError(f"reference has no number for the feature {missing!r}.")
    return reference
