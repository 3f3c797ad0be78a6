"""A budget is never passed, however many threads spend from it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from facetwise.endpoints.budget import Budget, BudgetError


def test_spending_stops_at_the_limit():
    """The last row that fits is spent, and the one after it raises."""
    budget = Budget(rows=10)
    budget.spend(7)
    budget.spend(3)
    with pytest.raises(BudgetError, match=r"1 rows.*10 of 10 rows.*max_queries"):
        budget.spend(1)
    assert (budget.rows, budget.calls) == (10, 2)


def test_calls_are_limited_too():
    """A call that is one too many raises, however few its rows."""
    budget = Budget(rows=100, calls=2)
    budget.spend(1)
    budget.spend(1)
    assert not budget.affords(1, 1)
    with pytest.raises(BudgetError, match="2 of 2 calls"):
        budget.spend(1)


def test_without_limits_all_is_counted():
    """A budget without limits counts, and affords anything."""
    budget = Budget()
    budget.spend(10**9)
    assert budget.affords(10**12, 10**12)
    assert (budget.rows, budget.calls) == (10**9, 1)


def test_what_was_paid_before_counts():
    """Answers given again leave as much as if they had been paid for now."""
    budget = Budget(rows=10)
    budget.recall(8, 1)
    assert budget.affords(2, 1)
    assert not budget.affords(3, 1)


def test_what_is_set_aside_can_be_spent():
    """What is set aside is left out of plans, and is there in the end."""
    budget = Budget(rows=10, calls=5)
    budget.set_aside(4, 2)
    assert budget.affords(6, 3)
    assert not budget.affords(7, 1)
    assert not budget.affords(1, 4)
    budget.spend(10)


def test_threads_cannot_overspend():
    """Spent from many threads at once, a budget is used up and no more."""
    budget = Budget(rows=1000)

    def spend(_):
        try:
            budget.spend(3)
        except BudgetError:
            return 0
        return 3

    with ThreadPoolExecutor(8) as pool:
        spent = sum(pool.map(spend, range(2000)))
    assert spent == budget.rows == 999
