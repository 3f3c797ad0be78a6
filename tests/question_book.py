"""A service that is a book of what it was asked, and questions to it."""

import threading

import numpy as np

from facetwise.endpoints.budget import Budget
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.questions import Questions


class Book:
    """What a service was asked, batch by batch; it answers each row's first number."""

    def __init__(self):
        """No question yet."""
        self.batches = []
        self._lock = threading.Lock()

    def __call__(self, X):
        """One score a row."""
        with self._lock:
            self.batches.append(X)
        return X[:, :1]

    @property
    def rows(self):
        """Rows asked in all."""
        return sum(len(batch) for batch in self.batches)

    @property
    def everything(self):
        """First numbers of all rows asked."""
        return np.concatenate([batch[:, 0] for batch in self.batches])


def questions(book, batch_size=8, limit=None, concurrency=1, calls=None):
    """Questions to a book, each of which is spent from a budget."""
    budget = Budget(limit, calls)

    def scores(X):
        budget.spend(len(X))
        return book(X)

    return Questions(scores, batch_size, budget, concurrency, Halt())
