"""Algorithm 1 as published, its known traps included."""

import numpy as np
import pytest

import problems as zoo
from facetwise.core.algorithm1 import algorithm1, solve_all_pairs, solve_each_pair
from facetwise.core.domain import Domain
from facetwise.core.messages import Answers
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status
from facetwise.core.task import Task


def explain(service, x, C, target=0, seed=0, solver=None):
    """The record of x, and the sets of points that were asked about it."""
    rivals = tuple(c for c in range(C) if c != target)
    task = Task(
        x,
        LogOdds(Response.PROBABILITIES, target, rivals),
        Domain().resolve(x[None]),
        1e-6,
        np.random.SeedSequence(seed),
    )
    recovery, asked = algorithm1(task, service(x[None])[0], solver), []
    try:
        probes = next(recovery)
        while True:
            asked.append(probes.points)
            scores = service(probes.points)
            probes = recovery.send(Answers(scores, np.zeros(len(scores), dtype=int)))
    except StopIteration as end:
        return end.value, asked


@pytest.mark.parametrize("target", [0, 2])
def test_recovers_a_network(target):
    """A random network's weights are found, and said to be unverified."""
    rng = np.random.default_rng(0)
    network = zoo.random_network(rng, 12, 4, 2, 16)
    x = zoo.random_instance(network, rng)
    found, _ = explain(zoo.probabilities(network), x, 4, target)
    W, b = network.local(x)
    assert found.status is Status.UNVERIFIED
    assert found.target == target
    assert zoo.error(found.local.D, [(W, b)], target) < 1e-6
    assert found.local.base == pytest.approx(
        zoo.contrast(b[:, None], target)[0], abs=1e-6
    )
    for rival, pair in found.pairs.items():
        assert np.allclose(pair.D, W[target] - W[rival], rtol=0, atol=1e-6)


def test_carries_no_bound():
    """Nothing that Algorithm 1 finds is bounded, in all or for a pair."""
    rng = np.random.default_rng(1)
    model = zoo.random_linear(rng, 5, 3)
    found, _ = explain(zoo.probabilities(model), rng.standard_normal(5), 3)
    for local in [found.local, *found.pairs.values()]:
        assert np.isnan(local.bound)
        assert np.isnan(local.base_bound)
        assert np.isnan(local.weight_bound).all()


def test_iterations_are_halvings():
    """Every iteration asks d + 1 points in a cube with half the edge of the last."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal(10)
    network = zoo.with_boundary(zoo.random_network(rng, 10, 3, 1, 16), x, 1e-3)
    found, asked = explain(zoo.probabilities(network), x, 3)
    assert found.designs == len(asked) > 5
    assert found.queries == 1 + len(asked) * 11
    for k, points in enumerate(asked):
        assert points.shape == (11, 10)
        assert np.abs(points - x).max() <= 0.5 * 2.0**-k
        assert np.abs(points - x).max() > 0.25 * 2.0**-k
    assert found.radius == 0.5 * 2.0 ** -(len(asked) - 1)


def test_constant_solves_rounded_scores():
    """Known trap: once all rounded answers are equal, weights of zero are accepted."""
    for seed in range(3):
        service, x, model, _ = zoo.constant_that_solves(seed)
        found, _ = explain(service, x, 3)
        truth = np.linalg.norm(zoo.contrast(model.local(x)[0], 0))
        assert found.status is Status.UNVERIFIED
        assert np.linalg.norm(found.local.D) < 1e-3 * truth


def test_boundaries_crossed_by_little_are_accepted():
    """Known trap: a fixed tolerance lets equations through that mix two regions."""
    wrong = 0
    for seed in range(5):
        service, x, network, _ = zoo.boundary_crossed_by_little(seed)
        found, _ = explain(service, x, 3)
        truth = [network.local(x)]
        if found.status is Status.UNVERIFIED:
            wrong += zoo.error(found.local.D, truth, 0) > 1e-3
    assert wrong >= 1


def test_no_solution_on_a_jump():
    """On the edge of a leaf no cube has a solution, and all iterations are spent."""
    rng = np.random.default_rng(3)
    d, x = 20, rng.standard_normal(20)
    x[0] = 0.0
    base, other = zoo.random_linear(rng, d, 3), zoo.random_linear(rng, d, 3)
    tree = zoo.LeafModels(
        np.zeros(1, dtype=int),
        np.zeros(1),
        np.stack([base.W, other.W]),
        np.stack([base.b, other.b + 3]),
    )
    found, asked = explain(zoo.probabilities(tree), x, 3)
    assert found.status is Status.NO_SOLUTION
    assert found.designs == len(asked) == 100
    assert np.isnan(found.local.D).all()
    assert found.pairs == {}


def test_no_solution_where_scores_are_zero():
    """A score of 0 has no logarithm, so its equations have no solution."""
    service, x, _, _ = zoo.one_hot_scores()
    found, _ = explain(service, x, 3)
    assert found.status is Status.NO_SOLUTION


def test_one_factorisation_serves_all_pairs():
    """Solving all pairs together gives what solving each pair gives."""
    rng = np.random.default_rng(4)
    A, L = rng.standard_normal((8, 7)), rng.standard_normal((8, 3))
    assert np.allclose(solve_each_pair(A, L), solve_all_pairs(A, L))
    network = zoo.random_network(rng, 6, 4, 1, 8)
    x = zoo.random_instance(network, rng)
    each, _ = explain(zoo.probabilities(network), x, 4)
    together, _ = explain(zoo.probabilities(network), x, 4, solver=solve_all_pairs)
    assert np.allclose(each.local.D, together.local.D, rtol=0, atol=1e-9)


def test_repeats_under_a_seed():
    """The seed fixes every point asked, and another seed asks others."""
    service, x, _, _ = zoo.scales_side_by_side()
    first, again, other = (explain(service, x, 3, seed=s)[1] for s in (1, 1, 2))
    assert all(np.array_equal(p, q) for p, q in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
