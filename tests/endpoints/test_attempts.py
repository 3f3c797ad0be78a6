"""Each attempt is told of before it is made."""

import numpy as np
import pytest

from facetwise.core.response import Response
from facetwise.endpoints.attempts import Attempting, Metered
from facetwise.endpoints.budget import Budget
from facetwise.errors import EndpointError
from fake_endpoints import Fake, Retrying, network


def test_nothing_is_sent_beyond_the_limit():
    """A call that there is no budget for does not reach the endpoint."""
    fake = Fake(network(0))
    metered = Metered(fake, Budget(rows=5).spend)
    X = np.zeros((3, 4))
    assert metered.scores(X).tolist() == network(0)(X).tolist()
    with pytest.raises(EndpointError):
        metered.scores(X)
    assert fake.rows == 3


def test_a_layer_is_known_by_what_it_wraps():
    """Name, and what scores mean, are those of the endpoint within."""

    class Named(Fake):
        def implies(self, classes):
            return Response.LOGITS

    metered = Metered(Named(network(0), "credit v2"), Budget().spend)
    assert metered.name == "credit v2"
    assert metered.implies(3) is Response.LOGITS


def test_who_tells_of_attempts():
    """Only an endpoint that can report its attempts is asked to."""
    assert isinstance(Retrying(network(0)), Attempting)
    assert not isinstance(Fake(network(0)), Attempting)
