"""A journal costs little time and space, and is open again at once.

Against a service that takes 1 ms a row, a run with a journal takes at most 5 % longer
than one without. A million answers of 10 classes take less than 400 MB, and a journal
that holds them is opened, and gives its first answer again, in less than a second.

The time that a service takes is known, so it is not waited for: what counts is the
processor time of the layer beside it. The time that passed, which has the waits for a
disk and for other programs in it, is shown next to it.

In full about 2 minutes; --quick, with a tenth of the answers, about 15 seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _cost import peak
from _harness import Claim, Options, Table, run
from numpy.typing import NDArray

from facetwise.endpoints.journal.identity import Identity
from facetwise.endpoints.journal.journal import Journal
from facetwise.endpoints.journal.session import Session
from facetwise.endpoints.local import LocalModel

Array = NDArray[np.float64]

CLASSES, BATCH = 10, 1000
SECONDS_A_ROW = 1e-3
MOST_BYTES = 400e6


def service(X: Array) -> Array:
    """Scores that are not worth compressing, and cost nothing to make."""
    return np.sqrt(np.abs(X[:, :1]) + np.arange(CLASSES))


def opened(path: Path) -> tuple[Session, Journal]:
    """A session of one run, and the layer around the service."""
    session = Session(path, Identity("benchmark", {}, np.zeros((1, 1))), 0)
    model = LocalModel(service)
    return session, Journal(model, session, lambda rows, calls: None, recognise=False)


def batches(d: int, rows: int, seed: int) -> Iterator[Array]:
    """Rows to ask, a call at a time."""
    rng = np.random.default_rng(seed)
    for _ in range(0, rows, BATCH):
        yield rng.standard_normal((BATCH, d))


def asked(path: Path, d: int, rows: int, seed: int) -> Array:
    """Seconds a row that asking through a journal takes: of the processor, and all."""
    session, journal = opened(path)
    seconds = np.zeros(2)
    for X in batches(d, rows, seed):
        started = clocks()
        journal.scores(X)
        seconds += clocks() - started
    session.close()
    return seconds / rows


def clocks() -> Array:
    """Seconds of the processor, and all."""
    return np.array([time.process_time(), time.perf_counter()])


def reopened(path: Path, d: int, seed: int) -> float:
    """Seconds until a journal is open and has given its first call again."""
    (X,) = batches(d, BATCH, seed)
    started = time.perf_counter()
    session, journal = opened(path)
    scores = journal.scores(X)
    seconds = time.perf_counter() - started
    session.close()
    assert np.array_equal(scores, service(X))
    return seconds


def benchmark(options: Options) -> Iterator[Claim]:
    """Fill journals with few and with many features, and open them again."""
    rows = 100_000 if options.quick else 1_000_000
    table = Table(
        features=10, answers=10, us_a_row=10, passed=10, again=10, MB=8, opened_s=10
    )
    slowest = largest = longest = 0.0
    before = peak()
    for d, count in [(13, rows), (784, rows // 10)]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal"
            first = asked(path, d, count, options.seed)
            size = sum(file.stat().st_size for file in Path(folder).iterdir())
            begin = reopened(path, d, options.seed)
            again = asked(path, d, count, options.seed)
        shown = [*first * 1e6, again[0] * 1e6, size / 1e6, begin]
        table.row(str(d), count, *shown)
        slowest = max(slowest, first[0] / SECONDS_A_ROW)
        largest = max(largest, size / count)
        longest = max(longest, begin)
    yield Claim("share of a run at 1 ms a row", slowest, 0.05)
    yield Claim("MB for a million answers", largest, MOST_BYTES / 1e6)
    yield Claim("seconds to open it and give a call again", longest, 1.0)
    yield Claim("GiB of memory more than before", peak() - before, 0.25)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
