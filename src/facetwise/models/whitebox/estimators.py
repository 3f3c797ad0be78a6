"""Estimators: those of scikit-learn, and trees that have a linear model at each leaf.

Nothing is imported from scikit-learn: a model has brought along what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.models.fitted import require_fitted
from facetwise.models.layers import Activation, Dense, Identity, Rectifier
from facetwise.models.whitebox.dense import DenseBox
from facetwise.models.whitebox.partition import Partition, affine, constant

AGREEMENT = 1e-10
"""How far probabilities may be from those that logits give."""

HIDDEN: dict[str, Activation] = {
    "relu": Rectifier(np.array(0.0)),
    "identity": Identity(),
}
"""Hidden units of a multi-layer perceptron that are piecewise linear."""

Ask = Callable[[Floats], Floats]


def linear_classifier(model: Any) -> Partition:
    """Decides by `decision_function`, as LogisticRegression and LinearSVC do."""
    W, b = _coefficients(model)
    if len(b) > 1:
        return affine(W, b, model.decision_function)

    def ask(X: Floats) -> Floats:
        return _beside_zero(model.decision_function(X))

    return affine(*_against_zero(W, b), ask)


def logistic_regression(model: Any) -> Partition:
    """One whose probabilities have to be the softmax of its logits."""
    opened = linear_classifier(model)
    return replace(opened, ask=_backed(opened.ask, model))


def linear_regressor(model: Any) -> Partition:
    """Predicts an affine function, or several."""
    W, b = _coefficients(model)
    return affine(W, b, lambda X: _columns(model.predict(X)))


def tree_classifier(model: Any) -> Partition:
    """The logarithms of the probabilities at a leaf; of 0 that is -inf."""
    require_fitted(model, "tree_")
    if model.n_outputs_ > 1:
        raise InputError(
            f"{type(model).__name__} has {model.n_outputs_} outputs with classes of "
            "their own. Open one tree for each."
        )

    def ask(X: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(model.predict_proba(X))
        return logarithms

    return constant(model.n_features_in_, model.apply, ask)


def tree_regressor(model: Any) -> Partition:
    """The values at a leaf."""
    require_fitted(model, "tree_")
    d = int(model.n_features_in_)
    return constant(d, model.apply, lambda X: _columns(model.predict(X)))


def leaf_models(model: Any) -> Partition:
    """Whatever has `leaf_of(X)` (n,) and `core_parameters(X)`, (n, C, d) and (n, C)."""
    require_fitted(model, "n_features_in_")

    def logits(X: Floats) -> Floats:
        W, b = model.core_parameters(X)
        z: Floats = np.einsum("ncd,nd->nc", W, X) + b
        return z

    d = model.n_features_in_
    C = model.core_parameters(np.zeros((1, d)))[1].shape[1]
    return Partition(d, C, model.leaf_of, model.core_parameters, _backed(logits, model))


def perceptron_classifier(model: Any) -> DenseBox:
    """MLPClassifier: a softmax over classes, or labels that are independent."""
    network = _perceptron(model)
    if model.out_activation_ == "logistic" and network.outputs == 1:
        # Two classes, which have one logit between them.
        W, b = _against_zero(network.weights[-1], network.biases[-1])
        network = Dense(
            (*network.weights[:-1], W), (*network.biases[:-1], b), network.activations
        )
    elif model.out_activation_ == "logistic":
        return DenseBox(network, _backed(_logits(network), model, special.expit))
    return DenseBox(network, _backed(_logits(network), model))


def perceptron_regressor(model: Any) -> DenseBox:
    """MLPRegressor."""
    network = _perceptron(model)
    if model.out_activation_ != "identity":
        raise InputError(
            f"{type(model).__name__} with out_activation_={model.out_activation_!r} is "
            "not piecewise linear in its inputs."
        )
    return DenseBox(network, lambda X: _columns(model.predict(X)))


def _perceptron(model: Any) -> Dense:
    require_fitted(model, "coefs_")
    if model.activation not in HIDDEN:
        raise InputError(
            f"{type(model).__name__} with activation={model.activation!r} is not "
            "piecewise linear. openbox takes activation='relu' and 'identity'."
        )
    return Dense(
        tuple(W.T for W in model.coefs_),
        tuple(model.intercepts_),
        (HIDDEN[model.activation],) * (len(model.coefs_) - 1),
    ).astype(np.float64)


def _logits(network: Dense) -> Ask:
    return lambda X: network.run(X)[0]


def _softmax(logits: Floats) -> Floats:
    probabilities: Floats = special.softmax(logits, axis=1)
    return probabilities


def _backed(logits: Ask, model: Any, link: Ask = _softmax) -> Ask:
    """The logits, for a model that tells probabilities alone; these must agree."""

    def ask(X: Floats) -> Floats:
        z = logits(X)
        off = float(np.abs(link(z) - model.predict_proba(X)).max())
        if not off <= AGREEMENT:
            raise InputError(
                f"The probabilities that {type(model).__name__} predicts are not those "
                f"of its logits: they are off by {off:.3g}. Likely causes: classes "
                "that are each told from the rest (one-vs-rest), or a prediction "
                "method of its own."
            )
        return z

    return ask


def _coefficients(model: Any) -> tuple[Floats, Floats]:
    """Weights (C, d) and intercepts (C,)."""
    require_fitted(model, "coef_")
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    W = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    b = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(W))
    return W, b


def _against_zero(W: Floats, b: Floats) -> tuple[Floats, Floats]:
    """One logit as two: that of the first class is zero."""
    return np.concatenate([np.zeros_like(W), W]), np.concatenate([np.zeros_like(b), b])


def _beside_zero(logit: Floats) -> Floats:
    return np.stack([np.zeros_like(logit), logit], axis=1)


def _columns(outputs: Floats) -> Floats:
    return outputs.reshape(len(outputs), -1)
