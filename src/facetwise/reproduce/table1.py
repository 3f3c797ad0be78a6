"""Table 1 of the paper: how accurate its models are, beside ours.

    python -m facetwise.reproduce.table1

trains what has not been trained yet, and leaves with an error when a test accuracy
falls short of the paper's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from facetwise.reproduce.targets import target

PAPER = {
    ("fashion-mnist", "plnn"): (0.888, 0.865),
    ("fashion-mnist", "lmt"): (0.950, 0.870),
    ("mnist", "plnn"): (0.980, 0.971),
    ("mnist", "lmt"): (0.991, 0.949),
}
"""Accuracy on training and on test images."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A line of the table: ours, and the paper's."""

    data_set: str
    model: str
    train: float
    test: float
    paper_train: float
    paper_test: float

    @property
    def reached(self) -> bool:
        """Whether the test accuracy is at least the paper's."""
        return self.test >= self.paper_test


def table1(seed: int = 0) -> Iterator[Accuracy]:
    """Every line, as soon as its model is trained."""
    for data_set, model in PAPER:
        yield accuracy(data_set, model, seed)


def accuracy(data_set: str, model: str, seed: int = 0) -> Accuracy:
    """One line, after its model is trained if it was not."""
    found = target(data_set, model, seed)
    parts = found.data.train, found.data.test
    train, test = (float(found.model.score(part.X, part.y)) for part in parts)
    return Accuracy(data_set, model, train, test, *PAPER[data_set, model])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 when every test accuracy is reached."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks")
    seed = parser.parse_args(arguments).seed
    print(f"{'data set':<14} {'model':<6} {'train':>7} {'paper':>6} {'test':>7} paper")
    reached = True
    for line in table1(seed):
        reached = reached and line.reached
        print(
            f"{line.data_set:<14} {line.model:<6} {line.train:7.4f} "
            f"{line.paper_train:6.3f} {line.test:7.4f} {line.paper_test:.3f}"
            f"{'' if line.reached else '  falls short'}",
            flush=True,
        )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
