"""What is concluded has its reason, and its bounds are reached but never broken."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems as zoo
from facetwise.core.certificate import GRAIN, small_ball_quantile
from facetwise.core.check import Checked
from facetwise.core.conclude import (
    RANDOM,
    Findings,
    conclude,
    constant,
    ended,
    too_coarse,
)
from facetwise.core.domain import Domain
from facetwise.core.inquiry import USEFUL
from facetwise.core.lattice import OnLattice
from facetwise.core.pairs import Look
from facetwise.core.recovered import AGAINST_ALL
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status
from interview import Interview, linear

SCORES = np.array([3.0, 0.0, 2.0, 1.0])
"""Logits at the instance: the target, then rivals of which class 2 is strongest."""


def no_lattice(K):
    """What was found of features on a lattice where there are none."""
    none = np.zeros(0)
    return OnLattice(none.astype(int), none, none, *np.zeros((2, 0, K)))


class Case:
    """A linear service of logits that was checked, and what may be said of it."""

    def __init__(
        self, W=None, x=None, kind=Response.LOGITS, rivals=(1, 2, 3), **domain
    ):
        """Ask the model with weights W (C, d) about x."""
        rng = np.random.default_rng(0)
        W = rng.standard_normal((4, 5)) if W is None else W
        domain.setdefault("scale", 1.0)
        # Every logit moves, whatever the contrasts are.
        W = W + np.linspace(1.0, 2.0, W.shape[1]) / domain["scale"]
        self.x = np.full(W.shape[1], 1.5) if x is None else x
        self.model = zoo.through(W, self.x, SCORES[: len(W)])
        service = {
            Response.LOGITS: zoo.logits,
            Response.PROBABILITIES: zoo.probabilities,
        }[kind](self.model)
        self.talk = Interview(
            service, self.x, kind, rivals=rivals, domain=Domain(**domain)
        )
        self.checked = self.talk.check(self.talk.fit(2.0**-6), 2.0**-6)
        assert isinstance(self.checked, Checked)

    def bounded_by(self, bounds):
        """Let check points have shown as much as gives these bounds (K,) on ‖h∘e‖."""
        m, K = self.checked.residuals.shape
        q = small_ball_quantile(self.checked.alpha, m)
        one = np.asarray(bounds) / (GRAIN * np.sqrt(2.0 / q) * np.sqrt(m))
        self.checked = replace(
            self.checked,
            residuals=np.tile(one, (m, 1)),
            noise=np.zeros((m, K)),
        )
        assert self.checked.bound == pytest.approx(bounds)
        return self

    @property
    def sizes(self):
        """Norms (K,) of the weights per half-width."""
        return np.linalg.norm(self.checked.V, axis=0)

    def concluded(
        self,
        reach=1.0,
        bends=False,
        unread=0.0,
        coarse=Status.TOO_COARSE,
        lattice=None,
    ):
        """The record that is made of it."""
        unread = np.broadcast_to(unread, self.checked.judged.shape)
        lattice = no_lattice(len(self.checked.judged)) if lattice is None else lattice
        about = self.talk.inquiry, self.talk.around, self.checked
        return conclude(*about, Findings(reach, bends, unread, lattice, coarse))


# --- Statuses -----------------------------------------------------------------------


def test_weights_that_are_checked_are_certified():
    """The values are the mean over rivals, and every pair is certified by itself."""
    case = Case()
    found = case.concluded(reach=0.25)
    assert found.status is Status.CERTIFIED
    assert found.contrast == AGAINST_ALL
    assert pytest.approx(zoo.contrast(case.model.W, 0), rel=1e-9) == found.local.D
    assert {r: p.status for r, p in found.pairs.items()} == dict.fromkeys(
        (1, 2, 3), Status.CERTIFIED
    )
    for rival, pair in found.pairs.items():
        assert pytest.approx(case.model.W[0] - case.model.W[rival], rel=1e-9) == pair.D
    assert (found.radius, found.reach) == (case.checked.radius, 0.25)
    assert (found.queries, found.designs) == (case.talk.inquiry.queries, 1)


def test_what_bends_is_smooth():
    """Checked weights of a model that bends are its gradient, and not certified."""
    found = Case().concluded(bends=True)
    assert found.status is Status.SMOOTH
    assert found.contrast == AGAINST_ALL
    assert {p.status for p in found.pairs.values()} == {Status.SMOOTH}


@pytest.mark.parametrize("rival", [1, 2, 3])
def test_a_rival_without_a_bound_makes_it_partly_certified(rival):
    """The values compare with the rival that scores highest among those bounded."""
    case, bounds = Case(), np.full(3, 1e-9)
    bounds[rival - 1] = 1.0
    found = case.bounded_by(bounds).concluded()
    strongest = 3 if rival == 2 else 2
    assert found.status is Status.PARTLY_CERTIFIED
    assert found.contrast == strongest
    assert np.array_equal(found.local.D, found.pairs[strongest].D)
    assert found.local.bound == found.pairs[strongest].bound
    assert found.pairs[strongest].status is Status.CERTIFIED
    assert found.pairs[rival].status is Status.TOO_COARSE
    assert np.isnan(found.pairs[rival].D).all()


def test_a_smooth_contrast_is_not_certified_in_part():
    """Where a model bends the one rival that is left has its gradient, no more."""
    found = Case().bounded_by([1.0, 1e-9, 1.0]).concluded(bends=True)
    assert (found.status, found.contrast) == (Status.SMOOTH, 2)


def test_the_strongest_rival_is_that_of_the_instance():
    """It is the one that scores highest at the instance, not at the box's centre."""
    W = np.zeros((4, 2))
    W[1, 0], W[2, 0], W[3, 1] = 1e3, -1e3, 1e3
    x = np.zeros(2)
    case = Case(W, x, lower=0.0)
    case.bounded_by([1e-9, 1e-9, 1e3])
    centre = case.checked.fit.centre.l[0]
    assert centre[0] < centre[1]  # at the centre of the box class 1 is ahead of 2
    found = case.concluded()
    assert (found.status, found.contrast) == (Status.PARTLY_CERTIFIED, 2)


def test_a_mean_that_cancels_is_not_shown():
    """Where rivals pull in opposite directions their mean may be all error."""
    v = np.array([1.0, 2.0, -1.0])
    W = np.vstack([0 * v, v, -0.99 * v])
    case = Case(W, rivals=(1, 2))
    case.bounded_by(0.05 * case.sizes)
    found = case.concluded()
    assert (found.status, found.contrast) == (Status.PARTLY_CERTIFIED, 2)
    assert pytest.approx(0.99 * v) == found.local.D
    precise = case.bounded_by(1e-5 * case.sizes).concluded()
    assert (precise.status, precise.contrast) == (Status.CERTIFIED, AGAINST_ALL)
    assert pytest.approx(-0.005 * v) == precise.local.D


COARSE = [Status.TOO_COARSE, Status.ON_BOUNDARY, Status.UNSTABLE]


@pytest.mark.parametrize("coarse", COARSE)
def test_bounds_of_no_use_have_the_reason_given(coarse):
    """If no pair is bounded well enough the row says what it was told to say."""
    case = Case()
    found = case.bounded_by(1.01 * USEFUL * np.full(3, case.sizes.max()))
    found = found.concluded(coarse=coarse)
    assert found.status is coarse
    assert {p.status for p in found.pairs.values()} == {coarse}
    assert np.isnan(found.local.D).all()
    assert np.isnan([found.local.bound, found.local.base, found.local.base_bound]).all()
    assert found.contrast == AGAINST_ALL


def test_useful_is_a_share_of_the_largest_weights():
    """A rival with next to no weights is certified if its bound is small beside them.

    Otherwise two classes with equal weights could never be compared.
    """
    W = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
    case = Case(W, rivals=(1, 2))
    assert case.sizes[1] < 1e-12 * case.sizes[0]
    found = case.bounded_by([1e-3 * case.sizes[0]] * 2).concluded()
    assert found.pairs[2].status is Status.CERTIFIED
    just = case.bounded_by([0.99 * USEFUL * case.sizes[0]] * 2).concluded()
    assert just.pairs[1].status is Status.CERTIFIED


def test_weights_of_rivals_that_do_not_count_do_not_make_others_useful():
    """The largest weights are those of columns that were judged."""
    W = np.array([[0.0, 0.0], [1.0, 2.0], [1e6, 2e6]])
    case = Case(W, rivals=(1, 2))
    case.bounded_by([0.2 * case.sizes[0]] * 2)
    assert case.concluded().pairs[1].status is Status.CERTIFIED
    case.checked = replace(case.checked, frozen=np.array([False, True]))
    found = case.concluded()
    assert found.pairs[1].status is Status.TOO_COARSE


def test_unread_features_are_too_coarse_whatever_the_reason_would_be():
    """A bound that only the rounding of inputs spoils is not a boundary's fault."""
    case = Case()
    found = case.concluded(unread=1.0, coarse=Status.ON_BOUNDARY)
    assert {p.status for p in found.pairs.values()} == {Status.TOO_COARSE}
    case.bounded_by([1.0] * 3)
    found = case.concluded(unread=1.0, coarse=Status.ON_BOUNDARY)
    assert {p.status for p in found.pairs.values()} == {Status.ON_BOUNDARY}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Response.PROBABILITIES, Status.SATURATED),
        (Response.LOGITS, Status.TOO_COARSE),
    ],
)
def test_scores_that_stand_still_say_why(kind, status):
    """A probability that stands still is clipped, a logit is rounded."""
    case = Case(kind=kind)
    case.checked = replace(case.checked, frozen=np.array([False, True, True]))
    found = case.concluded()
    assert (found.status, found.contrast) == (Status.PARTLY_CERTIFIED, 1)
    assert [found.pairs[r].status for r in (2, 3)] == [status] * 2
    case.checked = replace(case.checked, frozen=np.array([True, True, True]))
    found = case.concluded()
    assert (found.status, found.contrast) == (status, AGAINST_ALL)


@pytest.mark.parametrize("coarse", [Status.ON_BOUNDARY, Status.UNSTABLE])
def test_a_bound_that_only_a_bend_spoils_is_too_coarse(coarse):
    """The reason given is why check points bound no better, and not this one."""
    case = Case()
    floor = np.full_like(case.checked.floor, case.sizes.max())
    case.checked = replace(case.checked, floor=floor)
    found = case.concluded(bends=True, coarse=coarse)
    assert {p.status for p in found.pairs.values()} == {Status.TOO_COARSE}


@pytest.mark.parametrize("coarse", COARSE)
def test_a_row_names_the_reason_that_is_easiest_to_mend(coarse):
    """With pairs that failed for different reasons, saturation is named last."""
    case = Case(kind=Response.PROBABILITIES)
    case.bounded_by([1e3] * 3)
    case.checked = replace(case.checked, frozen=np.array([True, False, True]))
    found = case.concluded(coarse=coarse)
    assert found.pairs[1].status is Status.SATURATED
    assert found.pairs[2].status is coarse
    assert found.status is coarse


def test_one_rival_is_the_contrast_that_was_asked_for():
    """Asked about one rival alone, a certified row names it, and is not partial."""
    case = Case(rivals=(3,))
    read = LogOdds(Response.LOGITS, 0, (3,), contrast=3)
    case.talk.inquiry.read = read
    found = case.concluded()
    assert (found.status, found.contrast) == (Status.CERTIFIED, 3)


def test_an_output_by_itself_has_no_contrast():
    """Without rivals the one pair is the target's own, and there is nothing to name."""
    rng = np.random.default_rng(1)
    D, B = linear(rng, 3)
    talk = Interview(lambda X: X @ D + B, rng.standard_normal(3))
    checked = talk.check(talk.fit(0.01), 0.01)
    about = talk.inquiry, talk.around, checked
    findings = Findings(1.0, False, np.zeros(1), no_lattice(1), Status.TOO_COARSE)
    found = conclude(*about, findings)
    assert (found.status, found.contrast) == (Status.CERTIFIED, AGAINST_ALL)
    assert list(found.pairs) == [0]


@pytest.mark.parametrize(
    ("scatter", "fine", "failed", "status"),
    [
        (1.0, True, True, Status.ON_BOUNDARY),
        (1.0, True, False, Status.TOO_COARSE),
        (1.0, False, True, Status.TOO_COARSE),
        (RANDOM, True, True, Status.ON_BOUNDARY),
        (1.01 * RANDOM, True, True, Status.UNSTABLE),
        (1.01 * RANDOM, False, False, Status.UNSTABLE),
    ],
)
def test_why_no_bound_is_useful(scatter, fine, failed, status):
    """Random answers come first; a boundary is named where all digits were there."""
    talk = Interview(lambda X: np.exp(X[:, 0]) if fine else X[:, 0], np.array([0.5]))
    talk.inquiry.hear(talk.service(np.array([[0.25], [0.75]]))[:, None])
    talk.inquiry.scatter = scatter
    assert talk.inquiry.grid.finest is fine
    assert too_coarse(talk.inquiry, failed) is status


@pytest.mark.parametrize("status", [Status.REFUSED, Status.SATURATED, Status.CHANGED])
def test_an_end_without_weights(status):
    """A recovery that found nothing has its status, and not one number."""
    case = Case(frozen=[1])
    found = ended(status, case.talk.inquiry)
    assert (found.status, found.pairs, found.contrast) == (status, {}, AGAINST_ALL)
    assert np.array_equal(found.local.D, np.full(5, np.nan), equal_nan=True)
    assert np.isnan([found.local.bound, found.radius, found.floor]).all()


def test_constant_answers_have_weights_of_zero():
    """Moving features weigh nothing, frozen ones are unknown, and no bound is given."""
    case = Case(frozen=[1, 4])
    found = constant(case.talk.inquiry, Look(7.0, 0.0, True, None))
    assert found.status is Status.PIECEWISE_CONSTANT
    expected = [0.0, np.nan, 0.0, 0.0, np.nan]
    assert np.array_equal(found.local.D, expected, equal_nan=True)
    assert np.isnan([found.local.bound, found.local.base_bound]).all()
    assert np.isnan(found.local.weight_bound).all()
    assert found.radius == 7.0


def test_random_answers_are_not_constant():
    """Where answers scatter without end, not to see them move says nothing."""
    case = Case()
    case.talk.inquiry.scatter = 1.01 * RANDOM
    found = constant(case.talk.inquiry, Look(7.0, 0.0, True, None))
    assert found.status is Status.UNSTABLE
    assert np.isnan(found.local.D).all()


# --- Bounds -------------------------------------------------------------------------


def off_by(case, e):
    """A case whose weights are off by e (d, K) per half-width of the checked box."""
    fit = case.checked.fit
    ratio = fit.box.half / case.checked.box.half
    wrong = replace(fit, V=fit.V + e * ratio[:, None])
    case.checked = replace(case.checked, fit=wrong)
    return case


UNITS = np.array([1e-6, 1.0, 1e6])


def in_units(seed, cut=(False, False, False)):
    """A case with features of sizes 1e-6, 1 and 1e6, and weights to match.

    The box goes to one side of the instance in features that are cut.
    """
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((4, 3)) / UNITS
    x = UNITS * rng.uniform(1.0, 2.0, 3)
    return Case(W, x, scale=UNITS, lower=np.where(cut, x, -np.inf))


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), cut=st.tuples(*[st.booleans()] * 3))
def test_an_error_within_the_bound_is_within_all_that_are_shown(seed, cut):
    """If ‖h∘e‖ is bounded, so is each weight, the scaled norm and the base."""
    rng = np.random.default_rng(seed)
    case = in_units(seed, cut)
    beta = rng.uniform(0.0, 0.01, 3) * case.sizes.min()
    e = rng.standard_normal((3, 3))
    e *= beta / np.linalg.norm(e, axis=0)
    found = off_by(case.bounded_by(beta), e).concluded()
    assert found.status is Status.CERTIFIED
    for rival, pair in found.pairs.items():
        off = pair.D - zoo.contrast(case.model.W, 0, rival)
        assert (np.abs(off) <= 1.0001 * pair.weight_bound).all()
        assert np.linalg.norm(UNITS * off) <= 1.0001 * pair.bound
        base = case.model.b[0] - case.model.b[rival]
        assert abs(pair.base - base) <= pair.base_bound
    off = found.local.D - zoo.contrast(case.model.W, 0)
    assert (np.abs(off) <= 1.0001 * found.local.weight_bound).all()
    assert np.linalg.norm(UNITS * off) <= 1.0001 * found.local.bound
    base = case.model.b[0] - case.model.b[1:].mean()
    assert abs(found.local.base - base) <= found.local.base_bound


@pytest.mark.parametrize("feature", range(3))
@pytest.mark.parametrize("cut", [False, True])
def test_the_bounds_of_weights_are_reached(feature, cut):
    """An error that is all in one feature has exactly that feature's bound."""
    case = in_units(1, cut & (np.arange(3) == feature))
    beta = 0.01 * case.sizes.min()
    e = beta * np.eye(3)[feature][:, None] * np.ones(3)
    found = off_by(case.bounded_by([beta] * 3), e).concluded()
    off = np.abs(found.local.D - zoo.contrast(case.model.W, 0))[feature]
    assert off == pytest.approx(found.local.weight_bound[feature], rel=1e-5)
    # A box cut in half there is narrowest in this feature, others are all alike.
    assert UNITS[feature] * off == pytest.approx(found.local.bound, rel=1e-3)


@pytest.mark.parametrize("cut", [False, True])
def test_the_bound_of_the_base_is_reached(cut):
    """An error along c/h moves the base by all of its bound but for the floor."""
    case = in_units(2, [cut] * 3)
    along = case.checked.fit.box.centre / case.checked.box.half
    beta = 0.01 * case.sizes.min()
    e = beta * (along / np.linalg.norm(along))[:, None] * np.ones(3)
    found = off_by(case.bounded_by([beta] * 3), e).concluded()
    base = case.model.b[0] - case.model.b[1]
    off = abs(found.pairs[1].base - base)
    assert off == pytest.approx(found.pairs[1].base_bound, rel=1e-4)


def test_the_base_is_no_better_than_the_answers():
    """Weights of no error at all leave that of one answer in the base."""
    case = Case().bounded_by([0.0] * 3)
    found = case.concluded()
    assert found.pairs[1].base_bound >= case.checked.floor[:, 0].max() > 0.0


def test_a_smaller_box_than_the_design_has_wider_bounds():
    """What was checked four times closer in is bounded four times less closely."""
    case = Case().bounded_by([1e-6] * 3)
    wide = case.concluded()
    box = case.talk.around.box(case.checked.radius / 4.0)
    case.checked = replace(case.checked, box=box, radius=case.checked.radius / 4.0)
    narrow = case.concluded()
    assert pytest.approx(wide.local.D) == narrow.local.D
    assert narrow.local.bound == pytest.approx(4.0 * wide.local.bound)
    assert narrow.local.weight_bound == pytest.approx(4.0 * wide.local.weight_bound)
    assert narrow.radius == wide.radius / 4.0


def test_unread_features_widen_the_bound():
    """The wider one of two bounds is given, where suspects were moved farther."""
    case = Case().bounded_by([1e-6] * 3)
    plain, wider = case.concluded(), case.concluded(unread=[0.0, 0.9e-6, 3e-6])
    for rival, times in [(1, 1.0), (2, 1.0), (3, 3.0)]:
        before, after = plain.pairs[rival], wider.pairs[rival]
        assert after.bound == pytest.approx(times * before.bound)
        assert after.weight_bound == pytest.approx(times * before.weight_bound)


def test_a_bend_widens_the_bound():
    """For what bends, the norm of the floors at the check points is added."""
    case = Case().bounded_by([1e-6] * 3)
    floor = 1e-7 * np.arange(1.0, 4.0) * np.ones_like(case.checked.floor)
    case.checked = replace(case.checked, floor=floor)
    straight, bent = case.concluded(), case.concluded(bends=True)
    m = len(floor)
    for rival in (1, 2, 3):
        times = 1.0 + 0.1 * rival * m**0.5
        assert bent.pairs[rival].bound == pytest.approx(
            times * straight.pairs[rival].bound
        )


def test_frozen_features_have_neither_weight_nor_bound():
    """A feature that did not move is NaN, and its part is in the base."""
    case = Case(frozen=[1])
    found = case.concluded()
    missing = [False, True, False, False, False]
    assert np.isnan(found.local.D).tolist() == missing
    assert np.isnan(found.local.weight_bound).tolist() == missing
    W, b = case.model.W, case.model.b
    base = b[0] - b[1:].mean() + zoo.contrast(W, 0)[1] * case.x[1]
    assert abs(found.local.base - base) <= found.local.base_bound < 1e-6


def test_features_on_a_lattice_have_their_own_weights():
    """Weights and bounds that were found are shown, and taken out of the base."""
    case = Case(frozen=[1, 3])
    weights, off = np.array([[2.0] * 3, [np.nan] * 3]), np.array([[1e-9] * 3] * 2)
    lattice = OnLattice(
        np.array([1, 3]), case.x[[1, 3]], np.array([4.0, 4.0]), weights, off
    )
    plain, found = case.concluded(), case.concluded(lattice=lattice)
    missing = [False, False, False, True, False]
    assert np.isnan(found.local.D).tolist() == missing
    assert (found.local.D[1], found.local.weight_bound[1]) == (2.0, 1e-9)
    moved = plain.local.base - found.local.base
    assert moved == pytest.approx(2.0 * case.x[1], rel=1e-12)
    wider = found.local.bound - plain.local.bound
    assert wider == pytest.approx(4.0 * 1e-9, rel=1e-6, abs=0.0)
    wider = found.local.base_bound - plain.local.base_bound
    assert wider == pytest.approx(1e-9 * case.x[1], rel=1e-6, abs=0.0)


def test_what_bends_has_no_weights_on_a_lattice():
    """A difference of two values is no weight there, and stays in the base."""
    case = Case(frozen=[1, 3])
    known = np.full((2, 3), 2.0), np.full((2, 3), 1e-9)
    scale = np.array([4.0, 4.0])
    lattice = OnLattice(np.array([1, 3]), case.x[[1, 3]], scale, *known)
    plain = case.concluded(bends=True)
    found = case.concluded(bends=True, lattice=lattice)
    assert found.status is Status.SMOOTH
    assert np.isnan(found.local.D).tolist() == [False, True, False, True, False]
    assert found.local.base == plain.local.base


def test_the_floor_reported_is_the_worst_that_counts():
    """It is the largest of the check points in columns that were judged."""
    case = Case()
    floor = np.tile([1e-9, 2e-9, 1.0], (len(case.checked.floor), 1))
    floor[3, 1] = 5e-9
    frozen = np.array([False, False, True])
    case.checked = replace(case.checked, floor=floor, frozen=frozen)
    assert case.concluded().floor == 5e-9
