"""A model can be made to answer as badly as services do, and no worse."""

import numpy as np
import pytest

from facetwise.errors import ModelError
from facetwise.serve import Settings
from facetwise.serve.behaviour import Behaviour
from facetwise.serve.loading import Served
from facetwise.serve.problem import Problem
from fake_endpoints import network

X = np.random.default_rng(0).standard_normal((6, 4))
ANSWER = network(0)


def behaving(scores=ANSWER, **settings):
    """A model under settings."""
    return Behaviour(Served(scores, 4, 3), Settings(**settings))


def test_by_default_answers_are_exact():
    """Nothing is done to scores unless it is asked for."""
    assert behaving().answer(X).tobytes() == ANSWER(X).tobytes()


def test_decimals():
    """Scores are rounded."""
    assert np.array_equal(behaving(decimals=3).answer(X), ANSWER(X).round(3))


def test_single_precision():
    """Rows are read, and scores told, in 32 bits."""
    answer = behaving(float32=True).answer(X)
    assert answer.dtype == np.float32
    cast = X.astype(np.float32).astype(float)
    assert np.array_equal(answer, ANSWER(cast).astype(np.float32))


def test_labels_alone():
    """The class takes the place of the scores."""
    behaviour = behaving(labels_only=True)
    labels = behaviour.answer(X)
    assert labels.dtype == np.int64
    assert labels[:, 0].tolist() == ANSWER(X).argmax(axis=1).tolist()
    assert (behaviour.output[0], behaviour.classes) == ("labels", 1)


def test_labels_of_one_score():
    """One score is the probability of the second of two classes."""
    behaviour = behaving(lambda X: X[:, :1], labels_only=True)
    rows = np.array([[0.2] * 4, [0.7] * 4])
    assert behaviour.answer(rows).tolist() == [[0], [1]]


def test_numbers_beyond_single_precision():
    """A row that does not fit into 32 bits is refused, and not made infinite."""
    rows = np.full((1, 4), 1e300)
    behaving().answer(rows * 1e-300)
    with pytest.raises(Problem, match="too large"):
        behaving(float32=True).answer(rows)


def test_failures_come_by_chance():
    """About the share asked for fails, and the same calls do under a seed."""

    def failing(seed):
        behaviour, failed = behaving(fail_rate=0.3, seed=seed), []
        for i in range(200):
            try:
                behaviour.answer(X)
            except Problem as problem:
                failed.append((i, problem.status))
        return failed

    assert 30 < len(failing(1)) < 90
    assert failing(1) == failing(1) != failing(2)
    assert {status for _, status in failing(1)} == {503}


def test_latency():
    """Every call waits."""
    slept = []
    model = Served(ANSWER, 4, 3)
    Behaviour(model, Settings(latency=0.5), sleep=slept.append).answer(X)
    assert slept == [0.5]


@pytest.mark.parametrize(
    ("rows", "status", "says"),
    [
        (np.zeros((11, 4)), 413, "11 rows in a call; this server takes 10"),
        (np.zeros((2, 3)), 400, "3 features a row; the model takes 4"),
        (np.full((1, 4), np.nan), 400, "NaN"),
        (np.full((1, 4), np.inf), 400, "too large"),
    ],
)
def test_rows_that_cannot_be_answered(rows, status, says):
    """What is wrong with rows is told to the one who sent them."""
    behaviour = behaving(max_rows=10)
    with pytest.raises(Problem, match=says) as caught:
        behaviour.answer(rows)
    assert caught.value.status == status


def test_a_model_that_fails():
    """What the model raises, or answers without being a number, is the server's."""

    def raising(X):
        raise ModelError("it broke")

    for scores in (raising, lambda X: np.full((len(X), 3), np.nan)):
        with pytest.raises(Problem) as caught:
            behaving(scores).answer(X)
        assert caught.value.status == 500
