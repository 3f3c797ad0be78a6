"""A small stand-in for the paper's data and models, and a table of made-up results."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

from facetwise.models import PLNN
from facetwise.reproduce import command, gather, pieces, targets, work
from facetwise.reproduce.methods import (
    EFFECT,
    EXACT,
    LIKENESS,
    PROBES,
    measuring,
)
from facetwise.reproduce.table import ALL, Table

SIDE = 28
CLASSES = gather.SHOWN["fashion-mnist"]


class Serial:
    """A pool of processes that does the work at once, in this one."""

    def __init__(self) -> None:
        self.submitted = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def map(self, function, *arguments):
        """The results, as they are asked for."""
        return map(function, *arguments)

    def submit(self, function, *arguments):
        """The result, or the error, which is there already."""
        self.submitted.append(arguments)
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def small(monkeypatch, tmp_path):
    """One data set of 60 images and one small network, all else as it is; its pool."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, size=(60, SIDE * SIDE), dtype=np.uint8)
    y = (pixels[:, :100].mean(axis=1) // 1).astype(np.intp) % 3
    part = SimpleNamespace(pixels=pixels, y=y, X=pixels / 255)
    data = SimpleNamespace(train=part, test=part, class_names=CLASSES)
    sets = {"fashion-mnist": lambda: data}
    kinds = {"plnn": lambda seed: PLNN(hidden=(8,), epochs=1, seed=seed)}
    for module in (targets, work, gather, command):
        monkeypatch.setattr(module, "DATA_SETS", sets)
    for module in (targets, work, command):
        monkeypatch.setattr(module, "MODELS", kinds)
    monkeypatch.setattr(targets, "cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(work, "POOL", 60)
    pool = Serial()
    monkeypatch.setattr(work, "_pool", lambda processes: pool)
    caches = (pieces._scene, pieces._warm_up, gather._images)
    for cache in caches:
        cache.cache_clear()
    yield SimpleNamespace(data=data, pool=pool)
    for cache in caches:
        cache.cache_clear()


MADE_UP = {
    "RD": 0.0,
    "WD": 0.0,
    "L1Dist": 1e-9,
    "cosine similarity": 0.9,
    "questions": 800.0,
    "seconds": 0.1,
    "answered": 1.0,
    "iterations": 9.5,
    "zero weights": 0.4,
    "left out": 0.0,
}


def made_up(**changes):
    """Lines of results in which all methods are alike, but for the changes.

    A change goes by `method_setting_measure` with underscores for spaces, or without
    the setting, or by the measure alone.
    """
    rng = np.random.default_rng(0)
    told = {k.replace("_", " "): v for k, v in changes.items()}
    for data_set in ("fashion-mnist", "mnist"):
        for model in ("lmt", "plnn"):
            cell = (data_set, model)
            yield (*cell, "", "", ALL, "training accuracy", 0.995)
            yield (*cell, "", "", ALL, "test accuracy", 0.98)
            yield from _methods(cell, told, rng)


def _methods(cell, told, rng):
    needed = {
        EFFECT: (),
        LIKENESS: ("cosine similarity",),
        PROBES: ("RD", "WD", "left out"),
        EXACT: ("L1Dist",),
    }
    always = ("questions", "seconds", "answered", "iterations", "zero weights")
    entrants = {(e.method, e.setting): e for w in needed for e in measuring(w)}
    for (method, setting), entrant in entrants.items():
        key = (*cell, method, setting)
        measures = [m for w in entrant.measured for m in needed[w]]
        for measure in (*always, *measures):
            names = (f"{method} {setting} {measure}", f"{method} {measure}", measure)
            value = next((told[n] for n in names if n in told), MADE_UP[measure])
            for instance in range(4):
                yield (*key, str(instance), measure, value)
        if EFFECT in entrant.measured:
            height = told.get(f"{method} effect", told.get("effect", 0.5))
            for k in range(201):
                yield (*key, ALL, f"CPP {k}", height * (k > 0))
                yield (*key, ALL, f"NLCI {k}", 4 * height * (k > 0))
        if method == "facetwise":
            for measure, value in (
                ("certified", 1.0),
                ("within", told.get("within", 1.0)),
                ("bound", 1e-9),
                ("error", told.get("error", 1e-11)),
            ):
                for instance in range(4):
                    yield (*key, str(instance), measure, value)
        if method in gather.AVERAGED:
            shape = np.linspace(-1, 1, SIDE * SIDE)
            shape = shape if cell[1] == "lmt" else told.get("pattern", 1.0) * shape
            first, second, *_ = gather.SHOWN[cell[0]]
            yield from gather._pixels(key, {first: shape, second: -shape})
    images = {gather.SHOWN[cell[0]][0]: rng.uniform(size=SIDE * SIDE)}
    yield from gather._pixels((*cell, gather.IMAGES, ""), images)


@pytest.fixture
def results():
    """Makes a table of made-up results."""
    return lambda **changes: Table.of(made_up(**changes))
