"""Boxes stay inside the domain, and misuse of a domain is named."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from facetwise.core.box import SINGLE_BITS, STEPS_PER_SIDE, spacing
from facetwise.core.domain import Domain
from facetwise.errors import InputError

SEEDS = st.integers(0, 2**32 - 1)
RADII = st.floats(-40, 10).map(lambda e: 2.0**e)


def magnitudes(rng, d, span=6):
    """Numbers of either sign and of very different sizes, a zero among them."""
    x = rng.choice([-1.0, 1.0], size=d) * 10.0 ** rng.uniform(-span, span, d)
    x[rng.random(d) < 0.2] = 0.0
    return x


def limits(rng, x):
    """Limits of x: some apart, some touching it, some infinite."""
    gap = np.abs(magnitudes(rng, 2 * len(x))).reshape(2, -1)
    gap[rng.random(gap.shape) < 0.2] = np.inf
    # A feature with equal limits would be frozen: one side stays open.
    gap[0][(gap == 0).all(axis=0)] = 1.0
    return x - gap[0], x + gap[1]


def corners(rng, d, n=20):
    """Steps (n, d) in half-widths, the corners of the box among them."""
    steps = rng.uniform(-1, 1, (n, d))
    steps[: n // 2] = np.sign(steps[: n // 2])
    return steps


@given(seed=SEEDS, d=st.integers(1, 8), r=RADII)
def test_no_point_leaves_the_domain(seed, d, r):
    """Whatever instance, limits and radius: all of a box is within the limits."""
    rng = np.random.default_rng(seed)
    x = magnitudes(rng, d)
    lower, upper = limits(rng, x)
    around = Domain(lower, upper).resolve(x[None]).around(x)
    assume(len(around.x) and around.resolves(r))
    points = around.box(r).place(corners(rng, len(around.x)))
    assert (points >= around.lower).all()
    assert (points <= around.upper).all()


@given(seed=SEEDS, d=st.integers(1, 8), r=RADII)
def test_no_point_goes_farther_than_the_radius(seed, d, r):
    """All of a box is within r typical steps of the instance, limits or not."""
    rng = np.random.default_rng(seed)
    x, scale = magnitudes(rng, d), np.abs(magnitudes(rng, d)) + 1e-6
    lower, upper = limits(rng, x)
    around = Domain(lower, upper, scale=scale).resolve(x[None]).around(x)
    assume(around.resolves(r))
    points = around.box(r).place(corners(rng, len(around.x)))
    rounding = 2.0**-51 * (np.abs(around.x) + r * around.scale)
    assert (np.abs(points - around.x) <= r * around.scale + rounding).all()


@given(seed=SEEDS, d=st.integers(1, 8), r=RADII)
def test_points_of_a_lattice_are_32_bit_numbers(seed, d, r):
    """A service that casts its inputs to 32 bits changes no point of such a box."""
    rng = np.random.default_rng(seed)
    x = magnitudes(rng, d)
    lower, upper = limits(rng, x)
    around = Domain(lower, upper).resolve(x[None]).around(x)
    box = around.box(r)
    assume(box.quantum is not None)
    points = np.vstack([box.place(corners(rng, len(around.x))), box.centre])
    assert np.array_equal(points, points.astype(np.float32).astype(np.float64))


def test_wide_boxes_are_lattices_and_narrow_ones_are_not():
    """32-bit numbers are used as long as enough of them fit into the box."""
    x = np.array([1.0, -3.0, 1000.0])
    around = Domain().resolve(x[None]).around(x)
    assert around.box(2.0**-4).quantum is not None
    assert around.box(2.0**-20).quantum is None


@given(seed=SEEDS, d=st.integers(1, 8), r=RADII)
def test_steps_round_trip(seed, d, r):
    """The steps of a point are those that it was placed by, to its own rounding."""
    rng = np.random.default_rng(seed)
    x = magnitudes(rng, d)
    around = Domain().resolve(x[None]).around(x)
    assume(around.resolves(r))
    box, steps = around.box(r), corners(rng, d)
    grain = spacing(x, box.half, 53) if box.quantum is None else box.quantum
    assert (
        np.abs(box.steps(box.place(steps)) - steps) <= 1.01 * grain / box.half
    ).all()


@given(seed=SEEDS, d=st.integers(1, 8), r=RADII)
def test_boxes_hold_enough_numbers(seed, d, r):
    """A box that is said to be resolved has 1024 numbers on each side of its centre."""
    rng = np.random.default_rng(seed)
    x = magnitudes(rng, d)
    around = Domain().resolve(x[None]).around(x)
    assume(around.resolves(r))
    box = around.box(r)
    bits = 53 if box.quantum is None else SINGLE_BITS
    assert (box.half >= 0.99 * STEPS_PER_SIDE * spacing(x, box.half, bits)).all()


def test_a_box_at_a_limit_is_cut_there():
    """At its lower limit an instance has a box to one side, half as wide."""
    x = np.array([0.0, 5.0])
    box = Domain(lower=0.0, scale=1.0).resolve(x[None]).around(x).box(0.5)
    assert np.allclose(box.centre, [0.25, 5.0])
    assert np.allclose(box.half, [0.25, 0.5])


def test_scale_comes_from_the_data():
    """By default a feature's typical step is its largest magnitude, and 1 at zero."""
    X = np.array([[1e-6, -3e6, 0.0], [-2e-6, 1e6, 0.0]])
    assert np.array_equal(Domain().resolve(X).scale, [2e-6, 3e6, 1.0])


def test_blurred_zeros_are_zeros():
    """A zero that arithmetic left at 1e-20 is not a feature of that scale."""
    X = np.array([[1.0, 1e-20]])
    assert np.array_equal(Domain().resolve(X).scale, [1.0, 1.0])


@pytest.mark.parametrize(
    "frozen", [[1], [-2], np.array([False, True, False]), (1,), np.array([1])]
)
def test_frozen_features_are_left_out(frozen):
    """Frozen features, named by mask or by index, are not part of any box."""
    x = np.array([1.0, 2.0, 3.0])
    domain = Domain(frozen=frozen).resolve(x[None])
    assert domain.moving.tolist() == [True, False, True]
    assert domain.around(x).x.tolist() == [1.0, 3.0]


def test_equal_limits_freeze():
    """A feature whose limits are equal does not move."""
    domain = Domain(lower=[0, 1], upper=[2, 1]).resolve(np.array([[1.0, 1.0]]))
    assert domain.moving.tolist() == [True, False]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"lower": [0.0, 0.0]}, r"lower.*3.*\(2,\)"),
        ({"upper": [[1.0, 1.0, 1.0]]}, r"upper.*\(1, 3\)"),
        ({"scale": [1.0] * 4}, r"scale.*3.*\(4,\)"),
        ({"lower": [0.0, np.nan, 0.0]}, "lower.*NaN"),
        ({"upper": np.nan}, "upper.*NaN"),
        ({"scale": [1.0, np.nan, 1.0]}, "scale"),
        ({"scale": [1.0, 0.0, 1.0]}, "scale.*above 0.*frozen"),
        ({"scale": -1.0}, "scale.*above 0"),
        ({"scale": np.inf}, "scale.*finite"),
        ({"lower": "low"}, "lower"),
        ({"upper": [0.0, "high", 1.0]}, "upper"),
        ({"scale": {"age": 1.0}}, "scale"),
        (
            {"lower": [2.0, 0.0, 0.0], "upper": [1.0, 9.0, 9.0]},
            "lower.*upper.*feature 0",
        ),
        ({"upper": [9.0, 1.0, 9.0]}, "Row 0.*feature 1 is 2"),
        ({"lower": [0.0, 0.0, 4.0]}, "Row 0.*feature 2 is 3"),
        ({"frozen": [True, False]}, r"frozen.*3.*\(2,\)"),
        ({"frozen": [3]}, "frozen.*0 to 2.*3"),
        ({"frozen": [-4]}, "frozen.*0 to 2.*-4"),
        ({"frozen": [0.5]}, "frozen.*mask or ind"),
        ({"frozen": ["age"]}, "frozen.*mask or ind"),
        ({"frozen": [0, 1, 2]}, "every feature is frozen"),
        ({"frozen": True}, "frozen"),
    ],
)
def test_misuse_is_named(settings, says):
    """What cannot be used is an input error that names the argument and the trouble."""
    with pytest.raises(InputError, match=f"(?s){says}"):
        Domain(**settings).resolve(np.array([[1.0, 2.0, 3.0]]))
