"""What broke naive versions does not break this one."""

import numpy as np
import pytest

import facetwise as fw
import problems as zoo
from facetwise import Status

SEEDS = range(4)

# Names of the statuses that are right, for each counterexample. Where an answer may be
# certified, it has to be within its bound as well.
RIGHT = {
    "constant_that_solves": {Status.TOO_COARSE},
    "boundary_crossed_by_little": {Status.CERTIFIED, Status.SMOOTH},
    "exactly_on_boundary": {Status.ON_BOUNDARY},
    "inputs_cast_to_32_bit": {Status.TOO_COARSE},
    "rounded_inputs": {Status.TOO_COARSE},
    "clipped_scores": {Status.PARTLY_CERTIFIED},
    "one_hot_scores": {Status.SATURATED},
    # Where it bends by less than the floor it is linear to the floor, and may say so.
    "smooth_steep_far_away": {Status.SMOOTH, Status.CERTIFIED},
    "smooth_like_a_boundary": {Status.SMOOTH},
    # The slab is a few thousand numbers wide: some find it, others cannot tell.
    "thin_slab": {
        Status.ON_BOUNDARY,
        Status.TOO_COARSE,
        Status.SMOOTH,
        Status.CERTIFIED,
    },
    "thin_tent": {Status.CERTIFIED, Status.SMOOTH},
    "slab_beside": {Status.CERTIFIED},
    "piece_through_own_value": {Status.CERTIFIED},
    "flat_and_not": {Status.TOO_COARSE},
    "scales_side_by_side": {Status.CERTIFIED},
}


def explain(example, seed):
    """The explanation of a counterexample's instance."""
    return fw.Explainer(example.service, response="probabilities", seed=seed)(example.x)


def errors(example, found):
    """Errors and bounds, in scaled units: of the values, then of each pair with one."""
    x, model, scale = example.x, example.model, np.array(found.meta["scale"])
    target, contrast = int(found.target[0]), int(found.contrast[0])
    if isinstance(model, zoo.PiecewiseLinear):
        rng = np.random.default_rng(0)
        box = found.radius[0] * scale
        truths = zoo.truths(model, x, found.floor[0], box, rng)
    else:
        truths = [(model.gradient(x), np.zeros(model.C))]
    rival = None if contrast < 0 else contrast
    yield (
        zoo.error(found.values[0], truths, target, rival, scale),
        found.scaled_bound[0],
    )
    for rival, bound in enumerate(found.pairwise_bound[0]):
        if np.isfinite(bound):
            D = found.pairwise[0, rival]
            yield zoo.error(D, truths, target, rival, scale), bound


def test_every_counterexample_is_judged():
    """For each counterexample it is written down which outcomes are right."""
    assert set(RIGHT) == {make.__name__ for make in zoo.COUNTEREXAMPLES}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", zoo.COUNTEREXAMPLES, ids=lambda make: make.__name__)
def test_the_outcome_is_right(make, seed):
    """The status is one that fits, and what carries a bound is within it."""
    example = make(seed)
    found = explain(example, seed)
    assert found.status[0] in RIGHT[make.__name__]
    if np.isfinite(found.scaled_bound[0]):
        for error, bound in errors(example, found):
            assert error <= bound
    else:
        assert not found.certified[0]


def curvature(example, found):
    """The most that opposite corners of the box miss the line through x by."""
    x, rng, target = example.x, np.random.default_rng(0), int(found.target[0])
    corners = rng.choice([-1.0, 1.0], size=(1000, len(x)))
    steps = found.radius[0] * np.array(found.meta["scale"]) * corners
    z = example.model.logits(np.vstack([x + steps, x - steps, x]))
    odds = z[:, [target]] - z
    return np.abs(odds[:1000] + odds[1000:-1] - 2 * odds[-1]).max()


@pytest.mark.parametrize("seed", range(30))
def test_certified_is_linear_to_the_floor(seed):
    """A smooth model is certified only where it bends by no more than ten floors."""
    example = zoo.smooth_steep_far_away(seed)
    found = explain(example, seed)
    if found.certified[0]:
        assert curvature(example, found) <= 10 * found.floor[0]


@pytest.mark.parametrize("make", zoo.COUNTEREXAMPLES, ids=lambda make: make.__name__)
def test_no_bound_without_weights(make):
    """Bounds, certificates and weights go together, whatever the outcome."""
    found = explain(make(5), 5)
    bounded = np.isfinite(found.scaled_bound)
    assert (found.certified <= bounded).all()
    assert np.array_equal(np.isfinite(found.error_bound).all(axis=1), bounded)
    assert np.array_equal(np.isfinite(found.base_bound), bounded)
    if bounded.all():
        assert np.isfinite(found.values).all()


def test_clipped_classes_are_left_out():
    """A contrast that leaves the clipped class out is certified, and is named."""
    example = zoo.clipped_scores(1)
    found = explain(example, 1)
    assert found.contrast[0] in {0, 1} - {int(found.target[0])}
    assert found.pairwise_status[0, 2] is Status.SATURATED
    assert np.isnan(found.pairwise[0, 2]).all()


def test_a_constant_does_not_solve():
    """Where Algorithm 1 takes a constant for the answer, no weights are given."""
    example = zoo.constant_that_solves(2)
    published = fw.Explainer(example.service, method="algorithm1", seed=2)(example.x)
    assert published.status[0] is Status.UNVERIFIED
    W, _ = example.model.local(example.x)
    truth = zoo.contrast(W, int(published.target[0]))
    assert np.linalg.norm(published.values[0] - truth) > 0.9 * np.linalg.norm(truth)
    assert not published.certified[0]
    assert np.isnan(explain(example, 2).values).all()


def test_check_points_cannot_be_foreseen():
    """A service that lies away from all points it foresees is caught by fresh ones."""
    rng = np.random.default_rng(0)
    model, other = zoo.random_linear(rng, 6, 3), zoo.random_linear(rng, 6, 3)
    x = zoo.random_instance(model, rng)
    other = zoo.through(other.W, x, model.logits(x[None])[0])
    honest = zoo.probabilities(model)
    seen = []
    fw.Explainer(lambda X: (seen.append(X), honest(X))[1], seed=1)(x)
    foreseen = {row.tobytes() for row in np.vstack(seen)}

    def hostile(X):
        known = np.array([row.tobytes() in foreseen for row in X])
        return np.where(known[:, None], honest(X), zoo.probabilities(other)(X))

    fooled = fw.Explainer(hostile, seed=1)(x)
    assert fooled.certified[0]
    assert zoo.error(fooled.values[0], [model.local(x)], int(fooled.target[0])) < 1e-6
    caught = fw.Explainer(hostile, seed=None)(x)
    if caught.certified[0]:
        truth = [other.local(x)]
        assert zoo.error(caught.values[0], truth, int(caught.target[0])) < 1e-6
