"""Whatever a record holds becomes what JSON has, and nothing that it lacks."""

import json

import numpy as np
import pytest

from facetwise import Status
from facetwise.jsonable import jsonable


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (float("nan"), None),
        (np.float64("nan"), None),
        (float("-inf"), "-inf"),
        (Status.CERTIFIED, "certified"),
        ({1: (2.0, [None])}, {"1": [2.0, [None]]}),
    ],
)
def test_values_become_plain(value, plain):
    """Types of NumPy, tuples and enumerations are told by what they stand for."""
    told = jsonable({"it": value})
    assert told == {"it": plain}
    assert type(told["it"]) is type(plain)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_infinities_are_what_the_caller_says():
    """Where a word would be taken for something else they can be null."""
    assert jsonable([np.inf, {"a": -np.inf}], lambda _: None) == [None, {"a": None}]
