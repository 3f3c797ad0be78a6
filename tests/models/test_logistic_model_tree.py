"""The logistic model tree is what scikit-learn's users expect, and exact."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import facetwise as fw
from facetwise.errors import InputError
from facetwise.models import LogisticModelTree


def rows(seed=0, n=600, d=6, classes=3):
    """Rows whose classes follow other lines where the first feature is above 0."""
    rng = np.random.default_rng(seed)
    X = 10 * rng.standard_normal((n, d)) + 3
    slopes = rng.standard_normal((2, d, classes))
    side = (X[:, 0] > 3).astype(int)
    y = np.einsum("nd,ndc->nc", X - 3, slopes[side]).argmax(axis=1)
    return X, y


@pytest.fixture(scope="module")
def fitted():
    """A tree of several leaves, and the rows it was trained on."""
    X, y = rows()
    model = LogisticModelTree().fit(X, y)
    assert len(model.tree_.weight) > 2
    return model, X, y


@parametrize_with_checks([LogisticModelTree(), LogisticModelTree(min_samples_split=10)])
def test_scikit_learn_checks(estimator, check):
    """Each check that scikit-learn has for classifiers passes."""
    check(estimator)


# Exact -------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_core_parameters_are_the_model(classes):
    """W x + b gives the logits to 1e-10, in the units of the input."""
    X, y = rows(classes, classes=classes)
    model = LogisticModelTree().fit(X, y)
    W, b = model.core_parameters(X)
    assert W.shape == (len(X), classes, X.shape[1])
    Z = np.einsum("ncd,nd->nc", W, X) + b
    expected = Z[:, 1] - Z[:, 0] if classes == 2 else Z
    assert np.abs(model.decision_function(X) - expected).max() < 1e-10
    assert np.abs(model.predict_proba(X) - softmax(Z, axis=1)).max() < 1e-10
    assert np.array_equal(model.predict(X), Z.argmax(axis=1))


def test_a_leaf_is_a_region(fitted):
    """Rows of a leaf share their core parameters, and there are several leaves."""
    model, X, _ = fitted
    leaves = model.leaf_of(X)
    W, b = model.core_parameters(X)
    kept = {leaf: (W[leaves == leaf], b[leaves == leaf]) for leaf in set(leaves)}
    assert len(kept) == len(model.tree_.weight) > 2
    for own_W, own_b in kept.values():
        assert len(np.unique(own_W, axis=0)) == len(np.unique(own_b, axis=0)) == 1


def test_the_engine_recovers_the_leaf(fitted):
    """Explanations of the probabilities are the leaf's weights, within their bound."""
    model, X, _ = fitted
    explanation = fw.Explainer(model.predict_proba, seed=0, progress=False)(X[:20])
    W, _ = model.core_parameters(X[:20])
    own = np.arange(20), explanation.target
    classes = W.shape[1]
    D = (classes * W[own] - W.sum(axis=1)) / (classes - 1)
    sure = explanation.certified & (explanation.contrast == -1)
    assert sure.mean() > 0.5
    off = np.abs(explanation.values - D)[sure]
    assert np.all(off <= explanation.error_bound[sure])


def test_probabilities_survive_large_logits(fitted):
    """Far away, logarithms of probabilities are finite and probabilities sum to 1."""
    model, X, _ = fitted
    logs = model.predict_log_proba(1e6 * X)
    assert np.isfinite(logs).all()
    assert logs.min() < -1e5
    assert np.allclose(np.exp(logs).sum(axis=1), 1.0)


def test_many_weights_are_exactly_zero():
    """Features that say nothing are pruned, bit for bit."""
    X, y = rows()
    X = np.hstack([X, np.random.default_rng(1).standard_normal((len(X), 40))])
    model = LogisticModelTree(penalty=1.0, min_samples_split=1000).fit(X, y)
    assert np.mean(model.tree_.W[:, :, 6:] == 0.0) > 0.9
    assert np.mean(model.tree_.W[:, :, :6] != 0.0) > 0.3


# Labels and rows of all sorts --------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        np.array(["b", "a", "c"]),
        np.array(["b", "a", "c"], dtype=object),
        np.array([7, -3, 100]),
        np.array([2.0, 1.0, 0.0]),
    ],
    ids=lambda a: f"{a.dtype}",
)
def test_labels_are_given_back(fitted, names):
    """Classes are the labels in order, and predictions are labels of the same type."""
    model, X, y = fitted
    named = clone(model).fit(X, names[y])
    assert np.array_equal(named.classes_, np.sort(names))
    assert named.predict(X).dtype == names.dtype
    right = np.argsort(names)[named.predict_proba(X).argmax(axis=1)]
    assert np.array_equal(named.predict(X), names[right])
    assert named.score(X, names[y]) == pytest.approx(model.score(X, y), abs=0.02)


def test_truth_values_are_labels():
    """Two classes may be False and True."""
    X, y = rows(classes=2)
    assert LogisticModelTree().fit(X, y == 1).predict(X).dtype == bool


def test_one_class_is_always_right():
    """As with scikit-learn's trees, one class is learnt, with probability 1."""
    X, _ = rows()
    model = LogisticModelTree().fit(X, np.full(len(X), "only"))
    assert set(model.predict(X)) == {"only"}
    assert np.array_equal(model.predict_proba(X), np.ones((len(X), 1)))
    assert not model.tree_.W.any()


def test_fewer_rows_than_classes_suffice():
    """Each row may be a class of its own."""
    X = np.eye(4)
    model = LogisticModelTree(penalty=0.01).fit(X[:3], ["x", "y", "z"])
    assert list(model.predict(X[:3])) == ["x", "y", "z"]


def test_constant_features_are_no_help():
    """Where no feature varies, the probabilities are the shares of the classes."""
    model = LogisticModelTree(tol=1e-3).fit(np.full((40, 3), 5.0), [0] * 30 + [1] * 10)
    assert model.predict_proba([[5.0, 5.0, 5.0]]) == pytest.approx(
        np.array([[0.75, 0.25]]), abs=1e-3
    )


def test_rows_without_weight_are_not_there(fitted):
    """A weight of 0 leaves a row out, and a class that has no other with it."""
    _, X, y = fitted
    counts = y != 2
    model = LogisticModelTree().fit(X, y, sample_weight=counts.astype(float))
    without = LogisticModelTree().fit(X[counts], y[counts])
    assert list(model.classes_) == [0, 1]
    assert np.array_equal(model.tree_.W, without.tree_.W)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0, 0, 0], "no row of any class"),
        ([1, 1, -1], "holds -1"),
        ([1, 1], r"shape \(2,\); expected one weight for each of the 3 rows"),
        ([[1], [1], [1]], r"shape \(3, 1\)"),
        ([1, 1, np.nan], "sample_weight contains NaN"),
    ],
)
def test_unusable_weights_are_refused(weights, words):
    """Weights that leave no row, are below 0 or too few are told apart."""
    with pytest.raises(ValueError, match=words):
        LogisticModelTree().fit(np.eye(3), [0, 1, 2], sample_weight=weights)


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_holes_are_refused(fitted, hole):
    """NaN and infinity are refused in scikit-learn's words, trained or asked."""
    model, X, y = fitted
    bad = X.copy()
    bad[3, 2] = hole
    with pytest.raises(ValueError, match="Input X contains"):
        clone(model).fit(bad, y)
    with pytest.raises(ValueError, match="Input X contains"):
        model.predict(bad)


def test_wrong_widths_are_refused(fitted):
    """Rows of another width are refused in scikit-learn's words."""
    model, X, _ = fitted
    for ask in (model.predict, model.leaf_of, model.core_parameters):
        with pytest.raises(ValueError, match="expecting 6 features"):
            ask(X[:, :5])


def test_quantities_are_refused():
    """A target of fractions is not a class."""
    with pytest.raises(ValueError, match="Unknown label type"):
        LogisticModelTree().fit(np.eye(3), [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.leaf_of([[0.0]]),
        lambda m: m.core_parameters([[0.0]]),
        lambda m: m.predict_log_proba([[0.0]]),
        lambda m: m.export_text(),
        lambda m: m.save("unfitted.npz"),
    ],
)
def test_unfitted_trees_say_so(call):
    """What needs training asks for it."""
    with pytest.raises(NotFittedError):
        call(LogisticModelTree())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("penalty", 0.0),
        ("penalty", -1),
        ("penalty", "much"),
        ("min_samples_split", 0),
        ("max_accuracy", np.nan),
        ("tol", 1.0),
        ("max_iter", 0),
        ("max_iter", None),
    ],
)
def test_parameters_have_to_make_sense(name, value):
    """A parameter out of range is named, with what came."""
    with pytest.raises(InputError, match=f"{name} must be a number above 0"):
        LogisticModelTree(**{name: value}).fit(np.eye(2), [0, 1])


# Training ----------------------------------------------------------------------------


def test_same_rows_same_tree(fitted):
    """Nothing is drawn at random."""
    model, X, y = fitted
    again = clone(model).fit(X, y)
    assert np.array_equal(again.tree_.W, model.tree_.W)
    assert np.array_equal(again.tree_.threshold, model.tree_.threshold)


def test_too_few_steps_are_told():
    """Leaves that are not optimal give scikit-learn's warning, with a way out."""
    X, y = rows()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        LogisticModelTree(max_iter=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticModelTree().fit(X, y)


def test_input_is_left_alone(fitted):
    """Training and asking write neither to rows nor to labels nor to weights."""
    model, X, y = fitted
    w = np.ones(len(y))
    before = X.copy(), y.copy(), w.copy()
    clone(model).fit(X, y, sample_weight=w).predict(X)
    assert all(np.array_equal(a, b) for a, b in zip(before, (X, y, w), strict=True))


def test_pickles_are_small_and_alike(fitted):
    """A pickle holds the tree and none of the rows."""
    model, X, _ = fitted
    pickled = pickle.dumps(model)
    many = clone(model).set_params(min_samples_split=10**6).fit(*rows(n=20_000))
    assert len(pickle.dumps(many)) < 20_000
    again = pickle.loads(pickled)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_text_has_names(fitted):
    """Names come from the call, else from the table, else they are numbers."""
    pd = pytest.importorskip("pandas")
    model, X, y = fitted
    assert "feature 3" in model.export_text()
    assert "debt" in model.export_text(["age", "b", "c", "debt", "e", "f"])
    named = clone(model).fit(pd.DataFrame(X, columns=list("uvwxyz")), y)
    assert " z" in named.export_text()
    assert named.export_text(max_weights=1) != named.export_text()
    with pytest.raises(InputError, match="6 features and feature_names has 2"):
        model.export_text(["age", "debt"])
