"""What every benchmark needs: arguments, the zoo of models, tables and a verdict.

A benchmark is a function that prints its figures and yields `Claim`s; `run` parses
the arguments, calls it, and turns the claims into the exit code.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import problems as zoo

__all__ = ["Claim", "Options", "Table", "run", "zoo"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a benchmark is run; `only` narrows it down to reproduce one finding."""

    quick: bool
    seed: int
    only: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure and the limit that it must not pass."""

    what: str
    measured: float
    limit: float
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is within its limit; one that is not a number is not."""
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit


class Table:
    """A table that prints each row as soon as it is known."""

    def __init__(self, **widths: int) -> None:
        """Print the head: names of columns and their widths."""
        self._widths = list(widths.values())
        print()
        self.row(*(name.replace("_", " ") for name in widths))
        print("-" * (sum(self._widths) + 2 * len(self._widths) - 2))

    def row(self, *cells: str | float) -> None:
        """Print a row; the first cell to the left, numbers to the right."""
        texts = [c if isinstance(c, str) else f"{c:.4g}" for c in cells]
        first, *others = zip(texts, self._widths, strict=True)
        line = [f"{first[0]:<{first[1]}}", *(f"{t:>{w}}" for t, w in others)]
        print("  ".join(line), flush=True)


def run(about: str, benchmark: Callable[[Options], Iterable[Claim]]) -> int:
    """Run a benchmark from the command line: 0 when all its claims hold."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer instances")
    parser.add_argument("--seed", type=int, default=0, help="of all randomness")
    parser.add_argument("--only", help="one part of it, by its name in the table")
    options = Options(**vars(parser.parse_args()))
    print(about.split("\n\n")[0])
    started = time.perf_counter()
    claims = list(benchmark(options))
    table = Table(claim=52, measured=10, limit=10, verdict=8)
    for claim in claims:
        limit = f"{'>=' if claim.at_least else '<='} {claim.limit:g}"
        table.row(claim.what, claim.measured, limit, "ok" if claim.holds else "FAILS")
    print(f"\n{time.perf_counter() - started:.0f} s, seed {options.seed}")
    return 0 if all(claim.holds for claim in claims) else 1
