"""A colour image of 224 x 224 is explained in 2 GiB, at 1.25 ms a question.

150,528 features and 10 classes, a ReLU network on all of them. The memory is the peak
of the whole process beyond what it had with the model in it; the time is that spent
outside the model. The instance is certified, and its weights are within the bound.

In full about a quarter of an hour on 2 cores; --quick takes 3,072 features, an image of
32 x 32, and some seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from _cost import explained, peak
from _harness import Claim, Options, Table, run, zoo

SIDE, COLOURS, CLASSES = 224, 3, 10
HIDDEN = 32


def benchmark(options: Options) -> Iterator[Claim]:
    """Explain one image."""
    rng = np.random.default_rng(options.seed)
    side = 32 if options.quick else SIDE
    d = side * side * COLOURS
    network = zoo.random_network(rng, d, CLASSES, 1, HIDDEN)
    x = rng.uniform(size=d)
    service = zoo.probabilities(network)
    service(x[None])  # so that what the model needs is in the memory before
    before = peak()
    cost = explained(service, x, seed=options.seed)
    told, outside, inside = cost.explanation, cost.outside, cost.inside
    questions = int(told.queries[0])
    table = Table(
        features=9, questions=10, status=18, GiB=8, ms_outside=11, ms_inside=11
    )
    table.row(
        str(d),
        questions,
        told.status[0].name,
        peak() - before,
        1e3 * outside / questions,
        1e3 * inside / questions,
    )
    D = zoo.contrast(network.local(x)[0], int(told.target[0]))
    error = float(np.linalg.norm(np.array(told.meta["scale"]) * (told.values[0] - D)))
    yield Claim("certified", float(told.certified[0]), 1, at_least=True)
    yield Claim("error ÷ bound", error / float(told.scaled_bound[0]), 1)
    yield Claim("GiB beyond the model", peak() - before, 2)
    yield Claim("ms a question outside the model", 1e3 * outside / questions, 1.25)
    yield Claim("questions beyond d + 2", questions - (d + 2), 0.05 * d)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
