"""Explaining keeps a service as busy as a load generator does, in memory that is flat.

The service takes a millisecond a row, and is asked four calls at a time. A bare load
generator sends it one batch, encoded before, over four connections; the explainer asks
it in batches of the same size. With 13 and with 784 features explaining
reaches at least 90 % of the generator's rows a second. Over a million rows memory grows
by no more than 64 MiB after the first of them.

A service that answers faster than the engine thinks is not kept as busy: engine and
client take some 0.15 ms of one processor a row, which the last column shows.

Stretches of both alternate, since the machine may have other things to do. In full
about 25 minutes; --quick, with 30,000 rows, about a minute.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import orjson
from _cost import peak
from _harness import Claim, Options, Table, run
from numpy.typing import NDArray

import facetwise as fw

Array = NDArray[np.float64]

AT_A_TIME = 4
SERVICE = Path(__file__).with_name("_slow_service.py")
CASES = {13: (32, 256), 784: (128, 16)}
"""Rows a call and instances a stretch, by features."""

SPARING = 4
"""How much less the generator sends than the explainer asks."""

BUSY = 0.6
"""What a quick run asks for instead of 90 %: its stretches are short, and service,
generator and engine share the machine with whatever else runs there."""

SHARE, MOST_GROWTH = 0.9, 64 / 1024


@contextmanager
def serving(d: int) -> Iterator[str]:
    """The address of a service of d features."""
    command = [sys.executable, str(SERVICE), str(d)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def generated(url: str, X: Array, rows: int) -> float:
    """Seconds in which the batch X is answered so often that it makes so many rows."""
    tensor = {"name": "x", "shape": X.shape, "datatype": "FP64", "data": X.ravel()}
    body = orjson.dumps({"inputs": [tensor]}, option=orjson.OPT_SERIALIZE_NUMPY)
    host, _, path = url.removeprefix("http://").partition("/")
    turns = iter(range(rows // len(X)))
    lock = threading.Lock()

    def ask() -> None:
        connection = http.client.HTTPConnection(host)
        while True:
            with lock:
                if next(turns, None) is None:
                    break
            connection.request("POST", f"/{path}/infer", body)
            reply = connection.getresponse()
            assert reply.status == 200, reply.read()
            reply.read()
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(AT_A_TIME)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def explained(endpoint: object, X: Array, batch: int, seed: int) -> Array:
    """Rows asked, and seconds that passed and that the processor took."""
    explainer = fw.Explainer(
        endpoint, seed=seed, batch_size=batch, concurrency=AT_A_TIME, progress=False
    )
    began = np.array([time.perf_counter(), time.process_time()])
    explanation = explainer(X)
    spent = np.array([time.perf_counter(), time.process_time()]) - began
    assert explanation.certified.all()
    return np.array([explanation.meta["sent_queries"], *spent])


def benchmark(options: Options) -> Iterator[Claim]:
    """Let both take turns with few and with many features."""
    total = 30_000 if options.quick else 1_000_000
    rng = np.random.default_rng(options.seed)
    table = Table(features=10, rows=9, generator=10, explainer=10, share=7, cpu_ms=8)
    for d, (batch, instances) in CASES.items():
        rates, memory = [], []
        with serving(d) as url:
            endpoint = fw.connect(url)
            generated(url, rng.standard_normal((batch, d)), 4 * batch)
            asked = 0.0
            while asked < total / len(CASES):
                X = rng.standard_normal((instances, d))
                rows, seconds, cpu = explained(endpoint, X, batch, options.seed)
                sent = batch * (int(rows) // (SPARING * batch))
                bare = sent / generated(url, rng.standard_normal((batch, d)), sent)
                rates.append([bare, rows / seconds])
                memory.append(peak())
                asked += rows
                share = rates[-1][1] / bare
                table.row(str(d), rows, *rates[-1], share, 1e3 * cpu / rows)
        bare, ours = np.mean(rates, axis=0)
        share = BUSY if options.quick else SHARE
        yield Claim(f"share of the rows a second, d = {d}", ours / bare, share, True)
        yield Claim(f"GiB more, d = {d}", memory[-1] - memory[0], MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
