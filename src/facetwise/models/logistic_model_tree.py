"""The logistic model tree as a scikit-learn classifier."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import fields
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError
from facetwise.extras import extra
from facetwise.models import tree_file, tree_text
from facetwise.models.growth import Rules, grow

_base = extra("sklearn", "sklearn.base")
_exceptions = extra("sklearn", "sklearn.exceptions")
_multiclass = extra("sklearn", "sklearn.utils.multiclass")
_validation = extra("sklearn", "sklearn.utils.validation")


class LogisticModelTree(
    _base.ClassifierMixin,  # type: ignore[misc, name-defined]  # it has no types
    _base.BaseEstimator,  # type: ignore[misc, name-defined]
):
    """A decision tree with a sparse multinomial logistic regression at each leaf.

    C4.5 chooses the splits. The classifier of a node is its parent's plus a
    refinement, fitted to the node's rows under an L1 penalty, so that many weights are
    exactly 0. Training draws nothing at random: the same rows give the same tree.
    After Landwehr, Hall and Frank (2005) and Cong et al. (ICDE 2020);
    `facetwise.models.growth` and `facetwise.models.splits` say what differs.

    Parameters
    ----------
    penalty
        How sparse: beside the mean loss of a node's n rows, the sum of absolute
        weights costs penalty/√n·(1 + d/n), on d features scaled to unit variance.
    min_samples_split
        A node with fewer rows is a leaf. Rows count with their weights.
    max_accuracy
        A node whose classifier has a larger share of its rows right is a leaf.
    tol
        Between 0 and 1: the part of the penalty by which a condition of optimality
        may be missed (see `facetwise.models.sparse_logistic`).
    max_iter
        Steps of the solver at one node; a warning tells if they were too few.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, n_iter_
        As scikit-learn has them; `n_iter_` is the largest of all nodes.
    tree_
        The fitted `LogisticTree`; it holds no training data.
    """

    def __init__(
        self,
        *,
        penalty: float = 0.15,
        min_samples_split: float = 100,
        max_accuracy: float = 0.99,
        tol: float = 0.1,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.min_samples_split = min_samples_split
        self.max_accuracy = max_accuracy
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train on rows X (n, d) of classes y (n,).

        A weight counts as so many copies of its row; 0 leaves it out.
        """
        rules = self._rules()
        rows, labels = _validation.validate_data(self, X, y, dtype=np.float64)
        _multiclass.check_classification_targets(labels)
        rows, labels, weights = _weighted(rows, labels, sample_weight)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        grown = grow(rows, codes, weights, len(self.classes_), rules)
        self.tree_ = grown.tree
        self.n_iter_ = max(1, grown.iterations)
        if grown.violation > rules.tol:
            warnings.warn(
                f"A leaf misses a condition of optimality by {grown.violation:.2g} of "
                f"the penalty, and tol is {rules.tol:g}: raise max_iter (now "
                f"{rules.max_iter}), penalty or tol.",
                _exceptions.ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def leaf_of(self, X: ArrayLike) -> Ints:
        """The leaf (n,) that each row lands in, counted from 0."""
        rows = self._rows(X)
        return self.tree_.leaf_of(rows)

    def core_parameters(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """W (n, C, d) and b (n, C) of each row: its logits are W x + b, in raw units.

        The same at every row of a leaf; C is the number of classes, two included.
        """
        leaves = self.leaf_of(X)
        return self.tree_.W[leaves], self.tree_.b[leaves]

    def decision_function(self, X: ArrayLike) -> Floats:
        """Logits (n, C); of two classes, how far the second is ahead, (n,)."""
        Z = self._logits(X)
        return Z[:, 1] - Z[:, 0] if len(self.classes_) == 2 else Z

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the probabilities of the classes, (n, C)."""
        log_probabilities: Floats = log_softmax(self._logits(X), axis=1)
        return log_probabilities

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, (n, C), in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The likeliest class (n,) of each row."""
        winners = self._logits(X).argmax(axis=1)
        classes: NDArray[Any] = self.classes_[winners]
        return classes

    def export_text(
        self,
        feature_names: Sequence[str] | None = None,
        *,
        decimals: int = 3,
        max_weights: int | None = None,
    ) -> str:
        """The tree as text: tests, and at each leaf the weights that are not zero.

        Of each class at most `max_weights` are shown, the largest first.
        """
        _validation.check_is_fitted(self)
        names = _feature_names(self, feature_names)
        wording = tree_text.Wording(names, self.classes_, decimals, max_weights)
        return tree_text.export(self.tree_, wording)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one .npz file, numbers exact and without pickle."""
        _validation.check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        about = {
            "parameters": {k: _plain(v) for k, v in self.get_params().items()},
            "feature_names": None if names is None else names.tolist(),
            "n_iter": self.n_iter_,
        }
        tree_file.write(path, self.tree_, self.classes_, about)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote."""
        tree, classes, about = tree_file.read(path)
        model = cls(**about["parameters"])
        model.tree_, model.classes_, model.n_iter_ = tree, classes, about["n_iter"]
        model.n_features_in_ = tree.W.shape[2]
        if about["feature_names"] is not None:
            model.feature_names_in_ = np.array(about["feature_names"], dtype=object)
        return model

    def _logits(self, X: ArrayLike) -> Floats:
        rows = self._rows(X)
        return self.tree_.logits(rows)

    def _rows(self, X: ArrayLike) -> Floats:
        """Rows to answer for, checked as scikit-learn does."""
        _validation.check_is_fitted(self)
        rows: Floats = _validation.validate_data(self, X, dtype=np.float64, reset=False)
        return rows

    def _rules(self) -> Rules:
        """The parameters, once they are known to make sense."""
        values = {field.name: getattr(self, field.name) for field in fields(Rules)}
        for name, value in values.items():
            below = 1.0 if name == "tol" else math.inf
            if not isinstance(value, Real) or not 0.0 < float(value) < below:
                raise InputError(
                    f"{name} must be a number above 0 and below {below:g}, and is "
                    f"{value!r}."
                )
        return Rules(**values)


def _weighted(
    X: Floats, y: NDArray[Any], sample_weight: ArrayLike | None
) -> tuple[Floats, NDArray[Any], Floats]:
    """The rows that count, their labels, and their weights (n,)."""
    if sample_weight is None:
        return X, y, np.ones(len(X))
    weights: Floats = _validation.check_array(
        sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
    )
    if weights.shape != (len(X),):
        raise InputError(
            f"sample_weight has shape {weights.shape}; expected one weight for each of "
            f"the {len(X)} rows."
        )
    if weights.min() < 0.0:
        raise InputError(
            f"sample_weight holds {weights.min():g}; a weight is at least 0, which "
            "leaves its row out."
        )
    if weights.max() == 0.0:
        raise InputError(
            "All sample weights are zero: no row of any class is left to train on. "
            "Give some rows a weight above 0."
        )
    counts = weights > 0.0
    return X[counts], y[counts], weights[counts]


def _plain(number: Any) -> int | float:
    """A number that JSON can hold, of one that may be NumPy's."""
    return int(number) if isinstance(number, Integral) else float(number)


def _feature_names(
    model: LogisticModelTree, names: Sequence[str] | None
) -> Sequence[str]:
    """Names for the features: those given, those trained with, or numbered ones."""
    if names is None:
        numbered = [f"feature {j}" for j in range(model.n_features_in_)]
        return list(getattr(model, "feature_names_in_", numbered))
    if len(names) != model.n_features_in_:
        raise InputError(
            f"The model has {model.n_features_in_} features and feature_names has "
            f"{len(names)} names: pass one for each feature."
        )
    return list(names)
