"""FashionMNIST and MNIST: 60,000 images to train and 10,000 to test with, 28 x 28."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from facetwise.core.domain import Domain
from facetwise.datasets.contents import File
from facetwise.datasets.finding import content_of
from facetwise.datasets.idx import parse
from facetwise.datasets.record import ImagePart, Images, frozen
from facetwise.errors import InputError
from facetwise.progress import Progress

IMAGES, LABELS = "images-idx3-ubyte", "labels-idx1-ubyte"
"""The two kinds of files, after `train-` and `t10k-`."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a data set of images comes from; checksums are those of unpacked files."""

    folder: str
    homes: tuple[str, ...]
    sha256: Mapping[str, str]
    class_names: tuple[str, ...]

    def file(self, name: str) -> File:
        homes = tuple(f"{home}/{name}.gz" for home in self.homes)
        return File(f"{self.folder}/{name}.gz", (self.sha256[name],), homes)


FASHION_MNIST = _Source(
    "fashion-mnist",
    (
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets",
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion",
    ),
    {
        "train-images-idx3-ubyte": (
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"
        ),
        "train-labels-idx1-ubyte": (
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"
        ),
        "t10k-images-idx3-ubyte": (
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"
        ),
        "t10k-labels-idx1-ubyte": (
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"
        ),
    },
    (
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ),
)

MNIST = _Source(
    "mnist",
    (
        "https://storage.googleapis.com/cvdf-datasets/mnist",
        "https://ossci-datasets.s3.amazonaws.com/mnist",
    ),
    {
        "train-images-idx3-ubyte": (
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
        ),
        "train-labels-idx1-ubyte": (
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
        ),
        "t10k-images-idx3-ubyte": (
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
        ),
        "t10k-labels-idx1-ubyte": (
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
        ),
    },
    tuple("0123456789"),
)


def fashion_mnist(
    *, dtype: DTypeLike = np.float64, progress: Progress = None
) -> Images:
    """FashionMNIST (Xiao, Rasul and Vollgraf 2017): clothes, shoes and bags.

    Parameters
    ----------
    dtype
        Of the features `X`: 64-bit floats by default (376 MB for all training images),
        or 32-bit ones. They are made when they are first asked for.
    progress
        Shows how far a download is, on a terminal by default. Or a function of bytes
        done and bytes in all (None if unknown), called for one file after the other.
    """
    return _load(FASHION_MNIST, dtype, progress)


def mnist(*, dtype: DTypeLike = np.float64, progress: Progress = None) -> Images:
    """MNIST (LeCun, Cortes and Burges): digits, written by hand.

    The parameters are those of `fashion_mnist`.
    """
    return _load(MNIST, dtype, progress)


def _load(source: _Source, dtype: DTypeLike, progress: Progress) -> Images:
    precision = _precision(dtype)
    train, image_shape = _part(source, "train", precision, progress)
    test, _ = _part(source, "t10k", precision, progress)
    height, width = image_shape
    return Images(
        name=source.folder,
        train=train,
        test=test,
        feature_names=tuple(
            f"row {row} column {column}"
            for row in range(height)
            for column in range(width)
        ),
        class_names=source.class_names,
        domain=Domain(lower=0.0, upper=1.0, scale=1.0),
        steps=frozen(np.zeros(height * width)),
        image_shape=image_shape,
    )


def _precision(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        precision = np.dtype(dtype)
    except TypeError:
        precision = np.dtype(object)  # which is none of these either
    if precision not in (np.float32, np.float64):
        raise InputError(f"dtype must be float64 or float32; got {dtype!r}.")
    return precision


def _part(
    source: _Source, part: str, precision: np.dtype[Any], progress: Progress
) -> tuple[ImagePart, tuple[int, int]]:
    """Images and labels of a part, and the shape of an image."""
    files = source.file(f"{part}-{IMAGES}"), source.file(f"{part}-{LABELS}")
    images, labels = (
        parse(content_of(file, progress), file.path, dimensions)
        for file, dimensions in zip(files, (3, 1), strict=True)
    )
    n, height, width = images.shape
    y = frozen(labels.astype(np.intp))
    return ImagePart(images.reshape(n, -1), y, precision), (height, width)
