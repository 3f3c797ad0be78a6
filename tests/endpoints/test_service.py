"""A service keeps in mind what it has learnt of the other side, and no more."""

import json

import numpy as np
import pytest

from facetwise.endpoints.faults import Lost, Refused, TooLarge, Unusable
from facetwise.endpoints.messages import Reply
from facetwise.endpoints.protocols.template import Template
from facetwise.endpoints.protocols.v1 import V1
from facetwise.endpoints.protocols.v2 import V2
from facetwise.endpoints.service import Service

X = np.linspace(0.0, 1.0, 200).reshape(100, 2)


class Says:
    """A transport with answers that were written down."""

    origin = "http://host"

    def __init__(self, *replies):
        self.replies, self.calls = list(replies), []

    def mask(self, text):
        """Hide one word."""
        return text.replace("secret", "***")

    def send(self, call):
        """The next answer."""
        self.calls.append(call)
        return self.replies.pop(0)


def page(content, status=200):
    """An answer in JSON."""
    return Reply(status, {}, json.dumps(content).encode())


def predictions(*rows):
    """An answer of v1."""
    return page({"predictions": [*rows]})


def test_classes_stay_the_same():
    """Once classes have names, an answer with others is none."""
    transport = Says(
        predictions({"a": 0.5, "b": 0.5}),
        predictions({"b": 0.25, "a": 0.75}),
        predictions({"a": 0.5, "c": 0.5}),
    )
    service = Service(V1("/m"), transport)
    assert service.scores(X[:1]).tolist() == [[0.5, 0.5]]
    assert service.scores(X[:1]).tolist() == [[0.75, 0.25]]
    with pytest.raises(Unusable, match=r"a, c after those of a, b.*top_k"):
        service.scores(X[:1])


def test_messages_are_masked():
    """What a service repeats of a credential is hidden."""
    transport = Says(page({"error": "no secret"}, 400))
    with pytest.raises(Refused, match=r"no \*\*\*"):
        Service(V1("/m"), transport).scores(X[:1])


def test_nothing_hangs_on_a_fault():
    """What a library raised over an answer, and may hold of it, is let go."""
    service = Service(Template("/m", scores="length(a)"), Says(page({"a": 1})))
    with pytest.raises(Unusable, match="does not fit") as caught:
        service.scores(X[:1])
    assert caught.value.__context__ is caught.value.__cause__ is None


def test_rows_that_fit():
    """Rows are counted by the bytes that they take, with some to spare."""
    limit = 1000
    service = Service(V1("/m", limit), Says())
    fit = service.fits(X)
    assert len(V1("/m").encode(X[:fit]).body) <= limit
    assert len(V1("/m").encode(X[: 2 * fit]).body) > limit
    assert Service(V1("/m"), Says()).fits(X) == 100
    assert Service(V1("/m", 1), Says()).fits(X) == 1
    assert Service(Template("/m", request="$row"), Says()).fits(X) == 1


def test_a_known_limit_costs_no_call():
    """What is too large is not sent."""
    transport = Says()
    with pytest.raises(TooLarge, match="the limit is 100"):
        Service(V1("/m", 100), transport).scores(X)
    assert transport.calls == []


def test_a_limit_is_learnt():
    """After a refusal, half as many rows are held to fit."""
    service = Service(V1("/m"), Says(Reply(413, {}, b"")))
    with pytest.raises(TooLarge):
        service.scores(X)
    assert 40 <= service.fits(X) <= 50


def test_scores_that_cannot_be_had():
    """When asking by name is refused, what helps is told before the refusal."""
    label = {"name": "y", "shape": [1], "datatype": "INT64", "data": [1]}
    transport = Says(page({"outputs": [label]}), page({"error": "no such method"}, 500))
    service = Service(V2("/m"), transport)
    with pytest.raises(Lost, match="unless asked for scores by name"):
        service.scores(X[:1])
    with pytest.raises(Refused, match=r"INT64.*by name.*no such method"):
        service.scores(X[:1])
    assert b"predict_proba" not in transport.calls[0].body
    assert b"predict_proba" in transport.calls[1].body
