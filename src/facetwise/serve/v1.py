"""The protocol of `instances` and `predictions`: TensorFlow Serving, KServe v1."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.serve import text
from facetwise.serve.problem import Problem


def rows(body: bytes) -> Floats:
    """The rows (n, d) of a question."""
    instances = text.loads(body).get("instances")
    if not isinstance(instances, list) or not instances:
        raise Problem(400, 'Expected {"instances": [[…], …]} with a row or more.')
    X = text.numbers(instances, "instances")
    if X.ndim < 2:
        raise Problem(400, "Each of the instances should be a list of numbers.")
    return X.reshape(len(X), -1)


def reply(answer: Any) -> bytes:
    """The answer (n, C): a list a row, or a label a row."""
    flat = answer.dtype == np.int64
    return text.dumps({"predictions": answer[:, 0].copy() if flat else answer})
