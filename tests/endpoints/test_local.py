"""A local model is asked by its most telling method, and its answers are checked."""

import functools

import numpy as np
import pytest

from facetwise.core.response import Response
from facetwise.endpoints.local import LocalModel, as_scores
from facetwise.errors import InputError, ModelError, ResponseError

X = np.zeros((3, 2))


class Classifier:
    """Has every method that a classifier may have."""

    def predict_proba(self, X):
        """Probabilities."""
        return np.tile([0.25, 0.75], (len(X), 1))

    def decision_function(self, X):
        """One number, as for two classes."""
        return np.ones(len(X))

    def predict(self, X):
        """Labels."""
        return np.ones(len(X), dtype=int)


class Margins:
    """Decides by margins for C classes."""

    def __init__(self, C):
        """C margins."""
        self.C = C

    def decision_function(self, X):
        """Margins (n, C), or (n,) where there is one."""
        return np.zeros((len(X), self.C)) if self.C > 1 else np.zeros(len(X))


class Regressor:
    """Predicts one float."""

    def predict(self, X):
        """Sums of the rows."""
        return X.sum(axis=1)


class Endpoint:
    """Has `scores`, and is callable too."""

    def scores(self, X):
        """Fives."""
        return np.full((len(X), 1), 5.0)

    def __call__(self, X):
        """Never used."""
        raise AssertionError


def test_the_most_telling_method_is_asked():
    """Probabilities go before labels, and `scores` before everything."""
    assert LocalModel(Classifier()).name == "Classifier.predict_proba"
    assert LocalModel(Classifier()).scores(X)[0].tolist() == [0.25, 0.75]
    assert LocalModel(Endpoint()).scores(X).tolist() == [[5.0]] * 3
    assert LocalModel(Endpoint()).name == "Endpoint.scores"
    assert LocalModel(Margins(3)).name == "Margins.decision_function"
    assert LocalModel(Regressor()).name == "Regressor.predict"


def test_callables_go_by_their_own_name():
    """A function is called what it is called, and other callables what they are."""
    assert LocalModel(np.tanh).name == "tanh"
    assert LocalModel(Classifier().predict_proba).name == "predict_proba"
    assert LocalModel(functools.partial(np.tanh)).name == "partial"


def test_what_a_method_implies():
    """Margins are logits, one margin stands for itself, and nothing else is implied.

    What `predict` gives may be a prediction or, from a network, a probability.
    """
    assert LocalModel(Margins(3)).implies(3) is Response.LOGITS
    assert LocalModel(Margins(1)).implies(1) is Response.REGRESSION
    assert LocalModel(Regressor()).implies(1) is None
    assert LocalModel(Classifier()).implies(2) is None
    assert LocalModel(lambda X: X).implies(2) is None


def test_a_function_is_not_judged_by_its_name():
    """A function that happens to be called `predict` implies nothing."""

    def predict(X):
        return Classifier().predict_proba(X)

    assert LocalModel(predict).implies(2) is None


def test_answers_of_one_dimension_are_a_column():
    """One score a row may come as (n,)."""
    assert LocalModel(Regressor()).scores(X).shape == (3, 1)


def test_types_are_widened_exactly():
    """Numbers of 16 and 32 bits become those of 64 bits without a change."""
    for kind in [np.float16, np.float32]:
        y = np.array([[0.1, 0.9]], dtype=kind)
        assert as_scores(y, 1).dtype == np.float64
        assert as_scores(y, 1).tolist() == [[float(y[0, 0]), float(y[0, 1])]]


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.uint64])
def test_whole_numbers_are_refused(kind):
    """Whole numbers look like labels; written as floats they are quantities."""
    answer = np.array([[3, 1]], dtype=kind)
    with pytest.raises(ResponseError, match=r"whole numbers such as \[3\].*floats"):
        as_scores(answer, 1)
    assert as_scores(answer.astype(float), 1).tolist() == [[3.0, 1.0]]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (np.zeros((2, 2)), r"\(2, 2\) to 3 rows.*\(3, C\)"),
        (np.zeros((4, 2)), r"\(4, 2\) to 3 rows"),
        (np.zeros((3, 0)), r"\(3, 0\)"),
        (np.zeros((1, 3, 2)), r"\(1, 3, 2\)"),
        (0.5, r"\(\) to 3 rows"),
        ([], r"\(0,\) to 3 rows"),
        (["cat", "dog", "cat"], "labels such as.*cat.*predict_proba"),
        (np.array([True, False, True]), "labels such as.*True"),
        (np.zeros((3, 2), dtype=complex), "complex.*real numbers"),
        (None, "None"),
        ([[0.1, 0.9], [0.5], [1.0, 0.0]], r"rows|shape"),
        ([{"a": 0.5}] * 3, "dict|object"),
    ],
)
def test_wrong_answers(answer, says):
    """An answer of the wrong shape or type says what came and what was expected."""
    with pytest.raises(ResponseError, match=f"(?s){says}"):
        LocalModel(lambda X: answer).scores(X)


def test_labels_from_predict():
    """Whole numbers from `predict` are taken for labels, and that is said."""

    class Labels:
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    with pytest.raises(ResponseError, match="labels"):
        LocalModel(Labels()).scores(X)


def test_an_address_is_no_model():
    """Who passes an address is told of `connect`, and the address is not repeated."""
    with pytest.raises(InputError, match=r"facetwise\.connect") as caught:
        LocalModel("http://ann:pw@host/v2/models/m")
    assert "pw" not in str(caught.value)


def test_a_model_that_raises():
    """What a model raises is told, and chained as the cause."""

    def broken(X):
        raise KeyError("weights")

    with pytest.raises(ModelError, match=r"KeyError on 3 rows.*weights") as caught:
        LocalModel(broken).scores(X)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("thing", [3, "model.pkl", None, X])
def test_what_cannot_be_asked(thing):
    """A thing that is neither callable nor a model is refused by its type."""
    with pytest.raises(InputError, match=type(thing).__name__):
        LocalModel(thing)
