"""The zoo is what it says: its truths are true, its distances right."""

import numpy as np
import pytest

import problems as zoo

RNG = np.random.default_rng


def slab(rng, tent):
    """A slab of width 0.5 about the origin."""
    base, other = zoo.random_linear(rng, 5, 3), zoo.random_linear(rng, 5, 3)
    axis = np.eye(5)[1]
    if tent:
        return zoo.Slab.tent(base, axis, 0.1, 0.5, np.array([1.0, 2.0, -1.0]))
    return zoo.Slab.step(base, axis, 0.1, 0.5, other)


PIECEWISE = {
    "linear": lambda rng: zoo.random_linear(rng, 5, 3),
    "relu": lambda rng: zoo.random_network(rng, 5, 3, 3, 12),
    "one feature": lambda rng: zoo.random_network(rng, 1, 2, 1, 3),
    "leaky": lambda rng: zoo.random_network(rng, 5, 3, 6, 8, slope=0.1),
    "bias-free": lambda rng: zoo.random_network(rng, 5, 3, 2, 12, bias=False),
    "maxout": lambda rng: zoo.random_maxout(rng, 5, 3, 2, 6, pieces=3),
    "leaves": lambda rng: zoo.random_leaf_models(rng, 5, 3, 4, zeros=0.3),
    "stumps": lambda rng: zoo.random_stumps(rng, 5, 3),
    "step": lambda rng: slab(rng, tent=False),
    "tent": lambda rng: slab(rng, tent=True),
}
SMOOTH = {
    **{
        name: lambda rng, name=name: zoo.random_smooth(rng, 5, 3, 2, 12, name)
        for name in zoo.ACTIVATIONS
    },
    "rbf": lambda rng: zoo.random_rbf(rng, 5, 3),
    "gaussian process": lambda rng: zoo.random_gaussian_process(rng, 5, 3),
}
BOUNDED = [name for name in PIECEWISE if name != "linear"]


def differences(model, x, step):
    """Central differences of the outputs at x."""
    steps = step * np.eye(len(x))
    return (model.logits(x + steps) - model.logits(x - steps)).T / (2 * step)


@pytest.mark.parametrize("make", PIECEWISE.values(), ids=PIECEWISE)
def test_local_piece_is_the_model(make):
    """The piece at x gives the model's outputs there, and its slopes."""
    rng = RNG(0)
    model = make(rng)
    for _ in range(20):
        x = zoo.random_instance(model, rng)
        W, b = model.local(x)
        assert np.allclose(W @ x + b, model.logits(x[None])[0], rtol=0, atol=1e-10)
        assert np.allclose(W, differences(model, x, 1e-7), rtol=0, atol=1e-6)


@pytest.mark.parametrize("make", PIECEWISE.values(), ids=PIECEWISE)
def test_values_are_the_pieces(make):
    """Outputs made with a pattern forced are those of the pattern's piece."""
    rng = RNG(1)
    model = make(rng)
    x = zoo.random_instance(model, rng)
    patterns = model.beside(x, np.full(model.d, 0.5))
    by_piece = [W @ x + b for W, b in map(model.piece, patterns)]
    assert np.allclose(model.values(x, patterns), by_piece, rtol=0, atol=1e-10)


@pytest.mark.parametrize("make", SMOOTH.values(), ids=SMOOTH)
def test_gradient_of_smooth_models(make):
    """The gradient of a smooth model agrees with finite differences."""
    rng = RNG(2)
    model = make(rng)
    x = zoo.random_instance(model, rng)
    assert np.allclose(model.gradient(x), differences(model, x, 1e-5), atol=1e-8)


@pytest.mark.parametrize("distance", [1e-5, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("name", BOUNDED)
def test_near_boundary_is_at_the_distance(name, distance):
    """The piece changes on a sphere a little larger than the distance, not within."""
    for seed in range(5):
        rng = RNG(seed)
        model = PIECEWISE[name](rng)
        x = zoo.near_boundary(model, rng, distance)
        own = model.patterns(x[None])
        directions = rng.standard_normal((20_000, model.d))
        # Towards the boundary: the difference of some piece beside has its normal.
        tolerance = 3e-15 / distance
        axes = [np.eye(model.d), *normals_beside(model, x, distance)]
        directions = np.vstack([directions, *axes, *(-axis for axis in axes)])
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        far = x + (1.01 + tolerance) * distance * directions
        near = x + (0.99 - tolerance) * distance * directions
        assert (model.patterns(far) != own).any()
        assert (model.patterns(near) == own).all()


def normals_beside(model, x, distance):
    """Directions in which the pieces beside x differ from the one at x."""
    W, _ = model.local(x)
    for V, _ in map(model.piece, model.beside(x, np.full(model.d, 2 * distance))):
        if not np.allclose(V, W):
            yield np.linalg.svd(V - W)[2][:1]


@pytest.mark.parametrize("distance", [0.0, 1e-15])
@pytest.mark.parametrize("name", BOUNDED)
def test_truths_at_a_boundary_have_both_sides(name, distance):
    """Where a continuous model is on a boundary, pieces of both sides are true."""
    rng = RNG(3)
    model = PIECEWISE[name](rng)
    x = zoo.near_boundary(model, rng, distance)
    meets = 10.0 if name in {"leaves", "stumps", "step"} else 1e-12
    found = zoo.truths(model, x, meets, 1e-9, rng)
    own = model.local(x)
    assert np.array_equal(found[0][0], own[0])
    assert len(found) >= 2


def test_truths_of_a_wide_network_are_thorough():
    """The far side is found in 784 features, where random points would miss it."""
    rng = RNG(4)
    network = zoo.random_network(rng, 784, 10, 3, 64)
    for distance in [0.0, 1e-15, 1e-12]:
        x = zoo.near_boundary(network, rng, distance)
        assert len(zoo.truths(network, x, 1e-11, 1e-15, rng)) >= 2


def test_truths_leave_out_what_does_not_meet():
    """A piece across a jump, or a kink farther off than the floor, is not true at x."""
    rng = RNG(5)
    for name in ["leaves", "relu"]:
        model = PIECEWISE[name](rng)
        x = zoo.near_boundary(model, rng, 1e-3)
        assert len(zoo.truths(model, x, 1e-10, 1e-2, rng)) == 1


def test_truths_know_the_shift_that_softmax_ignores():
    """A jump common to all outputs is none in log-odds, but is one for labels."""
    base = zoo.random_linear(RNG(6), 5, 3)
    shifted = zoo.Linear(base.W, base.b + 1)
    model = zoo.Slab.step(base, np.eye(5)[0], 0.0, 1e-3, shifted)
    x = np.zeros(5)
    assert len(zoo.truths(model, x, np.full(2, 1e-9), 1.0, RNG(0))) == 2
    assert len(zoo.truths(model, x, 1e-9, 1.0, RNG(0), reference=None)) == 1


def test_error_is_to_the_nearest_truth():
    """The error is zero for any of the truths, and scaled otherwise."""
    rng = RNG(7)
    pieces = [model.local(np.zeros(4)) for model in [zoo.random_linear(rng, 4, 3)] * 2]
    W = pieces[1][0]
    assert zoo.error(W[1] - (W[0] + W[2]) / 2, pieces, target=1) < 1e-15
    assert zoo.error(W[1] - W[2], pieces, target=1, rival=2) == 0
    off = W[1] - W[2] + np.array([3.0, 0, 0, 4.0])
    scale = np.array([1.0, 1, 1, 0.5])
    assert np.isclose(zoo.error(off, pieces, 1, 2, scale), np.hypot(3, 2))


def test_scores_are_those_of_their_kind():
    """The response kinds agree on the log-odds."""
    rng = RNG(8)
    model = zoo.random_network(rng, 4, 2, 1, 8)
    X = rng.standard_normal((6, 4))
    z = model.logits(X)
    log_odds = z[:, 1] - z[:, 0]
    p = zoo.binary(model)(X)
    y = zoo.probabilities(model)(X)
    assert p.shape == (6,)
    assert np.allclose(np.log(p / (1 - p)), log_odds)
    assert np.allclose(np.log(y[:, 1] / y[:, 0]), log_odds)
    assert np.allclose(np.diff(zoo.log_probabilities(model)(X))[:, 0], log_odds)
    labels = zoo.sigmoid(model)(X)
    assert np.allclose(np.log(labels / (1 - labels)), z)
    assert zoo.regression(zoo.random_linear(rng, 4, 1))(X).shape == (6,)


def test_wrappers_do_what_they_say():
    """Casting, rounding, clipping, noise and NaN act on inputs or scores alone."""
    rng = RNG(9)
    f = zoo.probabilities(zoo.random_network(rng, 4, 3, 1, 8))
    X = rng.standard_normal((6, 4))
    assert np.array_equal(zoo.cast_inputs(f)(X), f(np.float32(X).astype(float)))
    assert np.array_equal(zoo.round_inputs(f, 1)(X), f(np.round(X, 1)))
    assert zoo.clip(f, 0.3)(X).min() == 0.3
    assert zoo.float32_answers(f)(X).dtype == np.float32
    assert zoo.float32_answers(f, widen=True)(X).dtype == np.float64
    assert np.array_equal(zoo.round_answers(f, 2)(X), np.round(f(X), 2))
    assert 0 < np.abs(np.log(zoo.noisy(f, rng, 1e-6)(X) / f(X))).max() < 1e-5
    assert np.isnan(zoo.nan_near(f, X[2], 1e-3)(X)).any(axis=1).tolist() == [
        i == 2 for i in range(6)
    ]


def test_services_that_change_or_break():
    """A service changes, or raises, once it was asked so many rows."""
    X = np.zeros((4, 2))
    f = zoo.Counting(lambda X: np.zeros((len(X), 2)))
    service = zoo.changing(f, lambda X: np.ones((len(X), 2)), after=5)
    assert [service(X).max() for _ in range(3)] == [0, 0, 1]
    assert (f.rows, f.calls) == (8, 2)
    broken = zoo.raising(f, after=1)
    broken(X)
    with pytest.raises(RuntimeError, match="broke down"):
        broken(X)


def test_moved_boundary_is_at_the_distance():
    """A network with a boundary moved has it at that distance of x."""
    rng = RNG(10)
    x = rng.standard_normal(20)
    for distance in [-0.1, 0.0, 1e-9]:
        network = zoo.with_boundary(zoo.random_network(rng, 20, 3, 1, 8), x, distance)
        w, b = network.weights[0][0], network.biases[0][0]
        assert abs((w @ x + b) / np.linalg.norm(w) - distance) < 1e-15


def test_no_boundary_to_be_near():
    """A linear model has no boundary, and that is said."""
    rng = RNG(11)
    with pytest.raises(ValueError, match="no boundary"):
        zoo.near_boundary(zoo.random_linear(rng, 3, 2), rng, 0.1, attempts=3)


@pytest.mark.parametrize("make", zoo.COUNTEREXAMPLES, ids=lambda make: make.__name__)
def test_counterexamples_answer(make):
    """Each counterexample answers finite scores, is repeatable and says its reason."""
    service, x, model, reason = make()
    scores = service(x[None])
    assert scores.shape == (1, model.C)
    assert np.isfinite(scores).all()
    assert np.array_equal(scores, make(0).service(x[None]))
    assert reason == make.__doc__


def cloud(example, radius, n=200, seed=0):
    """Log-odds over a random box about x, and at x."""
    X = example.x + radius * RNG(seed).uniform(-1, 1, (n, len(example.x)))
    y = np.log(example.service(np.vstack([example.x, X])))
    return (y - y[:, :1])[1:], (y - y[:, :1])[0]


def test_coarse_services_answer_alike_nearby():
    """What makes the constant solve: nearby answers are equal, the weights are not."""
    for make, radius in [
        (zoo.constant_that_solves, 1e-9),
        (zoo.rounded_inputs, 1e-4),
        (zoo.one_hot_scores, 1e-9),
        (zoo.flat_and_not, 1e-7),
    ]:
        example = make()
        steps = radius * RNG(0).uniform(-1, 1, (200, len(example.x)))
        scores = example.service(np.vstack([example.x, example.x + steps]))
        # Equal rows may differ in their last digit, by where they are in a batch.
        assert np.ptp(scores, axis=0).max() < 1e-15


def test_cast_freezes_what_is_not_zero():
    """In the box that the boundary allows, only the zeros move the scores."""
    example = zoo.inputs_cast_to_32_bit()
    step = 1e-10 * np.eye(8)
    moved = np.abs(example.service(example.x + step) - example.service(example.x[None]))
    moved = moved.max(axis=1) > 1e-13
    assert moved.tolist() == [True, False] * 4


def test_clip_freezes_a_class():
    """The clipped class scores the same all over a wide box."""
    example = zoo.clipped_scores()
    X = example.x + RNG(0).uniform(-1, 1, (50, 6))
    assert np.ptp(example.service(X)[:, 2]) == 0


def test_slabs_hold_at_x_and_not_around():
    """In the thin slab and on the ridge, x has a value that its surroundings lack."""
    for make in [zoo.thin_slab, zoo.thin_tent]:
        example = make()
        around, own = cloud(example, 1e-3)
        assert (np.abs(around - own)[:, 1:].min(axis=0) > 1e-6).any()
        base = example.model.pieces[0]
        assert not np.allclose(example.model.local(example.x)[0], base.W)


def test_own_value_meets_twice():
    """Two affine functions meet the model at the instance."""
    _, x, model, _ = zoo.piece_through_own_value()
    assert len(zoo.truths(model, x, 1e-12, 1e-3, RNG(0))) == 2


def test_smooth_counterexamples_bend():
    """Curvature is below rounding near x in one, and at its height in the other."""
    for make, radius, bends in [
        (zoo.smooth_steep_far_away, 1e-2, False),
        (zoo.smooth_steep_far_away, 2.0, True),
        (zoo.smooth_like_a_boundary, 1e-6, True),
    ]:
        model, x = make().model, make().x
        step = radius * model.weights[0][-1] / np.linalg.norm(model.weights[0][-1])
        second = model.logits(np.array([x + step, x, x - step])).T @ [1.0, -2.0, 1.0]
        assert (np.abs(second).max() > 1e-10) == bends
