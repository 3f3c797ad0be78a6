"""A served model answers tens of thousands of rows a second.

One client on one connection, 64 features, 10 classes, 1000 rows a call: at least
15,000 rows a second in JSON and 100,000 in binary, with a model that takes no time. On
two cores that nobody else uses it is several times as many; --quick sends fewer calls.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Iterator

import numpy as np
from _harness import Claim, Options, Table, run
from numpy.typing import NDArray

from facetwise.serve import Settings, serve

Array = NDArray[np.float64]

FEATURES, CLASSES, ROWS = 64, 10, 1000
SIZE = "Inference-Header-Content-Length"


class Model:
    """Answers the same scores to every row."""

    n_features_in_ = FEATURES

    def predict_proba(self, X: Array) -> Array:
        """As many scores as there are classes."""
        return np.full((len(X), CLASSES), 0.1)


def question(X: Array, binary: bool) -> tuple[bytes, dict[str, str]]:
    """A call in one of the two encodings: body and headers."""
    tensor = {"name": "x", "shape": X.shape, "datatype": "FP64"}
    if not binary:
        return json.dumps({"inputs": [{**tensor, "data": X.tolist()}]}).encode(), {}
    tensor["parameters"] = {"binary_data_size": X.nbytes}
    content = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
    head = json.dumps(content).encode()
    return head + X.tobytes(), {SIZE: str(len(head))}


def rows_a_second(url: str, calls: int, body: bytes, headers: dict[str, str]) -> float:
    """Rows answered a second over one connection that is kept alive."""
    address, _, path = url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(address)
    began = time.perf_counter()
    for _ in range(calls):
        connection.request("POST", f"/{path}/infer", body, headers)
        reply = connection.getresponse()
        reply.read()
        assert reply.status == 200
    seconds = time.perf_counter() - began
    connection.close()
    return calls * ROWS / seconds


def benchmark(options: Options) -> Iterator[Claim]:
    """Ask in JSON and in binary."""
    X = np.random.default_rng(options.seed).standard_normal((ROWS, FEATURES))
    calls = 30 if options.quick else 300
    table = Table(encoding=10, bytes=10, rows_a_second=14)
    with serve(Model(), Settings(port=0)) as server:
        for encoding, least in [("JSON", 15_000), ("binary", 100_000)]:
            body, headers = question(X, encoding == "binary")
            rows_a_second(server.url, 2, body, headers)
            rate = rows_a_second(server.url, calls, body, headers)
            table.row(encoding, len(body), rate)
            yield Claim(f"rows a second in {encoding}", rate, least, at_least=True)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
