"""What a run will take is told before it, and is near to what it takes."""

import numpy as np
import pytest

import facetwise as fw
from facetwise.endpoints.estimate import estimate
from facetwise.run import in_waves
from fake_endpoints import Fake, network


@pytest.mark.parametrize(("d", "rows", "batch"), [(4, 300, 64), (13, 60, 1000)])
def test_an_estimate_is_near(d, rows, batch):
    """What is sent lies between half the estimate and all of it."""
    fake = Fake(network(1, d, width=20))
    X = np.random.default_rng(0).standard_normal((rows, d))
    explanation = fw.Explainer(fake, seed=0, batch_size=batch)(X)
    assert explanation.certified.all()
    told = estimate(rows, d, batch, waves=len(in_waves(rows, d)))
    assert told[0] / 2 <= fake.rows <= told[0]
    assert told[1] / 3 <= fake.calls <= told[1]


def test_an_estimate_grows_with_everything_that_costs():
    """More rows, more features, smaller batches and more waves all take more."""
    rows, calls = estimate(100, 10, 100, 3)
    assert estimate(101, 10, 100, 3)[0] > rows
    assert estimate(100, 11, 100, 3)[0] > rows
    assert estimate(100, 10, 50, 3)[1] > calls
    assert estimate(100, 10, 100, 4)[1] > calls
