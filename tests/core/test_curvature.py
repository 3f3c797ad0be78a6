"""A boundary is told from a bend, also where it was crossed by very little."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems as zoo
from facetwise.core.curvature import MOST_DOUBTS, bends
from facetwise.core.domain import Domain
from facetwise.core.messages import Purpose
from facetwise.core.radius import FINE, STANDS_OUT, Failure
from facetwise.core.response import Response
from interview import Interview

SMOOTH = {
    **{
        name: lambda rng, name=name: zoo.random_smooth(rng, 6, 3, 2, 12, name)
        for name in zoo.ACTIVATIONS
    },
    "rbf": lambda rng: zoo.random_rbf(rng, 6, 3),
    "gaussian process": lambda rng: zoo.random_gaussian_process(rng, 6, 3),
}


def judged(service, x, seed=0):
    """Whether a softmax service is said to bend, once a radius for x was found.

    And how far pairs in the box miss a line, in tolerances.
    """
    talk = Interview(service, x, Response.PROBABILITIES, rivals=(1, 2), seed=seed)
    search = talk.search()
    look = talk.run(search.find(None))
    r = look.radius / FINE.safety
    bent = talk.run(bends(search, [look.radius, r]))
    return bent, max(talk.run(search.pairs.anywhere(r)).excess for _ in range(50))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_models_bend(name, seed):
    """Where smooth layers and kernels bend by ten floors in the box, it is noticed."""
    rng = np.random.default_rng(seed)
    model = SMOOTH[name](rng)
    bent, excess = judged(zoo.probabilities(model), rng.standard_normal(6))
    assert bent or excess <= STANDS_OUT


def test_most_smooth_models_are_noticed():
    """Few bend by so little that they are taken for piecewise linear."""
    noticed = [
        judged(zoo.probabilities(make(rng)), rng.standard_normal(6))[0]
        for make in SMOOTH.values()
        for rng in map(np.random.default_rng, range(8))
    ]
    assert np.mean(noticed) >= 0.9


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), power=st.floats(-7, -1))
def test_networks_do_not_bend(seed, power):
    """However near a boundary of a network is, its piece is not called a bend."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(8)
    network = zoo.random_network(rng, 8, 3, 1, 16)
    near = zoo.with_boundary(network, x, 10.0**power)
    assert judged(zoo.probabilities(near), x)[0] is False


def test_without_a_failure_nothing_bends():
    """What agreed as far as anyone looked is linear there, without a question."""
    x = np.array([1.0, 2.0])
    talk = Interview(lambda X: X.sum(axis=1), x)
    search = talk.search()
    assert talk.run(bends(search, [0.1])) is False
    assert talk.asked == []


@pytest.mark.parametrize("excess", [1e9, 200.0])
def test_a_failure_that_stands_out_is_believed(excess):
    """No smooth function fails by so much a little farther out: no one is asked."""
    x = np.array([1.0, 2.0])
    talk = Interview(lambda X: np.tanh(X.sum(axis=1)), x)
    search = talk.search()
    search.fail(Failure(0.4, excess))
    assert talk.run(bends(search, [0.1, 0.05])) is False
    assert talk.asked == []


@pytest.mark.parametrize("curvature", [1.0, 1e-6])
def test_a_refusal_is_no_boundary(curvature):
    """Beyond it a smooth function may go on as it is: others are asked before that."""
    x = np.array([1.0, 2.0])
    talk = Interview(lambda X: np.tanh(curvature * X.sum(axis=1)), x)
    search = talk.search()
    search.fail(Failure(0.4, np.inf))
    assert talk.run(bends(search, [1e-7, 5e-8])) is True
    assert search.telling.row is not None
    assert np.isfinite(search.telling.excess)


def test_a_boundary_before_a_refusal_is_one():
    """Where points farther out are refused, a wall that pairs do meet is believed."""
    x = np.array([1.0, 2.0])
    talk = Interview(lambda X: np.abs(X - x - 0.1).sum(axis=1), x)
    search = talk.search()
    search.fail(Failure(0.4, np.inf))
    assert talk.run(bends(search, [0.05])) is False


def crossing(service, overshoot=1.0):
    """A search whose failure is a pair that went beyond 0.1 along a row by little.

    `service` makes one that is linear up to that distance along an axis.
    """
    x = np.linspace(1.0, 2.0, 5)
    row, design = 2, Interview(lambda X: X.sum(axis=1), x).design
    p = design.rows(row, row + 1)[0] / design.reach
    made = service(x, p / np.linalg.norm(p), 0.1 * np.linalg.norm(p))
    talk = Interview(made, x, domain=Domain(scale=1.0))
    search = talk.search()
    failed = talk.run(search.pairs.along(0.1 * overshoot, row))
    search.fail(Failure(failed.radius, failed.excess, row))
    talk.asked.clear()
    return talk, search


def wall(slope):
    """A bend of that slope beyond the distance."""

    def make(x, axis, distance):
        w = np.linspace(1.0, 2.0, len(x))
        return lambda X: (
            1.0 + (X - x) @ w + slope * np.maximum((X - x) @ axis - distance, 0.0)
        )

    return make


def bowl(curvature):
    """A quadratic of that curvature."""

    def make(x, axis, distance):
        w = np.linspace(1.0, 2.0, len(x))
        return lambda X: 1.0 + (X - x) @ w + curvature * ((X - x) ** 2).sum(axis=1)

    return make


def test_a_boundary_crossed_by_little_is_asked_closer():
    """A pair that fails by little beyond a wall is at the floor before it."""
    talk, search = crossing(wall(3e-12), overshoot=1.2)
    failure = search.failure
    assert 2.0 < failure.excess < 1e3
    assert not failure.tells(0.05)
    assert talk.run(bends(search, [0.07, 0.05])) is False
    first = talk.calls(Purpose.PAIR)[0]
    u = (first[0] - talk.around.x) / talk.design.rows(failure.row, failure.row + 1)[0]
    assert u == pytest.approx(np.full(5, u[0]), rel=1e-4)


@pytest.mark.parametrize("excess", [3.0, 30.0, 300.0])
def test_a_bend_seen_by_as_little_is_a_bend(excess):
    """A pair that fails by as little on a quadratic does not end at the floor."""
    talk, search = crossing(bowl(1.0))
    talk, search = crossing(bowl(excess / search.failure.excess))
    assert search.failure.excess == pytest.approx(excess, rel=0.5)
    holds = 0.09 / search.failure.excess**0.5
    assert talk.run(bends(search, [holds, holds / 2.0])) is True


def test_doubts_come_to_an_end():
    """So many pairs are asked where it failed, and each failure once closer in."""
    talk, search = crossing(bowl(1e-9))
    seen = search.failure
    holds = 0.09 / seen.excess**0.5
    worst = Failure(seen.radius, 2.0 * seen.excess, seen.row)
    search.fail(worst)
    radii = [holds, holds / 2.0]
    assert talk.run(bends(search, radii)) is True
    pairs = len(talk.calls(Purpose.PAIR))
    # At half that radius a smooth function would be below the floor: not worth a pair.
    assert pairs == MOST_DOUBTS + 1


def test_a_failure_of_check_points_leaves_the_pair_to_be_judged():
    """Where check points failed last, the pair that failed is the one asked closer."""
    talk, search = crossing(wall(5e-12), overshoot=1.2)
    seen = search.failure
    search.fail(Failure(seen.radius, 3.0 * seen.excess))
    holds = seen.radius * (2.5 / seen.excess) ** 0.5
    assert not seen.tells(holds)
    assert search.telling == seen
    assert talk.run(bends(search, [holds])) is False
    assert len(talk.calls(Purpose.PAIR)) == 1


def test_another_pair_may_tell():
    """Where the pair that failed does not tell, one that fails by more is believed."""
    talk, search = crossing(wall(1e-12), overshoot=1.05)
    x, small = talk.around.x, search.failure.excess
    linear = talk.service

    def walled(X):
        beyond = np.maximum(np.abs(X - x).max(axis=1) - 0.1, 0.0)
        on_row = np.abs((X - x) @ talk.design.rows(2, 3)[0])
        mostly = on_row > 0.99 * np.linalg.norm(X - x, axis=1)
        return linear(X) + np.where(mostly, 0.0, 10.0 * beyond)

    talk.service = walled
    assert talk.run(bends(search, [0.09])) is False
    assert search.failure.excess > 1e3 * small
    assert search.failure.row not in (None, 2)


def test_a_failure_without_a_row_is_asked_for_again():
    """Where check points failed, pairs are asked at that radius until one does."""
    talk, search = crossing(wall(1e3), overshoot=1.5)
    search.failure = search.telling = None
    search.fail(Failure(0.15, 1.5))
    assert talk.run(bends(search, [0.05])) is False
    assert search.telling.row is not None
    assert search.telling.radius == 0.15
    assert search.telling.excess > 1e3


def test_the_nearest_pair_that_failed_is_judged():
    """Neither a bend farther out nor check points, which no row names, hide a wall."""
    talk, search = crossing(wall(1e3), overshoot=1.5)
    nearest = search.telling
    assert nearest.row == 2
    for other in (Failure(0.3, 1.5, 1), Failure(0.12, 1.5), Failure(0.4, np.inf, 3)):
        search.fail(other)
        assert search.failure is other
        assert search.telling is nearest
    assert talk.run(bends(search, [0.05])) is False
    assert talk.asked == []
