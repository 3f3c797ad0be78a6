"""What does not move in the box is moved farther, and shows what it may weigh."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facetwise.core.check import Checked
from facetwise.core.domain import Domain
from facetwise.core.frozen import (
    LOOKS,
    WIDE,
    constant_scores_are_real,
    weights_unread,
)
from facetwise.core.messages import Purpose
from facetwise.core.radius import FARTHEST, FIRST
from facetwise.core.response import Response
from interview import Interview

SEEDS = st.integers(0, 2**32 - 1)
NO_DECIMAL = np.pi / 3.0
"""A value that no service would take for one of few decimals."""


def as_is(X):
    """Inputs as they come."""
    return X


def in_32_bits(X):
    """Inputs as 32-bit numbers."""
    return X.astype(np.float32).astype(float)


def in_16_bits(X):
    """Inputs from 1/2 on as 16-bit numbers, smaller ones as they are."""
    return np.where(np.abs(X) < 0.5, X, X.astype(np.float16).astype(float))


def to_three_digits(X):
    """Inputs to three significant digits, zeros and tiny ones as they are."""
    size = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(X), 1e-300))) - 2.0)
    return np.where(np.abs(X) < 1e-2, X, np.round(X / size) * size)


def to_whole_numbers(X):
    """Inputs from 1 on as whole numbers, smaller ones as they are."""
    return np.where(np.abs(X) < 0.5, X, np.round(X))


def checked(read, x, r, w, **domain):
    """A service that reads its inputs so, and what was checked of it in a small box.

    Zeros move in any box; with features that do not, their weights seem to be 0.
    """
    domain.setdefault("scale", 1.0)
    talk = Interview(lambda X: 1.0 + (read(X) - x) @ w, x, domain=Domain(**domain))
    found = talk.check(talk.fit(r), r)
    assert isinstance(found, Checked)
    talk.asked.clear()
    return talk, found


def asked_farther(talk, found, seed=2, alpha=1e-6):
    """The bound with suspects moved farther, and the points that it took."""
    rng = np.random.default_rng(seed)
    unread = talk.run(weights_unread(talk.inquiry, talk.around, found, alpha, rng))
    return unread, np.vstack([found.box.centre, *talk.calls(Purpose.CHECK)])[1:]


def miss(found, w):
    """How far the weights per half-width are off those of the model inside."""
    return np.linalg.norm(found.V[:, 0] - w * found.box.half)


# --- Features that are not read -----------------------------------------------------


@pytest.mark.parametrize(
    ("read", "value", "r"),
    [
        (in_32_bits, 1.0, 1e-9),
        (in_32_bits, 0.7, 1e-10),
        (in_16_bits, 1.0, 1e-5),
        (in_16_bits, 0.75, 1e-5),
        (to_three_digits, 1.5, 1e-4),
        (to_three_digits, 7.25, 1e-4),
        (to_whole_numbers, 3.0, 1e-2),
        (to_whole_numbers, 40.0, 1e-3),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_the_bound_covers_weights_that_are_not_read(read, value, r, seed):
    """Rounded features seem to weigh nothing; the wider bound has their weights."""
    rng = np.random.default_rng(seed)
    w = rng.choice([-1.0, 1.0], 6) * rng.uniform(0.5, 2.0, 6)
    x = np.where(np.arange(6) % 2 == 0, 0.0, read(np.array(value)))
    talk, found = checked(read, x, r, w)
    assert np.abs(found.V[1::2, 0]).max() <= found.bound[0]
    assert miss(found, w) > 1e3 * found.bound[0]
    unread, points = asked_farther(talk, found, seed)
    assert miss(found, w) <= max(found.bound[0], unread[0])
    # It bounds what the suspects' weights do in the box that they were moved in.
    reach = np.abs(points - found.box.centre).max(axis=0)
    assert unread[0] < 10.0 * np.linalg.norm((w * reach)[1::2])


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-12])
def test_so_many_are_asked_that_some_are_not_rounded_back(alpha):
    """Half of the points may round to the value itself, but all of them by no chance.

    A whole number is moved by no more than 1, and a yes or no by nothing else.
    """
    talk, found = checked(to_whole_numbers, np.array([0.0, 3.0]), 1e-2, np.ones(2))
    _, points = asked_farther(talk, found, alpha=alpha)
    assert 0.5 ** len(points) <= alpha


@pytest.mark.parametrize("seed", [12796, 14049, 32040, 36416])
def test_a_dozen_points_that_round_back_do_not_fool_it(seed):
    """With these seeds the first twelve points all round to the value itself."""
    x, w = np.array([NO_DECIMAL, 3.0]), np.array([1.0, 2.0])

    def read(X):
        return np.column_stack([X[:, 0], np.round(X[:, 1])])

    talk, found = checked(read, x, 1e-2, w)
    unread, points = asked_farther(talk, found, seed)
    assert (np.round(points[:12, 1]) == 3.0).all()
    assert miss(found, w) <= max(found.bound[0], unread[0])


def test_features_that_are_read_are_not_asked_about():
    """Where every weight stands out of the bound no question is asked."""
    talk, found = checked(as_is, np.ones(4), 1e-4, np.array([1.0, -2.0, 0.5, 3.0]))
    unread, points = asked_farther(talk, found)
    assert unread.tolist() == [0.0]
    assert len(points) == 0


@pytest.mark.parametrize("r", [2.0**-4, 2.0**-9, 2.0**-12])
def test_weights_of_zero_cost_nothing_where_inputs_are_read(r):
    """A feature that has no weight is no suspect if others show how inputs are read."""
    w = np.array([1.0, 0.0, 2.0, 0.0])
    talk, found = checked(as_is, np.full(4, NO_DECIMAL), r, w)
    unread, points = asked_farther(talk, found)
    assert unread.tolist() == [0.0]
    assert len(points) == 0


@pytest.mark.parametrize("r", [1.5, 2.0**-9, 1e-8])
def test_weights_of_zero_cost_next_to_nothing(r):
    """A whole number that has no weight is moved, and has no wide bound for it.

    In a box as wide as its steps it has moved enough already.
    """
    w, x = np.array([1.0, 0.0, 2.0, 0.0]), np.array([NO_DECIMAL, 3.0, NO_DECIMAL, 2.0])
    talk, found = checked(as_is, x, r, w)
    unread, points = asked_farther(talk, found)
    assert unread[0] <= 1e-6 * np.linalg.norm(found.V)
    assert bool(len(points)) is (r < 1.0)


def test_only_suspects_are_moved_out_of_the_box():
    """Features whose weights are known fill the box as before, others go farther."""
    w, x = np.array([1.0, 0.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0, 400.0])
    talk, found = checked(as_is, x, 1e-6, w)
    _, points = asked_farther(talk, found)
    u = np.abs(found.box.steps(points))
    assert 0.8 < u[:, ::2].max() <= 1.0
    for j, step in ((1, 1.0), (3, WIDE * 400.0)):
        moved = np.abs(points[:, j] - x[j])
        assert 0.5 * step < moved.max() <= 1.001 * step
        assert len(np.unique(points[:, j])) == len(points)


def test_small_values_are_moved_by_their_scale():
    """A feature that happens to be small is moved by its typical step."""
    w, x = np.array([1.0, 0.0]), np.array([NO_DECIMAL, 1.0])
    talk, found = checked(as_is, x, 1e-6, w, scale=[1.0, 500.0])
    _, points = asked_farther(talk, found)
    assert np.abs(points[:, 1]).max() > 0.5 * WIDE * 500.0


@pytest.mark.parametrize(("values", "step"), [([3.0, 40.0], 1.0), ([0.25, 0.5], 0.01)])
def test_whole_numbers_are_moved_by_a_whole_step(values, step):
    """Features that all instances have in such steps may be rounded to them."""
    w, x = np.array([1.0, 0.0]), np.array([0.3, values[0]])
    X = np.column_stack([[0.3, np.pi], values])
    talk = Interview(lambda X: X @ w, x)
    talk.around = Domain(scale=1e-3).resolve(X).around(x)
    found = talk.check(talk.fit(1e-2), 1e-2)
    talk.asked.clear()
    _, points = asked_farther(talk, found)
    reach = np.abs(points[:, 1] - x[1]).max()
    wide = max(step, WIDE * values[0])
    assert 0.5 * wide < reach <= 1.001 * wide


def test_a_weight_against_one_rival_clears_a_feature():
    """A feature that any log-odds is seen to depend on is read by the service."""
    x = np.array([3.0, 4.0, 2.0])

    def service(X):
        # The target is compared with one rival by feature 0, with the other by 1.
        y = X[:, 0] + X[:, 1] + 0.0 * X[:, 2]
        return np.column_stack([y, X[:, 1], X[:, 0]])

    talk = Interview(
        service, x, Response.LOGITS, rivals=(1, 2), domain=Domain(scale=1.0)
    )
    found = talk.check(talk.fit(1e-4), 1e-4)
    talk.asked.clear()
    _, points = asked_farther(talk, found)
    assert np.abs(found.box.steps(points))[:, :2].max() <= 1.0
    assert np.abs(points[:, 2] - 2.0).max() > 0.5


@settings(max_examples=30)
@given(seed=SEEDS, power=st.floats(-12, -4))
def test_no_limit_is_crossed_and_one_side_is_enough(seed, power):
    """At limits features move to the side that is left, and the bound still covers."""
    rng = np.random.default_rng(seed)
    w = rng.choice([-1.0, 1.0], 4) * rng.uniform(0.5, 2.0, 4)
    x = np.array([0.0, 1.0, 0.0, 1.0])
    low = np.where(rng.random(4) < 0.5, 0.0, 1.0)
    domain = {"lower": x - low, "upper": x + np.where(low == 0.0, 1.0, 0.0)}
    talk, found = checked(to_whole_numbers, x, 10.0**power, w, **domain)
    unread, points = asked_farther(talk, found)
    assert (points >= talk.around.lower).all()
    assert (points <= talk.around.upper).all()
    assert miss(found, w) <= max(found.bound[0], unread[0])


def test_refused_points_leave_no_bound():
    """Where a point farther out gets no answer, nothing is known of what is unread."""
    w, x = np.array([1.0, 0.0]), np.array([NO_DECIMAL, 3.0])
    talk, found = checked(as_is, x, 1e-6, w)
    honest = talk.service
    talk.service = lambda X: np.where(X[:, 1] > x[1] + WIDE / 2, np.nan, honest(X))
    unread, _ = asked_farther(talk, found)
    assert unread[0] == np.inf


def test_nothing_is_asked_where_nothing_was_judged():
    """Without a log-odds that counts there is no suspect."""
    talk, found = checked(as_is, np.ones(2), 1e-6, np.array([1.0, 0.0]))
    unread, points = asked_farther(talk, replace(found, frozen=np.array([True])))
    assert unread.tolist() == [0.0]
    assert len(points) == 0


def test_what_is_unread_is_bounded_as_surely_as_the_rest():
    """A smaller share of alpha makes it wider, in the same proportion."""
    talk, found = checked(in_32_bits, np.array([0.0, 1.0]), 1e-9, np.ones(2))
    unread, _ = asked_farther(talk, found, alpha=0.1)
    wider, _ = asked_farther(talk, found, alpha=0.001)
    bound, surer = (replace(found, alpha=alpha).bound[0] for alpha in (0.1, 0.001))
    assert wider[0] / unread[0] == pytest.approx(surer / bound)


# --- Who shows how inputs are read --------------------------------------------------


@pytest.mark.parametrize(("decimals", "proved"), [(2, False), (5, True)])
def test_only_weights_that_stand_out_prove_anything(decimals, proved):
    """Where answers are too coarse to show rounded inputs, they might be rounded."""
    w, x = np.array([3.0, 0.0]), np.full(2, NO_DECIMAL)
    talk = Interview(
        lambda X: np.round((X - x) @ w, decimals), x, domain=Domain(scale=1.0)
    )
    found = talk.check(talk.fit(1e-2), 1e-2)
    talk.asked.clear()
    _, points = asked_farther(talk, found)
    assert bool(len(points)) is not proved


@pytest.mark.parametrize(("witness", "proved"), [(0.1, False), (100.0, True)])
def test_larger_values_may_be_read_less_finely(witness, proved):
    """One that keeps digits reads small values finely and large ones may round."""
    x, w = NO_DECIMAL * np.array([witness, 10.0 / witness]), np.array([1.0, 0.0])
    talk = Interview(lambda X: np.round((X - x) @ w, 5), x, domain=Domain(scale=1.0))
    found = talk.check(talk.fit(1e-2), 1e-2)
    talk.asked.clear()
    _, points = asked_farther(talk, found)
    assert bool(len(points)) is not proved


def test_what_rounding_may_have_hidden_proves_nothing():
    """Residuals of zero are no evidence where answers hide as much as a weight does."""
    talk, found = checked(as_is, np.full(2, NO_DECIMAL), 1e-3, np.array([1.0, 0.0]))
    exact = replace(found, residuals=np.zeros_like(found.residuals))
    _, points = asked_farther(talk, exact)
    assert len(points) == 0
    hidden = np.full_like(found.noise, np.abs(found.V).max() / 4.0)
    _, points = asked_farther(talk, replace(exact, noise=hidden))
    assert len(points) > 0


@pytest.mark.parametrize("seed", range(10))
def test_a_feature_at_its_mean_does_not_speak_for_others(seed):
    """Where features are shifted before they are cast, one of them is read finely."""
    rng = np.random.default_rng(seed)
    mean, w = rng.uniform(1.0, 5.0, 4), rng.choice([-1.0, 1.0], 4)
    x = mean + rng.standard_normal(4).astype(np.float32)
    x[0] = mean[0]

    def service(X):
        return 1.0 + (X - mean).astype(np.float32).astype(float) @ w

    talk = Interview(service, x, domain=Domain(scale=1.0))
    found = talk.check(talk.fit(1e-9), 1e-9)
    assert isinstance(found, Checked)
    assert miss(found, w) > found.bound[0]
    unread, _ = asked_farther(talk, found)
    assert miss(found, w) <= unread[0]


def test_points_that_are_rounded_already_prove_nothing():
    """Multiples of 1/4 do not show that decimals are cut off after the second."""
    x, w = np.array([3e6, 1.0]), np.array([1e-6, 1.0])
    talk = Interview(lambda X: (np.round(X, 2) - x) @ w, x)
    X = np.vstack([x, np.pi * x])  # neither column has decimals to go by
    talk.around = Domain().resolve(X).around(x)
    assert talk.around.grain.max() < 1e-6
    found = talk.check(talk.fit(1e-3), 1e-3)
    assert isinstance(found, Checked)
    assert found.box.quantum[0] == 0.25
    assert miss(found, w) > 1e3 * found.bound[0]
    talk.asked.clear()
    unread, _ = asked_farther(talk, found)
    assert miss(found, w) <= unread[0]


# --- Logits that stand still --------------------------------------------------------


def two_rivals(third, kind=Response.LOGITS, r=1e-3):
    """A service whose last score is a function of the features, checked at r."""
    x = np.array([0.3, 0.7])

    def service(X):
        return np.column_stack([X[:, 0], X[:, 1], third(X)]) - 3.0

    talk = Interview(service, x, kind, rivals=(1, 2), domain=Domain(scale=1.0))
    found = talk.check(talk.fit(r), r)
    talk.asked.clear()
    return talk, found


def looked_at(talk, found):
    """What was checked, once scores that stand still were followed."""
    return talk.run(constant_scores_are_real(talk.inquiry, talk.pairs(), found))


def test_a_constant_logit_is_real():
    """A logit that does not move a thousand times farther out either is constant."""
    talk, found = two_rivals(lambda X: np.full(len(X), 0.25))
    assert found.frozen.tolist() == [False, True]
    assert not looked_at(talk, found).frozen.any()
    pairs = talk.calls(Purpose.PAIR)
    assert len(pairs) == LOOKS
    reach = max(np.abs(points - talk.around.x).max() for points in pairs)
    assert 0.3 * FARTHEST * 1e-3 < reach <= 1.001 * FARTHEST * 1e-3


def test_a_rounded_logit_is_not_constant():
    """One that moves farther out has only been too coarse to move in the box."""
    talk, found = two_rivals(lambda X: np.round(X[:, 1], 1))
    assert found.frozen.tolist() == [False, True]
    assert looked_at(talk, found).frozen.tolist() == [False, True]


def test_a_logit_that_moved_before_is_not_constant():
    """What was seen of it on the way to the box counts as well."""
    talk, found = two_rivals(lambda X: np.full(len(X), 0.25))
    talk.inquiry.hear(np.array([[-2.7, -2.3, 0.5]]))
    assert looked_at(talk, found).frozen.tolist() == [False, True]


def test_tiny_boxes_are_left_by_a_usual_first_step():
    """After a tiny box a logit is followed as far as a search begins, at least."""
    talk, found = two_rivals(lambda X: np.round(X[:, 1], 2), r=1e-7)
    assert looked_at(talk, found).frozen.tolist() == [False, True]
    reach = np.abs(talk.points - talk.around.x).max()
    assert reach > 0.3 * FIRST / 2**0.5


def test_a_constant_probability_is_never_real():
    """It may be clipped: without a question it stays frozen."""
    talk, found = two_rivals(
        lambda X: np.full(len(X), 0.25), Response.LOG_PROBABILITIES
    )
    assert found.frozen.tolist() == [False, True]
    assert looked_at(talk, found) is found
    assert talk.asked == []


def test_where_all_scores_move_no_one_is_asked():
    """Without a score that stands still there is nothing to follow."""
    talk, found = two_rivals(lambda X: X[:, 1])
    assert looked_at(talk, found) is found
    assert talk.asked == []
