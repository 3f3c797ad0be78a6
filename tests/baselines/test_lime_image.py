"""LIME for images is that of its package, asked all at once."""

import numpy as np
import pytest

from facetwise.baselines import LimeImage
from facetwise.baselines.lime_image import _explainer, masked
from facetwise.errors import InputError

W = np.linspace(-0.06, 0.06, 12)


def affine(X):
    """Probabilities that are an affine function of 12 pixels."""
    p = 0.5 + X @ W
    return np.column_stack([1 - p, p])


def test_it_is_the_package(monkeypatch):
    """With the package's own loop over pixels the weights are the same, bit for bit."""
    x = np.random.default_rng(0).uniform(size=(1, 12))
    method = LimeImage(shape=(3, 4), samples=50, seed=3)
    ours = method(affine, x, 1).values
    package = pytest.importorskip("lime.lime_image")

    def original(seed):
        explainer = _explainer(seed)
        del explainer.data_labels
        return explainer

    monkeypatch.setattr(package, "tqdm", lambda rows: rows)
    monkeypatch.setattr("facetwise.baselines.lime_image._explainer", original)
    assert np.array_equal(ours, method(affine, x, 1).values)


def test_contributions_of_an_affine_function():
    """Where the probability is affine, a pixel's weight is what its presence adds."""
    x = np.ones((1, 12))
    found = LimeImage(shape=(3, 4), samples=4000)(affine, x, 1)
    assert np.abs(found.values[0] - W).max() < 2e-3  # a ridge of 1 on 4,000 samples
    assert found.queries.tolist() == [4000]
    assert np.isnan(found.radius).all()


def test_hidden_segments():
    """Shown segments keep their pixels, hidden ones those of the other image."""
    images = []

    def classify(shown):
        images.append(shown)
        return np.ones((len(shown), 2))

    segments = np.array([[0, 0], [1, 2]])
    image, hidden = np.ones((2, 2, 3)), np.zeros((2, 2, 3))
    state = np.random.RandomState(0)
    shown, _ = masked(state, image, hidden, segments, classify, 8, 10)
    assert shown[0].tolist() == [1, 1, 1]
    for row, drawn in zip(shown, images[0], strict=True):
        assert np.array_equal(drawn[..., 0], row[segments])


def test_the_shape_has_to_fit():
    """Features that are not the pixels of the shape are refused."""
    with pytest.raises(InputError, match="3 x 4 pixels has not 5"):
        LimeImage(shape=(3, 4))(affine, np.ones((1, 5)), 0)
