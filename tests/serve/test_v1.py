"""The protocol of instances and predictions."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.serve import v1
from facetwise.serve.problem import Problem

X = np.random.default_rng(0).standard_normal((3, 4))


def test_instances_are_rows():
    """Lists of numbers keep every digit; deeper ones are flattened."""
    body = json.dumps({"instances": X.tolist()}).encode()
    assert v1.rows(body).tobytes() == X.tobytes()
    images = json.dumps({"instances": X.reshape(3, 2, 2).tolist()}).encode()
    assert v1.rows(images).tobytes() == X.tobytes()


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"instances": []},
        {"instances": 3},
        {"instances": [1.0, 2.0]},
        {"instances": [["a"]]},
        {"instances": [[True]]},
        {"instances": [[1.0], [1.0, 2.0]]},
        {"instances": [{"a": 1.0}]},
    ],
)
def test_hostile_questions(content):
    """What is no list of rows is a problem of the one who asked."""
    with pytest.raises(Problem) as caught:
        v1.rows(json.dumps(content).encode())
    assert caught.value.status == 400


@given(st.binary(max_size=100))
def test_any_bytes(content):
    """No bytes at all break it."""
    with pytest.raises(Problem):
        v1.rows(content)


def test_predictions():
    """Scores come as rows, labels as numbers."""
    assert json.loads(v1.reply(X))["predictions"] == X.tolist()
    labels = np.array([[2], [0]], dtype=np.int64)
    assert json.loads(v1.reply(labels))["predictions"] == [2, 0]
