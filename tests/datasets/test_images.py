"""Images come as they were published, in [0, 1], with their names and their domain."""

import gzip
import hashlib
import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

import facetwise as fw
import facetwise.datasets.images as module

SETS = {"fashion-mnist": fw.datasets.fashion_mnist, "mnist": fw.datasets.mnist}

DATA = Path(os.environ.get("FACETWISE_DATA", ""))

needs_data = pytest.mark.skipif(
    not all((DATA / name / "train-images-idx3-ubyte.gz").is_file() for name in SETS),
    reason="needs fashion-mnist/ and mnist/ in the folder that FACETWISE_DATA names",
)


@pytest.fixture
def few(tmp_path, monkeypatch):
    """A folder with a data set of 3 and 2 images of 2 x 4 pixels, and its reader."""
    rng = np.random.default_rng(0)
    arrays = {}
    for part, n in [("train", 3), ("t10k", 2)]:
        images = rng.integers(256, size=(n, 2, 4), dtype=np.uint8)
        arrays[f"{part}-images-idx3-ubyte"] = images
        arrays[f"{part}-labels-idx1-ubyte"] = np.arange(n, dtype=np.uint8)
    (tmp_path / "mnist").mkdir()
    sha256 = {}
    for name, array in arrays.items():
        sizes = struct.pack(f">{array.ndim}I", *array.shape)
        content = bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()
        sha256[name] = hashlib.sha256(content).hexdigest()
        (tmp_path / "mnist" / f"{name}.gz").write_bytes(gzip.compress(content))
    source = module._Source("mnist", (), sha256, ("a", "b", "c"))
    monkeypatch.setattr(module, "MNIST", source)
    monkeypatch.setenv("FACETWISE_DATA", str(tmp_path))
    return arrays


@pytest.mark.parametrize("dtype", [np.float64, np.float32, "float32"])
def test_a_few_images(few, dtype):
    """Features are grey levels over 255 in the precision asked for, row after row."""
    data = fw.datasets.mnist(dtype=dtype)
    images = few["train-images-idx3-ubyte"]
    assert data.train.X.dtype == np.dtype(dtype)
    truth = (images / 255.0).reshape(3, 8).astype(dtype)
    assert np.abs(data.train.X - truth).max() <= np.finfo(dtype).eps
    assert np.array_equal(data.train.pixels, images.reshape(3, 8))
    assert np.array_equal(np.rint(data.train.X * 255), data.train.pixels)
    assert data.test.y.tolist() == [0, 1]
    assert data.image_shape == (2, 4)
    assert (len(data.train), len(data.test)) == (3, 2)
    image = data.test.X[1].reshape(data.image_shape)
    j = data.feature_names.index("row 1 column 2")
    assert image[1, 2] == data.test.X[1, j]
    assert repr(data) == (
        "<mnist: 3 rows to train and 2 to test with, 8 features, 3 classes>"
    )


def test_nobody_changes_them(few):
    """A data set is handed out read-only, and made once."""
    data = fw.datasets.mnist()
    assert data.train.X is data.train.X
    for array in [data.train.X, data.train.pixels, data.train.y]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_sent_to_another_process(few):
    """A data set can be pickled, as those who train in several processes have to."""
    data = fw.datasets.mnist()
    again = pickle.loads(pickle.dumps(data))
    assert np.array_equal(again.train.X, data.train.X)
    assert again.class_names == data.class_names


@pytest.mark.parametrize("dtype", [np.uint8, "float16", complex, "wide"])
def test_precisions_that_are_none(few, dtype):
    """Anything but 32-bit and 64-bit floats is refused."""
    with pytest.raises(fw.InputError, match="float64 or float32"):
        fw.datasets.mnist(dtype=dtype)


def test_a_file_that_was_changed(few, tmp_path):
    """A file of other images is named and not used."""
    path = tmp_path / "mnist" / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(b"\x00\x00\x08\x03 other images"))
    with pytest.raises(fw.DataError, match=r"t10k-images-idx3-ubyte\.gz is damaged"):
        fw.datasets.mnist()


def test_an_image_is_explained(few):
    """The domain of a data set goes to an explainer, and no probe leaves [0, 1]."""
    data = fw.datasets.mnist()
    W = np.random.default_rng(1).normal(size=(8, 3))
    asked = []

    def service(X):
        asked.append(X)
        return X @ W

    explainer = fw.Explainer(
        service,
        response="logits",
        domain=data.domain,
        feature_names=data.feature_names,
        class_names=data.class_names,
        seed=0,
    )
    explanation = explainer(data.test.X)
    assert explanation.certified.all()
    limits = data.domain.resolve(data.test.X)
    assert (limits.lower == 0.0).all()
    assert (limits.upper == limits.scale).all()
    assert (limits.scale == 1.0).all()
    points = np.vstack(asked)
    assert points.min() >= 0.0
    assert points.max() <= 1.0


# --- As published -------------------------------------------------------------------

# Mean and deviation of the pixels for training, as all the world normalises with.
PUBLISHED = {"fashion-mnist": (0.2860, 0.3530), "mnist": (0.1307, 0.3081)}


@needs_data
@pytest.mark.parametrize("name", SETS)
def test_the_published_images(name):
    """There are as many as published, with the mean and deviation that are known."""
    data = SETS[name](dtype=np.float32)
    assert data.train.pixels.shape == (60_000, 784)
    assert data.test.X.shape == (10_000, 784)
    assert data.image_shape == (28, 28)
    assert (len(data.feature_names), len(data.steps)) == (784, 784)
    levels = np.bincount(data.train.pixels.ravel(), minlength=256) / (60_000 * 784)
    grey = np.arange(256) / 255
    mean = levels @ grey
    deviation = np.sqrt(levels @ (grey - mean) ** 2)
    assert (round(mean, 4), round(deviation, 4)) == PUBLISHED[name]
    domain = data.domain.resolve(data.test.X[:100].astype(np.float64))
    assert domain.moving.all()


@needs_data
def test_the_published_classes():
    """Clothes come in equal numbers, digits in the numbers that are published."""
    clothes = fw.datasets.fashion_mnist()
    assert np.bincount(clothes.train.y).tolist() == [6000] * 10
    assert np.bincount(clothes.test.y).tolist() == [1000] * 10
    assert clothes.class_names[9] == "Ankle boot"
    assert clothes.train.y[0] == 9  # the first picture of every introduction to it
    digits = fw.datasets.mnist()
    assert np.bincount(digits.test.y).tolist() == [
        980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009
    ]  # fmt: skip
    assert digits.class_names[digits.train.y[0]] == "5"
