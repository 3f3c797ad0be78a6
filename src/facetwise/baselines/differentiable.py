"""Models as functions that PyTorch can differentiate."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from facetwise.extras import extra
from facetwise.models import openbox
from facetwise.models.layers import Activation, Dense, Maxout, Rectifier

Logits = Callable[[Any], Any]
"""From rows (n, d), a tensor, to logits (n, C), another."""


def differentiable(model: Any) -> Logits:
    """The logits of a model that can be looked into.

    A PyTorch module is taken as it is. A `PLNN` is run through PyTorch. Whatever else
    `openbox` opens, such as a `LogisticModelTree`, has the gradient of its own affine
    function at each row.
    """
    torch = extra("paper", "torch")
    if isinstance(model, torch.nn.Module):
        module: Logits = model
        return module
    network = getattr(model, "network_", None)
    return _layers(torch, network) if network is not None else _affine(torch, model)


def _layers(torch: ModuleType, network: Dense) -> Logits:
    weights = [torch.tensor(W, dtype=torch.float64) for W in network.weights]
    biases = [torch.tensor(b, dtype=torch.float64) for b in network.biases]

    def logits(X: Any) -> Any:
        h = X
        for W, b, activation in zip(weights, biases, network.activations, strict=False):
            h = _activated(torch, activation, h @ W.T + b)
        return h @ weights[-1].T + biases[-1]

    return logits


def _activated(torch: ModuleType, activation: Activation, z: Any) -> Any:
    if isinstance(activation, Rectifier):
        return torch.where(z > 0, z, torch.tensor(activation.slope) * z)
    if isinstance(activation, Maxout):
        return z.reshape(len(z), activation.pieces, -1).amax(dim=1)
    return z


def _affine(torch: ModuleType, model: Any) -> Logits:
    box = openbox(model)

    def logits(X: Any) -> Any:
        local = box(X.detach().numpy())
        W, b = torch.tensor(local.W), torch.tensor(local.b)
        return torch.einsum("ncd,nd->nc", W, X) + b

    return logits
