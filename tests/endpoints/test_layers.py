"""Layers stand in their order: what is known costs nothing, what is sent is counted."""

import numpy as np
import pytest

from facetwise.endpoints.budget import Budget, BudgetError
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.journal.identity import Identity
from facetwise.endpoints.journal.session import Session
from facetwise.endpoints.layers import Limits, layered
from fake_endpoints import Fake, Retrying, network

X = np.random.default_rng(0).standard_normal((10, 4))
ANSWER = network(0)


class NeverSleeps(Halt):
    """Notes how long it should have slept."""

    def __init__(self):
        super().__init__()
        self.slept = []

    def sleep(self, seconds):
        """Return at once."""
        self.slept.append(seconds)


def around(model, budget, session=None, halt=None, **limits):
    """A model behind its layers."""
    halt = halt or Halt()
    return layered(
        model, lambda X: X, Limits(**limits), budget, halt, session, watched=True
    )


def test_every_call_is_spent():
    """Without retries each call counts once."""
    budget = Budget()
    around(Fake(ANSWER), budget).scores(X)
    assert (budget.rows, budget.calls) == (10, 1)


def test_every_attempt_is_spent():
    """An endpoint that tries again spends each time, and nothing is counted twice."""
    budget = Budget()
    around(Retrying(ANSWER), budget).scores(X)
    assert (budget.rows, budget.calls) == (20, 2)


def test_every_attempt_keeps_to_the_rate():
    """What is asked again waits for its turn as all calls do."""
    halt = NeverSleeps()
    around(Retrying(ANSWER), Budget(), halt=halt, rows_per_second=1.0).scores(X)
    assert max(halt.slept) == pytest.approx(10.0, abs=1.0)


def test_nobody_waits_for_what_is_not_sent():
    """A call beyond the budget is refused before its turn comes."""
    halt = NeverSleeps()
    model = around(Fake(ANSWER), Budget(rows=15), halt=halt, rows_per_second=1.0)
    model.scores(X)
    with pytest.raises(BudgetError):
        model.scores(X)
    assert halt.slept == []


def test_a_busy_service_is_asked_less_often():
    """What retry hears reaches the layer that holds calls back."""
    gate = around(Retrying(ANSWER), Budget(), concurrency=8)
    gate.scores(X)
    assert gate.allowed == 4


def test_answers_given_again_pass_no_limit(tmp_path):
    """What a journal knows is counted as paid, and not sent."""
    run = Identity("fake", {}, X)
    for expected in (10, 0):
        session, budget, fake = Session(tmp_path / "j", run, 0), Budget(), Fake(ANSWER)
        kept = around(
            fake, budget, session, calls_per_second=1e-9 if not expected else None
        )
        assert kept.scores(X).tobytes() == ANSWER(X).tobytes()
        session.close()
        assert fake.rows == expected
        assert (budget.rows, budget.calls) == (10, 1)


def test_a_finished_run_is_recognised(tmp_path):
    """Before a finished run is given again, a few rows show that it is the same."""
    run = Identity("fake", {}, X)
    for expected in (10, 3):
        session, fake = Session(tmp_path / "j", run, 0), Fake(ANSWER)
        around(fake, Budget(), session).scores(X)
        session.finish()
        session.close()
        assert fake.rows == expected
