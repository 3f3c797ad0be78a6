"""Noise is no change, and a change is no noise."""

import numpy as np
import pytest

from facetwise.endpoints.sameness import Sameness
from fake_endpoints import network

X = np.random.default_rng(0).standard_normal((40, 4))
Y = network(0)(X)
NEXT = network(0)(X * (1 + 1e-3))


def seen(y, **settings):
    """What knows the digits of some answers."""
    sameness = Sameness(**settings)
    sameness.see(y)
    return sameness


def single(y):
    """Answers of a 32-bit service."""
    return y.astype(np.float32).astype(float)


def in_a_batch(y, size=4e-7):
    """The same answers as they come in another batch."""
    return y + np.random.default_rng(1).uniform(-size, size, y.shape) * y


SATURATED = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize("made", [Sameness, lambda: seen(SATURATED)])
@pytest.mark.parametrize(
    "other", [Y[:2], Y[:2].round(3), SATURATED[::-1], single(Y[:2]), SATURATED + 0.1]
)
def test_answers_without_digits_are_no_excuse(made, other):
    """Scores at 0 and 1 lie on a coarse grid, which hides no other model."""
    assert made().agree(SATURATED, SATURATED.copy())
    assert not made().agree(SATURATED, other)


def test_equal_answers_are_the_same():
    """The same numbers agree, before anything was learnt too."""
    assert Sameness().agree(Y, Y)
    assert seen(Y).agree(Y, Y)


@pytest.mark.parametrize("digits", [np.copy, single, lambda y: y.round(4)])
def test_another_model_is_seen(digits):
    """A model that is a little different is told at all digits that services have."""
    assert not seen(digits(Y)).agree(digits(Y), digits(NEXT))


def test_noise_of_batches_is_no_change():
    """What 32-bit services were seen to do in another batch is allowed for."""
    assert seen(single(Y)).agree(single(Y), single(in_a_batch(Y)))


def test_last_digits_of_64_bits_are_no_change():
    """Nor is what 64-bit services do."""
    assert seen(Y).agree(Y, in_a_batch(Y, 8e-16))


def test_a_step_of_rounding_is_no_change():
    """A score that is rounded the other way is the same, and two steps are not."""
    y = Y.round(3)
    assert seen(y).agree(y, y + 1e-3)
    assert not seen(y).agree(y, y + 4e-3)


def test_arithmetic_behind_the_digits_is_learnt():
    """64-bit answers that repeat only to 32 bits are judged in those from then on."""
    noisy, sameness = in_a_batch(Y), seen(Y)
    assert not sameness.agree(Y, noisy)
    sameness.learn(Y, noisy)
    assert sameness.agree(Y, noisy)
    assert not sameness.agree(Y, NEXT)
    assert seen(Y, single=True).agree(Y, noisy)


def test_randomness_is_not_learnt():
    """Answers that no arithmetic explains stay different, however often they come."""
    noisy, sameness = in_a_batch(Y, 1e-2), seen(Y)
    for _ in range(5):
        sameness.learn(Y, noisy)
    assert not sameness.agree(Y, noisy)


def test_small_scores_are_compared_among_themselves():
    """A model is told from another by what it thinks of unlikely classes."""
    y = np.array([[1.0 - 1e-9, 1e-9]])
    other = np.array([[1.0 - 1e-9, 2e-9]])
    assert not seen(np.vstack([y, Y[:, :2]])).agree(y, other)


def test_small_logits_are_not():
    """A logit near 0 may be what is left of large numbers, and has their noise."""
    z = single(np.array([[30.0, 1e-7], [-20.0, 3.0]]))
    near = z + np.array([[0.0, 2e-6], [0.0, 0.0]])
    assert seen(z).agree(z, single(near))
    assert not seen(z).agree(z, single(z + 0.5))


def test_refused_twice_is_the_same():
    """A row without an answer agrees with itself, and with no answer."""
    y = Y.copy()
    y[3] = np.nan
    assert seen(y).agree(y, y.copy())
    assert not seen(y).agree(y, Y)
    nothing = np.full((2, 3), np.nan)
    assert seen(nothing).agree(nothing, nothing)


def test_another_width_is_another_model():
    """Answers that cannot be compared are not the same."""
    assert not seen(Y).agree(Y, Y[:, :2])
