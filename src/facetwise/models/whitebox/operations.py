"""Operations of PyTorch that keep a network piecewise linear, by their ATen names.

Every way to call one (a layer, `torch.nn.functional`, a method, in place) comes down to
the same few. Whatever is on no list here is refused. A name stands for all types of
arguments, or is followed by the one that is meant.

Notation
--------
z   what goes in
p   the pieces taken: a boolean or a whole number for each
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Tensor = Any

VIEWS = {
    "view",
    "reshape",
    "expand",
    "permute",
    "transpose",
    "t",
    "unsqueeze",
    "squeeze",
    "select",
    "slice",
    "alias",
    "split",
    "split_with_sizes",
    "unbind",
}
"""Another look at the same numbers; written as a copy, the name ends in `_copy`."""

ADDITIVE = {
    "add",
    "sub",
    "neg",
    "sum",
    "mean",
    "cat",
    "stack",
    "clone",
    "detach_copy",
    "getitem",
    "_unsafe_view",
    "select_scatter",
    "slice_scatter",
    "repeat",
    "flip",
    "roll",
    "constant_pad_nd",
    "avg_pool2d",
    "avg_pool3d",
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    *VIEWS,
    *(f"{view}_copy" for view in VIEWS),
}
"""Affine in all arguments together."""

FACTORS = {
    "mul": (0, 1),
    "mm": (0, 1),
    "bmm": (0, 1),
    "addmm": (1, 2),
    "baddbmm": (1, 2),
}
"""Affine as long as one of these arguments at most depends on the instance."""

FIRST = {
    "div.Tensor",
    "div.Scalar",
    "convolution",
    "index",
    "native_batch_norm",
    "_native_batch_norm_legit_no_training",
}
"""Affine in the first argument, the others being constants."""

TRAINING = {"native_batch_norm": 5}
"""Where an operation is told to behave as in training."""


@dataclass(frozen=True, slots=True)
class Kink:
    """An operation that is affine once the pieces are known.

    `choose` takes the operation itself and its arguments, and gives p; `follow` takes p
    and the arguments. Ties are broken as PyTorch does: at zero a rectifier is off, and
    of equal numbers the first is the largest.
    """

    choose: Callable[..., Tensor]
    follow: Callable[..., Tensor]


def _positive(op: Any, z: Tensor, *others: Any) -> Tensor:
    return z > 0


def _third(op: Any, z: Tensor, low: Any = None, high: Any = None) -> Tensor:
    """0 below the interval, 1 inside, 2 above."""
    above_low = z.new_ones(z.shape) if low is None else z > low
    above_high = z.new_zeros(z.shape) if high is None else z >= high
    return above_low.byte() + above_high.byte()


def _clipped(p: Tensor, z: Tensor, low: Any = None, high: Any = None) -> Tensor:
    z = z if low is None else z.masked_fill(p == 0, low)
    return z if high is None else z.masked_fill(p == 2, high)


def _hard(op: Any, z: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return _third(op, z, min_val, max_val)


def _hardened(
    p: Tensor, z: Tensor, min_val: float = -1.0, max_val: float = 1.0
) -> Tensor:
    return _clipped(p, z, min_val, max_val)


def _leaked(p: Tensor, z: Tensor, slope: float = 0.01) -> Tensor:
    return z.where(p, slope * z)


def _largest(op: Any, z: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Places of the maxima along some dimensions, taken together."""
    return _apart(z, dim).argmax(-1).int()


def _picked(p: Tensor, z: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    values = _apart(z, dim).gather(-1, p.long().unsqueeze(-1)).squeeze(-1)
    return values.view(z.amax(dim, keepdim=True).shape) if keepdim else values


def _apart(z: Tensor, dim: Any) -> Tensor:
    """These dimensions as one, which comes last."""
    axes = [dim] if isinstance(dim, int) else list(dim) or list(range(z.ndim))
    return z.movedim(axes, list(range(-len(axes), 0))).flatten(-len(axes))


def _places(op: Any, z: Tensor, *settings: Any, **named: Any) -> Tensor:
    return op(z, *settings, **named)[1].int()


def _pooled(dimensions: int) -> Callable[..., Tensor]:
    def follow(p: Tensor, z: Tensor, *settings: Any, **named: Any) -> Any:
        flat = z.flatten(-dimensions).gather(-1, p.long().flatten(-dimensions))
        return flat.view(p.shape), None

    return follow


KINKS = {
    "aten.relu.default": Kink(_positive, lambda p, z: z.masked_fill(~p, 0.0)),
    "aten.leaky_relu.default": Kink(_positive, _leaked),
    "aten._prelu_kernel.default": Kink(_positive, lambda p, z, w: z.where(p, w * z)),
    "aten.hardtanh.default": Kink(_hard, _hardened),
    "aten.clamp.default": Kink(_third, _clipped),
    "aten.clamp_min.default": Kink(_third, _clipped),
    "aten.clamp_max.default": Kink(
        lambda op, z, high: _third(op, z, None, high),
        lambda p, z, high: _clipped(p, z, None, high),
    ),
    "aten.maximum.default": Kink(
        lambda op, z, other: z >= other, lambda p, z, other: z.where(p, other)
    ),
    "aten.amax.default": Kink(_largest, _picked),
    "aten.max.dim": Kink(
        _largest, lambda p, *settings, **named: (_picked(p, *settings, **named), None)
    ),
    "aten.max_pool2d_with_indices.default": Kink(_places, _pooled(2)),
    "aten.max_pool3d_with_indices.default": Kink(_places, _pooled(3)),
    "aten.adaptive_max_pool2d.default": Kink(_places, _pooled(2)),
    "aten.adaptive_max_pool3d.default": Kink(_places, _pooled(3)),
}
"""Operations with pieces, and how to take the same ones again."""

JOINT = {"aten.maximum.default"}
"""Those of them whose arguments may all depend on the instance, and not just one."""
