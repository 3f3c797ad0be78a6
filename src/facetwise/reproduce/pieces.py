"""Pieces of the work: some instances explained by one method, kept once computed.

A piece is kept in a file that is named after all that it depends on: the model, the
method and its settings, the instances, the seed, the code and the libraries. So work
can be stopped at any time and taken up again, and nothing old is taken for new.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

import facetwise
from facetwise.archive import Archive, Arrays, Note
from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError
from facetwise.reproduce.measure import Measured, Scene, measure
from facetwise.reproduce.methods import ENTRANTS, Entrant
from facetwise.reproduce.targets import target

ARCHIVE = Archive(
    "facetwise piece", 1, "piece of a reproduction", "facetwise.reproduce"
)

SOURCES = (
    "baselines/*.py",
    "core/*.py",
    "endpoints/local.py",
    "endpoints/questions.py",
    "explainer.py",
    "explanation.py",
    "interleave.py",
    "metrics/*.py",
    "models/**/*.py",
    "reproduce/measure.py",
    "reproduce/methods.py",
    "reproduce/pieces.py",
    "run.py",
)
"""The code that figures depend on."""

LIBRARIES = ("numpy", "scipy", "scikit-learn", "captum", "lime", "torch")


@dataclass(frozen=True, slots=True)
class Piece:
    """Test images by number, explained by a method with one setting."""

    data_set: str
    model: str
    method: str
    setting: str
    instances: tuple[int, ...]
    seed: int

    @property
    def entrant(self) -> Entrant:
        """The method."""
        return ENTRANTS[self.method, self.setting]

    def path(self, folder: Path, target_name: str) -> Path:
        """Where it is kept; `target_name` tells all that went into the model."""
        told = {
            **asdict(self),
            "target": target_name,
            "settings": repr(self.entrant.make(0)),
            "measured": sorted(self.entrant.measured),
            "code": _code(),
        }
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        name = f"{self.method} {self.setting}".strip().replace(" ", "-")
        return folder / f"{self.data_set}-{self.model}-{name}-{digest[:16]}.npz"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a piece came to: an entry for each of its instances.

    `numbers` has (n,) for each measure; `targets` (n,), `values` (n, d), `cpp` and
    `changed` (n, k), which are empty where that was not measured.
    """

    instances: Ints
    targets: Ints
    numbers: Mapping[str, Floats]
    values: Floats
    cpp: Floats
    changed: Floats


def compute(piece: Piece, path: Path) -> None:
    """Explain the instances, and keep what was measured: all of it, or nothing."""
    scene = _scene(piece.data_set, piece.model)
    _warm_up(piece.data_set, piece.model, piece.method)
    instances = np.array(piece.instances)
    measured = [
        measure(piece.entrant, scene, int(i), int(j), seed_of(piece.seed, int(i)))
        for i, j in zip(instances, scene.neighbours(instances), strict=True)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}.{os.getpid()}.part")
    ARCHIVE.write(part, {"piece": asdict(piece)}, _arrays(instances, measured))
    part.replace(path)


def read(path: Path) -> Part:
    """What `compute` kept."""
    try:
        return ARCHIVE.read(path, _part)
    except InputError as error:
        raise InputError(f"{error} Delete it: it is then computed again.") from error


@functools.lru_cache(maxsize=1)
def _scene(data_set: str, model: str) -> Scene:
    return Scene(target(data_set, model))


@functools.cache
def _warm_up(data_set: str, model: str, method: str) -> None:
    """Explain one image, so that no later one is timed while libraries are loaded."""
    entrant = next(e for e in ENTRANTS.values() if e.method == method)
    measure(entrant, _scene(data_set, model), 0, 1, seed=0)


@functools.cache
def _code() -> str:
    """The code, and the versions of what it runs on."""
    seen = hashlib.sha256()
    root = Path(facetwise.__file__).parent
    for source in sorted(path for glob in SOURCES for path in root.glob(glob)):
        seen.update(source.relative_to(root).as_posix().encode())
        seen.update(source.read_bytes())
    versions = [metadata.version(name) for name in LIBRARIES]
    return f"{seen.hexdigest()} {versions} {platform.python_version()}"


def seed_of(seed: int, instance: int) -> int:
    """A seed for each instance, whatever piece it is in."""
    return int(np.random.SeedSequence([seed, instance]).generate_state(1)[0])


def _arrays(instances: Ints, measured: list[Measured]) -> Arrays:
    numbers = {
        f"measure {name}": np.array([m.numbers[name] for m in measured])
        for name in measured[0].numbers
    }
    return {
        "instances": instances,
        "targets": np.array([m.target for m in measured]),
        "values": np.array([m.values for m in measured]),
        "cpp": np.array([m.cpp for m in measured]),
        "changed": np.array([m.changed for m in measured]),
        **numbers,
    }


def _part(note: Note, content: Arrays) -> Part:
    numbers = {
        name.removeprefix("measure "): content[name]
        for name in content
        if name.startswith("measure ")
    }
    plain = ("instances", "targets", "values", "cpp", "changed")
    instances, targets, values, cpp, changed = (content[name] for name in plain)
    return Part(instances, targets, numbers, values, cpp, changed)
