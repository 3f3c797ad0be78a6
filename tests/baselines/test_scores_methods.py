"""Methods that see scores alone, on models whose gradient is known."""

import numpy as np
import pytest

import facetwise as fw
import problems as zoo
from facetwise.baselines import Algorithm1, LogOddsLime, Naive, Zoo
from facetwise.baselines.log_odds_lime import nearness
from facetwise.errors import InputError

EXACT = [
    (Naive(1e-2), 1e-9),
    (Naive(1e-4), 1e-7),
    (Zoo(1e-2), 1e-11),
    (Zoo(1e-4), 1e-9),
    (LogOddsLime(1e-2, penalty=0.0), 1e-9),
    (LogOddsLime(1e-2, penalty=0.0, samples=40), 1e-9),
    (Algorithm1(), 1e-8),
    (Algorithm1(each_pair=False), 1e-8),
]
"""Methods, and how near they come to the slopes of a linear model."""


@pytest.fixture
def linear():
    """A linear model of 6 features and 4 classes, and three instances."""
    rng = np.random.default_rng(0)
    return zoo.random_linear(rng, 6, 4), rng.standard_normal((3, 6))


def listening(model):
    """The model as a service, and the list of all that it will be asked."""
    asked = []

    def service(points):
        asked.append(points)
        return zoo.probabilities(model)(points)

    return service, asked


@pytest.mark.parametrize(("method", "accuracy"), EXACT)
def test_slopes_of_a_linear_model(method, accuracy, linear):
    """D_c is found for every class, to the accuracy that the method promises."""
    model, X = linear
    targets = np.array([0, 3, 1])
    found = method(zoo.probabilities(model), X, targets)
    truth = [zoo.contrast(model.W, target) for target in targets]
    assert np.abs(found.values - truth).max() < accuracy
    assert found.target.tolist() == targets.tolist()


def test_algorithm1_waits_for_one_region():
    """On a network it shrinks its box until the weights are those of the region."""
    rng = np.random.default_rng(1)
    network = zoo.random_network(rng, 8, 3, 2, 16)
    x = zoo.random_instance(network, rng)
    found = Algorithm1()(zoo.probabilities(network), x[None], 2)
    assert np.abs(found.values[0] - zoo.contrast(network.local(x)[0], 2)).max() < 1e-6
    assert found.queries[0] == 1 + 9 * found.designs[0]
    assert found.radius[0] == 0.5 ** found.designs[0]


def test_probes_outside_the_region_mislead():
    """The naive method answers all the same when its box holds several regions."""
    rng = np.random.default_rng(1)
    network = zoo.random_network(rng, 8, 3, 2, 16)
    x = zoo.random_instance(network, rng)
    found = Naive(3.0)(zoo.probabilities(network), x[None], 2)
    assert np.abs(found.values[0] - zoo.contrast(network.local(x)[0], 2)).max() > 1e-2


def test_a_ridge_is_a_weighted_least_squares_with_a_penalty(linear):
    """Its coefficients solve the normal equations, which shrink it where h is small."""
    model, X = linear
    service, asked = listening(model)
    found = LogOddsLime(0.5, penalty=1.0, samples=30)(service, X[:1], 1)
    (points,) = asked
    y = model.logits(points)
    L = y[:, [1]] - np.delete(y, 1, axis=1)
    w = nearness(points, X[0])
    A = np.hstack([np.ones((31, 1)), points])
    penalty = np.diag([0.0, *np.ones(6)])
    beta = np.linalg.solve(A.T * w @ A + penalty, A.T * w @ L)
    assert np.allclose(found.values[0], beta[1:].mean(axis=1), rtol=0, atol=1e-10)
    small = LogOddsLime(1e-4, penalty=1.0)(service, X[:1], 1)
    assert np.abs(small.values).max() < 1e-5


def test_nearness_is_one_at_the_instance_and_falls():
    """A point that is opposite weighs next to nothing, a zero vector counts as near."""
    x = np.array([1.0, 0.0])
    weights = nearness(np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 0.0]]), x)
    assert weights[0] == weights[3] == 1.0
    assert 1.0 > weights[1] > 0.5 > 1e-10 > weights[2]


COSTS = [
    (Naive(1e-3), 7),
    (Zoo(1e-3), 12),
    (LogOddsLime(1e-3, penalty=0.0), 7),
    (LogOddsLime(1e-3, penalty=1.0, samples=20), 21),
]


@pytest.mark.parametrize(("method", "questions"), COSTS)
def test_questions_are_counted(method, questions, linear):
    """The questions told are those asked, and what was asked lies in the box told."""
    model, X = linear
    service, asked = listening(model)
    found = method(service, X, 0)
    assert found.queries.tolist() == [questions] * 3
    assert sum(map(len, asked)) == 3 * questions
    nearest = np.abs(np.vstack(asked)[:, None] - X).max(axis=2).min(axis=1)
    assert nearest.max() <= found.radius[0] * (1 + 1e-9)


@pytest.mark.parametrize(
    "method", [Naive(1e-3, seed=5), LogOddsLime(1e-3, 0.0, seed=5), Algorithm1(seed=5)]
)
def test_a_seed_makes_it_repeatable_and_rows_differ(method, linear):
    """The same seed asks the same, and no two rows are asked by the same steps."""
    model, X = linear
    service, asked = listening(model)
    twice = np.array([X[0], X[0]])
    first, second = (method(service, twice, 0).values for _ in range(2))
    assert np.array_equal(first, second)
    quarter = len(asked) // 4
    assert not np.array_equal(asked[quarter - 1], asked[2 * quarter - 1])


def test_the_record_is_what_an_explanation_is(linear):
    """Whatever reads the one reads the other: values, target, cost and settings."""
    model, X = linear
    ours = fw.Explainer(zoo.probabilities(model), target=1, seed=0)(X)
    for record in (ours, Naive(1e-3)(zoo.probabilities(model), X, 1)):
        assert record.values.shape == X.shape
        assert record.target.tolist() == [1, 1, 1]
        assert record.queries.min() > 0
        assert len(record.designs) == len(record.radius) == 3
        assert record.meta["seconds"] > 0
        assert record.meta["method"] in ("facetwise", "Naive")
    assert Naive(1e-3)(zoo.probabilities(model), X, 1).meta["h"] == 1e-3


def test_saturated_scores_are_no_numbers():
    """A score of 0 has no logarithm: the row is NaN, and nothing is made up."""

    def certain(X):
        return np.tile([1.0, 0.0], (len(X), 1))

    for method in (Naive(1e-2), Zoo(1e-2), LogOddsLime(1e-2, penalty=1.0)):
        assert np.isnan(method(certain, np.zeros((1, 3)), 0).values).all()


def test_steps_below_rounding_have_no_answer(linear):
    """Where x + h is x, the naive method's equations are all one, and it says so."""
    model, X = linear
    assert np.isnan(Naive(1e-30)(zoo.probabilities(model), X + 1.0, 0).values).all()


@pytest.mark.parametrize(
    ("service", "targets", "message"),
    [
        (lambda X: X, 0, "reads probabilities"),
        (lambda X: np.full((len(X), 1), 0.5), 0, "two classes"),
        (lambda X: np.full((len(X), 2), 0.5), 2, "classes 0 to 1"),
        (lambda X: np.full((len(X), 2), 0.5), -1, "classes 0 to 1"),
        (lambda X: np.full((len(X), 2), 0.5), [0, 1, 1], "one for each of the 2 rows"),
        (lambda X: np.full((len(X), 2), 0.5), 0.5, "must be a class number"),
    ],
)
def test_what_cannot_be_explained_is_said(service, targets, message):
    """Scores that are no probabilities and classes that are not there are refused."""
    with pytest.raises(InputError, match=message):
        Zoo(1e-2)(service, np.ones((2, 3)) * -2.0, targets)
