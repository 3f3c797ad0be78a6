"""openbox: affine functions and regions of estimators, against another derivation."""

import itertools

import numpy as np
import pytest
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from facetwise.core.response import LogOdds, Response
from facetwise.errors import InputError
from facetwise.models import PLNN, openbox
from facetwise.models.layers import Identity, Rectifier

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 5))
TWO = (X[:, 0] > 0.1).astype(int)
THREE = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2, [0.0, 1.0])
ONE_VALUE = X @ np.arange(5.0) + np.abs(X[:, 0])
VALUES = np.stack([ONE_VALUE, X[:, 1] ** 2], axis=1)
LABELS = np.stack([TWO, THREE > 1], axis=1).astype(int)

stops_early = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


def plnn(activation, **settings):
    """A trained network, small and far from dull."""
    network = PLNN((9, 7), activation, seed=0, epochs=3, learning_rate=0.02, **settings)
    return network.fit(X, THREE)


def perceptron(kind, **settings):
    """One of scikit-learn's networks, before training."""
    return kind(hidden_layer_sizes=(9, 7), max_iter=20, random_state=0, **settings)


def autograd(network, rows):
    """Gradients (n, C, d) by PyTorch in 64 bits."""
    layers = [
        (torch.tensor(W), torch.tensor(b))
        for W, b in zip(network.weights, network.biases, strict=True)
    ]

    def logits(h):
        for (W, b), activation in zip(layers, network.activations, strict=False):
            h = W @ h + b
            if isinstance(activation, Rectifier):
                slope = torch.tensor(activation.slope)
                h = torch.clamp(h, min=0) + slope * torch.clamp(h, max=0)
            elif not isinstance(activation, Identity):
                h = h.reshape(activation.pieces, -1).max(dim=0).values
        return layers[-1][0] @ h + layers[-1][1]

    jacobian = torch.autograd.functional.jacobian
    return np.stack([jacobian(logits, torch.tensor(x)).numpy() for x in rows])


def told(local, rows):
    """W x + b."""
    return np.einsum("ncd,nd->nc", local.W, rows) + local.b


def against_zero(logit):
    """One logit as that of the second of two classes."""
    return np.stack([np.zeros_like(logit), logit], axis=1)


# Networks ----------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "leaky_relu", "prelu", "maxout"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_networks_of_our_own(activation, dtype):
    """W is what PyTorch differentiates, and W x + b the logits in 64 bits."""
    model = plnn(activation, dtype=dtype, pieces=3)
    local = openbox(model)(X)
    model.dtype = "float64"
    assert np.allclose(told(local, X), model.decision_function(X), rtol=0, atol=1e-12)
    assert np.allclose(local.W, autograd(model.network_, X), rtol=0, atol=1e-12)


@stops_early
@pytest.mark.parametrize("activation", ["relu", "identity"])
@pytest.mark.parametrize("y", [TWO, THREE])
def test_perceptrons_that_classify(activation, y):
    """Of MLPClassifier, W x + b are logits whose softmax it predicts."""
    model = perceptron(MLPClassifier, activation=activation).fit(X, y)
    box = openbox(model)
    local = box(X)
    log_odds = np.diff(model.predict_log_proba(X), axis=1)
    assert np.allclose(np.diff(told(local, X), axis=1), log_odds, rtol=0, atol=1e-10)
    assert np.allclose(local.W, autograd(box.inside.network, X), rtol=0, atol=1e-12)


@stops_early
def test_perceptrons_of_independent_labels():
    """Several labels of MLPClassifier have a logit each."""
    model = perceptron(MLPClassifier).fit(X, LABELS)
    p = model.predict_proba(X)
    logits = np.log(p) - np.log1p(-p)
    assert np.allclose(told(openbox(model)(X), X), logits, rtol=0, atol=1e-10)


@stops_early
@pytest.mark.parametrize("y", [ONE_VALUE, VALUES])
def test_perceptrons_that_regress(y):
    """Of MLPRegressor, W x + b is what it predicts."""
    model = perceptron(MLPRegressor).fit(X, y)
    predicted = model.predict(X).reshape(len(X), -1)
    local = openbox(model)(X)
    assert local.W.shape == (*predicted.shape, 5)
    assert np.allclose(told(local, X), predicted, rtol=0, atol=1e-12)


# Linear models and trees -------------------------------------------------------------


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        SGDClassifier(loss="log_loss", random_state=0),
        LinearSVC(),
        Perceptron(),
        LinearDiscriminantAnalysis(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_linear_classifiers(model, y):
    """One region, and a row of W for each class; of two, the first has zeros."""
    model.fit(X, y)
    decision = model.decision_function(X)
    decision = against_zero(decision) if decision.ndim == 1 else decision
    local = openbox(model)(X)
    assert np.allclose(told(local, X), decision, rtol=0, atol=1e-10)
    assert local.W.shape == (200, y.max() + 1, 5)
    assert len(set(local.region)) == 1


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LinearRegression(), ONE_VALUE),
        (LinearRegression(fit_intercept=False), VALUES),
        (Ridge(), VALUES),
        (SGDRegressor(random_state=0), ONE_VALUE),
        (LinearSVR(), ONE_VALUE),
    ],
    ids=lambda model: type(model).__name__,
)
def test_linear_regressions(model, y):
    """W x + b is what is predicted, in as many columns as there are."""
    model.fit(X, y)
    local = openbox(model)(X)
    assert np.allclose(
        told(local, X), model.predict(X).reshape(200, -1), rtol=0, atol=1e-10
    )


def test_sparse_weights():
    """Weights that were made sparse are read too."""
    model = SGDClassifier(loss="log_loss", penalty="l1", random_state=0).fit(X, TWO)
    dense = openbox(model)(X).W
    assert np.array_equal(openbox(model.sparsify())(X).W, dense)


@pytest.mark.parametrize("y", [ONE_VALUE, VALUES])
def test_trees_of_values(y):
    """No slopes, the value of the leaf, and leaves for regions."""
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    local = openbox(model)(X)
    assert (local.W == 0.0).all()
    assert np.array_equal(local.b, model.predict(X).reshape(200, -1))
    assert same_partition(local.region, model.apply(X))


def test_trees_of_classes():
    """The logarithms of the probabilities, -inf where one is 0."""
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, THREE)
    local = openbox(model)(X)
    assert (local.W == 0.0).all()
    assert np.allclose(np.exp(local.b), model.predict_proba(X), rtol=1e-15, atol=0)
    assert np.isneginf(local.b).any()
    assert same_partition(local.region, model.apply(X))


class LeafModels:
    """A tree of two linear models, as far as openbox needs one."""

    n_features_in_ = 5

    def __init__(self, honest=True):
        """One that predicts what it holds, or something else."""
        self.W = RNG.standard_normal((2, 3, 5))
        self.b = RNG.standard_normal((2, 3))
        self.gain = 1.0 if honest else 1.1

    def leaf_of(self, X):
        """By the sign of the first feature."""
        return (X[:, 0] > 0).astype(int)

    def core_parameters(self, X):
        """Those of the leaf."""
        return self.W[self.leaf_of(X)], self.b[self.leaf_of(X)]

    def predict_proba(self, X):
        """A softmax, spelt out."""
        W, b = self.core_parameters(X)
        odds = np.exp(self.gain * (np.einsum("ncd,nd->nc", W, X) + b))
        return odds / odds.sum(axis=1, keepdims=True)


def test_trees_of_linear_models():
    """Whatever tells leaves and core parameters is taken at its word, and checked."""
    model = LeafModels()
    local = openbox(model)(X)
    assert np.array_equal(local.W, model.W[model.leaf_of(X)])
    assert same_partition(local.region, model.leaf_of(X))
    with pytest.raises(InputError, match="not those of its logits"):
        openbox(LeafModels(honest=False))


# Regions -----------------------------------------------------------------------------


def same_partition(keys, names):
    """Whether two lists of names group their places alike."""
    pairs = set(zip(keys, np.asarray(names).tolist(), strict=True))
    return len(pairs) == len({k for k, _ in pairs}) == len({m for _, m in pairs})


@pytest.mark.parametrize("activation", ["relu", "leaky_relu", "prelu", "maxout"])
def test_keys_are_equal_where_regions_are(activation):
    """On a line through space, keys change exactly where the slopes do.

    A ReLU network may have units that nothing listens to, so there equal slopes are
    allowed in two regions.
    """
    box = openbox(plnn(activation, pieces=3))
    line = X[0] + np.linspace(-3, 3, 3000)[:, None] * (X[1] - X[0])
    local = box(line)
    moved = [
        not np.allclose(a, b, rtol=0, atol=1e-9) for a, b in itertools.pairwise(local.W)
    ]
    crossed = local.region[1:] != local.region[:-1]
    assert sum(crossed) > 5
    assert not np.any(moved & ~crossed)
    if activation != "relu":
        assert np.array_equal(moved, crossed)


def test_keys_name_the_pattern():
    """Of one hidden layer, keys are equal where the signs of all units are."""
    model = PLNN((6,), seed=0, epochs=2).fit(X, THREE)
    z = X @ model.network_.weights[0].T + model.network_.biases[0]
    signs = [tuple(row) for row in (z > 0).tolist()]
    codes = [sorted(set(signs)).index(sign) for sign in signs]
    box = openbox(model)
    assert same_partition(box.regions(X), codes)
    assert np.array_equal(box.regions(X), box(X).region)


def test_on_a_boundary():
    """A unit at exactly zero is off, and both pieces meet the model there."""
    model = PLNN((4,), seed=0, epochs=1).fit(X, THREE)
    first = model.network_.weights[0]
    model.network_.biases[0][:] = 0.0
    origin = np.zeros((1, 5))
    local = openbox(model)(origin)
    assert (local.W == 0.0).all()
    assert np.allclose(told(local, origin), model.decision_function(origin))
    assert first.any()


# What can be derived -----------------------------------------------------------------


def test_decision_features():
    """D_c and D_{c,c'} are those of equation 1, as the log-odds have them."""
    model = plnn("relu")
    local = openbox(model)(X)
    scores = model.predict_proba(X)
    for c in range(3):
        rivals = tuple(k for k in range(3) if k != c)
        pairs = LogOdds(Response.PROBABILITIES, c, rivals).values(scores)
        D, B = local.decision_features(c)
        assert np.allclose(np.einsum("nd,nd->n", D, X) + B, pairs.mean(axis=1))
        D, B = local.contrast(c, rivals[0])
        assert np.allclose(np.einsum("nd,nd->n", D, X) + B, pairs[:, 0])


def test_a_single_output_has_no_rivals():
    """Its decision features are its slopes."""
    local = openbox(LinearRegression().fit(X, ONE_VALUE))(X)
    D, B = local.decision_features(0)
    assert np.array_equal(D, local.W[:, 0])
    assert np.array_equal(B, local.b[:, 0])


def test_chunks_do_not_show(monkeypatch):
    """Many rows at a time or few, the answer is the same."""
    box = openbox(plnn("prelu"))
    whole = box(X)
    monkeypatch.setattr("facetwise.models.whitebox.dense.BUDGET", 150)
    assert box.inside.rows < 10
    parts = box(X)
    assert np.allclose(parts.W, whole.W, rtol=0, atol=1e-14)
    assert np.array_equal(parts.region, whole.region)
    assert np.allclose(box.logits(X), told(whole, X))
    assert len(parts) == 200


# What is refused ---------------------------------------------------------------------


class Louder(LogisticRegression):
    """A linear model that answers something else."""

    def decision_function(self, X):
        """Twice what its coefficients say."""
        return 2.0 * super().decision_function(X)


@stops_early
@pytest.mark.parametrize(
    ("model", "y", "says"),
    [
        (perceptron(MLPClassifier, activation="tanh"), THREE, "activation='tanh'"),
        (perceptron(MLPRegressor, activation="logistic"), ONE_VALUE, "='logistic'"),
        (PoissonRegressor(), np.abs(ONE_VALUE), r"sklearn\.PoissonRegressor is not"),
        (RandomForestClassifier(3), THREE, "RandomForestClassifier is not known"),
        (OneVsRestClassifier(LinearSVC()), THREE, "OneVsRestClassifier is not known"),
        (make_pipeline(LinearRegression()), ONE_VALUE, r"sklearn\.Pipeline is not"),
        (DecisionTreeClassifier(), LABELS, "2 outputs with classes of their own"),
        (Louder(), TWO, "not those of its logits|does not follow"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_others_are_refused_by_name(model, y, says):
    """What is not piecewise linear, or not known to be, is refused by its name."""
    with pytest.raises(InputError, match=says):
        openbox(model.fit(X, y))


@pytest.mark.parametrize(
    "model",
    [
        PLNN(),
        MLPClassifier(),
        LogisticRegression(),
        LinearRegression(),
        DecisionTreeClassifier(),
        DecisionTreeRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_are_not_fitted(model):
    """What has not been trained cannot be looked into."""
    with pytest.raises(InputError, match=f"{type(model).__name__} is not fitted yet"):
        openbox(model)


def test_functions_are_refused():
    """A function hides what it is."""
    with pytest.raises(InputError, match=r"builtins\.function is not known"):
        openbox(lambda X: X)


def test_input_shape_is_for_modules():
    """Estimators take flat rows anyway."""
    with pytest.raises(InputError, match="input_shape is for PyTorch modules"):
        openbox(LinearRegression().fit(X, ONE_VALUE), input_shape=(5,))


@pytest.mark.parametrize("rows", [X[0], X[:, :4], X[:0], np.full((1, 5), np.nan)])
def test_rows_that_are_none(rows):
    """Rows of another shape or width, and missing values, are errors."""
    with pytest.raises(InputError):
        openbox(LinearRegression().fit(X, ONE_VALUE))(rows)
