"""Back-propagation with PyTorch: the one place where a network is trained."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
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
    parameters = _Parameters.of(torch, network)
    learned = parameters.learned(plan)
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

    def step(batch: Any) -> float:
        """Follow the gradient on a few rows; the sum of their losses."""
        each = torch.nn.functional.cross_entropy(
            parameters.outputs(rows[batch]), targets[batch], reduction="none"
        )
        loss = (each * scales[batch]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rate.step()
        return float(loss.item()) * len(batch)

    losses = []
    with _one_thread(torch):
        for _ in range(plan.epochs):
            batches = torch.tensor(rng.permutation(len(X))).split(plan.batch_size)
            losses.append(_finite(sum(map(step, batches)) / len(X), plan))
    return parameters.network(), losses


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """Sums that do not depend on the number of threads.

    Layers this small gain little from more, and lose much where cores are shared.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """What a network has to learn, where gradients are followed."""

    torch: Any
    start: Dense
    weights: list[Any]
    biases: list[Any]
    slopes: list[Any]

    @classmethod
    def of(cls, torch: Any, start: Dense) -> _Parameters:
        slopes = [a.slope for a in start.activations if isinstance(a, Rectifier)]
        tensors = (
            [torch.tensor(a, dtype=torch.float32) for a in arrays]
            for arrays in (start.weights, start.biases, slopes)
        )
        return cls(torch, start, *tensors)

    def learned(self, plan: Plan) -> list[Any]:
        """All that is not fixed."""
        slopes = self.slopes if plan.learn_slopes else []
        return [*self.weights, *self.biases, *slopes]

    def outputs(self, h: Any) -> Any:
        """Logits at rows h, as `Dense.run` has them."""
        linear = self.torch.nn.functional.linear
        for k, activation in enumerate(self.start.activations):
            z = linear(h, self.weights[k], self.biases[k])
            if isinstance(activation, Maxout):
                h = z.unflatten(1, (activation.pieces, -1)).amax(dim=1)
            else:
                h = self.torch.where(z > 0, z, self.slopes[k] * z)
        return linear(h, self.weights[-1], self.biases[-1])

    def network(self) -> Dense:
        """The numbers as they are now, in NumPy."""
        activations = self.start.activations
        if self.slopes:
            activations = tuple(Rectifier(_array(slope)) for slope in self.slopes)
        return Dense(
            tuple(map(_array, self.weights)),
            tuple(map(_array, self.biases)),
            activations,
        )


def _per_unit(activation: Activation, units: int) -> Activation:
    """A rectifier with a slope for each unit, which can be learned one by one."""
    if isinstance(activation, Rectifier):
        return Rectifier(np.full(units, float(activation.slope)))
    return activation


def _finite(loss: float, plan: Plan) -> float:
    if not math.isfinite(loss):
        raise InputError(
            "Training diverged: the loss is no longer finite. Bring the features to "
            f"similar scales, or lower learning_rate (it is {plan.learning_rate:g})."
        )
    return loss


def _array(parameter: Any) -> Array:
    values: Array = parameter.detach().numpy().astype(np.float64)
    return values
