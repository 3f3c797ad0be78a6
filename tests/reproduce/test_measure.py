"""What is measured of one instance, against brute force."""

from types import SimpleNamespace

import numpy as np
import pytest

from facetwise import metrics
from facetwise.baselines import Naive
from facetwise.models import PLNN
from facetwise.reproduce.measure import (
    Recording,
    Scene,
    measure,
    quality,
    relied_on,
)
from facetwise.reproduce.methods import ENTRANTS

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(80, 784))


@pytest.fixture(scope="module")
def scene():
    """A small network of 784 features; the first image is beside a boundary."""
    y = (X[:, :50].sum(axis=1) * 3).astype(int) % 3
    model = PLNN(hidden=(12,), epochs=3, seed=0).fit(X, y)
    images = X.copy()
    w, b = model.network_.weights[0][0], model.network_.biases[0][0]
    images[0] -= (X[0] @ w + b - 1e-4) / (w @ w) * w
    test = SimpleNamespace(X=images)
    return Scene(SimpleNamespace(model=model, data=SimpleNamespace(test=test)))


def truth(scene, x, target):
    """D_c of the network at x."""
    return scene.box(x[None]).decision_features(target)[0][0]


def test_facetwise_is_measured_in_everything(scene):
    """Its weights are the truth, its probes are in the region, its bounds hold."""
    found = measure(ENTRANTS["facetwise", ""], scene, 3, 5, seed=1)
    numbers = found.numbers
    assert found.target == scene.model.predict_proba(X[[3]])[0].argmax()
    assert numbers["L1Dist"] == pytest.approx(
        np.abs(found.values - truth(scene, X[3], found.target)).sum()
    )
    assert numbers["L1Dist"] < 1e-6
    assert (numbers["RD"], numbers["WD"]) == (0.0, 0.0)
    assert numbers["left out"] < 8
    assert numbers["certified"] == numbers["within"] == numbers["answered"] == 1.0
    assert numbers["error"] <= numbers["bound"]
    assert 786 < numbers["questions"] < 900
    there = truth(scene, X[5], found.target)
    cosine = metrics.cosine_similarity(found.values[None], there[None])[0]
    assert numbers["cosine similarity"] == pytest.approx(cosine, abs=1e-6)
    assert len(found.cpp) == len(found.changed) == 201


def test_probes_beyond_the_region_are_seen(scene):
    """A wide box spans regions: RD is 1, and WD and L1Dist are far from 0."""
    near, far = (
        measure(ENTRANTS["naive", h], scene, 0, 5, seed=1).numbers
        for h in ("1e-8", "1e-2")
    )
    assert (near["RD"], near["WD"]) == (0.0, 0.0)
    assert far["RD"] == 1.0
    assert far["WD"] > 1e-3
    assert far["L1Dist"] > 10 * near["L1Dist"]
    assert far["questions"] == 785.0


def test_probes_that_were_left_out_do_not_count(scene):
    """Answers that miss the weights by more than the floor are not relied on."""
    found = ENTRANTS["facetwise", ""].make(1)(scene.model.predict_proba, X[[3]], 1)
    own = scene.box.regions(X[[3]])[0]
    near = X[3] + RNG.uniform(-1e-5, 1e-5, size=(20, 784))
    far = X[3] + RNG.uniform(-3.0, 3.0, size=(20, 784))
    far = far[scene.box.regions(far) != own]
    kept = relied_on(scene, found, np.vstack([near, far]), 1)
    assert np.array_equal(kept, near)
    assert len(far) > 0
    naive = Naive(1e-2)(scene.model.predict_proba, X[[3]], 1)
    assert relied_on(scene, naive, far, 1) is far


def test_weight_difference_counts_every_probe(scene, monkeypatch):
    """Regions are looked into once, and the sum is that over all probes one by one."""
    monkeypatch.setattr("facetwise.reproduce.measure.REGIONS_AT_ONCE", 4)
    probes = X[0] + RNG.uniform(-1.0, 1.0, size=(350, 784))
    own, local = scene.box(X[:1]), scene.box(probes)
    one_by_one = metrics.weight_difference(own.W[0], local.W, 1)
    found = quality(scene.box, X[0], probes, 1)
    assert found["WD"] == pytest.approx(one_by_one)
    assert 10 < len(set(local.region)) < 350
    assert np.isnan(quality(scene.box, X[0], probes[:0], 1)["RD"])


def test_probes_are_those_in_the_box():
    """What was asked farther out, or is the instance itself, is no probe of the box."""
    model = SimpleNamespace(predict_proba=lambda X: np.ones((len(X), 2)) / 2)
    recording = Recording(model)
    x = np.zeros(3)
    recording(np.array([x, x + 0.1, x + 0.2]))
    recording(np.array([[0.1, -0.1, 0.0], [0.0, 0.11, 0.0]]))
    assert recording.probes(x, 0.1).tolist() == [[0.1] * 3, [0.1, -0.1, 0.0]]


def test_methods_that_see_parameters_leave_no_probes(scene):
    """They are measured for what figures 3 and 4 show alone."""
    numbers = measure(ENTRANTS["saliency", ""], scene, 0, 1, seed=0).numbers
    assert "RD" not in numbers
    assert "L1Dist" not in numbers
    assert 0.0 < numbers["cosine similarity"] <= 1.0


def test_neighbours_come_from_all_images(scene):
    """The nearest other image, wherever it is."""
    distances = np.linalg.norm(X - X[7], axis=1)
    distances[7] = np.inf
    assert scene.neighbours(np.array([7])).tolist() == [distances.argmin()]
