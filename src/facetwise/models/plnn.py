"""The piecewise linear neural network: trained with PyTorch, asked with NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy import special

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.models import network_file
from facetwise.models.fitted import require_fitted
from facetwise.models.labels import Labels, encode
from facetwise.models.layers import Activation, Array, Dense, Maxout, Rectifier
from facetwise.models.rows import as_rows
from facetwise.models.training import Plan, initial, trained

PRELU_START = 0.25
"""Slope below zero that PReLU starts from, as in He et al. (2015)."""

ACTIVATIONS = ("relu", "leaky_relu", "prelu", "maxout")
DTYPES = ("float32", "float64")


@dataclass(eq=False)
class PLNN:
    """A fully connected classifier, piecewise linear in its inputs.

    Handled like a classifier of scikit-learn. `fit` needs PyTorch
    (``pip install "facetwise[torch]"``); everything else runs on NumPy. Features are
    taken as they are, so bring them to similar scales first.

    Parameters
    ----------
    hidden
        Units of each hidden layer; the default is the network of the paper. Without
        any, it is a multinomial logistic regression.
    activation
        Of the hidden units: "relu", "leaky_relu", "prelu" (a slope for each unit, which
        is learned) or "maxout" (the largest of `pieces` affine functions).
    slope
        Below zero, of leaky ReLU.
    pieces
        Affine functions of each unit of MaxOut.
    epochs, batch_size, learning_rate, weight_decay
        Of Adam; the rate falls to zero along half a cosine.
    seed
        Of weights and batches; None takes fresh entropy, which `seed_` records. The
        same seed gives the same network, bit for bit on a machine of the same kind.
    dtype
        Type in which scores are computed, "float64" or "float32". Training is in 32
        bits always, so that both have the same weights. May be set at any time.

    Attributes
    ----------
    classes_
        (C,) the labels, in the order of the scores.
    n_features_in_
        d, the number of features.
    network_
        The layers, a `facetwise.models.layers.Dense`.
    loss_curve_
        Mean loss of each epoch of training.
    seed_
        What `seed` was.
    """

    hidden: tuple[int, ...] = (256, 128, 100)
    activation: str = "relu"
    slope: float = field(default=0.01, kw_only=True)
    pieces: int = field(default=2, kw_only=True)
    epochs: int = field(default=10, kw_only=True)
    batch_size: int = field(default=128, kw_only=True)
    learning_rate: float = field(default=1e-3, kw_only=True)
    weight_decay: float = field(default=0.0, kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    dtype: DTypeLike = field(default="float64", kw_only=True)

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train on rows X (n, d) and labels y (n,), which may be of any type."""
        rows = as_rows(X)
        classes, codes = encode(y, len(rows))
        importance = _importance(sample_weight, len(rows))
        plan = self._plan()
        self._float_type()
        hidden = tuple(_whole("hidden", units, 1) for units in self.hidden)
        entropy = np.random.SeedSequence(self._seed()).entropy
        rng = np.random.default_rng(entropy)
        sizes = (rows.shape[1], *hidden, len(classes))
        start = initial(sizes, self._chosen_activation(), rng)
        network, losses = trained(start, rows, codes, importance, plan, rng)
        self._learned(classes, network, losses, entropy)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Logits (n, C), of two classes as well."""
        require_fitted(self, "network_")
        dtype = self._float_type()
        rows = as_rows(X, self.n_features_in_).astype(dtype)
        return self.network_.astype(dtype).run(rows)[0]

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Logarithms (n, C) of the probabilities; finite where these are 0."""
        logits = self.decision_function(X)
        log_proba: Array = special.log_softmax(logits, axis=1)
        return log_proba.astype(logits.dtype, copy=False)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities (n, C)."""
        logits = self.decision_function(X)
        proba: Array = special.softmax(logits, axis=1)
        return proba.astype(logits.dtype, copy=False)

    def predict(self, X: ArrayLike) -> Labels:
        """The label (n,) that scores highest; of equal ones the first."""
        highest = self.decision_function(X).argmax(axis=1)
        labels: Labels = self.classes_[highest]
        return labels

    def score(self, X: ArrayLike, y: Iterable[Any]) -> float:
        """The share of rows whose label is predicted."""
        predicted = list(self.predict(X))
        truth = list(y)
        if len(truth) != len(predicted):
            raise InputError(
                f"There are {len(predicted)} rows in X and {len(truth)} labels in y."
            )
        hits = sum(p == t for p, t in zip(predicted, truth, strict=True))
        return float(hits / len(truth))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; a fitted network stays as it is."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(
                    f"PLNN has no parameter {name!r}; it has "
                    f"{', '.join(self.get_params())}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        # scikit-learn alone asks for these, so it is there.
        tags = importlib.import_module("sklearn.utils")
        return tags.Tags(
            estimator_type="classifier",
            target_tags=tags.TargetTags(required=True),
            classifier_tags=tags.ClassifierTags(),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write parameters, labels and network to one .npz file, without pickle."""
        require_fitted(self, "network_")
        params = {**self.get_params(), "dtype": self._float_type().name}
        params["hidden"] = [int(units) for units in self.hidden]
        note = {"params": params, "losses": self.loss_curve_, "seed": self.seed_}
        network_file.write(path, self.network_, self.classes_, note)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; PyTorch is not needed."""
        network, classes, note = network_file.read(path)
        params = note["params"]
        model = cls(**{**params, "hidden": tuple(params["hidden"])})
        model._learned(classes, network, note["losses"], note["seed"])
        return model

    def _learned(
        self, classes: Labels, network: Dense, losses: list[float], seed: Any
    ) -> None:
        self.classes_ = classes
        self.n_features_in_ = network.features
        self.network_ = network
        self.loss_curve_ = losses
        self.seed_ = seed

    def _plan(self) -> Plan:
        return Plan(
            epochs=_whole("epochs", self.epochs, 1),
            batch_size=_whole("batch_size", self.batch_size, 1),
            learning_rate=_positive("learning_rate", self.learning_rate),
            weight_decay=_positive("weight_decay", self.weight_decay, or_zero=True),
            learn_slopes=self.activation == "prelu",
        )

    def _chosen_activation(self) -> Activation:
        if self.activation not in ACTIVATIONS:
            raise InputError(
                f"activation must be one of {', '.join(ACTIVATIONS)}; got "
                f"{self.activation!r}."
            )
        if self.activation == "maxout":
            return Maxout(_whole("pieces", self.pieces, 2))
        leaky = _positive("slope", self.slope, or_zero=True)
        below = {"relu": 0.0, "leaky_relu": leaky, "prelu": PRELU_START}
        return Rectifier(np.array(below[self.activation]))

    def _float_type(self) -> np.dtype[Any]:
        try:
            dtype = np.dtype(self.dtype)
        except TypeError:
            dtype = np.dtype(object)
        if dtype.name not in DTYPES:
            raise InputError(
                f"dtype must be one of {', '.join(DTYPES)}; got {self.dtype!r}."
            )
        return dtype

    def _seed(self) -> int | None:
        return None if self.seed is None else _whole("seed", self.seed, 0)


def _importance(sample_weight: ArrayLike | None, n: int) -> Floats:
    """How much each row counts in the loss (n,)."""
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise InputError(
            f"sample_weight must hold {n} numbers, one a row; got shape "
            f"{weights.shape}."
        )
    if not np.isfinite(weights).all() or weights.min() < 0.0 or weights.max() == 0.0:
        raise InputError(
            "sample_weight must be finite, not negative, and above zero somewhere; got "
            f"numbers between {weights.min():g} and {weights.max():g}."
        )
    return weights


def _whole(name: str, given: object, least: int) -> int:
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or given < least:  # type: ignore[operator]
        raise InputError(
            f"{name} must be a whole number of at least {least}; got {given!r}."
        )
    return int(given)  # type: ignore[call-overload,no-any-return]


def _positive(name: str, given: object, or_zero: bool = False) -> float:
    number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not number or not (0.0 < given < np.inf or (or_zero and given == 0.0)):  # type: ignore[operator]
        least = "zero or above" if or_zero else "above zero"
        raise InputError(f"{name} must be a finite number {least}; got {given!r}.")
    return float(given)  # type: ignore[arg-type]
