"""PyTorch modules, in 64 bits and frozen at x.

With the choices that a module makes at x held fast, what remains is an affine function:
its slopes are had by automatic differentiation, its intercept by running it at zero.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.extras import extra
from facetwise.models.whitebox.local import Pattern, keys
from facetwise.models.whitebox.program import Pieces, Program, Tensor, called, traced

BUDGET = 2**25
"""Numbers that the operations of a chunk may hold, forwards and backwards (256 MB)."""

MOST_ROWS = 256
"""Taken at a time, however small the module."""

DRAWS = 4
"""Batches that the first row is put into, to see whether it is left alone."""


def module(model: Any, input_shape: Sequence[int] | None) -> ModuleBox:
    """Open a module that takes rows of shape `input_shape`."""
    if input_shape is None:
        raise InputError(
            "A PyTorch module needs input_shape, the shape of one row: (784,) for flat "
            "rows, or (3, 32, 32) for images of three channels."
        )
    for name, part in model.named_modules():
        if part.training:
            raise InputError(
                f"{called(name, part)} is in training mode, in which answers depend "
                "on the batch or on chance. Call eval() on the module first."
            )
    # On a copy: the module of the user keeps its type, device and gradients.
    inside = copy.deepcopy(model).cpu().double().requires_grad_(False)
    return ModuleBox(inside, tuple(int(size) for size in input_shape))


class ModuleBox:
    """A module in 64 bits, and its programs, one for each number of rows."""

    def __init__(self, inside: Any, shape: tuple[int, ...]) -> None:
        self._torch = extra("torch", "torch")
        self._inside = inside
        self._shape = shape
        self._programs: dict[int, Program] = {}
        self.features = math.prod(shape)
        self.outputs = self._tried().shape[1]
        held = self._program(2).held // 2 + self.outputs * self.features
        self.rows = max(1, min(MOST_ROWS, BUDGET // held))

    def _tried(self) -> Floats:
        """Answers to two rows of zeros, or why there are none."""
        try:
            return self.answers(np.zeros((2, self.features)))
        except RuntimeError as error:
            raise InputError(
                f"The module cannot be run, in 64 bits, on rows of input_shape "
                f"{self._shape}: {error}"
            ) from error

    def answers(self, X: Floats) -> Floats:
        """As the module computes them."""
        with self._torch.no_grad():
            outputs = self._inside(self._tensor(X))
        if not hasattr(outputs, "ndim") or outputs.ndim != 2 or len(outputs) != len(X):
            raise InputError(
                f"The module must give logits (n, C) for n rows; {len(X)} rows gave "
                f"{tuple(getattr(outputs, 'shape', ())) or type(outputs).__name__}."
            )
        answers: Floats = outputs.numpy()
        return answers

    def patterns(self, X: Floats) -> Sequence[Pattern]:
        """The pieces that each operation takes."""
        with self._torch.no_grad():
            return _arrays(self._program(len(X)).run(self._tensor(X))[1])

    def local(self, X: Floats) -> tuple[Floats, Floats, Sequence[Pattern]]:
        """Slopes by automatic differentiation of the frozen network, b at zero."""
        program = self._program(len(X))
        x = self._tensor(X).requires_grad_()
        logits, pieces = program.run(x)
        W = np.stack(
            [self._slopes(logits[:, c], x) for c in range(self.outputs)], axis=1
        )
        with self._torch.no_grad():
            b = program.run(self._torch.zeros_like(x), pieces)[0].numpy()
        return W, b, _arrays(pieces)

    def _slopes(self, logit: Tensor, x: Tensor) -> Floats:
        """Gradients (n, d) of a logit (n,) of each row: rows do not mix."""
        if not logit.requires_grad:
            return np.zeros((len(x), self.features))
        (slopes,) = self._torch.autograd.grad(
            logit.sum(), x, retain_graph=True, materialize_grads=True
        )
        flat: Floats = slopes.flatten(1).numpy()
        return flat

    def _tensor(self, X: Floats) -> Tensor:
        return self._torch.tensor(X).view(len(X), *self._shape)

    def _program(self, n: int) -> Program:
        if n not in self._programs:
            program = traced(self._inside, (n, *self._shape))
            self._refuse_mixing(program, n)
            self._programs[n] = program
        return self._programs[n]

    def _refuse_mixing(self, program: Program, n: int) -> None:
        """Raise if the first row's answer or region changes with the other rows."""
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, self.features))
        answer, key = self._of_first(program, X)
        for _ in range(DRAWS):
            X[1:] = rng.standard_normal((n - 1, self.features))
            again, key_again = self._of_first(program, X)
            if key != key_again or not np.allclose(answer, again, 1e-10, 1e-10):
                raise InputError(
                    "Rows of a batch influence one another in this module, or the "
                    "rows are not its first dimension, so that no row has a local "
                    "model of its own."
                )

    def _of_first(self, program: Program, X: Floats) -> tuple[Floats, bytes]:
        with self._torch.no_grad():
            logits, pieces = program.run(self._tensor(X))
        return logits[0].numpy(), keys(_arrays(pieces), len(X))[0]


def _arrays(pieces: Pieces) -> list[Pattern]:
    return [p.numpy() for p in pieces]
