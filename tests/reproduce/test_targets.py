"""Target models are trained once, and kept under all that went into them."""

from types import SimpleNamespace

import numpy as np
import pytest

from facetwise import InputError
from facetwise.models import PLNN
from facetwise.reproduce import targets


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Small images, a small network, an empty cache, and a count of trainings."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, size=(60, 9), dtype=np.uint8)
    y = (pixels[:, 0] > 128).astype(np.intp)
    part = SimpleNamespace(pixels=pixels, y=y, X=pixels / 255)
    data = SimpleNamespace(train=part, test=part)
    made = []

    def network(seed):
        made.append(seed)
        return PLNN(hidden=(4,), epochs=2, seed=seed)

    monkeypatch.setattr(targets, "DATA_SETS", {"small": lambda: data})
    monkeypatch.setattr(targets, "MODELS", {"plnn": network})
    monkeypatch.setattr(targets, "cache", lambda: tmp_path)
    return SimpleNamespace(data=data, made=made)


def trainings(monkeypatch):
    """Counts the calls of `fit`."""
    calls, fit = [], PLNN.fit

    def counted(self, X, y, **more):
        calls.append(len(X))
        return fit(self, X, y, **more)

    monkeypatch.setattr(PLNN, "fit", counted)
    return calls


def test_nothing_is_trained_twice(small, monkeypatch):
    """The second call reads what the first one kept, bit for bit."""
    calls = trainings(monkeypatch)
    first, second = (targets.target("small", "plnn", 3) for _ in range(2))
    assert len(calls) == 1
    X = small.data.test.X
    assert np.array_equal(
        first.model.decision_function(X), second.model.decision_function(X)
    )
    assert [path.name for path in targets.folder().iterdir()] == [first.path.name]


def test_what_goes_in_names_the_file(small, monkeypatch):
    """Another seed, another setting or other data are other models."""
    calls = trainings(monkeypatch)
    paths = {targets.target("small", "plnn", seed).path for seed in (0, 1)}
    monkeypatch.setattr(
        targets, "MODELS", {"plnn": lambda seed: PLNN(hidden=(5,), epochs=2, seed=seed)}
    )
    paths.add(targets.target("small", "plnn", 0).path)
    small.data.train.pixels[0, 0] ^= 1
    paths.add(targets.target("small", "plnn", 0).path)
    assert len(paths) == len(calls) == 4


def test_a_damaged_file_is_named(small):
    """It is never taken for a model, and the message says what to do."""
    path = targets.target("small", "plnn", 0).path
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"small-plnn-\w+\.npz.*"):
        targets.target("small", "plnn", 0)


@pytest.mark.parametrize("names", [("cifar", "plnn"), ("small", "vgg")])
def test_unknown_names(small, names):
    """A data set or a model that is not there is refused, and those there are named."""
    with pytest.raises(InputError, match=r"none of '(small|plnn)'"):
        targets.target(*names)
