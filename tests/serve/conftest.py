"""Servers for the tests, on free ports of this machine, stopped at the end."""

import contextlib
import http.client
import json
import threading

import numpy as np
import pytest

from facetwise.serve import Settings, serve
from fake_endpoints import network

ANSWER = network(0)


class Model:
    """A network that knows its number of features."""

    n_features_in_ = 4

    def __init__(self, answer=ANSWER):
        """Answer as a function does."""
        self.predict_proba = answer


class Client:
    """One connection, which is kept alive."""

    def __init__(self, url):
        """Connect when it is first used."""
        address, _, self.model = url.removeprefix("http://").partition("/")
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self.http = http.client.HTTPConnection(self.host, self.port, timeout=60)

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body of an answer."""
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        self.http.request(method, path, body, headers or {})
        reply = self.http.getresponse()
        return reply.status, reply.headers, reply.read()

    def infer(self, X, headers=None, **changes):
        """Status and content of an answer in v2."""
        tensor = {
            "name": "x",
            "shape": list(np.shape(X)),
            "datatype": "FP64",
            "data": np.ravel(X).tolist(),
        }
        body = {"inputs": [tensor], **changes}
        status, _, answer = self.ask("POST", f"/{self.model}/infer", body, headers)
        return status, json.loads(answer)


@pytest.fixture
def serving():
    """Serve models; yields a function of a model and settings to a client."""
    before = set(threading.enumerate())
    with contextlib.ExitStack() as stack:

        def start(model=None, **settings):
            chosen = Settings(**{"port": 0, "threads": 2, **settings})
            server = stack.enter_context(serve(model or Model(), chosen))
            client = Client(server.url)
            stack.callback(client.http.close)
            client.server = server
            return client

        yield start
    assert set(threading.enumerate()) <= before  # nothing is left running
