"""A service that is not the one that it was is caught, and says what happened."""

import numpy as np
import pytest

from facetwise.core.status import Status
from facetwise.endpoints.attempts import Metered
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.drift import KNOWN, SPARING, DriftError, DriftGuard
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((50, 4))
OLD, NEW = network(0), network(1)


def watching(answer):
    """A service that is watched from its first answers on."""
    fake = Fake(answer)
    guard = DriftGuard(fake)
    guard.begin(X, guard.scores(X))
    return fake, guard


def test_a_service_that_stays_passes():
    """Checks pass, and are counted."""
    _, guard = watching(OLD)
    guard.check()
    guard.check(3)
    assert guard.checks == 3


def test_what_it_costs():
    """To begin takes a few questions in calls of their own, and a check one call."""
    fake, guard = watching(OLD)
    assert [len(batch) for batch in fake.batches] == [len(X), KNOWN, KNOWN, KNOWN]
    guard.check()
    assert [len(batch) for batch in fake.batches[4:]] == [KNOWN]


@pytest.mark.parametrize("rows", [1, 2, KNOWN, KNOWN + 1])
def test_few_rows_are_all_known(rows):
    """Where there are fewer rows than are asked again, each is asked once."""
    fake = Fake(OLD)
    DriftGuard(fake).begin(X[:rows], OLD(X[:rows]))
    assert {len(batch) for batch in fake.batches} == {min(rows, KNOWN)}
    assert len(np.unique(fake.batches[0], axis=0)) == min(rows, KNOWN)


def test_a_redeployed_service_has_changed():
    """One that answers otherwise, and stays with it, is called changed."""
    fake, guard = watching(OLD)
    fake._answer = NEW
    with pytest.raises(DriftError, match="Model changed") as caught:
        guard.check()
    assert caught.value.status is Status.CHANGED


def test_a_change_is_told_with_the_last_of_the_budget():
    """When there is nothing left to see whether it stays, it is still no good check."""
    budget = Budget(rows=len(X) + 4 * KNOWN)
    fake = Fake(OLD)
    guard = DriftGuard(Metered(fake, budget.spend))
    guard.begin(X, guard.scores(X))
    fake._answer = NEW
    with pytest.raises(DriftError) as caught:
        guard.check()
    assert caught.value.status is Status.CHANGED


def test_a_random_service_is_unstable_from_the_start():
    """One that answers by chance is found out before it is paid for more."""
    rng = np.random.default_rng(1)
    with pytest.raises(DriftError) as caught:
        watching(lambda X: OLD(X + rng.normal(0, 1e-2, X.shape)))
    assert caught.value.status is Status.UNSTABLE


def test_two_versions_behind_one_address_are_unstable():
    """One that answers from two versions by chance is caught, and mostly by name."""
    rng = np.random.default_rng(2)
    caught = []
    for _ in range(20):
        fake, guard = watching(OLD)
        fake._answer = lambda X: (OLD, NEW)[rng.integers(2)](X)
        with pytest.raises(DriftError) as error:
            guard.check(30)
        caught.append(error.value.status)
    assert caught.count(Status.UNSTABLE) >= 15


def test_a_second_version_that_comes_later_is_caught():
    """One that answers from two versions by turns is caught by two checks."""
    fake, guard = watching(OLD)
    turn = iter([OLD, NEW] * 10)
    fake._answer = lambda X: next(turn)(X)
    with pytest.raises(DriftError) as caught:
        guard.check(2)
    assert caught.value.status is Status.UNSTABLE


@pytest.mark.parametrize("size", [8e-16, 4e-7])
def test_noise_of_batches_is_no_drift(size):
    """A service whose answers depend on the batch is not accused of anything."""

    def answer(X):
        rng = np.random.default_rng(len(X))
        return OLD(X) * (1.0 + rng.uniform(-size, size, (len(X), 3)))

    _, guard = watching(answer)
    guard.check(10)


def test_noise_that_changes_is_no_drift():
    """Nor is one whose 32-bit answers are a little different at each call."""
    rng = np.random.default_rng(3)

    def answer(X):
        y = OLD(X) * (1.0 + rng.uniform(-4e-7, 4e-7, (len(X), 3)))
        return y.astype(np.float32).astype(float)

    _, guard = watching(answer)
    guard.check(10)


def test_a_check_is_due_when_much_was_asked():
    """Checks are spread over the questions asked, and each begins a new stretch."""
    _, guard = watching(OLD)
    asked = 0
    while not guard.due:
        guard.scores(X)
        asked += len(X)
    assert SPARING * KNOWN <= asked < SPARING * KNOWN + len(X)
    guard.check()
    assert not guard.due
