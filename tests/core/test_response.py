"""Scores are read as what they are, or the argument that settles it is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import problems as zoo
from facetwise.core.response import LogOdds, Response, infer_response, usable
from facetwise.errors import ResponseError

SERVICES = {
    Response.PROBABILITIES: zoo.probabilities,
    Response.LOG_PROBABILITIES: zoo.log_probabilities,
    Response.LOGITS: zoo.logits,
}
SOFTMAX = list(SERVICES)
ONE_BY_ONE = [Response.SIGMOID, Response.BINARY, Response.REGRESSION]


def model():
    """A linear model of 4 features and 3 classes, and some data."""
    rng = np.random.default_rng(0)
    return zoo.random_linear(rng, 4, 3), rng.standard_normal((7, 4))


@pytest.mark.parametrize("kind", SOFTMAX)
def test_log_odds_of_classes(kind):
    """Where classes compete, log-odds are differences of logits, rival by rival."""
    linear, X = model()
    z = linear.logits(X)
    read = LogOdds(kind, 1, (0, 2))
    assert read.columns == 2
    expected = z[:, [1]] - z[:, [0, 2]]
    assert np.allclose(read.values(SERVICES[kind](linear)(X)), expected)


def test_log_odds_of_labels():
    """Independent labels have the logit of their own, whatever the other scores are."""
    linear, X = model()
    y = zoo.sigmoid(linear)(X)
    read = LogOdds(Response.SIGMOID, 2, ())
    assert read.columns == 1
    assert np.allclose(read.values(y)[:, 0], linear.logits(X)[:, 2])
    y[:, :2] = 0.5
    assert np.allclose(read.values(y)[:, 0], linear.logits(X)[:, 2])


def test_log_odds_of_one_number():
    """One probability has its logit, a regression output stands for itself."""
    p = np.array([[0.1], [0.5], [1 - 1e-9]])
    assert np.allclose(LogOdds(Response.BINARY, 0, ()).values(p), special.logit(p))
    y = np.array([[-3.0], [1e9]])
    assert np.array_equal(LogOdds(Response.REGRESSION, 0, ()).values(y), y)


@pytest.mark.parametrize("kind", SOFTMAX)
def test_one_rival(kind):
    """A contrast with one rival is one column."""
    linear, X = model()
    z = linear.logits(X)
    values = LogOdds(kind, 0, (2,), contrast=2).values(SERVICES[kind](linear)(X))
    assert np.allclose(values, z[:, [0]] - z[:, [2]])


def test_saturated_scores_are_infinite():
    """A score of 0 has infinite log-odds, and 1.0 in a softmax has finite ones."""
    y = np.array([[1.0, 1e-20, 0.0]])
    values = LogOdds(Response.PROBABILITIES, 0, (1, 2)).values(y)
    assert np.isfinite(values[0, 0])
    assert values[0, 1] == np.inf
    one = LogOdds(Response.BINARY, 0, ()).values(np.array([[0.0], [1.0]]))
    assert one.ravel().tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("kind", [Response.PROBABILITIES, Response.LOG_PROBABILITIES])
def test_what_is_unmistakable_is_inferred(kind):
    """Probabilities and their logarithms are known by their sums."""
    linear, X = model()
    assert infer_response(SERVICES[kind](linear)(X)) is kind


def test_one_number_outside_the_unit_interval_is_a_regression():
    """One number a row that is below 0 or above 1 can only be a regression output."""
    assert infer_response(np.array([[0.2], [1.5]])) is Response.REGRESSION
    assert infer_response(np.array([[0.2], [-0.5]])) is Response.REGRESSION


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([[0.2], [0.7]], ["'binary'", "'regression'"]),
        ([[0.2, 0.7]], ["'probabilities'", "'sigmoid'"]),
        ([[0.9, 0.7], [0.3, 0.7]], ["'probabilities'", "'sigmoid'"]),
        ([[2.0, -1.0]], ["'logits'", "'regression'"]),
        ([[-2.0, -1.0]], ["'logits'", "'regression'"]),
        ([[-0.1, 1.1]], ["'logits'", "'regression'"]),
        ([[0.0, 0.0]], ["'probabilities'", "'sigmoid'"]),
    ],
)
def test_what_is_ambiguous_names_the_argument(scores, says):
    """Scores that can be two things are an error that says what to pass for each."""
    with pytest.raises(ResponseError) as caught:
        infer_response(np.array(scores))
    assert "response=" in str(caught.value)
    assert all(kind in str(caught.value) for kind in says)


def test_one_class_is_no_choice():
    """A model that only ever says 1.0 knows one class, and that is said."""
    with pytest.raises(ResponseError, match="one class"):
        infer_response(np.ones((3, 1)))


BAD = {
    Response.PROBABILITIES: [np.nan, np.inf, -0.01, 1.5],
    Response.SIGMOID: [np.nan, -0.01, 1.5],
    Response.BINARY: [np.nan, -0.01, 1.5],
    Response.LOG_PROBABILITIES: [np.nan, np.inf, 0.5],
    Response.LOGITS: [np.nan, np.inf, -np.inf],
    Response.REGRESSION: [np.nan, np.inf, -np.inf],
}


@pytest.mark.parametrize(
    ("kind", "bad"), [(kind, bad) for kind in BAD for bad in BAD[kind]]
)
def test_rows_that_cannot_be_of_a_kind(kind, bad):
    """A row with one impossible score is no answer, and the others still are."""
    sign = -1.0 if kind is Response.LOG_PROBABILITIES else 1.0
    scores = sign * np.full((3, 2), 0.5)
    scores[1, 1] = bad
    assert usable(kind, scores).tolist() == [True, False, True]


def test_saturated_rows_are_usable():
    """Scores of exactly 0 and 1 are answers, and so is a log-probability of -inf."""
    assert usable(Response.PROBABILITIES, np.array([[0.0, 1.0]])).all()
    assert usable(Response.LOG_PROBABILITIES, np.array([[-np.inf, 0.0]])).all()


@given(
    kind=st.sampled_from(list(Response)),
    decimals=st.integers(2, 9),
    seed=st.integers(0, 2**32 - 1),
)
def test_noise_bounds_what_rounding_does(kind, decimals, seed):
    """No rounding by half a step moves log-odds by more than the noise says."""
    rng = np.random.default_rng(seed)
    half = 0.5 * 10.0**-decimals
    # From one step up, where a step is as large as the score itself.
    y = np.exp(rng.uniform(np.log(2 * half), np.log(0.5), (50, 3)))
    y = np.round(y, decimals).clip(2 * half, 1 - 2 * half)
    y = -y if kind is Response.LOG_PROBABILITIES else y
    read = LogOdds(kind, 0, (1, 2) if kind.softmax else ())
    noise = read.noise(y, np.full(y.shape, half), 1.0)
    # What is compared with is itself rounded, logarithm by logarithm.
    own = 8 * np.spacing(np.abs(read.values(y)).max())
    for _ in range(5):
        meant = y + half * rng.choice([-1.0, 1.0, -0.999, 0.3], size=y.shape)
        moved = np.abs(read.values(meant) - read.values(y))
        assert (moved <= noise * (1 + 1e-9) + own).all()


@pytest.mark.parametrize(
    ("kind", "score"),
    [
        (Response.PROBABILITIES, 0.0),
        (Response.PROBABILITIES, 2**-9),
        (Response.PROBABILITIES, 2**-8),
        (Response.SIGMOID, 2**-8),
        (Response.SIGMOID, 1 - 2**-8),
        (Response.BINARY, 1 - 2**-9),
    ],
)
def test_noise_is_infinite_where_rounding_may_have_hidden_all(kind, score):
    """Within half a step of 0, or of 1 for one number, log-odds may be anything."""
    y = np.array([[score, 0.3], [0.2, 0.3]])
    read = LogOdds(kind, 0, (1,) if kind.softmax else ())
    noise = read.noise(y, np.full(y.shape, 2**-8), 1.0)
    assert noise[0, 0] == np.inf
    assert np.isfinite(noise[1, 0])


def test_noise_is_finite_at_a_probability_of_one():
    """A softmax score of 1.0 is as exact as its step: only the 0 side is far away."""
    y = np.array([[1.0, 0.3]])
    read = LogOdds(Response.PROBABILITIES, 0, (1,))
    noise = read.noise(y, np.array([[0.005, 0.0]]), 1.0)
    assert noise[0, 0] == pytest.approx(-np.log1p(-0.005), rel=1e-12)


@given(seed=st.integers(0, 2**32 - 1), target=st.integers(0, 2))
def test_noise_bounds_rounding_to_64_bits(seed, target):
    """Scores rounded to 64 bits have log-odds within the noise of the exact ones."""
    rng = np.random.default_rng(seed)
    z = np.longdouble(rng.standard_normal((50, 3)) * 10)
    y = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    rivals = tuple(c for c in range(3) if c != target)
    read = LogOdds(Response.PROBABILITIES, target, rivals)
    scores = y.astype(np.float64)
    exact = z[:, [target]] - z[:, list(rivals)]
    noise = read.noise(scores, scores * 2.0**-53, 1.0)
    # The last subtraction rounds as well, by half a digit of its result.
    own = np.abs(exact) * 2.0**-53
    assert (np.abs(read.values(scores) - exact) <= noise + own).all()


def test_either_side_spoils_a_column():
    """A property of the target is in all columns, one of a rival in its own."""
    read = LogOdds(Response.PROBABILITIES, 1, (0, 2))
    assert read.either(np.array([False, True, False])).tolist() == [True, True]
    assert read.either(np.array([False, False, True])).tolist() == [False, True]
    alone = LogOdds(Response.SIGMOID, 1, ())
    assert alone.either(np.array([True, False, True])).tolist() == [False]
