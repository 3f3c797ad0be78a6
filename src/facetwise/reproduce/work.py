"""The work that a reproduction asks for, spread over processes, none of it twice."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from facetwise.errors import InputError
from facetwise.reproduce.methods import ENTRANTS, METHODS, Entrant
from facetwise.reproduce.pieces import Piece, compute
from facetwise.reproduce.table1 import Accuracy, accuracy
from facetwise.reproduce.targets import DATA_SETS, MODELS, target

INSTANCES = 1000
"""As many as the paper explains of each data set."""

POOL = 10_000
"""Test images that instances are drawn from."""

INSTANCES_A_PIECE = 25
"""At most; with Algorithm 1, the slowest, half a minute."""

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Read by libraries when a process begins: pieces fill the cores by themselves."""

Told = Callable[[int, int, float], None]
"""Called with pieces done, pieces in all, and the seconds that the rest will take."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to reproduce: on which data, models and methods, on how many instances."""

    data_sets: tuple[str, ...] = tuple(DATA_SETS)
    models: tuple[str, ...] = tuple(MODELS)
    methods: tuple[str, ...] = METHODS
    instances: int = INSTANCES
    seed: int = 0

    def __post_init__(self) -> None:
        for what, named, known in (
            ("data set", self.data_sets, DATA_SETS),
            ("model", self.models, MODELS),
            ("method", self.methods, METHODS),
        ):
            for name in named:
                if name not in known:
                    raise InputError(
                        f"There is no {what} {name!r}; there are "
                        f"{', '.join(map(repr, known))}."
                    )
        if not 1 <= self.instances <= POOL:
            raise InputError(
                f"instances must be between 1 and {POOL}; got {self.instances}."
            )

    @property
    def drawn(self) -> tuple[int, ...]:
        """Numbers of the test images, drawn uniformly; more begin with the same."""
        order = np.random.default_rng(self.seed).permutation(POOL)
        return tuple(int(i) for i in order[: self.instances])

    @property
    def entrants(self) -> list[Entrant]:
        """The methods with each of their settings."""
        return [e for e in ENTRANTS.values() if e.method in self.methods]

    def pieces(self) -> list[Piece]:
        """All of the work, model by model."""
        return [
            Piece(data_set, model, e.method, e.setting, instances, self.seed)
            for data_set, model in itertools.product(self.data_sets, self.models)
            for e in self.entrants
            for instances in _chunks(self.drawn[: e.first])
        ]


@dataclass(frozen=True, slots=True)
class Done:
    """Accuracies of the models, and where each piece is kept."""

    accuracies: tuple[Accuracy, ...]
    paths: dict[Piece, Path]


def work(request: Request, folder: Path, processes: int, told: Told) -> Done:
    """Train, explain and measure whatever has not been done yet."""
    with _pool(processes) as pool:
        models = itertools.product(request.data_sets, request.models)
        prepared = list(pool.map(_prepare, *zip(*models, strict=True)))
        names = {(line.data_set, line.model): name for line, name in prepared}
        paths = {
            piece: piece.path(folder, names[piece.data_set, piece.model])
            for piece in request.pieces()
        }
        missing = [piece for piece, path in paths.items() if not path.exists()]
        _compute_all(pool, missing, paths, told)
    return Done(tuple(line for line, _ in prepared), paths)


def _compute_all(
    pool: ProcessPoolExecutor,
    missing: Sequence[Piece],
    paths: dict[Piece, Path],
    told: Told,
) -> None:
    started, total, before = time.monotonic(), len(paths), len(paths) - len(missing)
    futures = [pool.submit(compute, piece, paths[piece]) for piece in missing]
    try:
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            rest = (len(missing) - done) * (time.monotonic() - started) / done
            told(before + done, total, rest)
    except BaseException:
        # Those not begun are left. Those under way are waited for, and kept: processes
        # do not hear Ctrl-C themselves.
        for future in futures:
            future.cancel()
        raise


def _prepare(data_set: str, model: str) -> tuple[Accuracy, str]:
    """Train a model if it was not, and say how accurate it is and what it is called."""
    return accuracy(data_set, model), target(data_set, model).path.stem


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that begin afresh, with one thread each."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))  # they inherit it
    try:
        with ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _chunks(instances: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    for start in range(0, len(instances), INSTANCES_A_PIECE):
        yield instances[start : start + INSTANCES_A_PIECE]
