"""Back-propagation with PyTorch: the one place where a network is trained."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError
from facetwise.extras import extra
from facetwise.models.layers import Activation, Array, Dense, Maxout, Rectifier


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train: Adam, its rate falling to zero along half a cosine."""

    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    learn_slopes: bool


def initial(
    sizes: tuple[int, ...], activation: Activation, rng: np.random.Generator
) -> Dense:
    """A network of these sizes, from inputs to outputs, with random weights.

    The scale of He et al. (2015), which keeps the outputs of rectifiers at the scale of
    the inputs. Units of MaxOut pass on more than half of what comes in, and get less.
    """
    pieces = activation.pieces if isinstance(activation, Maxout) else 1
    gain = 2.0 / pieces
    layers = len(sizes) - 1
    weights, biases = [], []
    for layer, (inputs, units) in enumerate(itertools.pairwise(sizes)):
        rows = units * (pieces if layer < layers - 1 else 1)
        weights.append(rng.standard_normal((rows, inputs)) * np.sqrt(gain / inputs))
        biases.append(np.zeros(rows))
    activations = tuple(_per_unit(activation, units) for units in sizes[1:-1])
    return Dense(tuple(weights), tuple(biases), activations)


def trained(
    network: Dense,
    X: Floats,
    codes: Ints,
    importance: Floats,
    plan: Plan,
    rng: np.random.Generator,
) -> tuple[Dense, list[float]]:
    """The network after training on rows X and classes `codes`, and each epoch's loss.

    Trained in 32 bits; the numbers returned are those, in 64.
    """
    torch = extra("torch", "torch")
    weights, biases, slopes = (
        [torch.tensor(a, dtype=torch.float32) for a in arrays]
        for arrays in (network.weights, network.biases, _slopes(network))
    )
    learned = [*weights, *biases, *(slopes if plan.learn_slopes else [])]
    for parameter in learned:
        parameter.requires_grad_()
    optimizer = torch.optim.Adam(
        learned, lr=plan.learning_rate, weight_decay=plan.weight_decay
    )
    steps = plan.epochs * math.ceil(len(X) / plan.batch_size)
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    rows = torch.tensor(X, dtype=torch.float32)
    targets = torch.tensor(codes, dtype=torch.int64)
    scales = torch.tensor(importance / importance.mean(), dtype=torch.float32)
    losses = []
    for _ in range(plan.epochs):
        total = 0.0
        order = torch.tensor(rng.permutation(len(X)))
        for batch in order.split(plan.batch_size):
            outputs = _outputs(torch, network, weights, biases, slopes, rows[batch])
            each = torch.nn.functional.cross_entropy(
                outputs, targets[batch], reduction="none"
            )
            loss = (each * scales[batch]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()
            total += loss.item() * len(batch)
        losses.append(_finite(total / len(X), plan))
    return _rebuilt(network, weights, biases, slopes), losses


def _per_unit(activation: Activation, units: int) -> Activation:
    """A rectifier with a slope for each unit, which can be learned one by one."""
    if isinstance(activation, Rectifier):
        return Rectifier(np.full(units, float(activation.slope)))
    return activation


def _slopes(network: Dense) -> list[Array]:
    return [a.slope for a in network.activations if isinstance(a, Rectifier)]


def _outputs(
    torch: Any,
    network: Dense,
    weights: list[Any],
    biases: list[Any],
    slopes: list[Any],
    rows: Any,
) -> Any:
    """The network once more, where gradients are followed."""
    h = rows
    for layer, activation in enumerate(network.activations):
        z = torch.nn.functional.linear(h, weights[layer], biases[layer])
        if isinstance(activation, Maxout):
            h = z.unflatten(1, (activation.pieces, -1)).amax(dim=1)
        else:
            h = torch.where(z > 0, z, slopes[layer] * z)
    return torch.nn.functional.linear(h, weights[-1], biases[-1])


def _finite(loss: float, plan: Plan) -> float:
    if not math.isfinite(loss):
        raise InputError(
            "Training diverged: the loss is no longer finite. Bring the features to "
            f"similar scales, or lower learning_rate (it is {plan.learning_rate:g})."
        )
    return loss


def _rebuilt(
    network: Dense, weights: list[Any], biases: list[Any], slopes: list[Any]
) -> Dense:
    """The trained parameters as a network in NumPy."""
    activations = network.activations
    if slopes:
        activations = tuple(Rectifier(_array(slope)) for slope in slopes)
    return Dense(tuple(map(_array, weights)), tuple(map(_array, biases)), activations)


def _array(parameter: Any) -> Array:
    values: Array = parameter.detach().numpy().astype(np.float64)
    return values
