"""What reaches the model is a frame, and what comes back has its shape."""

import numpy as np
import pytest

from facetwise.endpoints.framed import Framed
from facetwise.errors import ResponseError
from fake_endpoints import Fake


def test_points_are_turned_into_what_is_sent():
    """The endpoint gets what `sent` makes of the points."""
    fake = Fake(lambda X: X[:, :1])
    Framed(fake, lambda points: points * 2).scores(np.ones((3, 2)))
    assert fake.batches[0].tolist() == [[2.0, 2.0]] * 3


def test_an_answer_of_another_length_is_refused():
    """An endpoint that loses a row is caught before rows are taken for one another."""
    with pytest.raises(ResponseError, match=r"\(2, 1\) to 3 rows"):
        Framed(Fake(lambda X: X[1:, :1]), lambda points: points).scores(np.ones((3, 2)))
