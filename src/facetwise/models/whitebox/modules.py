"""PyTorch modules: written down as the operations they come to, and frozen at x.

A copy of the module in 64 bits is run once under PyTorch's tracer, which lists every
operation in it, however it was called. Those that choose among affine pieces are then
run with their choices held fast. What remains is an affine function of the instance:
its slopes are had by automatic differentiation, its intercept by running it at zero.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.extras import extra
from facetwise.models.whitebox.local import Pattern, keys
from facetwise.models.whitebox.operations import (
    ADDITIVE,
    FACTORS,
    FIRST,
    JOINT,
    KINKS,
    TRAINING,
    VIEWS,
    Kink,
)

Tensor = Any
Pieces = list[Tensor]

BUDGET = 2**25
"""Numbers that the operations of a chunk may hold, forwards and backwards (256 MB)."""

MOST_ROWS = 256
"""Taken at a time, however small the module."""

DRAWS = 4
"""Batches that the first row is put into, to see whether it is left alone."""

TAKEN = (
    "openbox takes Linear, Conv, BatchNorm and Dropout in evaluation mode, ReLU, "
    "LeakyReLU, PReLU, Hardtanh, MaxOut, max and average pooling, Flatten and sums. A "
    "softmax or sigmoid at the end has to be left out."
)


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
                f"{_called(name, part)} is in training mode, in which answers depend "
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
            program = _traced(self._inside, (n, *self._shape))
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


class Program:
    """The operations of a module for a fixed number of rows, in their order.

    `held` counts the numbers that they give.
    """

    def __init__(self, traced: Any, where: dict[str, str]) -> None:
        self._torch = extra("torch", "torch")
        self._traced = traced
        self._nodes = [n for n in traced.graph.nodes if n.op != "output"]
        (self._result,) = (n for n in traced.graph.nodes if n.op == "output")
        self._moving = moving(self._nodes, where)
        shapes = [
            node.meta["tensor_meta"].shape
            for node in self._nodes
            if hasattr(node.meta.get("tensor_meta"), "shape")
        ]
        self.held = sum(math.prod(shape) for shape in shapes)

    def run(self, x: Tensor, pieces: Pieces | None = None) -> tuple[Tensor, Pieces]:
        """Logits at x (n, …) and the pieces taken: those given, or those that hold."""
        given = None if pieces is None else iter(pieces)
        taken: Pieces = []
        value: dict[Any, Any] = {}
        for node in self._nodes:
            args, kwargs = self._torch.fx.node.map_arg(
                (node.args, node.kwargs), value.__getitem__
            )
            if node.op == "placeholder":
                value[node] = x
            elif node.op == "get_attr":
                value[node] = getattr(self._traced, node.target)
            elif node in self._moving and str(node.target) in KINKS:
                kink = KINKS[str(node.target)]
                taken.append(
                    self._chosen(kink, node.target, args, kwargs)
                    if given is None
                    else next(given)
                )
                value[node] = kink.follow(taken[-1], *args, **kwargs)
            elif _operation(node) == "detach_copy":
                value[node] = args[0]  # what is detached still depends on x
            else:
                value[node] = node.target(*args, **kwargs)
        return value[self._result.args[0]], taken

    def _chosen(self, kink: Kink, operation: Any, args: Any, kwargs: Any) -> Tensor:
        with self._torch.no_grad():
            return kink.choose(operation, *args, **kwargs)


def moving(nodes: Sequence[Any], where: dict[str, str]) -> set[Any]:
    """The operations that depend on the instance; an error if one is not affine."""
    found: set[Any] = set()
    for node in nodes:
        if node.op == "placeholder":
            found.add(node)
        elif node.op == "call_function":
            tags = getattr(node.target, "tags", ())
            random = any(tag.name == "nondeterministic_seeded" for tag in tags)
            depends = found.intersection(node.all_input_nodes)
            if random or (depends and not _piecewise_linear(node, found)):
                raise InputError(_refusal(node, where))
            if depends:
                found.add(node)
    return found


def _piecewise_linear(node: Any, found: set[Any]) -> bool:
    """Whether an operation is affine in what depends on the instance, bar kinks."""
    operation = _operation(node)
    named = {operation, f"{operation}.{getattr(node.target, '_overloadname', '')}"}
    reached = [k for k, a in enumerate(node.args) if _reaches(a, found)]
    if any(_reaches(argument, found) for argument in node.kwargs.values()):
        return False
    if operation in TRAINING and node.args[TRAINING[operation]]:
        return False
    if operation == "getitem" and node.args[1] > 0:
        # Parts of a tensor are its numbers; further results are places, or statistics.
        return _operation(node.args[0]).removesuffix("_copy") in VIEWS
    if named & ADDITIVE or str(node.target) in JOINT:
        return True
    if operation in FACTORS:
        return sum(k in FACTORS[operation] for k in reached) <= 1
    return bool(named & FIRST or str(node.target) in KINKS) and reached == [0]


def _reaches(argument: Any, found: set[Any]) -> bool:
    parts = argument if isinstance(argument, list | tuple) else [argument]
    return any(part in found for part in parts if hasattr(part, "op"))


def _operation(node: Any) -> str:
    """What an operation is called, without its types."""
    packet = getattr(node.target, "overloadpacket", node.target)
    return str(getattr(packet, "__name__", packet))


def _refusal(node: Any, where: dict[str, str]) -> str:
    operation = _operation(node)
    place = f" in {where[operation]}" if operation in where else ""
    return (
        f"{operation}{place}, as it is used there, is not known to be piecewise "
        f"linear. {TAKEN}"
    )


def _traced(inside: Any, shape: tuple[int, ...]) -> Program:
    """Every operation of a module on rows of this shape."""
    torch = extra("torch", "torch")
    make_fx = extra("torch", "torch.fx.experimental.proxy_tensor").make_fx
    where: dict[str, str] = {}

    def forward(x: Tensor) -> Tensor:
        with _told(torch, inside, where):
            return inside(x)

    # Without changes in place and views, an operation is its result and nothing else.
    plain = torch.func.functionalize(forward, remove="mutations_and_views")
    try:
        traced = make_fx(plain)(torch.zeros(shape, dtype=torch.float64))
    except RuntimeError as error:
        if "value out of a tracing tensor" not in str(error):
            raise
        raise InputError(
            "Values decide what this module computes (an if, or item(), in its "
            f"forward), so that its regions cannot be told. {TAKEN}"
        ) from error
    traced.graph.eliminate_dead_code()
    return Program(traced, where)


@contextmanager
def _told(torch: Any, inside: Any, where: dict[str, str]) -> Iterator[None]:
    """Note, for as long as this lasts, in which part each operation is first seen."""
    mode = extra("torch", "torch.utils._python_dispatch").TorchDispatchMode
    parts = ["the module"]

    class Telling(mode):  # type: ignore[misc,valid-type]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            where.setdefault(func.overloadpacket.__name__, parts[-1])
            return func(*args, **(kwargs or {}))

    def enter(name: str) -> Callable[..., None]:
        return lambda part, inputs: parts.append(_called(name, part))

    def leave(part: Any, inputs: Any, outputs: Any) -> None:
        parts.pop()

    with ExitStack() as stack:
        for name, part in inside.named_modules():
            stack.callback(part.register_forward_pre_hook(enter(name)).remove)
            stack.callback(part.register_forward_hook(leave).remove)
        stack.enter_context(Telling())
        yield


def _called(name: str, part: Any) -> str:
    kind = type(part).__name__
    return f"part {name!r} ({kind})" if name else kind


def _arrays(pieces: Pieces) -> list[Pattern]:
    return [p.numpy() for p in pieces]
