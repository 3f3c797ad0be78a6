"""A PyTorch module as a list of operations, each of them known to be piecewise linear.

The module is run once under PyTorch's tracer, which lists every operation in it,
however it was called. Those that choose among affine pieces can then be run again with
their choices held fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from facetwise.errors import InputError
from facetwise.extras import extra
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

TAKEN = (
    "openbox takes Linear, Conv, BatchNorm and Dropout in evaluation mode, ReLU, "
    "LeakyReLU, PReLU, Hardtanh, MaxOut, max and average pooling, Flatten and sums. A "
    "softmax or sigmoid at the end has to be left out."
)


class Program:
    """The operations of a module for a fixed number of rows, in their order.

    `held` counts the numbers that they give.
    """

    def __init__(self, listed: Any, where: dict[str, str]) -> None:
        self._torch = extra("torch", "torch")
        self._listed = listed
        self._nodes = [n for n in listed.graph.nodes if n.op != "output"]
        (self._result,) = (n for n in listed.graph.nodes if n.op == "output")
        self._moving = _moving_parts(self._nodes, where)
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
                value[node] = getattr(self._listed, node.target)
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


def _moving_parts(nodes: Sequence[Any], where: dict[str, str]) -> set[Any]:
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


def traced(inside: Any, shape: tuple[int, ...]) -> Program:
    """Every operation of a module on rows of this shape."""
    torch = extra("torch", "torch")
    make_fx = extra("torch", "torch.fx.experimental.proxy_tensor").make_fx
    where: dict[str, str] = {}

    def forward(x: Tensor) -> Tensor:
        with _told(torch, inside, where):
            return inside(x.clone())  # which may be changed in place

    # Without changes in place and views, an operation is its result and nothing else.
    plain = torch.func.functionalize(forward, remove="mutations_and_views")
    try:
        listed = make_fx(plain)(torch.zeros(shape, dtype=torch.float64))
    except RuntimeError as error:
        if "value out of a tracing tensor" not in str(error):
            raise
        raise InputError(
            "Values decide what this module computes (an if, or item(), in its "
            f"forward), so that its regions cannot be told. {TAKEN}"
        ) from error
    listed.graph.eliminate_dead_code()
    return Program(listed, where)


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
        return lambda part, inputs: parts.append(called(name, part))

    def leave(part: Any, inputs: Any, outputs: Any) -> None:
        parts.pop()

    with ExitStack() as stack:
        for name, part in inside.named_modules():
            stack.callback(part.register_forward_pre_hook(enter(name)).remove)
            stack.callback(part.register_forward_hook(leave).remove)
        stack.enter_context(Telling())
        yield


def called(name: str, part: Any) -> str:
    """A part of a module, for people."""
    kind = type(part).__name__
    return f"part {name!r} ({kind})" if name else kind
