"""Check points decide: fresh ones each round, and what does not agree has failed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems as zoo
from facetwise.core.check import (
    FIRST_FEW,
    MOST_ROUNDS,
    NEARLY_ALL,
    REMEMBERED,
    Checked,
)
from facetwise.core.domain import Domain
from facetwise.core.fit import recollect
from facetwise.core.messages import Purpose
from facetwise.core.radius import COARSE, FINE, Failure
from facetwise.core.response import Response
from interview import STAKES, Interview, affine, miss

SEEDS = st.integers(0, 2**32 - 1)
# --- A right fit --------------------------------------------------------------------


@settings(max_examples=40)
@given(seed=SEEDS, d=st.integers(1, 30), r=st.sampled_from([0.5, 2**-7, 1e-5, 1e-9]))
def test_a_right_fit_is_checked(seed, d, r):
    """One round of points agrees with it, and bounds an error of rounding size."""
    talk, D = affine(d, seed)
    checked = talk.check(talk.fit(r), r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert (checked.radius, checked.alpha) == (r, STAKES[0])
    assert checked.residuals.shape == (FINE.checks, 1)
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    assert checked.judged.all()
    assert len(talk.calls(Purpose.CHECK)) == 1


@pytest.mark.parametrize("pace", [FINE, COARSE])
def test_a_round_has_as_many_points_as_the_pace_pays_for(pace):
    """Where answers are coarse, more check points are worth their price."""
    talk, _ = affine(4)
    talk.check(talk.fit(0.1), 0.1, pace)
    assert [len(p) for p in talk.calls(Purpose.CHECK)] == [pace.checks]


@pytest.mark.parametrize("r", [0.25, 1e-6])
@pytest.mark.parametrize("side", ["inside", "corner", "edge"])
def test_check_points_fill_the_box(side, r):
    """They lie in the part of the box that is in the domain, uniformly, all over."""
    limits = {} if side == "inside" else {"lower": np.full(3, 1.5)}
    x = np.array([1.5, 1.5, 1.5])
    if side == "edge":
        limits = {"lower": 1.5 - 0.3 * r, "upper": 1.5 + 0.1 * r}
    talk = Interview(
        lambda X: (X - x).sum(axis=1), x, domain=Domain(scale=1.0, **limits)
    )
    fit = talk.fit(r)
    for seed in range(60):
        talk.check(fit, r, seed=seed)
    points = np.vstack(talk.calls(Purpose.CHECK))
    low, high = talk.around.lower, talk.around.upper
    low, high = np.maximum(x - r, low), np.minimum(x + r, high)
    assert (points >= low - 1e-12 * r).all()
    assert (points <= high + 1e-12 * r).all()
    u = (points - low) / (high - low)
    # Of 720 numbers between 0 and 1, mean and spread to five standard deviations.
    assert np.abs(u.mean(axis=0) - 0.5).max() < 5 * (1 / 12 / 720) ** 0.5
    assert np.abs(u.var(axis=0) - 1 / 12).max() < 5 * (1 / 180 / 720) ** 0.5
    assert u.min() < 0.02
    assert u.max() > 0.98


@settings(max_examples=60)
@given(seed=SEEDS, d=st.integers(1, 6), decimals=st.integers(1, 6))
def test_rounded_answers_are_within_the_bound(seed, d, decimals):
    """Behind any rounding, a fit that is checked is as close as its bound says."""
    rng = np.random.default_rng(seed)
    D, x = rng.standard_normal(d), rng.uniform(1.0, 2.0, d)
    talk = Interview(
        lambda X: np.round((X - x) @ D, decimals), x, domain=Domain(scale=1.0)
    )
    checked = talk.check(talk.fit(0.5), 0.5, COARSE)
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0]


def test_every_log_odds_has_residuals_of_its_own():
    """One rival's answers do not loosen what is said of another."""
    rng = np.random.default_rng(1)
    model, x = zoo.random_linear(rng, 5, 3), rng.standard_normal(5)
    rough = np.random.default_rng(2)

    def service(X):
        return model.logits(X) + [0.0, 0.0, 1e-13] * rough.standard_normal((len(X), 3))

    talk = Interview(service, x, Response.LOGITS, rivals=(1, 2))
    checked = talk.check(talk.fit(0.01), 0.01)
    assert isinstance(checked, Checked)
    assert checked.bound[1] > 20 * checked.bound[0]


# --- A wrong fit --------------------------------------------------------------------


@pytest.mark.parametrize("off", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("feature", [0, 2, 4])
def test_a_wrong_weight_fails(feature, off):
    """A fit with one weight off is a failure, by as many tolerances as it misses."""
    talk, _ = affine(5)
    fit = talk.fit(0.1)
    V = fit.V.copy()
    V[feature] += off
    failure = talk.check(replace(fit, V=V), 0.1)
    assert isinstance(failure, Failure)
    assert failure.radius == 0.1
    tolerance = 3.0 * fit.centre.slack[0, 0]
    assert 0.1 * off / tolerance < failure.excess < 10.0 * off / tolerance


def test_a_wrong_constant_fails():
    """Weights that are right with answers that are all shifted do not agree."""
    talk, _ = affine(5)
    fit = talk.fit(0.1)
    honest = talk.service
    talk.service = lambda X: honest(X) + 1e-9
    assert isinstance(talk.check(fit, 0.1), Failure)


def test_a_wrong_fit_is_not_believed_in_any_round():
    """Whatever few probes could explain a miss, fresh points do not bear it out."""
    for seed in range(6):
        talk, D = affine(60, seed)
        fit = talk.fit(0.1)
        wrong = fit.V + 1e-3 * talk.rng.standard_normal(fit.V.shape)
        checked = talk.check(replace(fit, V=wrong), 0.1, seed=seed)
        assert isinstance(checked, Failure) or miss(checked, D) <= checked.bound[0]


# --- Refusals -----------------------------------------------------------------------


def test_refused_check_points_fail():
    """Points that get no answer agree with nothing."""
    talk, _ = affine(5)
    fit = talk.fit(0.1)
    honest = talk.service
    talk.service = lambda X: np.where(X[:, :1] > 0, np.nan, honest(X))
    failure = talk.check(fit, 0.1)
    assert isinstance(failure, Failure)
    assert failure.excess == np.inf


def test_refusals_farther_out_make_the_box_smaller():
    """Where points close by are answered and agree, the fit is checked there."""
    talk, D = affine(3)
    fit = talk.fit(0.1)
    honest, x = talk.service, talk.around.x

    def near_alone(X):
        far = np.abs(X - x).max(axis=1) > 0.085
        return np.where(far[:, None], np.nan, honest(X))

    talk.service = near_alone
    checked = talk.check(fit, 0.1)
    assert isinstance(checked, Checked)
    assert checked.radius < 0.1
    assert miss(checked, D) <= checked.bound[0]


def test_without_a_column_to_judge_no_one_is_asked():
    """A fit of which nothing counts has failed already, beyond all measure."""
    talk, _ = affine(3)
    fit = replace(talk.fit(0.1), judged=np.array([False]))
    asked = len(talk.asked)
    assert talk.check(fit, 0.1) == Failure(0.1, np.inf)
    assert len(talk.asked) == asked


def test_a_box_that_numbers_do_not_resolve_is_not_asked():
    """A radius that is too small for 64-bit numbers is a failure without a question."""
    talk, _ = affine(3)
    fit = talk.fit(0.1)
    asked = len(talk.asked)
    assert talk.check(fit, 1e-16) == Failure(1e-16, np.inf)
    assert len(talk.asked) == asked


def test_columns_that_do_not_count_do_not_fail():
    """A rival that the fit could not judge is not asked to agree."""
    rng = np.random.default_rng(3)
    model, x = zoo.random_linear(rng, 4, 3), rng.standard_normal(4)
    talk = Interview(zoo.logits(model), x, Response.LOGITS, rivals=(1, 2))
    fit = talk.fit(0.01)
    V = fit.V + np.array([0.0, 1.0])
    assert isinstance(talk.check(replace(fit, V=V), 0.01), Failure)
    half = replace(fit, V=V, judged=np.array([True, False]))
    checked = talk.check(half, 0.01)
    assert isinstance(checked, Checked)
    assert checked.judged.tolist() == [True, False]


# --- Rounds -------------------------------------------------------------------------


def half_wrong(talk, every=3):
    """A service that lies about every third row of a call of check points."""
    honest = talk.service

    def lying(X):
        lies = (np.arange(len(X)) % every == 0) & (len(X) == FINE.checks)
        return honest(X) + 1e-3 * lies[:, None]

    return lying


@pytest.mark.parametrize(
    ("every", "ratio"), [(2, FINE.shrink**2), (3, FINE.shrink**2), (12, FINE.shrink)]
)
def test_a_box_too_wide_shrinks(every, ratio):
    """When half of the points agree the same fit is checked in a smaller box.

    With nearly all of them it is hardly too wide, with fewer it shrinks twice as far.
    """
    assert 2 / 3 < NEARLY_ALL <= 11 / 12
    talk, _ = affine(400)
    fit = talk.fit(1.0)
    talk.service = half_wrong(talk, every)
    talk.check(fit, 1.0, stakes=STAKES)
    reach = [np.abs(p - talk.around.x).max() for p in talk.calls(Purpose.CHECK)]
    ratios = np.array(reach[:-1]) / reach[1:]
    assert len(ratios) > 8
    assert ratios == pytest.approx(np.full(len(ratios), ratio), rel=0.02)


def test_a_box_does_not_shrink_for_the_few_that_agree():
    """Where more than half of the points miss, the fit is to blame and not the box."""
    talk, _ = affine(20)
    fit = talk.fit(1.0)
    honest = talk.service

    def lying(X):
        return (
            honest(X)
            + 1e-3 * np.sin(np.arange(len(X)) * (np.arange(len(X)) > 4))[:, None]
        )

    talk.service = lying
    assert isinstance(talk.check(fit, 1.0), Failure)
    assert len(talk.calls(Purpose.CHECK)) == 1


def test_rounds_come_to_an_end():
    """A service that never agrees is asked so many rounds, each for its own share."""
    talk, _ = affine(400)
    fit = talk.fit(1.0)
    talk.service = half_wrong(talk, every=FINE.checks)
    shares = iter(STAKES)
    failure = talk.check(fit, 1.0, stakes=shares)
    assert isinstance(failure, Failure)
    assert failure.radius == 1.0
    assert failure.excess > 1e6
    assert len(talk.calls(Purpose.CHECK)) == MOST_ROUNDS
    assert next(shares) == STAKES[MOST_ROUNDS]


def test_every_round_has_fresh_points():
    """No two rounds have a point in common, not even in units of their boxes."""
    talk, _ = affine(400)
    fit = talk.fit(1.0)
    talk.service = half_wrong(talk, every=FINE.checks)
    talk.check(fit, 1.0)
    u = [
        np.sign(p - talk.around.x) * (np.abs(p - talk.around.x) > 0)
        for p in talk.calls(Purpose.CHECK)
    ]
    rows = {row.tobytes() for points in u for row in points}
    assert len(rows) == MOST_ROUNDS * FINE.checks


def test_points_depend_on_their_own_stream_alone():
    """One stream gives the same points whatever was asked and drawn before."""
    talk, _ = affine(6)
    fit = talk.fit(0.1)
    talk.check(fit, 0.1, seed=7)
    talk.rng.random(100)
    talk.run(talk.pairs().along(0.1))
    talk.check(fit, 0.1, seed=7)
    talk.check(fit, 0.1, seed=8)
    first, again, other = talk.calls(Purpose.CHECK)
    assert np.array_equal(first, again)
    assert np.abs(first - other).min(axis=1).max() > 1e-4


@pytest.mark.parametrize("distance", [0.3, 0.02])
def test_a_fit_from_closer_in_is_checked_where_it_holds(distance):
    """A fit that is right near the instance ends in a box of that size, rescaled."""
    d = 6
    talk, D = affine(d)
    x, honest = talk.around.x, talk.service

    def walled(X):
        beyond = np.maximum(np.abs(X - x).max(axis=1) - distance, 0.0)
        return honest(X) + beyond[:, None]

    talk.service = walled
    fit = talk.fit(distance / 3)
    # Three of four points lie within the wall, where the box begins.
    r = distance * 0.75 ** (-1 / d)
    checked = talk.check(fit, r, stakes=STAKES)
    rounds = len(talk.calls(Purpose.CHECK))
    assert isinstance(checked, Checked)
    # Each round that missed made the box smaller, once if hardly a point was beyond.
    shrunk = np.log(r / checked.radius) / np.log(FINE.shrink)
    assert shrunk == pytest.approx(round(shrunk))
    assert rounds - 1 <= round(shrunk) <= 2 * (rounds - 1)
    assert rounds > 1
    assert checked.alpha == STAKES[rounds - 1]
    assert checked.box.half == pytest.approx(np.full(d, checked.radius), rel=1e-3)
    assert miss(checked, D) <= checked.bound[0] < 1e-12


# --- The instance itself ------------------------------------------------------------


def alone(talk, jump):
    """A service that answers the instance itself otherwise than all around it."""
    honest, x = talk.service, talk.around.x
    return lambda X: honest(X) + jump * (x == X).all(axis=1)[:, None]


@pytest.mark.parametrize("jump", [1e-12, 1e-3])
def test_an_instance_that_misses_the_fit_is_a_failure(jump):
    """A fit that agrees all around the instance, and not at it, is not its own."""
    talk, _ = affine(5)
    talk = Interview(alone(talk, jump), talk.around.x, domain=Domain(scale=1.0))
    fit = talk.fit(0.01)
    failure = talk.check(fit, 0.01)
    assert isinstance(failure, Failure)
    assert failure.radius == 0.01
    assert failure.excess > 10.0
    repeats = [p for p in talk.calls(Purpose.NOISE) if len(p) == 1]
    assert (np.vstack(repeats) == talk.around.x).all()


def test_a_service_that_casts_takes_instance_and_centre_for_one():
    """The box's centre is the instance in 32 bits; equal answers are no miss."""
    talk, D = affine(5)
    x, honest = talk.around.x, talk.service
    assert not np.array_equal(x, x.astype(np.float32))
    talk = Interview(zoo.cast_inputs(honest), x, domain=Domain(scale=1.0))
    fit = talk.fit(0.01)
    assert not np.array_equal(fit.box.centre, x)
    checked = talk.check(fit, 0.01)
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0]


def test_an_instance_off_centre_is_compared_where_it_is():
    """In a one-sided box the instance agrees with the fit at its own corner."""
    x = np.full(4, 1.5)
    talk = Interview(
        lambda X: (X - x).sum(axis=1), x, domain=Domain(lower=1.5, scale=1.0)
    )
    assert isinstance(talk.check(talk.fit(0.1), 0.1), Checked)
    apart = alone(talk, 1e-6)
    talk = Interview(lambda X: apart(X)[:, 0], x, domain=Domain(lower=1.5, scale=1.0))
    talk.service = lambda X: (X - x).sum(axis=1)
    fit = talk.fit(0.1)
    talk.origin = talk.inquiry.hear(np.array([[1e-6]]))
    assert isinstance(talk.check(fit, 0.1), Failure)


def test_an_answer_that_depends_on_the_call_is_measured():
    """Single rows that scatter are asked again before the instance is said to miss."""
    talk, D = affine(5)
    honest, rng = talk.service, np.random.default_rng(4)

    def in_single_rows(X):
        return honest(X) + 3e-14 * rng.standard_normal() * (len(X) == 1)

    found = []
    for _ in range(10):
        again = Interview(in_single_rows, talk.around.x, domain=Domain(scale=1.0))
        checked = again.check(again.fit(0.01), 0.01)
        assert isinstance(checked, Failure) or miss(checked, D) <= checked.bound[0]
        found.append(isinstance(checked, Checked) and again.inquiry.scatter > 1.0)
    assert sum(found) >= 5


# --- Noise --------------------------------------------------------------------------


def test_noise_is_measured_before_a_fit_is_given_up():
    """Points that miss by little have noise measured, and agree in the same round."""
    talk, D = affine(20)
    honest, rng = talk.service, np.random.default_rng(5)
    talk = Interview(
        lambda X: honest(X) + 3e-14 * rng.standard_normal((len(X), 1)),
        talk.around.x,
        domain=Domain(scale=1.0),
    )
    fit = talk.fit(0.1)
    checked = talk.check(fit, 0.1, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert talk.inquiry.measured == 1
    assert talk.inquiry.scatter > 5.0
    assert miss(checked, D) <= checked.bound[0]
    assert (np.abs(checked.residuals) <= checked.floor).all()


def test_a_large_miss_is_not_worth_a_measurement():
    """A miss by thousands of tolerances is no noise, and none is asked about."""
    talk, _ = affine(5)
    fit = talk.fit(0.1)
    talk.check(replace(fit, V=fit.V + 1e-3), 0.1)
    assert talk.calls(Purpose.NOISE) == []


def test_the_bound_counts_what_rounding_hides():
    """Answers that agree by the grace of rounding do not bound an error of zero."""
    x = np.array([1.5, 1.5])
    talk = Interview(lambda X: np.round(X @ [1e-3, 0.0], 2), x)
    talk.inquiry.hear(np.array([[0.01]]))
    checked = talk.check(talk.fit(0.1), 0.1)
    assert (checked.residuals == 0.0).all()
    assert checked.bound[0] >= 1e-4
    assert miss(checked, np.array([1e-3, 0.0])) <= checked.bound[0]


def test_a_score_that_stands_still_in_the_box_is_marked():
    """A rival whose score never moved in the box is not judged, the others are."""
    x = np.array([0.3, 0.7])

    def service(X):
        far = np.maximum(X[:, 1] - 1.0, 0.0)
        return np.column_stack([X[:, 0], X[:, 1], far])

    talk = Interview(service, x, Response.LOGITS, rivals=(1, 2))
    fit = talk.fit(0.1)
    talk.inquiry.hear(service(np.array([[0.3, 1.5]])))  # it moves elsewhere
    checked = talk.check(fit, 0.1)
    assert checked.frozen.tolist() == [False, True]
    assert checked.judged.tolist() == [True, False]


# --- A fit from memory --------------------------------------------------------------


def remembered(d, off=0.0, r=0.1):
    """An interview, and weights from memory about it, of which one may be off."""
    talk, D = affine(d)
    T = D.copy()
    T[0] += off
    fit = talk.run(recollect(talk.inquiry, talk.around.box(r), T[None]))
    return talk, fit, D


@settings(max_examples=40)
@given(d=st.integers(1, 30), r=st.sampled_from([0.5, 2**-7, 1e-5]))
def test_what_memory_says_is_checked_like_a_design(d, r):
    """Right weights have one round of points, in two calls, and a bound that holds."""
    talk, fit, D = remembered(d, r=r)
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    assert checked.alpha == STAKES[0]
    assert checked.residuals.shape == (FINE.checks, 1)
    calls = talk.calls(Purpose.CHECK)
    assert [len(points) for points in calls] == [FIRST_FEW, FINE.checks - FIRST_FEW]


def test_check_points_do_not_depend_on_who_made_the_fit():
    """A fit from memory is checked at the points that a design's fit would be."""
    talk, fit, _ = remembered(6)
    talk.check(talk.fit(0.1), 0.1)
    talk.check(fit, 0.1)
    design, *halves = talk.calls(Purpose.CHECK)
    assert np.array_equal(design, np.vstack(halves))


@pytest.mark.parametrize("d", [1, 30, 400])
@pytest.mark.parametrize("off", [1e-7, 1e-3, 1e3])
def test_what_memory_has_wrong_costs_little(d, off):
    """A weight that is off is a failure at once, for the first few points."""
    talk, fit, _ = remembered(d, off)
    failure = talk.check(fit, 0.1)
    assert isinstance(failure, Failure)
    assert failure.excess > 1.0
    assert [len(points) for points in talk.calls(Purpose.CHECK)] == [FIRST_FEW]


def test_an_error_of_memory_is_within_the_bound():
    """Weights that are off by less than any point tells are bounded all the same."""
    for k in range(20):
        talk, fit, D = remembered(5, off=1e-15 * 1.5**k)
        checked = talk.check(fit, 0.1, seed=k)
        assert isinstance(checked, Failure) or miss(checked, D) <= checked.bound[0]


@pytest.mark.parametrize(("d", "rounds"), [(5, REMEMBERED), (400, MOST_ROUNDS)])
def test_a_fit_from_memory_has_rounds_for_what_a_design_costs(d, rounds):
    """A box that is too wide is made smaller as long as that is cheaper than a design.

    One point of each round misses, so that none agrees or shows the fit to be wrong.
    """
    talk, fit, _ = remembered(d)
    honest = talk.service

    def lying(X):
        last = np.arange(len(X)) == FINE.checks - FIRST_FEW - 1
        return honest(X) + 1e-3 * last[:, None]

    talk.service = lying
    assert isinstance(talk.check(fit, 0.1), Failure)
    points = np.vstack(talk.calls(Purpose.CHECK))
    assert len(points) == rounds * FINE.checks
