"""openbox: which models can be looked into, and who does it.

After Chu et al., *Exact and Consistent Interpretation for Piecewise Linear Neural
Networks: A Closed Form Solution* (KDD 2018), whose method gives the paper its truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from facetwise.errors import InputError
from facetwise.models.whitebox import dense, estimators, modules
from facetwise.models.whitebox.local import OpenBox, Opened

OPENERS: dict[str, Callable[[Any], Opened]] = {
    "facetwise.PLNN": dense.plnn,
    "sklearn.MLPClassifier": estimators.perceptron_classifier,
    "sklearn.MLPRegressor": estimators.perceptron_regressor,
    "sklearn.LogisticRegression": estimators.logistic_regression,
    "sklearn.LinearClassifierMixin": estimators.linear_classifier,
    "sklearn.LinearModel": estimators.linear_regressor,
    "sklearn.BaseSGDRegressor": estimators.linear_regressor,
    "sklearn.DecisionTreeClassifier": estimators.tree_classifier,
    "sklearn.DecisionTreeRegressor": estimators.tree_regressor,
}
"""Package and class, which may be a base class -> who opens it.

Classes go by name, so that no library is imported for the sake of a check.
"""

TAKEN = (
    "openbox takes PLNN, LogisticModelTree, scikit-learn's MLPClassifier and "
    "MLPRegressor (relu, identity), linear models and single decision trees, and "
    "PyTorch modules made of piecewise linear layers."
)


def openbox(model: Any, *, input_shape: Sequence[int] | None = None) -> OpenBox:
    """Look into a piecewise linear model: `openbox(model)(X)` is the truth about X.

    Of rows X (n, d) it gives, in 64 bits, the affine functions that the model follows
    around each: `W` (n, C, d) and `b` (n, C) of the logits, and `region` (n,), keys
    that are equal exactly when the regions are. A model that is not known to be
    piecewise linear is refused by name, and every answer is checked against the model.

    Parameters
    ----------
    model
        A fitted model, or a PyTorch module in evaluation mode, which stays as it is.
    input_shape
        What a row is for a PyTorch module, such as (3, 32, 32). Rows are flat.
    """
    box = OpenBox(_opened(model, input_shape), type(model).__name__)
    # What cannot be told apart by its parts shows in the answers: see `_verify`.
    box(np.random.default_rng(0).standard_normal((2, box.features)))
    return box


def _opened(model: Any, input_shape: Sequence[int] | None) -> Opened:
    kinds = [_name(kind) for kind in type(model).__mro__]
    if "torch.Module" in kinds:
        return modules.module(model, input_shape)
    if input_shape is not None:
        raise InputError(f"input_shape is for PyTorch modules; got a {kinds[0]}.")
    for kind in kinds:
        if kind in OPENERS:
            return OPENERS[kind](model)
    if hasattr(model, "core_parameters") and hasattr(model, "leaf_of"):
        return estimators.leaf_models(model)
    raise InputError(f"{kinds[0]} is not known to be piecewise linear. {TAKEN}")


def _name(kind: type) -> str:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
