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


def asked_farther(talk, found, seed=2):
    """What is to be added to the bound, and the points that it took."""
    rng = np.random.default_rng(seed)
    unread = talk.run(weights_unread(talk.inquiry, talk.around, found, rng))
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
    """Rounded features seem to weigh nothing; with what is added their weights fit."""
    rng = np.random.default_rng(seed)
    w = rng.choice([-1.0, 1.0], 6) * rng.uniform(0.5, 2.0, 6)
    x = np.where(np.arange(6) % 2 == 0, 0.0, read(np.array(value)))
    talk, found = checked(read, x, r, w)
    assert np.abs(found.V[1::2, 0]).max() <= found.bound[0]
    assert miss(found, w) > 1e3 * found.bound[0]
    unread, _ = asked_farther(talk, found, seed)
    assert miss(found, w) <= found.bound[0] + unread[0]
    assert unread[0] < 100.0 * miss(found, w)


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-12])
def test_so_many_are_asked_that_some_are_not_rounded_back(alpha):
    """Half of the points may round to the value itself, but all of them by no chance.

    A whole number is moved by no more than 1, and a yes or no by nothing else.
    """
    talk, found = checked(to_whole_numbers, np.array([0.0, 3.0]), 1e-2, np.ones(2))
    found = replace(found, alpha=alpha)
    _, points = asked_farther(talk, found)
    assert 0.5 ** len(points) <= alpha


@pytest.mark.parametrize("seed", [12697, 15421, 16581, 19663])
def test_a_dozen_points_that_round_back_do_not_fool_it(seed):
    """With these seeds the first twelve points all round to the value itself."""
    x, w = np.array([NO_DECIMAL, 3.0]), np.array([1.0, 2.0])

    def read(X):
        return np.column_stack([X[:, 0], np.round(X[:, 1])])

    talk, found = checked(read, x, 1e-2, w)
    unread, points = asked_farther(talk, found, seed)
    assert (np.round(points[:12, 1]) == 3.0).all()
    assert miss(found, w) <= found.bound[0] + unread[0]


def test_features_that_are_read_are_not_asked_about():
    """Where every weight stands out of the bound no question is asked."""
    talk, found = checked(as_is, np.ones(4), 1e-4, np.array([1.0, -2.0, 0.5, 3.0]))
    unread, points = asked_farther(talk, found)
    assert unread.tolist() == [0.0]
    assert len(points) == 0


@pytest.mark.parametrize("r", [2.0**-4, 2.0**-9, 1e-8])
def test_weights_of_zero_cost_next_to_nothing(r):
    """A feature that has no weight is moved, and is not given a wide bound for it.

    In a box as wide as services round it has moved enough already.
    """
    w = np.array([1.0, 0.0, 2.0, 0.0])
    talk, found = checked(as_is, np.full(4, NO_DECIMAL), r, w)
    unread, points = asked_farther(talk, found)
    assert unread[0] <= found.bound[0]
    assert bool(len(points)) is (r < WIDE)


def test_only_suspects_are_moved():
    """Features whose weights are known stay where they are, the others move alone."""
    w = np.array([1.0, 0.0, 2.0, 0.0])
    x = NO_DECIMAL * np.array([1.0, 2.0, 3.0, 4.0])
    talk, found = checked(as_is, x, 1e-6, w)
    _, points = asked_farther(talk, found)
    assert (points[:, ::2] == found.box.centre[::2]).all()
    for j in (1, 3):
        step = np.abs(points[:, j] - x[j])
        assert 0.5 * WIDE * x[j] < step.max() <= 1.001 * WIDE * x[j]
        assert len(np.unique(points[:, j])) == len(points)


def test_small_values_are_moved_by_their_scale():
    """A feature that happens to be near 0 is moved by its typical step."""
    w, x = np.array([1.0, 0.0]), np.array([NO_DECIMAL, 1e-9])
    talk, found = checked(as_is, x, 1e-6, w, scale=[1.0, 50.0])
    _, points = asked_farther(talk, found)
    assert np.abs(points[:, 1]).max() > 0.5 * WIDE * 50.0


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
    x = np.full(3, NO_DECIMAL)

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
    assert (points[:, :2] == found.box.centre[:2]).all()
    assert np.abs(points[:, 2] - NO_DECIMAL).max() > WIDE / 2


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
    assert miss(found, w) <= found.bound[0] + unread[0]


def test_refused_points_leave_no_bound():
    """Where a point farther out gets no answer, nothing is known of what is unread."""
    w, x = np.array([1.0, 0.0]), np.full(2, NO_DECIMAL)
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
    """A smaller share of alpha makes what is added wider, in the same proportion."""
    talk, found = checked(in_32_bits, np.array([0.0, 1.0]), 1e-9, np.ones(2))
    found = replace(found, alpha=0.1)
    unread, _ = asked_farther(talk, found)
    surer = replace(found, alpha=0.001)
    wider, _ = asked_farther(talk, surer)
    assert wider[0] / unread[0] == pytest.approx(surer.bound[0] / found.bound[0])


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
