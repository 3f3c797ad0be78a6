"""What real servers say is understood, be it scores or complaints.

They are started where FACETWISE_SERVERS names them, as `make test-servers` does.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import facetwise as fw
from facetwise.models import openbox
from real_servers.servers import running

NAMES = os.environ.get("FACETWISE_SERVERS", "").split()
INSTANCES = 3


@pytest.fixture(scope="module")
def digits():
    """Pixels of written digits, and what is written."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module")
def model(digits):
    """A network that knows digits well enough."""
    network = MLPClassifier((64, 32), max_iter=400, tol=1e-3, random_state=0)
    network.fit(*digits)
    network._random_state = None  # no older NumPy could load it, nor needs it
    return network


@pytest.fixture(scope="module", params=NAMES)
def connections(request, model, tmp_path_factory):
    """Ways to connect to a server that serves the model."""
    folder = tmp_path_factory.mktemp(request.param)
    joblib.dump(model, folder / "model.joblib")
    with running(request.param, folder) as ways:
        yield ways


def test_the_scores_are_those_of_the_model(connections, model, digits):
    """Each address gives the model's probabilities, for one row and for many."""
    X, _ = digits
    for connect in connections:
        endpoint = connect()
        for rows in [X[:1], X[:200]]:
            np.testing.assert_allclose(
                endpoint.scores(rows), model.predict_proba(rows), rtol=0, atol=1e-6
            )


def test_explanations_are_within_their_bounds(connections, model, digits):
    """Certified weights are those of the network, to the bound that comes with them."""
    X = digits[0][:INSTANCES]
    slopes = openbox(model)(X).W
    for connect in connections:
        explained = fw.Explainer(connect(), seed=0)(X)
        assert explained.certified.all(), (connect, explained.status)
        for i, target in enumerate(explained.target):
            rivals = np.delete(slopes[i], target, axis=0)
            truth = slopes[i, target] - rivals.mean(axis=0)
            error = np.abs(explained.values[i] - truth)
            assert np.all(error <= explained.error_bound[i]), connect


def test_rows_of_a_wrong_width(connections):
    """A question that no row fits ends with a sentence, and after few attempts."""
    for connect in connections:
        endpoint, spent = connect(), []
        endpoint.spend = spent.append
        with pytest.raises((fw.EndpointError, fw.InputError)):
            endpoint.scores(np.zeros((30, 63)))
        assert len(spent) <= 20


def test_a_row_that_is_refused(connections, model, digits):
    """A row without a number costs that row, whatever the server says to it."""
    X = digits[0][:9].copy()
    X[4, 7] = np.nan
    for connect in connections:
        endpoint = connect()
        scores = endpoint.scores(X)
        assert np.isnan(scores).all(axis=1).tolist() == [i == 4 for i in range(9)]
        good = np.delete(X, 4, axis=0)
        np.testing.assert_allclose(
            np.delete(scores, 4, axis=0), model.predict_proba(good), rtol=0, atol=1e-6
        )


def test_tables(connections, model, digits):
    """Columns with names arrive in their order."""
    X = digits[0][:20]
    table = pd.DataFrame(X, columns=[f"pixel {j}" for j in range(64)])
    for connect in connections:
        np.testing.assert_allclose(
            connect().scores(table), model.predict_proba(X), rtol=0, atol=1e-6
        )


def test_text_where_numbers_are_expected(connections, digits):
    """Words in a column end with a sentence."""
    table = pd.DataFrame(digits[0][:3]).astype({7: object})
    table[7] = "seven"
    for connect in connections:
        with pytest.raises((fw.EndpointError, fw.InputError)):
            connect().scores(table)


def test_more_questions_than_are_taken(connections, model, digits):
    """Where many ask at a time, and some are sent away, all are answered in the end."""
    X, _ = digits
    batches = [X[i : i + 20] for i in range(0, 1200, 20)]
    for connect in connections:
        endpoint = connect()
        with ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(endpoint.scores, batches))
        expected = model.predict_proba(X[:1200])
        np.testing.assert_allclose(np.vstack(answers), expected, rtol=0, atol=1e-6)
