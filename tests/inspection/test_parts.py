"""Each part of an inspection has a sentence for each outcome."""

import numpy as np
import pytest

from facetwise.core.status import Status
from facetwise.endpoints.budget import BudgetError
from facetwise.inspection.inputs import Inputs
from facetwise.inspection.noise import Noise, measure_noise
from facetwise.inspection.outlay import outlay
from facetwise.inspection.shape import Shape
from facetwise.inspection.speed import PATIENCE, Pace, Speed, measure_speed
from facetwise.inspection.trial import Trial
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((10, 4))
ANSWER = network(0)


def trial(answer=ANSWER, most=10_000, seconds=0.5):
    """A trial in which each call takes as long."""
    times = iter(np.arange(0.0, 1e4, seconds))
    return Trial(Fake(answer), lambda X: X, most, clock=lambda: next(times))


def test_a_trial_counts_and_keeps_time():
    """Rows, calls and seconds are those of the calls that were made."""
    asked = trial(most=12)
    timed = asked.timed(X)
    assert (timed.seconds, timed.calls, asked.left) == (0.5, 1, 2)
    with pytest.raises(BudgetError):
        asked.scores(X)


def test_noise_of_a_batch():
    """What depends on the batch shows among others, and is taken for arithmetic."""

    def answer(X):
        return (ANSWER(X) + 3e-8 * (len(X) > 2)).astype(np.float32)

    noise = measure_noise(trial(answer), X, answer(X))
    assert noise.alone == noise.twice == noise.again == 0.0
    assert 0.0 < noise.among_others < 1e-6
    assert noise.repeatable
    assert "arithmetic; cert" in noise.sentences[1]


def test_noise_of_one_row():
    """A row that comes alone is put beside copies of itself."""
    noise = measure_noise(trial(), X[:1], ANSWER(X[:1]))
    assert noise == Noise(0.0, 0.0, 0.0, 0.0, True)


def test_speed_of_a_slow_service():
    """Sizes that would take too long are left out."""
    slow = measure_speed(trial(seconds=PATIENCE / 50.0), X)
    assert [pace.rows for pace in slow.paces] == [1]
    quick = measure_speed(trial(seconds=0.01), X)
    assert quick.rows_a_second == pytest.approx(100_000)
    assert quick.latency == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([Status.CERTIFIED, Status.SMOOTH], True),
        ([Status.PARTLY_CERTIFIED], True),
        ([Status.SMOOTH, Status.TOO_COARSE], False),
        ([Status.TOO_COARSE], None),
        ([Status.PIECEWISE_CONSTANT], None),
    ],
)
def test_shapes(statuses, verdict):
    """One certified row shows linear pieces, and a smooth one without any does not."""
    shape = Shape(tuple(statuses), 30.0)
    assert shape.piecewise_linear is verdict
    assert len(shape.sentences) == 1 + sum("ERTIFIED" not in s.name for s in statuses)


@pytest.mark.parametrize("refused", [(), ("a",)])
@pytest.mark.parametrize("rounded", [(), ("b",)])
def test_inputs_name_their_features(refused, rounded):
    """A feature is named once, and a step is advised where one is needed."""
    text = " ".join(Inputs(1e-12, None, ("a", "b"), rounded, refused).sentences)
    assert ("refused in a." in text) == bool(refused)
    assert ("rounded in b." in text) == bool(rounded)
    assert ("step=1" in text) == bool(refused or rounded)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ((None, None), "No limit"),
        ((512, None), "512 rows"),
        ((None, 4096), "4,096 bytes"),
    ],
)
def test_limits_of_a_call(limits, says):
    """A limit is told where there is one."""
    speed = Speed((Pace(1, 0.01, 1), Pace(100, 0.02, 1)), *limits)
    assert says in " ".join(speed.sentences)


def test_an_outlay_grows_with_what_costs():
    """Slow calls, few rows a call and coarse answers take longer."""

    def seconds(latency=0.001, most=None, coarse=False):
        pace = Pace(1, latency, 1), Pace(100, 0.01, 1)
        return outlay(1000, 13, coarse, Speed(pace, most, None)).seconds

    usual = seconds()
    assert usual < seconds(latency=0.01)
    assert usual < seconds(most=10)
    assert usual < seconds(coarse=True)
    pace = Pace(1, 30.0, 1)
    assert "hours" in outlay(9, 13, False, Speed((pace,), None, None)).sentences[0]
