"""What methods share that differentiate a model with the package captum."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from facetwise.baselines.asking import about, as_instances, require_class
from facetwise.baselines.differentiable import Logits, differentiable
from facetwise.baselines.record import Attributed
from facetwise.extras import extra

ROWS_A_PASS = 512
"""Rows differentiated at a time, where a row takes many."""

Attribute = Callable[[Any, Logits, Any, Any], Any]
"""From captum's methods, logits, rows and targets to weights, a tensor."""


def attribute_all(
    method: Any,
    attribute: Attribute,
    evaluations: int,
    model: Any,
    X: ArrayLike,
    targets: ArrayLike,
) -> Attributed:
    """The record of a method that evaluates the model some times for a row."""
    started = time.perf_counter()
    torch, captum = extra("paper", "torch"), extra("paper", "captum.attr")
    rows, classes = as_instances(X, targets)
    # Modules have a type of numbers of their own.
    parameters = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    dtype = parameters[0].dtype if parameters else torch.float64
    inputs = torch.tensor(rows, dtype=dtype, requires_grad=True)
    logits = differentiable(model)
    outputs = logits(inputs[:1].detach()).shape[1]
    for target in (classes.min(), classes.max()):
        require_class(int(target), outputs)
    weights = attribute(captum, logits, inputs, torch.tensor(classes))
    n = len(rows)
    return Attributed(
        values=weights.detach().numpy().astype(np.float64),
        target=classes,
        queries=np.full(n, evaluations),
        designs=np.zeros(n, dtype=np.intp),
        radius=np.full(n, np.nan),
        meta=about(method, started),
    )
