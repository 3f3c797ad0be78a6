"""What shap is handed adds up to the log-odds, and shap's plots accept it."""

import warnings

import numpy as np
import pandas as pd
import pytest

import facetwise as fw
import problems as zoo
from facetwise import InputError

with warnings.catch_warnings():
    # Two libraries between which some release is always deprecated.
    warnings.simplefilter("ignore")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    shap = pytest.importorskip("shap")

D = 4
MODEL = zoo.random_network(np.random.default_rng(0), D, 3, 1, 8)
X = np.random.default_rng(1).standard_normal((12, D))
NAMES = list("abcd")
SERVICE = zoo.probabilities(MODEL)


def explain(rows=X, **settings):
    """The explanation of some rows, under a seed."""
    return fw.Explainer(SERVICE, seed=0, feature_names=NAMES, **settings)(rows)


def log_odds(explanation, points):
    """Mean log-odds of each row's target against its rivals, from the logits."""
    Z = MODEL.logits(points)
    target = explanation.target
    return np.array(
        [z[t] - np.delete(z, t).mean() for z, t in zip(Z, target, strict=True)]
    )


# --- What the values are ------------------------------------------------------------


@pytest.mark.parametrize("frozen", [[], ["b"], ["a", "d"]])
@pytest.mark.parametrize("reference", [None, [1.0, -1.0, 0.5, 2.0]])
def test_base_and_values_are_the_log_odds(frozen, reference):
    """Base value and values add up to what the model says of each row."""
    explanation = explain(domain=fw.Domain(frozen=frozen))
    given = fw.to_shap(explanation, reference)
    assert isinstance(given, shap.Explanation)
    assert given.values.shape == (len(X), D)
    assert given.feature_names == NAMES
    assert np.array_equal(given.data, X)
    total = given.base_values + given.values.sum(axis=1)
    assert np.allclose(total, log_odds(explanation, X), rtol=0, atol=1e-9)


def test_values_without_a_reference():
    """By default features are compared with 0: weight times value, and intercept."""
    explanation = explain()
    given = fw.to_shap(explanation)
    assert np.allclose(given.values, explanation.values * X, rtol=1e-15)
    assert np.allclose(given.base_values, explanation.base_values, rtol=1e-15)


def test_values_with_a_reference():
    """With a reference, values are what leads from there to x, in x's own region."""
    ref = np.array([1.0, -1.0, 0.5, 2.0])
    explanation = explain()
    given = fw.to_shap(explanation, ref)
    for i, target in enumerate(explanation.target):
        W, b = MODEL.local(X[i])
        weights = zoo.contrast(W, target)
        base = weights @ ref + zoo.contrast(b[:, None], target)[0]
        assert np.allclose(given.values[i], weights * (X[i] - ref), rtol=0, atol=1e-9)
        assert np.allclose(given.base_values[i], base, rtol=0, atol=1e-9)


def test_a_frozen_feature_is_in_the_base():
    """What is not moved contributes 0, and the base value holds its part."""
    given = fw.to_shap(explain(domain=fw.Domain(frozen=["b"])))
    whole = fw.to_shap(explain())
    assert (given.values[:, 1] == 0).all()
    base = whole.base_values + whole.values[:, 1]
    assert np.allclose(given.base_values, base, rtol=0, atol=1e-9)
    others = [0, 2, 3]
    assert np.allclose(given.values[:, others], whole.values[:, others], atol=1e-9)


def test_values_lie_within_their_bounds():
    """Bounds enclose the true contributions, and are none without a certificate."""
    explanation = explain(domain=fw.Domain(frozen=["b"]))
    given = fw.to_shap(explanation)
    truth = np.array(
        [
            zoo.contrast(MODEL.local(x)[0], t) * x
            for x, t in zip(X, explanation.target, strict=True)
        ]
    )
    truth[:, 1] = 0.0
    assert (given.lower_bounds <= truth).all()
    assert (truth <= given.upper_bounds).all()
    assert fw.to_shap(explain(method="algorithm1")).lower_bounds is None


@pytest.mark.parametrize(
    "reference",
    [
        {"a": 1.0, "c": 2.0, "d": 3.0},
        {"a": 1.0, "b": 9.0, "c": 2.0, "d": 3.0},
        [1.0, np.nan, 2.0, 3.0],
        pd.Series({"d": 3.0, "a": 1.0, "c": 2.0}),
    ],
)
def test_references(reference):
    """A reference goes by name or place; what it says of frozen features is nothing."""
    explanation = explain(domain=fw.Domain(frozen=["b"]))
    given = fw.to_shap(explanation, reference)
    expected = fw.to_shap(explanation, [1.0, 0.0, 2.0, 3.0])
    assert np.array_equal(given.values, expected.values)
    assert np.array_equal(given.base_values, expected.base_values)


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ([1.0, 2.0], "4 numbers, one a feature"),
        (np.zeros((2, 4)), "4 numbers, one a feature"),
        ("mean", "4 numbers, one a feature"),
        ({"a": 1.0}, "no number for the feature 'b'"),
        ({"e": 1.0}, "reference names 'e', which is no feature"),
        ([1.0, 2.0, np.nan, 3.0], "no number for the feature 'c'"),
    ],
)
def test_references_that_do_not_fit(reference, says):
    """A reference without a number for a feature that counts is told so."""
    with pytest.raises(InputError, match=says):
        fw.to_shap(explain(), reference)


def test_rows_without_values():
    """A row without values is no row of zeros: the error says how to leave it out."""
    service = zoo.nan_near(SERVICE, X[3], 1e-6)
    explanation = fw.Explainer(service, seed=0)(X[:5])
    with pytest.raises(InputError, match=r"(?s)row 3.*Refused.*explanation.certified"):
        fw.to_shap(explanation)
    assert fw.to_shap(explanation[explanation.certified]).values.shape == (4, D)


# --- What shap makes of it ----------------------------------------------------------

PLOTS = {
    "bar": lambda given: shap.plots.bar(given, show=False),
    "bar of one row": lambda given: shap.plots.bar(given[0], show=False),
    "waterfall": lambda given: shap.plots.waterfall(given[0], show=False),
    "beeswarm": lambda given: shap.plots.beeswarm(given, show=False),
    "heatmap": lambda given: shap.plots.heatmap(given, show=False),
    "scatter": lambda given: shap.plots.scatter(given[:, "a"], show=False),
}


@pytest.fixture(scope="module")
def table():
    """Shap's record of a table with a frozen column of text."""
    frame = pd.DataFrame(X, columns=NAMES).assign(city=["Oslo", "Rome", "Bern"] * 4)
    explainer = fw.Explainer(
        lambda f: SERVICE(f[NAMES].to_numpy()),
        seed=0,
        domain=fw.Domain(frozen=["city", "b"]),
    )
    return fw.to_shap(explainer(frame))


@pytest.mark.parametrize("plot", PLOTS)
def test_plots(plot, table):
    """Shap's plots take it, frozen features and text included."""
    figure = matplotlib.pyplot.figure()
    try:
        PLOTS[plot](table)
        axes = matplotlib.pyplot.gcf().axes
        assert any(ax.has_data() for ax in axes)
        texts = {
            t.get_text() for ax in axes for t in [*ax.get_yticklabels(), ax.xaxis.label]
        }
        assert any("a" in text for text in texts)
        if plot in ("waterfall", "bar of one row"):
            assert "Oslo = city" in texts
    finally:
        matplotlib.pyplot.close("all")
        del figure
