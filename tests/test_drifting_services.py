"""Explanations of a service that changes under way: marked where it matters."""

import functools

import numpy as np
import pytest

import facetwise as fw
from facetwise import Status
from fake_endpoints import Fake, network

X = np.random.default_rng(5).standard_normal((250, 4))
OLD, NEW = network(1), network(2)


def switching(after):
    """A service that is redeployed after so many rows."""
    fake = Fake(OLD)
    fake._answer = lambda X: (OLD if fake.rows <= after else NEW)(X)
    return fake


@functools.cache
def undisturbed():
    """What all rows come out as where nothing changes."""
    return fw.Explainer(Fake(OLD), seed=0, batch_size=64, concurrency=1)(X)


@pytest.mark.parametrize("share", [0.08, 0.5, 0.9])
def test_a_redeployed_service(share):
    """Rows of one model are kept, those that may have seen two are marked."""
    fake = switching(share * undisturbed().meta["sent_queries"])
    explanation = fw.Explainer(fake, seed=0, batch_size=64, concurrency=1)(X)
    whole = undisturbed()
    kept = explanation.certified
    assert explanation.values[kept].tobytes() == whole.values[kept].tobytes()
    assert set(explanation.status[~kept]) <= {Status.CHANGED, Status.NOT_ASKED}
    assert (explanation.status == Status.CHANGED).any()
    assert np.isnan(explanation.values[~kept]).all()
    assert explanation.meta["drift"] == "CHANGED"
    if share > 0.8:
        assert kept.sum() > 50


def test_little_is_paid_after_it_changed():
    """The run ends at the first check that finds a change."""
    fake = switching(1000)
    fw.Explainer(fake, seed=0, batch_size=64, concurrency=1)(X)
    assert fake.rows < 1000 + 1500


def test_a_change_at_the_very_end_is_caught():
    """The last check comes after the last row."""
    whole = Fake(OLD)
    fw.Explainer(whole, seed=0)(X[:5])
    fake = switching(whole.rows - 12)
    explanation = fw.Explainer(fake, seed=0)(X[:5])
    assert (explanation.status == Status.CHANGED).all()


@pytest.mark.parametrize("limit", [700, 2000])
def test_a_budget_leaves_enough_for_the_last_check(limit):
    """Rows finished before the budget was spent are checked like all others."""
    whole = Fake(OLD)
    settings = {"seed": 0, "max_queries": limit, "batch_size": 64, "concurrency": 1}
    explanation = fw.Explainer(whole, **settings)(X)
    assert explanation.meta["unconfirmed"] == []
    assert explanation.certified.any()
    assert limit - 100 < whole.rows <= limit
    changed = fw.Explainer(switching(whole.rows - 20), **settings)(X)
    assert changed.meta["drift"] == "CHANGED"
    assert (changed.status == Status.CHANGED).any()


def test_rows_that_no_check_came_after_are_told():
    """When the service is gone, rows that could not be confirmed are listed."""
    fake = Fake(OLD)

    def until(X):
        if fake.rows > 1500:
            raise fw.EndpointError("gone")
        return OLD(X)

    fake._answer = until
    with pytest.raises(fw.EndpointError) as caught:
        fw.Explainer(fake, seed=0, batch_size=64, concurrency=1)(X)
    explanation = caught.value.explanation
    told = explanation.meta["unconfirmed"]
    assert 0 < len(told) <= explanation.certified.sum()
    assert explanation.certified[told].all()


def test_a_random_service():
    """It is found out at once, and no row gets a number."""
    rng = np.random.default_rng(0)
    fake = Fake(lambda X: OLD(X + rng.normal(0, 0.01, X.shape)))
    explanation = fw.Explainer(fake, seed=0)(X)
    assert (explanation.status == Status.UNSTABLE).all()
    assert fake.rows < len(X) + 20


def test_two_versions_behind_one_address():
    """Whatever is certified by chance, no row is wrong without being marked."""
    rng = np.random.default_rng(0)
    fake = Fake(lambda X: (OLD, NEW)[rng.integers(2)](X))
    explanation = fw.Explainer(fake, seed=0, batch_size=32, concurrency=1)(X)
    assert not explanation.certified.any()
    assert (explanation.status == Status.UNSTABLE).any()


def test_a_service_that_stays_is_not_accused():
    """Noise of 32 bits that depends on the batch changes no status."""

    def answer(X):
        rng = np.random.default_rng(len(X))
        y = OLD(X) * (1.0 + rng.uniform(-4e-7, 4e-7, (len(X), 3)))
        return y.astype(np.float32).astype(float)

    watched = fw.Explainer(Fake(answer), seed=0)(X[:20])
    plain = fw.Explainer(answer, seed=0)(X[:20])
    assert watched.meta["drift"] is None
    assert (watched.status == plain.status).all()


def test_a_callable_is_not_watched():
    """A function costs nothing more than it did."""
    fake = Fake(OLD)
    explanation = fw.Explainer(fake.scores, seed=0)(X[:5])
    assert fake.rows == explanation.queries.sum()


def test_a_run_taken_up_after_a_change_keeps_what_was_sure(tmp_path):
    """Redeployed while a run lay broken off: what was confirmed is kept, the rest not.

    Nothing that the new model answers is certified under the old one's name.
    """
    settings = {"journal": tmp_path / "j", "batch_size": 64, "concurrency": 1}
    broken = Fake(OLD)

    def until(X):
        if broken.rows > 0.9 * undisturbed().meta["sent_queries"]:
            raise fw.EndpointError("gone")
        return OLD(X)

    broken._answer = until
    with pytest.raises(fw.EndpointError) as caught:
        fw.Explainer(broken, **settings)(X)
    finished = caught.value.explanation
    resumed = fw.Explainer(Fake(NEW), **settings)(X)
    kept = resumed.certified
    assert 50 < kept.sum() <= finished.certified.sum()
    assert resumed.values[kept].tobytes() == finished.values[kept].tobytes()
    assert (resumed.status == Status.CHANGED).any()
