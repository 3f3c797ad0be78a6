"""The models that the paper explains, trained from a seed and kept.

A trained model is kept in a file that is named after all that went into it: the data,
the settings, the seed, and the code that trains. So nothing is trained twice, and
nothing old is taken for new.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facetwise import datasets, models
from facetwise.datasets.folders import cache
from facetwise.errors import InputError

DATA_SETS: Mapping[str, Callable[[], datasets.Images]] = {
    "fashion-mnist": datasets.fashion_mnist,
    "mnist": datasets.mnist,
}

MODELS: Mapping[str, Callable[[int], Any]] = {
    "plnn": lambda seed: models.PLNN(seed=seed),
    "lmt": lambda seed: models.LogisticModelTree(),  # draws nothing at random
}
"""Name -> the model as the paper has it, not yet trained."""


@dataclass(frozen=True, slots=True)
class Target:
    """A trained model, the images it was trained on, and the file that keeps it."""

    model: Any
    data: datasets.Images
    path: Path


def target(data_set: str, model: str, seed: int = 0) -> Target:
    """The paper's `model` ("plnn", "lmt") for a data set ("fashion-mnist", "mnist").

    It is trained if it was not before, which takes some minutes.
    """
    for name, known in ((data_set, DATA_SETS), (model, MODELS)):
        if name not in known:
            raise InputError(f"{name!r} is none of {', '.join(map(repr, known))}.")
    data, untrained = DATA_SETS[data_set](), MODELS[model](seed)
    path = folder() / f"{data_set}-{model}-{fingerprint(untrained, data.train)}.npz"
    if path.exists():
        return Target(_load(type(untrained), path), data, path)
    trained = untrained.fit(data.train.X, data.train.y)
    _keep(trained, path)
    return Target(trained, data, path)


def folder() -> Path:
    """Where trained models are kept."""
    return cache() / "targets"


def fingerprint(untrained: Any, train: datasets.ImagePart) -> str:
    """What goes into a training, in 16 digits."""
    seen = hashlib.sha256()
    settings = {"model": type(untrained).__name__, **untrained.get_params()}
    seen.update(json.dumps(settings, sort_keys=True, default=str).encode())
    seen.update(train.pixels.tobytes())
    seen.update(train.y.tobytes())
    for source in sorted(Path(models.__file__).parent.glob("*.py")):
        seen.update(source.read_bytes())
    return seen.hexdigest()[:16]


def _load(kind: Any, path: Path) -> Any:
    try:
        return kind.load(path)
    except InputError as error:
        raise InputError(
            f"{error} Delete it: the model is then trained again."
        ) from error


def _keep(trained: Any, path: Path) -> None:
    """Write the model, in one piece: another process may look for it meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    trained.save(part)
    part.replace(path)
