"""Each path is answered by what the protocols say, and nothing by accident."""

import gzip
import json

import numpy as np
import pytest

from fake_endpoints import network

ANSWER = network(0)
X = np.random.default_rng(0).standard_normal((3, 4))
V1 = json.dumps({"instances": X.tolist()}).encode()


def test_v2(serving):
    """Rows go in, scores come out, every digit the same."""
    status, content = serving().infer(X)
    (output,) = content["outputs"]
    assert status == 200
    assert np.reshape(output["data"], output["shape"]).tobytes() == ANSWER(X).tobytes()


def test_models_are_listed(serving):
    """Who knows the server alone is told the model's name."""
    status, _, body = serving(name="credit").ask("POST", "/v2/repository/index", b"{}")
    (listed,) = json.loads(body)
    assert (status, listed["name"]) == (200, "credit")


def test_v1(serving):
    """So they do in the other protocol."""
    status, headers, body = serving().ask("POST", "/v1/models/model:predict", V1)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(body) == {"predictions": ANSWER(X).tolist()}


@pytest.mark.parametrize(
    ("path", "holds"),
    [
        ("/v2", b'"name":"facetwise"'),
        ("/v2/health/live", b""),
        ("/v2/health/ready", b""),
        ("/v2/models/digits", b'"datatype":"FP64"'),
        ("/v2/models/digits/versions/1", b'"name":"digits"'),
        ("/v2/models/digits/ready", b""),
        ("/v1/models", b'{"models":["digits"]}'),
        ("/v1/models/digits", b'"ready":true'),
        ("/metrics", b"facetwise_rows_total 0"),
    ],
)
def test_what_can_be_read(serving, path, holds):
    """Health, metadata and metrics are where the protocols have them."""
    status, _, body = serving(name="digits").ask("GET", path)
    assert status == 200
    assert holds in body


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("GET", "/", 404, "/v2/models/model/infer"),
        ("GET", "/v2/models/other", 404, "no model 'other', only 'model'"),
        ("POST", "/v1/models/other:predict", 404, "no model 'other'"),
        ("GET", "/v2/models/model/infer", 405, "takes POST"),
        ("POST", "/v2/health/live", 405, "takes GET"),
        ("DELETE", "/v2/models/model", 405, "takes GET"),
        ("GET", "/v2/models/model/versions/2", 404, "nothing at"),
        ("GET", "/v2/models/model/ready/", 404, "nothing at"),
        ("GET", "/v2/models/a/../model", 404, "nothing at"),
        ("POST", "/v2/models/model/infer", 400, "no JSON"),
    ],
)
def test_what_is_not_there(serving, method, path, status, says):
    """A wrong path, model or method is told, with what would be right."""
    found, headers, body = serving().ask(method, path)
    assert (found, headers["Content-Type"]) == (status, "application/json")
    assert says in json.loads(body)["error"]


@pytest.mark.parametrize("size", ["-1", "x", "1.5", "9" * 5000, ""])
def test_a_length_that_is_none(serving, size):
    """The header that tells where JSON ends has to hold a number."""
    status, content = serving().infer(X, {"Inference-Header-Content-Length": size})
    assert (status, "number of bytes" in content["error"]) == (400, True)


def test_a_token(serving):
    """Without it nothing but health is told, and with it everything."""
    client = serving(token="s3cret")
    right = {"Authorization": "Bearer s3cret"}
    for wrong in ({}, {"Authorization": "Bearer s3cre"}, {"Authorization": "s3cret"}):
        for path in ("/v2", "/metrics", "/v2/models/model", "/nothing"):
            assert client.ask("GET", path, headers=wrong)[0] == 401
        assert client.infer(X, headers=wrong)[0] == 401
        assert client.ask("GET", "/v2/health/live", headers=wrong)[0] == 200
    assert client.infer(X, headers=right)[0] == 200
    assert client.ask("GET", "/v2/models/model", headers=right)[0] == 200
    odd = {"Authorization": "Bearer s3cr\u00e9t"}
    assert client.ask("GET", "/v2", headers=odd)[0] == 401


def test_packed_bodies(serving):
    """A body may come in gzip."""
    headers = {"Content-Encoding": "gzip"}
    path = "/v1/models/model:predict"
    assert serving().ask("POST", path, gzip.compress(V1), headers)[0] == 200


def test_what_it_counts(serving):
    """Metrics tell the rows answered, and the requests by how they ended."""
    client = serving()
    client.infer(X)
    client.infer(X[:, :3])
    text = client.ask("GET", "/metrics")[2].decode()
    assert "facetwise_rows_total 3\n" in text
    assert 'facetwise_requests_total{status="200"} 1\n' in text
    assert 'facetwise_requests_total{status="400"} 1\n' in text


def test_a_model_that_raises(serving, caplog):
    """What its code raises is answered by 500, and the next request goes well."""

    class Odd:
        n_features_in_ = 4

        def predict_proba(self, X):
            if X[0, 0] == 7.0:
                raise MemoryError
            return ANSWER(X)

    client = serving(Odd())
    status, content = client.infer(np.full((1, 4), 7.0))
    assert (status, "MemoryError" in content["error"]) == (500, True)
    assert client.infer(X)[0] == 200


def test_what_nobody_thought_of(serving, caplog, monkeypatch):
    """A fault of the server's own is logged, and tells who asked nothing of it."""
    client = serving()
    monkeypatch.setattr("facetwise.serve.v2.reply", lambda *given: 1 / 0)
    status, content = client.infer(X)
    assert status == 500
    assert "division" not in content["error"]
    assert "ZeroDivisionError" in caplog.text
