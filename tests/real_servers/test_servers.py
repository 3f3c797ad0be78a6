"""What real servers say is understood, be it scores or complaints.

They are started where FACETWISE_SERVERS names them, as `make test-servers` does.
"""

import os

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
    return MLPClassifier((64, 32), max_iter=400, tol=1e-3, random_state=0).fit(*digits)


@pytest.fixture(scope="module", params=NAMES)
def urls(request, model, tmp_path_factory):
    """The addresses of a server that serves the model."""
    folder = tmp_path_factory.mktemp(request.param)
    joblib.dump(model, folder / "model.joblib")
    with running(request.param, folder) as addresses:
        yield addresses


def test_the_scores_are_those_of_the_model(urls, model, digits):
    """Each address gives the model's probabilities, for one row and for many."""
    X, _ = digits
    for url in urls:
        endpoint = fw.connect(url)
        for rows in [X[:1], X[:200]]:
            np.testing.assert_allclose(
                endpoint.scores(rows), model.predict_proba(rows), rtol=0, atol=1e-6
            )


def test_explanations_are_within_their_bounds(urls, model, digits):
    """Certified weights are those of the network, to the bound that comes with them."""
    X = digits[0][:INSTANCES]
    slopes = openbox(model)(X).W
    for url in urls:
        explained = fw.Explainer(fw.connect(url), seed=0)(X)
        assert explained.certified.all(), (url, explained.status)
        for i, target in enumerate(explained.target):
            rivals = np.delete(slopes[i], target, axis=0)
            truth = slopes[i, target] - rivals.mean(axis=0)
            error = np.abs(explained.values[i] - truth)
            assert np.all(error <= explained.error_bound[i]), url


def test_rows_of_a_wrong_width(urls):
    """A question that no row fits ends with a sentence, and after few attempts."""
    for url in urls:
        endpoint, spent = fw.connect(url), []
        endpoint.spend = spent.append
        with pytest.raises((fw.EndpointError, fw.InputError)):
            endpoint.scores(np.zeros((30, 63)))
        assert len(spent) <= 20


def test_a_row_that_is_refused(urls, model, digits):
    """A row without a number costs that row, whatever the server says to it."""
    X = digits[0][:9].copy()
    X[4, 7] = np.nan
    for url in urls:
        endpoint = fw.connect(url)
        scores = endpoint.scores(X)
        assert np.isnan(scores).all(axis=1).tolist() == [i == 4 for i in range(9)]
        good = np.delete(X, 4, axis=0)
        np.testing.assert_allclose(
            np.delete(scores, 4, axis=0), model.predict_proba(good), rtol=0, atol=1e-6
        )


def test_tables(urls, model, digits):
    """Columns with names arrive in their order."""
    X = digits[0][:20]
    table = pd.DataFrame(X, columns=[f"pixel {j}" for j in range(64)])
    for url in urls:
        np.testing.assert_allclose(
            fw.connect(url).scores(table), model.predict_proba(X), rtol=0, atol=1e-6
        )


def test_text_where_numbers_are_expected(urls, digits):
    """Words in a column end with a sentence."""
    table = pd.DataFrame(digits[0][:3]).astype({7: object})
    table[7] = "seven"
    for url in urls:
        with pytest.raises((fw.EndpointError, fw.InputError)):
            fw.connect(url).scores(table)
