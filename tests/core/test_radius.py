"""The search finds how far a region reaches, for few questions, inside the domain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facetwise.core.domain import Domain
from facetwise.core.inquiry import USEFUL
from facetwise.core.messages import Purpose
from facetwise.core.radius import (
    CLOSEST,
    COARSE,
    COARSEST,
    ENOUGH,
    FARTHEST,
    FINE,
    FIRST,
    LEAST,
    SPARE,
    STANDS_OUT,
    UTMOST,
    Failure,
)
from facetwise.core.response import Response
from interview import Interview

SEEDS = st.integers(0, 2**32 - 1)


def wall(x, axis, distance, decimals=None):
    """An affine service with a bend where `axis` steps that distance away from x."""
    w = np.linspace(1.0, 2.0, len(x))

    def service(X):
        y = 1.0 + (X - x) @ w + np.maximum((X - x) @ axis - distance, 0.0)
        return y if decimals is None else np.round(y, decimals)

    return service


def pit(x, distance, decimals=15):
    """An affine service within that distance of x in each feature; steep beyond it."""
    w = np.linspace(1.0, 2.0, len(x))

    def service(X):
        beyond = np.maximum(np.abs(X - x).max(axis=1) - distance, 0.0)
        return np.round(1.0 + (X - x) @ w + 100.0 * beyond, decimals)

    return service


def talk_about(service, x, **domain):
    """An interview about x in steps of 1."""
    return Interview(service, x, domain=Domain(scale=1.0, **domain))


def instance(d, seed=0):
    """An instance between 1 and 2."""
    return np.random.default_rng(seed).uniform(1.0, 2.0, d)


def show_grid(talk):
    """Ask two points, from which the digits of the answers are seen."""
    x = talk.around.x
    talk.run(talk.inquiry.ask(np.array([x + 1e-3, x - 1e-3]), Purpose.PAIR))


# --- How far ------------------------------------------------------------------------


@settings(max_examples=60)
@given(seed=SEEDS, d=st.sampled_from([1, 2, 10, 100]), power=st.floats(-9, -1))
def test_the_radius_is_that_of_the_region(seed, d, power):
    """It is within a factor of the distance at which the wall of a slab is met."""
    distance, x, axis = 10.0**power, instance(d, seed), np.eye(1, d)[0]
    talk = talk_about(wall(x, axis, distance), x)
    look = talk.run(talk.search().find(None))
    assert look.agrees
    # A row of the design moves a feature by 1/√2 of the radius as a rule, if d > 1.
    assert 0.02 * distance < look.radius < (1.01 if d == 1 else 30.0) * distance


@pytest.mark.parametrize("distance", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("d", [1, 4, 20])
def test_coarse_answers_are_searched_closer(d, distance):
    """Where digits are few the radius comes to within a small factor of the region."""
    x = instance(d)
    talk = talk_about(pit(x, distance, decimals=4), x)
    search = talk.search(precision=1e-9)
    look = talk.run(search.find(None))
    assert search.pace(look.radius) is COARSEST
    assert 1.0 / COARSEST.bracket < look.radius / distance < COARSEST.bracket
    assert search.failure.radius / look.radius <= COARSEST.bracket


@settings(max_examples=30)
@given(seed=SEEDS, d=st.sampled_from([1, 3, 30]), power=st.floats(-10, 0))
def test_a_search_costs_few_questions(seed, d, power):
    """However near the wall, it takes some thirty questions to find it."""
    x, axis = instance(d, seed), np.eye(1, d)[0]
    talk = talk_about(wall(x, axis, 10.0**power), x)
    talk.run(talk.search().find(None))
    assert len(talk.points) <= 40


def test_a_model_without_walls_costs_next_to_nothing():
    """On one affine piece a few pairs agree at the first radius, and one far out."""
    x = instance(50)
    talk = talk_about(lambda X: X.sum(axis=1), x)
    search = talk.search()
    look = talk.run(search.find(None))
    assert look.radius == FIRST / 50**0.5
    assert search.failure is None
    reach = np.abs(talk.points - x).max()
    assert UTMOST / 2 < reach <= UTMOST * 1.001
    assert len(talk.points) <= 20


def test_the_failure_is_farther_than_what_agrees():
    """What failed is noted with its radius, its excess and its row, beyond the look."""
    x = instance(10)
    talk = talk_about(wall(x, np.eye(1, 10)[0], 1e-4), x)
    search = talk.search()
    look = talk.run(search.find(None))
    assert search.failure.radius > look.radius
    assert search.failure.radius / look.radius <= FINE.bracket
    assert search.failure.excess > 1.0
    again = talk.run(search.pairs.along(search.failure.radius, search.failure.row))
    assert again.excess == pytest.approx(search.failure.excess)


@pytest.mark.parametrize("slope", [1e-13, 3e-13, 1e-12, 1e-11, 1e-6])
@pytest.mark.parametrize("seed", range(4))
def test_the_failure_is_near_enough_to_tell(slope, seed):
    """A failure by little is brought so close that no smooth function explains it."""
    x, axis = instance(3), np.array([1.0, 1.0, 1.0])
    bend = wall(x, axis, 0.01)
    flat = wall(x, axis, np.inf)
    talk = Interview(
        lambda X: flat(X) + slope * (bend(X) - flat(X)),
        x,
        domain=Domain(scale=1.0),
        seed=seed,
    )
    search = talk.search()
    look = talk.run(search.find(1.0))
    failure = search.failure
    assert failure.radius <= 1.0
    if failure.radius / look.radius > CLOSEST:
        assert failure.tells(look.radius, LEAST)


def test_a_failure_is_looked_for_outwards():
    """A wall beyond the first radius is found, so that a bend can be told from it."""
    x = instance(10)
    talk = talk_about(pit(x, 0.4), x)
    search = talk.search()
    look = talk.run(search.find(None))
    assert look.agrees
    assert look.radius < search.failure.radius <= UTMOST


@pytest.mark.parametrize(("d", "pairs"), [(1, 1), (3, 1), (4, 2), (10, 3), (300, 4)])
def test_so_many_pairs_agree(d, pairs):
    """The more features a design asks for, the more pairs have to agree first."""
    assert pairs in ENOUGH.values()
    x = instance(d)
    talk = talk_about(wall(x, np.ones(d) / d**0.5, 1e-3), x)
    search = talk.search()
    look = talk.run(search.find(None))
    agreed = [a for a in search.pairs.agreeing if a.radius >= look.radius]
    assert len(agreed) >= pairs
    assert len({a.row for a in agreed}) >= min(pairs, d)


def test_on_a_wall_there_is_no_radius():
    """Where slopes change at the instance itself the search comes to an end."""
    x = instance(5)
    talk = talk_about(wall(x, np.ones(5), 0.0), x)
    assert talk.run(talk.search().find(None)) is None
    assert len(talk.points) < 60


def test_refusals_farther_out_are_a_wall():
    """Points that get no answer are kept away from like points beyond a boundary."""
    x = instance(6)

    def near_alone(X):
        far = np.abs(X - x).max(axis=1) > 1e-3
        return np.where(far, np.nan, X.sum(axis=1))

    talk = talk_about(near_alone, x)
    look = talk.run(talk.search().find(None))
    assert 1e-4 < look.radius <= 1e-3


# --- Where it begins ----------------------------------------------------------------


@pytest.mark.parametrize("start", [1e-5, 1e-3])
def test_the_search_begins_where_it_is_told(start):
    """With a radius to begin at, the first pair is asked there."""
    x = instance(7)
    talk = talk_about(wall(x, np.eye(1, 7)[0], 1e-4), x)
    look = talk.run(talk.search().find(start))
    first = np.abs(talk.calls(Purpose.PAIR)[0] - x).max()
    assert start / 2 < first <= 1.001 * start
    assert look.agrees


def test_without_a_hint_it_begins_with_a_long_step():
    """The first pair goes `FIRST` far when all features move, whatever their number."""
    for d in (4, 100):
        x = instance(d)
        talk = talk_about(lambda X: X.sum(axis=1), x)
        talk.run(talk.search().find(None))
        step = talk.calls(Purpose.PAIR)[0][0] - x
        assert FIRST / 2 < np.linalg.norm(step) <= FIRST


# --- Inside the domain --------------------------------------------------------------


@settings(max_examples=40)
@given(seed=SEEDS, d=st.integers(1, 10), power=st.floats(-8, 0))
def test_no_question_leaves_the_domain(seed, d, power):
    """Wherever limits are, and however far a search looks, none is crossed."""
    rng = np.random.default_rng(seed)
    x = instance(d, seed)
    low, high = (np.where(rng.random(d) < 0.5, 0.0, 0.3) for _ in range(2))
    high = np.where(low + high > 0, high, 1.0)
    talk = talk_about(
        wall(x, rng.standard_normal(d), 10.0**power), x, lower=x - low, upper=x + high
    )
    look = talk.run(talk.search().find(None))
    assert (talk.points >= x - low).all()
    assert (talk.points <= x + high).all()
    assert look is None or look.radius <= UTMOST


def test_a_limit_costs_no_radius():
    """An instance on its limits that no lattice holds has the radius of one inside."""
    x = np.full(5, 0.7)
    radii = []
    for upper in (None, 0.7):
        talk = talk_about(wall(x, np.zeros(5), 1.0), x, upper=upper)
        radii.append(talk.run(talk.search().find(None)).radius)
    assert radii[0] == radii[1]


# --- Where nothing moves ------------------------------------------------------------


def flat_until(x, distance):
    """A service that is constant within a distance of x, and rises beyond it."""
    return lambda X: 3.0 + np.maximum(np.abs(X - x).max(axis=1) - distance, 0.0)


def test_constant_answers_are_followed_outwards():
    """What has not moved a thousand times farther than the first step is constant."""
    x = instance(4)
    talk = talk_about(flat_until(x, np.inf), x)
    search = talk.search()
    look = talk.run(search.find(None))
    assert look.flat
    assert search.is_constant(look)
    reach = np.abs(talk.points - x).max(axis=1)
    assert reach.max() > FARTHEST / 2 * reach[0]
    assert reach.max() <= 1.001 * FARTHEST * FIRST / 4**0.5
    assert look.radius == pytest.approx(FARTHEST * FIRST / 4**0.5)


@pytest.mark.parametrize("distance", [0.5, 5.0, 30.0])
def test_what_moves_farther_out_is_not_constant(distance):
    """An answer that moves within that distance is no constant one."""
    x = instance(4)
    talk = talk_about(flat_until(x, distance), x)
    search = talk.search()
    look = talk.run(search.find(None))
    assert look is None or not look.flat or not search.is_constant(look)


def test_a_row_in_which_weights_cancel_is_followed():
    """Weights that cancel in the first rows asked do not pass for a constant model."""
    x = instance(8)
    talk = talk_about(lambda X: X[:, 0], x)
    signs = talk.design.rows(0, 8)
    # Weights along one row are orthogonal to all others.
    talk.service = lambda X: 1.0 + (X - x) @ signs[3]
    look = talk.run(talk.search().find(None))
    assert not look.flat


@pytest.mark.parametrize(("factor", "constant"), [(5.0, False), (20.0, True)])
def test_constant_up_to_a_wall_close_by_is_not_enough(factor, constant):
    """A failure within ten radii leaves too little room to call the rest constant."""
    x = instance(3)
    talk = talk_about(flat_until(x, np.inf), x)
    search = talk.search()
    flat = talk.run(search.pairs.along(0.01))
    assert search.is_constant(flat)
    search.fail(Failure(factor * flat.radius, 1e6))
    assert search.is_constant(flat) is constant


# --- Pace ---------------------------------------------------------------------------


def searched(service, x, precision=0.01):
    """A search that has found a radius, and that radius."""
    talk = talk_about(service, x)
    show_grid(talk)
    search = talk.search(precision)
    return search, talk.run(search.find(None)).radius


def test_pace_follows_the_digits():
    """64-bit answers leave digits to spare at any radius, rounded ones do not.

    Where the bound that is wanted is reached nearly, or by far not, the search goes
    the closer.
    """
    x = instance(9)
    search, r = searched(wall(x, np.zeros(9), 1.0), x)
    worst = search._expected_bounds(search._sizes(r)).max()
    assert search.pace(r) is FINE
    just = worst / search.precision
    assert search.pace(1.01 * FINE.safety * just * r) is FINE
    assert search.pace(0.99 * FINE.safety * just * r) is COARSE
    assert search.pace(1.01 * COARSE.safety * just * r) is COARSE
    assert search.pace(0.99 * COARSE.safety * just * r) is COARSEST
    search, r = searched(wall(x, np.zeros(9), 1.0, decimals=2), x)
    assert search.pace(r) is COARSEST


@pytest.mark.parametrize("decimals", [7, 9])
def test_rounded_answers_have_digits_to_spare(decimals):
    """Where a bound is not next to nothing, more check points come from farther out."""
    x = instance(9)
    search, r = searched(wall(x, np.zeros(9), 1.0, decimals), x)
    assert not search.pairs.inquiry.grid.finest
    pace = search.pace(r)
    assert pace is SPARE
    assert pace.checks > FINE.checks
    assert pace.safety < FINE.safety


@pytest.mark.parametrize("decimals", [None, 7])
def test_digits_to_spare_are_not_spent_on_questions(decimals):
    """Where nothing fails a first radius will do, rounded answers or not."""
    x = instance(4)
    _, r = searched(wall(x, np.zeros(4), 1.0, decimals), x)
    assert r == FIRST / 4**0.5


def test_pace_follows_the_precision_asked():
    """Answers that are fine for a rough bound are coarse for a narrow one."""
    x = instance(9)
    search, r = searched(wall(x, np.zeros(9), 1.0, decimals=6), x, precision=0.5)
    assert search.pace(r) is SPARE
    worst = search._expected_bounds(search._sizes(r)).max()
    for safety, share, pace in [
        (SPARE.safety, 1.01, SPARE),
        (SPARE.safety, 0.99, COARSE),
        (COARSE.safety, 0.99, COARSEST),
        (COARSE.safety, 1e-3, COARSEST),
    ]:
        search.precision = share * safety * worst
        assert search.pace(r) is pace


def test_one_coarse_log_odds_makes_the_pace():
    """The search goes as close as the rival with the fewest digits to spare needs."""
    x = instance(4)

    def service(X):
        Z = (X - x) @ np.arange(1.0, 5.0)
        return np.column_stack([Z, -np.e * Z, Z * (1 - 1e-13)])

    for rivals, pace in [((1,), FINE), ((2,), COARSEST), ((1, 2), COARSEST)]:
        talk = Interview(
            service, x, Response.LOGITS, rivals=rivals, domain=Domain(scale=1.0)
        )
        show_grid(talk)
        search = talk.search()
        talk.run(search.pairs.along(0.01))
        assert search.pace(0.01) is pace


def test_scatter_makes_answers_coarse():
    """Answers that are seen to scatter have fewer digits than they show."""
    x = instance(9)
    search, r = searched(wall(x, np.zeros(9), 1.0), x)
    search.pairs.inquiry.scatter = 1e12
    assert search.pace(r) is COARSEST


def test_coarse_answers_are_looked_at_farther_out():
    """Where digits are few and nothing fails, wider boxes are tried to the utmost."""
    x = instance(4)
    _, fine = searched(wall(x, np.zeros(4), 1.0), x)
    _, coarse = searched(wall(x, np.zeros(4), 1.0, decimals=3), x)
    assert fine == FIRST / 4**0.5
    assert UTMOST / 4 <= coarse <= UTMOST


@pytest.mark.parametrize(("decimals", "hopeless"), [(8, False), (5, False), (3, True)])
def test_hopeless_is_where_no_useful_bound_can_come(decimals, hopeless):
    """A region too small for the digits of the answers is not worth a design.

    With three decimals its answers move over two steps.
    """
    x = instance(6)
    talk = talk_about(wall(x, np.zeros(6), 1.0, decimals), x)
    show_grid(talk)
    search = talk.search()
    for _ in range(6):
        talk.run(search.pairs.along(1e-3))
    assert search.is_hopeless(1e-3) is hopeless


@pytest.mark.parametrize("decimals", [3, 4, 5, 6])
def test_what_is_called_hopeless_is(decimals):
    """Where a design was not worth it, its bound would not have been a useful one."""
    x, w = instance(6), np.linspace(1.0, 2.0, 6)
    found = set()
    for r in np.geomspace(1e-7, 0.1, 12):
        talk = talk_about(wall(x, np.zeros(6), 1.0, decimals), x)
        show_grid(talk)
        search = talk.search()
        for _ in range(3):
            talk.run(search.pairs.along(r))
        if not search.is_hopeless(r):
            continue
        checked = talk.check(talk.fit(r / COARSE.safety), r / COARSE.safety, COARSE)
        size = np.linalg.norm(w * checked.box.half)
        found.add(bool(checked.bound[0] <= USEFUL * size))
    assert found == {False}


def test_nothing_is_hopeless_before_a_pair_agreed():
    """Without any pair to judge by, a design is given a chance."""
    x = instance(3)
    search = talk_about(wall(x, np.zeros(3), 1.0, decimals=1), x).search()
    assert not search.is_hopeless(1e-9)


def test_one_log_odds_with_hope_is_enough():
    """A box is hopeless only if it is for every rival."""
    x, w = instance(3), np.array([1.0, 2.0, 3.0])

    def service(X):
        steep, slight = (X - x) @ w, 1e-13 * (X - x) @ w
        return np.column_stack([0.0 * steep, np.pi + steep, np.e + slight])

    for rivals, hopeless in [((1,), False), ((2,), True), ((1, 2), False)]:
        talk = Interview(
            service, x, Response.LOGITS, rivals=rivals, domain=Domain(scale=1.0)
        )
        show_grid(talk)
        search = talk.search()
        talk.run(search.pairs.along(0.01))
        assert search.is_hopeless(0.01) is hopeless


# --- Noise --------------------------------------------------------------------------


def test_noise_is_measured_before_it_is_taken_for_a_wall():
    """A pair that misses by little has the noise measured, and agrees after all."""
    x, rng = instance(6), np.random.default_rng(1)
    exact = wall(x, np.zeros(6), 1.0)
    talk = talk_about(lambda X: exact(X) + 2e-14 * rng.standard_normal(len(X)), x)
    look = talk.run(talk.search().find(None))
    assert talk.inquiry.measured >= 1
    assert talk.inquiry.scatter > 5.0
    assert look.radius == FIRST / 6**0.5


def test_what_was_missed_by_is_told_in_new_tolerances():
    """A first pair that missed by noise alone is no failure once noise is known."""
    x, calls = instance(6), []

    def shaken(X):
        calls.append(len(X))
        y = 1.0 + (X - x).sum(axis=1)
        # A pair has its two points off by half of what is measured a little later.
        return y + 1e-13 * (np.arange(len(X)) % 3 == 0) * (1 + (len(X) > 2))

    talk = talk_about(shaken, x)
    talk.origin = talk.inquiry.hear(np.array([[1.0]]))
    search = talk.search()
    look = talk.run(search.find(0.01))
    assert talk.inquiry.measured == 1
    assert look.radius == 0.01
    assert search.failure is None


def test_a_miss_that_does_not_shrink_is_noise():
    """Misses of any size are measured if they stay as they are when boxes shrink."""
    x, rng = instance(6), np.random.default_rng(3)
    exact = wall(x, np.zeros(6), 1.0)
    talk = talk_about(lambda X: exact(X) + 1e-6 * rng.standard_normal(len(X)), x)
    look = talk.run(talk.search().find(None))
    assert 1 <= talk.inquiry.measured <= 3
    assert talk.inquiry.scatter > 1e8
    assert look.radius > 1e-3


def test_a_wall_is_not_worth_a_measurement():
    """A pair that misses by thousands of tolerances is no noise, and none is asked."""
    x = instance(6)
    talk = talk_about(wall(x, np.ones(6), 1e-2), x)
    talk.run(talk.search().find(None))
    assert talk.calls(Purpose.NOISE) == []


# --- Failures -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("closer", "excess", "tells"),
    [
        (1.0, 1.001 * STANDS_OUT, True),
        (1.0, 0.999 * STANDS_OUT, False),
        (4.0, 16.01 * STANDS_OUT, True),
        (4.0, 15.99 * STANDS_OUT, False),
        (1e6, 1e9, False),
        (1e6, np.inf, False),
        (1.0, np.inf, False),
    ],
)
def test_a_failure_tells_a_boundary_from_a_bend(closer, excess, tells):
    """It does if a statistic that shrinks as the square would still stand out.

    A refusal tells neither.
    """
    assert Failure(0.5, excess).tells(0.5 / closer) is tells
    assert Failure(0.5, 7.0 * excess).tells(0.5 / closer, 7.0) is tells


@settings(max_examples=20)
@given(seed=SEEDS, d=st.integers(2, 12))
def test_no_smooth_failure_tells(seed, d):
    """On a quadratic, what failed never stands out from what is seen where it holds."""
    rng = np.random.default_rng(seed)
    x, A = instance(d, seed), rng.standard_normal((d, d))

    def bent(X):
        Z = X - x
        return 1.0 + Z.sum(axis=1) + 1e-6 * np.einsum("ni,ij,nj->n", Z, A @ A.T, Z)

    talk = talk_about(bent, x)
    search = talk.search()
    row = 0
    far, near = (talk.run(search.pairs.along(r, row)) for r in (0.1, 0.01))
    failure = Failure(0.1, far.excess, row)
    assert not failure.tells(0.01, max(near.excess, 1.0 / 16.0))
