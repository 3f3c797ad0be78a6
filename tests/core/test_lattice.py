"""Features on a lattice are moved to their next value, and weighed where that tells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facetwise as fw
import problems as zoo
from facetwise import Domain, Status
from facetwise.core.lattice import ABOUT

D, C, ON = 8, 3, [1, 4, 6]
STEP = np.isin(np.arange(D), ON).astype(float)
RNG = np.random.default_rng


def instance(seed):
    """An instance with whole numbers where features are on the lattice."""
    x = RNG(seed).standard_normal(D)
    x[ON] = np.rint(3 * x[ON])
    return x


def explain(model, x, domain, service=None, seed=0):
    """The explanation of an instance, and all points that were asked."""
    asked = []
    service = service or zoo.probabilities(model)

    def recording(X):
        asked.append(X)
        return service(X)

    explainer = fw.Explainer(
        recording, response="probabilities", domain=domain, seed=seed, progress=False
    )
    return explainer(x), np.vstack(asked)


def whole_only(service):
    """A service that refuses fractions of features on the lattice."""

    def answers(X):
        y = np.array(service(X))
        y[(X[:, ON] != np.rint(X[:, ON])).any(axis=1)] = np.nan
        return y

    return answers


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_a_linear_model(seed):
    """Where one region holds everything, every weight is found within its bound."""
    model, x = zoo.random_linear(RNG(seed), D, C), instance(seed)
    service = whole_only(zoo.probabilities(model))
    told, asked = explain(model, x, Domain(step=STEP), service)
    assert told.status[0] is Status.CERTIFIED
    target = int(told.target[0])
    off = np.abs(told.values[0] - zoo.contrast(model.W, target))
    assert (off <= told.error_bound[0]).all()
    assert (told.error_bound[0] < 1e-9).all()
    scale = np.array(told.meta["scale"])
    assert np.linalg.norm(scale * off) <= told.scaled_bound[0]
    B = zoo.contrast(model.b[:, None], target)[0]
    assert abs(told.base_values[0] - B) <= told.base_bound[0]
    assert np.array_equal(asked[:, ON], np.rint(asked[:, ON]))


def test_what_it_costs():
    """A feature on the lattice costs its next value and the check points about it."""
    model, x = zoo.random_linear(RNG(1), D, C), instance(1)
    frozen, _ = explain(model, x, Domain(frozen=ON))
    told, _ = explain(model, x, Domain(step=STEP))
    assert told.queries[0] - frozen.queries[0] == len(ON) * (1 + ABOUT)
    assert np.array_equal(
        np.delete(told.values[0], ON), np.delete(frozen.values[0], ON)
    )


@pytest.mark.parametrize("seed", range(8))
def test_another_region_begins_in_between(seed):
    """A feature whose next value is in another region is NaN, and only such a one."""
    model, x = zoo.random_network(RNG(seed), D, C, 1, 12), instance(seed)
    told, _ = explain(model, x, Domain(step=STEP), seed=seed)
    assert told.certified[0]
    W, _ = model.local(x)
    for j in ON:
        moved = x.copy()
        moved[j] += 1.0
        same = np.allclose(model.local(moved)[0], W, rtol=1e-9, atol=1e-12)
        assert np.isfinite(told.values[0, j]) == same
    known = np.isfinite(told.values[0])
    assert np.array_equal(known, np.isfinite(told.error_bound[0]))
    off = np.abs(told.values[0] - zoo.contrast(W, int(told.target[0])))
    assert (off <= told.error_bound[0])[known].all()


def test_a_jump_is_a_region_of_its_own():
    """Leaves of a tree that split on the feature have other weights, and it is NaN."""
    left, right = zoo.random_linear(RNG(2), D, C), zoo.random_linear(RNG(3), D, C)
    x = instance(0)
    x[4] = 0.0

    def scores(X):
        one = zoo.probabilities(left)(X)
        return np.where(X[:, [4]] <= 0.5, one, zoo.probabilities(right)(X))

    told, _ = explain(left, x, Domain(step=STEP), scores)
    assert told.status[0] is Status.CERTIFIED
    assert np.flatnonzero(np.isnan(told.values[0])).tolist() == [4]


def test_a_refused_value_leaves_the_rest():
    """Where the next value is refused, that feature has no weight, and others have."""
    model, x = zoo.random_linear(RNG(4), D, C), instance(4)

    def picky(X):
        y = np.array(zoo.probabilities(model)(X))
        y[X[:, 1] != x[1]] = np.nan
        return y

    told, _ = explain(model, x, Domain(step=STEP), picky)
    assert told.status[0] is Status.CERTIFIED
    assert np.flatnonzero(np.isnan(told.values[0])).tolist() == [1]


@pytest.mark.parametrize("service", [zoo.float32_answers, None], ids=["32-bit", "64"])
def test_base_value_meets_the_instance(service):
    """Weights and base give the model's own log-odds at the instance."""
    model, x = zoo.random_network(RNG(5), D, C, 1, 6), instance(5)
    scores = zoo.probabilities(model)
    told, _ = explain(
        model, x, Domain(step=STEP), service(scores) if service else scores
    )
    known = np.isfinite(told.values[0])
    own = zoo.contrast(model.logits(x[None]).T, int(told.target[0]))[0]
    reached = told.values[0, known] @ x[known] + told.base_values[0]
    assert abs(reached - own) <= 1e-4 if service else 1e-9


def next_values(x, **settings):
    """Next values by feature."""
    domain = Domain(**settings).resolve(x[None])
    features, values = domain.next_values(x)
    return dict(zip(features.tolist(), values.tolist(), strict=True))


def test_next_values():
    """One step up, or down where a limit is above; none where both are too near."""
    x = np.array([0.5, 0.0, 1.0, 3.0, 7.0])
    lower, upper = [-9, 0, 0, 3, 7 - 0.5], [9, 1, 1, 3.5, 7.25]
    step = [0, 1, 1, 1, 1 / 2]
    found = next_values(x, lower=lower, upper=upper, step=step)
    assert found == {1: 1.0, 2: 0.0, 4: 6.5}


@given(
    start=st.floats(-5, 5),
    step=st.floats(1e-3, 10),
    k=st.integers(0, 30),
    size=st.integers(1, 30),
)
def test_next_values_stay_on_the_lattice(start, step, k, size):
    """A next value is one step from the instance, counted from the lower limit."""
    upper = start + size * step
    x = np.array([0.3, min(start + min(k, size) * step, upper)])
    limits = {"lower": [-1.0, start], "upper": [1.0, upper]}
    found = next_values(x, **limits, step=[0.0, step])
    assert abs(abs(found[1] - x[1]) - step) <= 1e-5 * step
    assert start <= found[1] <= upper


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"step": [0, -1.0]}, "finite steps"),
        ({"step": [0, np.inf]}, "finite steps"),
        ({"step": [1, 2]}, "beside the lattice.*feature 0 is 0.5"),
        ({"step": [0, 0.3]}, "feature 1 is 2, which is not 0 plus a multiple of 0.3"),
        ({"step": [0, 1], "lower": [0, 0.5]}, "0.5 plus a multiple of 1"),
        ({"step": [0.5, 1]}, "every feature that may move has a step"),
        ({"step": [0, 1], "frozen": [0]}, "every feature that may move has a step"),
    ],
)
def test_steps_that_cannot_be(settings, said):
    """What is wrong with a step is said, with what to do about it."""
    with pytest.raises(fw.InputError, match=said):
        Domain(**settings).resolve(np.array([[0.5, 2.0]]))
