"""An inspection finds what was built into a service, with no more than was allowed."""

import json

import numpy as np
import pytest

import facetwise as fw
from facetwise.core.response import Response
from facetwise.serve import Settings, serve
from fake_endpoints import Fake, network

D, CLASSES = 4, 3
ANSWER = network(0, D)
X = np.random.default_rng(0).standard_normal((20, D))


class Model:
    """A network that knows its number of features."""

    n_features_in_ = D
    predict_proba = staticmethod(ANSWER)


def inspected(rows=X, **settings):
    """What is found of a model that is served in such a way."""
    with serve(Model(), Settings(port=0, **settings)) as server:
        return fw.inspect(fw.connect(server.url), rows)


def test_a_good_service():
    """Everything is found, in sentences and in JSON, and counted."""
    seen = inspected()
    assert seen.name.startswith("v2 http://127.0.0.1:")
    assert (seen.rows, seen.features, seen.made_up) == (20, D, False)
    assert (seen.scores.classes, seen.scores.kind) == (3, Response.PROBABILITIES)
    assert seen.scores.digits == "64-bit"
    assert seen.noise.largest == 0.0
    assert seen.inputs.unseen is None
    assert seen.shape.piecewise_linear
    assert [pace.rows for pace in seen.speed.paces] == [1, 100, 1000]
    assert not seen.left_out
    told = json.loads(json.dumps(seen.as_json(), allow_nan=False))
    assert told["scores"]["kind"] == "probabilities"
    assert told["shape"]["statuses"] == ["certified"] * 3
    for part in ["scores", "noise", "inputs", "speed", "shape", "outlay"]:
        assert told[part]["text"]
        assert f"\n  {part} " in seen.text()


@pytest.mark.parametrize(
    ("settings", "digits"),
    [({"decimals": 4}, "4 decimals"), ({"float32": True}, "32-bit")],
)
def test_digits(settings, digits):
    """Rounding and 32 bits are read off the answers."""
    assert inspected(**settings).scores.digits == digits


def test_coarse_services_take_more():
    """Where scores are rounded, more questions are foretold, and in 32 bits not."""
    fine = inspected().outlay.questions
    assert inspected(float32=True).outlay.questions == fine
    assert inspected(decimals=4).outlay.questions > 2 * fine


def test_a_limit_on_a_call():
    """That fewer rows are taken than were asked is found, and told."""
    seen = inspected(max_rows=300)
    assert seen.speed.most_bytes is not None
    assert seen.speed.paces[-1].calls > 1
    assert "bytes at most" in " ".join(seen.text().split())


def test_failures_are_asked_again():
    """A service that fails at times is inspected all the same."""
    assert inspected(fail_rate=0.2, seed=3).noise.repeatable


def test_labels_are_refused_in_a_sentence():
    """Where there are no scores, the error says how to get them."""
    with pytest.raises(fw.EndpointError, match="predict_proba"):
        inspected(labels_only=True)


def test_rows_can_be_made_up():
    """Where the service says how many numbers it takes, none have to be given."""
    seen = inspected(rows=None)
    assert seen.made_up
    assert seen.features == D
    assert "made up" in seen.text()


def test_rows_may_be_needed():
    """Who does not say how many numbers a row has is inspected with some."""
    with pytest.raises(fw.InputError, match="pass rows="):
        fw.inspect(ANSWER)


@pytest.mark.parametrize("most", [1, 25, 100, 1000, 3000])
def test_questions_are_limited(most):
    """No more is asked than was allowed, and what does not fit says so."""
    fake = Fake(ANSWER)
    if most < len(X):
        with pytest.raises(fw.EndpointError, match="max_queries"):
            fw.inspect(fake, X, max_queries=most)
    else:
        seen = fw.inspect(fake, X, max_queries=most)
        assert fake.rows == seen.questions
        assert ("max_queries" in seen.text()) == (most < 3000)
    assert fake.rows <= most


def test_a_callable_is_inspected_too():
    """Anything that can be explained can be inspected; what is random is said to be."""
    noise = np.random.default_rng(0)
    seen = fw.inspect(lambda X: ANSWER(X + 0.01 * noise.standard_normal(X.shape)), X)
    assert not seen.noise.repeatable
    assert "random" in seen.text()
    assert seen.shape.piecewise_linear is None


def test_a_smooth_model():
    """A model that bends is not called piecewise linear."""
    V = np.random.default_rng(1).standard_normal((D, CLASSES))
    seen = fw.inspect(lambda X: np.tanh(X @ V), X, response="logits")
    assert seen.shape.piecewise_linear is False


def test_scores_that_can_be_many_things():
    """What is ambiguous is told with the argument that settles it; the rest is seen."""
    seen = fw.inspect(lambda X: 5.0 * np.log(ANSWER(X)) + 1.0, X)
    assert seen.scores.kind is None
    assert "response='logits'" in seen.scores.ambiguous
    assert "not clear" in seen.left_out["shape"]
    assert seen.noise.repeatable


def test_several_outputs_of_a_regression():
    """One of them is explained, as nobody said which."""
    seen = fw.inspect(lambda X: np.log(ANSWER(X)), X, response="regression")
    assert len(seen.shape.statuses) == 3


def test_rows_that_are_refused():
    """Rows without an answer are named, and the others looked at."""

    def answer(X):
        return np.where(X[:, :1] > 5.0, np.nan, ANSWER(X))

    rows = X.copy()
    rows[0, 0] = 9.0
    seen = fw.inspect(answer, rows)
    assert seen.scores.refused == (0,)
    assert len(seen.shape.statuses) == 3
    with pytest.raises(fw.InputError, match="No row got a usable answer"):
        fw.inspect(lambda X: np.full((len(X), 2), np.nan), X)


def test_tables_keep_their_columns():
    """A model that wants a table is asked with tables."""
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=list("abcd"))
    seen = fw.inspect(lambda t: ANSWER(t[list("abcd")].to_numpy()), table)
    assert seen.shape.piecewise_linear
