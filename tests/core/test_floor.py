"""The digits of the answers are told from the answers, and bound their rounding."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from facetwise.core.floor import MOST_DECIMALS, MOST_DIGITS, Grid

SEEDS = st.integers(0, 2**32 - 1)


def probabilities(seed=0, n=50):
    """Scores (n, 3) of all sizes from 1e-3 up, rows summing to 1."""
    rng = np.random.default_rng(seed)
    weights = np.exp(rng.uniform(-6, 0, (n, 3)))
    return weights / weights.sum(axis=1, keepdims=True)


def rounded_to_digits(y, digits):
    """Each number with that many significant digits, as text has it."""
    return np.array([float(f"{v:.{digits - 1}e}") for v in y.ravel()]).reshape(y.shape)


def half_step(scores):
    """What a grid that has seen the scores says of them."""
    return Grid().seen(scores).half_step(scores)


def same(one, other):
    """Whether two grids say the same of every class."""
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in dataclasses.fields(Grid)
    )


def bounds(scores, meant):
    """Whether the half step covers what rounding did."""
    moved, half = np.abs(scores - meant), half_step(scores)
    # The grid itself is in binary numbers, exact to their last digit only.
    return bool((moved <= half + np.spacing(np.abs(scores))).all())


def test_64_bits():
    """Answers with all their digits are on no grid but that of 64-bit numbers."""
    grid = Grid().seen(probabilities())
    assert grid.finest
    assert str(grid) == "64-bit"


def test_32_bits():
    """Answers in 32 bits are known for it, whatever type they come in."""
    y = probabilities().astype(np.float32).astype(np.float64)
    grid = Grid().seen(y)
    assert str(grid) == "32-bit"
    assert not grid.finest
    assert bounds(y, probabilities())


@pytest.mark.parametrize("decimals", range(3, MOST_DECIMALS + 1))
def test_decimals(decimals):
    """Fixed decimals are counted right, and half of the last one is the half step."""
    y = np.round(probabilities(), decimals)
    grid = Grid().seen(y)
    assert grid.decimals == decimals
    assert str(grid) == f"{decimals} decimals"
    assert np.allclose(grid.half_step(y), 0.5 * 10.0**-decimals, atol=0.0)
    assert bounds(y, probabilities())


@pytest.mark.parametrize("digits", range(3, MOST_DIGITS + 1))
def test_significant_digits(digits):
    """Significant digits are counted right over scores of all sizes."""
    y = rounded_to_digits(probabilities(), digits)
    grid = Grid().seen(y)
    assert grid.digits == digits
    assert bounds(y, probabilities())


@pytest.mark.parametrize("digits", range(3, MOST_DIGITS + 1))
def test_significant_digits_of_small_scores(digits):
    """Scores too small for any fixed decimals leave significant digits alone."""
    y = rounded_to_digits(1e-9 * probabilities(), digits)
    grid = Grid().seen(y)
    assert str(grid) == f"{digits} significant digits"
    assert bounds(y, 1e-9 * probabilities())


@pytest.mark.parametrize("decimals", range(3, 7))
def test_decimals_that_went_through_32_bits(decimals):
    """Decimals that were cast to 32 bits are still decimals, and both are counted."""
    y = np.round(probabilities(), decimals).astype(np.float32).astype(np.float64)
    grid = Grid().seen(y)
    assert grid.decimals == decimals
    assert grid.single
    many = probabilities(n=5000)
    y = np.round(many, decimals).astype(np.float32).astype(np.float64)
    assert bounds(y, many)


@pytest.mark.parametrize("digits", range(3, 7))
def test_digits_that_went_through_32_bits(digits):
    """The same holds for significant digits."""
    many = probabilities(n=5000)
    y = rounded_to_digits(many, digits).astype(np.float32).astype(np.float64)
    assert Grid().seen(y).digits == digits
    assert bounds(y, many)


def in_32_bits(y, places):
    """32-bit numbers."""
    return y.astype(np.float32).astype(np.float64)


GRIDS = {
    "decimals": np.round,
    "digits": rounded_to_digits,
    "32-bit": in_32_bits,
    "decimals in 32 bits": lambda y, k: in_32_bits(np.round(y, min(k, 6)), k),
    "digits in 32 bits": lambda y, k: in_32_bits(rounded_to_digits(y, min(k, 6)), k),
}


@pytest.mark.parametrize("rounded", GRIDS.values(), ids=GRIDS)
@given(seed=SEEDS, places=st.integers(1, 9), size=st.integers(-3, 3))
@example(seed=2, places=6, size=2)  # decimals that 32 bits nearly hide
def test_never_too_fine(rounded, seed, places, size):
    """However few answers, of whatever size: the half step covers the rounding."""
    rng = np.random.default_rng(seed)
    meant = 10.0**size * rng.standard_normal((rng.integers(1, 20), 2))
    assert bounds(rounded(meant, places), meant)


@given(seed=SEEDS, places=st.integers(1, 9))
def test_more_answers_only_refine(seed, places):
    """Answers in portions lead to the grid of all together, never to a coarser one."""
    y = np.round(probabilities(seed), places)
    grid, coarser = Grid(), np.full((1, 3), np.inf)
    for part in np.split(y, 5):
        grid = grid.seen(part)
        assert (grid.half_step(y[:1]) <= coarser).all()
        coarser = grid.half_step(y[:1])
    assert same(grid, Grid().seen(y))


def test_each_class_has_a_grid_of_its_own():
    """A class of few digits neither hides nor takes the digits of the others."""
    full = probabilities()
    y = np.column_stack(
        [full[:, 0], np.round(full[:, 1], 3), in_32_bits(full, 0)[:, 2]]
    )
    together = half_step(y)
    for k in range(3):
        assert np.array_equal(together[:, [k]], half_step(y[:, [k]]))
    assert (together[:, 0] < together[:, 2]).all()
    assert (together[:, 2] < together[:, 1]).all()


def test_a_class_that_never_moved_has_the_digits_of_the_others():
    """A score of 1.0 in every row tells nothing of its digits; once moved, it does."""
    y = in_32_bits(1e-9 * probabilities(), 0)
    y[:, 0] = 1.0
    half = half_step(y)[:, 0]
    assert ((half >= 2.0**-24) & (half <= 2.0**-23)).all()
    y[-1, 0] = 0.5
    assert (half_step(y)[:, 0] >= 0.05).all()


def test_too_few_answers_are_coarse():
    """A single round number might come from the coarsest grid, and is taken so."""
    assert np.allclose(half_step(np.array([[0.5, 0.5]])), 0.05)


def test_powers_of_ten_keep_their_digits():
    """1000 has no fewer digits than 999, although its logarithm is a whole number."""
    y = rounded_to_digits(1e-9 * probabilities(), 4)
    powers = np.tile(10.0 ** np.arange(-12, 4)[:, None], 3)
    half = Grid().seen(y).half_step(powers)
    assert np.allclose(half, 0.5e-3 * powers, rtol=1e-4, atol=0.0)


def test_an_infinite_score_says_nothing_of_its_class():
    """It fits every grid, and the other classes of its row count as they are."""
    y = np.round(probabilities(), 3)
    spoilt = y.copy()
    spoilt[1::2, 0] = -np.inf
    spoilt[2::4, 0] = np.nan
    half = Grid().seen(spoilt).half_step(y)
    assert np.array_equal(half, Grid().seen(y).half_step(y))
    never = np.column_stack([np.full(len(y), -np.inf), y[:, 1:]])
    grid = Grid().seen(never)
    assert (grid.places[0], grid.significant[0]) == (0, 1)
    assert np.array_equal(grid.half_step(y)[:, 1:], half[:, 1:])


def test_zeros_say_nothing_of_digits():
    """Scores of exactly 0 and 1 fit the coarsest grid."""
    grid = Grid().seen(np.array([[0.0, 1.0, 0.0]]))
    assert (grid.decimals, grid.digits) == (0, 1)
    assert np.isfinite(grid.half_step(np.zeros((1, 3)))).all()
