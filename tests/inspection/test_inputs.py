"""Whether inputs are rounded, or fractions refused, is seen from few questions."""

import numpy as np
import pytest

import facetwise as fw
from fake_endpoints import network

D = 4
ANSWER = network(0, D)
X = np.random.default_rng(0).standard_normal((20, D))


def inputs(answer, rows=X):
    """What an inspection says of the inputs of a model."""
    return fw.inspect(answer, rows).inputs


def test_fine_inputs():
    """The smallest moves are seen where nothing is rounded."""
    seen = inputs(ANSWER)
    assert seen.seen == 1e-12
    assert seen.unseen is None


def test_inputs_of_32_bits():
    """Moves below the digits of 32 bits leave no trace."""
    seen = inputs(lambda X: ANSWER(X.astype(np.float32).astype(float)))
    assert 1e-10 <= seen.unseen <= 1e-7
    assert "32 bits" in seen.sentences[0]


@pytest.mark.parametrize(("decimals", "unseen"), [(3, 1e-5), (2, 1e-4)])
def test_inputs_that_are_rounded(decimals, unseen):
    """Moves that should be seen and are not give rounding away."""
    seen = inputs(lambda X: ANSWER(X.round(decimals)))
    assert seen.unseen >= unseen / 10
    assert "rounded" in seen.sentences[0]


def test_coarse_answers_prove_nothing():
    """Where answers are too coarse for a small move, inputs are not blamed."""
    assert inputs(lambda X: ANSWER(X).round(4)).unseen is None


def test_constant_answers_prove_nothing():
    """A model that never moves is not said to round."""
    seen = inputs(lambda X: np.tile([0.25, 0.75], (len(X), 1)))
    assert seen.seen is seen.unseen is None
    assert "constant" in seen.sentences[0]


WHOLE = np.rint(3 * X)


def test_fractions_that_are_rounded():
    """A feature that answers to whole steps alone is named."""

    def answer(X):
        return ANSWER(np.column_stack([np.rint(X[:, 0]), X[:, 1:]]))

    seen = inputs(answer, WHOLE)
    assert seen.tried == ("0", "1", "2", "3")
    assert seen.rounded == ("0",)
    assert seen.refused == ()


def test_fractions_that_are_refused():
    """A row that gets no answer for a fraction names the feature."""

    def answer(X):
        whole = X[:, 2:3] == np.rint(X[:, 2:3])
        return np.where(whole, ANSWER(X), np.nan)

    with np.errstate(invalid="ignore"):
        assert inputs(answer, WHOLE).refused == ("2",)


def test_a_call_that_fails_for_fractions():
    """Where fractions end a whole call, all that were tried are named."""

    def answer(X):
        if len(X) == D and np.any(np.rint(X) != X):
            raise ValueError("no fractions")
        return ANSWER(X)

    seen = inputs(answer, WHOLE)
    assert seen.refused == seen.tried == ("0", "1", "2", "3")


def test_fractions_are_not_tried_elsewhere():
    """Features that have fractions already are not asked about."""
    assert inputs(ANSWER).tried == ()
