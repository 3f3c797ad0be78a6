"""Names by content: of a run, and of each question in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise.core.messages import Floats

SIZE = 16
"""Bytes of a hash: two of a trillion questions share one with a chance of 10^-15."""

Answer = tuple[bytes, int, bytes]
"""The hash of a question, how often it had been asked before, and its scores."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a run the one it is: whom it asks, about which rows, and how.

    Nothing that leaves the questions as they are belongs in `settings`: no limit, no
    size of batches.
    """

    endpoint: str
    settings: Mapping[str, Any]
    instances: Floats

    @property
    def text(self) -> str:
        """The settings as JSON that is the same for the same settings."""
        return json.dumps(self.settings, sort_keys=True, separators=(",", ":"))

    @property
    def shape(self) -> str:
        """The shape of the instances as JSON."""
        return json.dumps(self.instances.shape)

    @property
    def hash(self) -> bytes:
        """The name of the run."""
        return run_hash(self.endpoint, self.text, self.shape, packed(self.instances))


def run_hash(endpoint: str, settings: str, shape: str, instances: bytes) -> bytes:
    """The name of a run, from what its journal holds."""
    parts = [part.encode() for part in ("run 1", endpoint, settings, shape)]
    return _hash(*parts, instances)


def call_digest(answers: Iterable[Answer]) -> bytes:
    """The hash of a call's answers, in the order of their questions."""
    parts = [b"call 1"]
    for question, occurrence, scores in sorted(answers):
        parts += [question, str(occurrence).encode(), scores]
    return _hash(*parts)


def questions(X: Floats) -> list[bytes]:
    """The name of each row of X (n, d)."""
    content, size = packed(X), 8 * X.shape[1]
    return [
        hashlib.blake2b(content[i : i + size], digest_size=SIZE).digest()
        for i in range(0, len(X) * size, size)
    ]


def packed(X: Floats) -> bytes:
    """Numbers as bytes that are the same on every machine, every digit kept."""
    return np.ascontiguousarray(X, dtype="<f8").tobytes()


def unpacked(content: bytes) -> Floats:
    """The numbers that were packed."""
    return np.frombuffer(content, dtype="<f8").astype(np.float64)


def _hash(*parts: bytes) -> bytes:
    """A hash of parts that does not confuse where one ends and the next begins."""
    hashed = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "little"))
        hashed.update(part)
    return hashed.digest()
