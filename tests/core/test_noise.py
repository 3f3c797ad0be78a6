"""Noise is measured where answers ought to agree, and nothing else is taken for it."""

import numpy as np
import pytest

import problems as zoo
from facetwise.core.domain import Domain
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Purpose
from facetwise.core.noise import (
    DOUBTFUL,
    MOST_MEASURED,
    REPEATED,
    REPEATS,
    may_be_noise,
    measure_repeats,
    measure_scatter,
)
from facetwise.core.response import LogOdds, Response
from interview import Interview, linear

EPS = 2.0**-52


def scatter(service, x, seed=0, domain=None):
    """The scatter that is measured, and the interview that it took."""
    talk = Interview(service, x, domain=domain, seed=seed)
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    return talk.inquiry.scatter, talk


def affine(seed, d=6, low=0.5, high=1.0):
    """An affine service with one output, between 1 and 2 at its instance."""
    rng = np.random.default_rng(seed)
    w, x = linear(rng, d)[0][:, 0], rng.uniform(low, high, d)
    base = 1.5 - w @ x
    return lambda X: X @ w + base, x, rng


@pytest.mark.parametrize("size", [1e-13, 1e-9, 1e-4])
def test_known_noise_is_measured(size):
    """Noise of a known size is found to within a factor of three, typically."""
    found = []
    for seed in range(20):
        service, x, rng = affine(seed)

        def noisy(X, service=service, rng=rng):
            return service(X) + size * rng.standard_normal(len(X))

        found.append(scatter(noisy, x, seed)[0] * EPS)
    assert size / 3 < np.median(found) < 3 * size
    assert size / 100 < min(found)
    assert max(found) < 10 * size


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("low", "high"), [(0.5, 1.0), (-1e6, 1e6), (-1e-6, 1e-6)])
def test_arithmetic_hardly_scatters(low, high, seed):
    """An exact service in 64 bits scatters by a few steps, and never by less than 1."""
    service, x, _ = affine(seed, 6, low, high)
    found, _ = scatter(service, x, seed)
    assert 1.0 <= found <= 8.0 * max(1.0, np.abs(x).max())


@pytest.mark.parametrize("slope", [1.0, 1e3, 1e6])
def test_a_slope_is_no_noise(slope):
    """However steep an affine service is, its trend cancels in a pair."""
    service, x, _ = affine(0)
    steep = zoo.Linear(slope * np.ones((1, 6)), np.zeros(1))
    exact, _ = scatter(lambda X: steep.logits(X - x) + 1.5, x)
    assert exact <= 8.0 * slope
    found, _ = scatter(service, x)
    assert found <= 8.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("side", ["lower", "upper", "both"])
def test_a_slope_at_a_limit_is_no_noise(side, seed):
    """Where points cannot go to both sides of the instance, a trend still cancels."""
    service, x, _ = affine(seed)
    lower = x - (seed % 2) * 2.0**-50 if side != "upper" else None
    upper = x if side == "upper" else (x + 0.5 if side == "both" else None)
    found, talk = scatter(service, x, seed, Domain(lower=lower, upper=upper))
    assert found <= 8.0
    assert (talk.points >= talk.around.lower).all()
    assert (talk.points <= talk.around.upper).all()


def test_points_are_next_to_the_instance():
    """Noise is measured within some hundred of the features' last digits."""
    service, x, _ = affine(1)
    _, talk = scatter(service, x)
    (points,) = talk.calls(Purpose.NOISE)
    steps = np.abs(points - x) / EPS
    assert len(points) == 8
    assert steps.min() > 0
    assert 100 < steps.max() < 1000


def test_a_piece_that_holds_the_instance_alone_is_no_noise():
    """A service that answers one point otherwise than all around it has no noise."""
    service, x, _ = affine(2)

    def alone(X):
        return service(X) + 1e-3 * (x == X).all(axis=1)

    assert scatter(alone, x)[0] <= 8.0


def test_a_boundary_beyond_the_closest_pairs_is_not_all_noise():
    """A jump a few digits away counts for no more than repeats of arithmetic may."""
    service, x, _ = affine(3, d=1)

    def jumping(X):
        return service(X) + 1e3 * (X[:, 0] > x[0] + 120 * EPS)

    found = [scatter(jumping, x, seed)[0] for seed in range(10)]
    assert max(found) <= REPEATS * 8.0
    assert max(found) > 8.0


def test_noise_far_from_zero_is_that_of_32_bits():
    """A service that casts its inputs is measured in steps that it can see."""
    rng = np.random.default_rng(4)
    x = rng.uniform(0.5, 1, 6).astype(np.float32).astype(float)
    honest, _, _ = affine(4)
    noise = np.random.default_rng(5)

    def casting(X):
        X = X.astype(np.float32).astype(float)
        if (x == X).all():
            return honest(X)
        return honest(X) + 1e-9 * noise.standard_normal(len(X))

    talk = Interview(casting, x)
    talk.run(talk.pairs().along(0.1))  # shows that answers have all digits
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    close, far = talk.calls(Purpose.NOISE)
    assert (close.astype(np.float32) == x.astype(np.float32)).all()
    assert (far.astype(np.float32) != x.astype(np.float32)).all()
    assert np.array_equal(far, far.astype(np.float32))
    assert 1e-11 < talk.inquiry.scatter * EPS < 1e-8
    assert talk.inquiry.measured == 1


def test_rounded_answers_that_stand_still_end_it():
    """Where answers are rounded, equal ones say nothing of how inputs are read."""
    service, x, _ = affine(5)
    # A number such as 1.5 may be one of 32 bits as well; 1.537 is not.
    found, talk = scatter(lambda X: np.round(service(X) + 0.037, 3), x)
    assert len(talk.asked) == 1
    assert found == 1.0


def test_a_quiet_measurement_takes_nothing_back():
    """Scatter that was seen once stays, whatever later measurements show."""
    service, x, _ = affine(6)
    talk = Interview(service, x)
    talk.inquiry.scatter = 500.0
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    talk.run(measure_repeats(talk.inquiry, talk.around))
    assert talk.inquiry.scatter == 500.0


def test_refusals_are_no_noise():
    """Rows without an answer are left out of the measurement."""
    service, x, rng = affine(7)

    def losing(X):
        y = service(X) + 1e-9 * rng.standard_normal(len(X))
        return y if len(X) == 1 else np.where(np.arange(len(X)) == 2, np.nan, y)

    found, _ = scatter(losing, x)
    assert np.isfinite(found)
    assert 1e-11 < found * EPS < 1e-7


@pytest.mark.parametrize("size", [1e-12, 1e-6])
def test_answers_that_depend_on_the_call_are_measured(size):
    """A service that is off by another number in each call is found to be so."""
    found = []
    for seed in range(20):
        service, x, rng = affine(seed)

        def batchwise(X, service=service, rng=rng):
            return service(X) + size * rng.standard_normal()

        talk = Interview(batchwise, x)
        talk.run(measure_repeats(talk.inquiry, talk.around))
        assert [len(p) for p in talk.calls(Purpose.NOISE)] == [1] * REPEATED
        assert (talk.points == x).all()
        found.append(talk.inquiry.scatter * EPS)
    assert size / 3 < np.median(found) < 3 * size


def test_noise_within_a_call_alone_is_not_seen_in_repeats():
    """Where only the place in a batch matters, single rows repeat themselves."""
    service, x, _ = affine(8)
    talk = Interview(lambda X: service(X) + 1e-9 * np.arange(len(X)), x)
    talk.run(measure_repeats(talk.inquiry, talk.around))
    assert talk.inquiry.scatter == 1.0
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    assert talk.inquiry.scatter > 1e5


def test_the_worst_column_counts():
    """Noise in one of several outputs is noise of the service."""
    service, x, rng = affine(9)

    def third_is_noisy(X):
        y = np.repeat(service(X)[:, None], 3, axis=1)
        y[:, 2] += 1e-8 * rng.standard_normal(len(X))
        return y

    def found(*rivals):
        talk = Interview(third_is_noisy, x, Response.LOGITS, rivals=rivals)
        talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
        return talk.inquiry.scatter

    assert found(1) <= 8.0
    assert min(found(1, 2), found(2, 1), found(2)) > 1e5


def test_a_saturated_column_hides_no_noise():
    """Beside a rival that scores 0, noise of the others is measured."""
    rng = np.random.default_rng(11)

    def one_is_rare(X):
        p = np.column_stack([X[:, 0], 1.0 - X[:, 0], 0 * X[:, 0]])
        return p * np.exp(1e-9 * rng.standard_normal(p.shape))

    talk = Interview(
        one_is_rare, np.array([0.3]), Response.PROBABILITIES, rivals=(2, 1)
    )
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    assert 1e4 < talk.inquiry.scatter < 1e9


def test_a_domain_of_a_few_numbers_is_not_left():
    """Where limits leave less room than the pairs would take, they take what there is.

    Only pairs of a service that reads 32 bits are wide enough for that.
    """
    x = np.array([0.75])
    talk = Interview(
        lambda X: np.exp(X.astype(np.float32).astype(float)),
        x,
        domain=Domain(x - 2.0**-19, x + 2.0**-18, scale=0.25),
    )
    ends = np.vstack([talk.around.lower, talk.around.upper])
    talk.run(talk.inquiry.ask(ends, Purpose.PAIR))
    talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    assert len(talk.calls(Purpose.NOISE)) == 2
    assert (talk.points >= talk.around.lower).all()
    assert (talk.points <= talk.around.upper).all()


@pytest.mark.parametrize(
    ("excess", "measured", "expected"),
    [
        (1.5, 0, True),
        (0.99 * DOUBTFUL, MOST_MEASURED - 1, True),
        (0.99 * DOUBTFUL, MOST_MEASURED, False),
        (DOUBTFUL, 0, False),
        (np.inf, 0, False),
        (np.nan, 0, False),
    ],
)
def test_noise_is_suspected_of_small_misses_alone(excess, measured, expected):
    """A miss by many tolerances is none, and so is one that was measured enough."""
    asking = Inquiry(LogOdds(Response.REGRESSION, 0, ()), np.ones(1), np.ones(1, bool))
    asking.measured = measured
    assert may_be_noise(asking, excess) is expected


def test_measurements_are_counted():
    """Each measurement counts, so that no instance is measured without end."""
    service, x, rng = affine(10)
    talk = Interview(lambda X: service(X) + 1e-9 * rng.standard_normal(len(X)), x)
    for _ in range(MOST_MEASURED):
        assert may_be_noise(talk.inquiry, 2.0)
        talk.run(measure_scatter(talk.inquiry, talk.around, talk.rng))
    assert not may_be_noise(talk.inquiry, 2.0)
