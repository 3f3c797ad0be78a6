"""Families of models, services and instances for `never_wrong`, in its order.

A family draws a case from a random generator: instances at random and at boundaries,
in slabs, behind services that cast, round, clip or scatter.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from _harness import zoo
from numpy.typing import NDArray

import facetwise as fw

Array = NDArray[np.float64]
Rng = np.random.Generator

SOFTMAX = ("probabilities", "log_probabilities", "logits")
KINDS = (*SOFTMAX, "sigmoid", "binary", "regression")

FULL, SINGLE = "64 bits", "32 bits"
"""Digits of answers."""

LIMIT = 0.7
"""Domains with limits reach from minus this to this."""


def as_is(x: Array) -> Array:
    """What a model sees of its inputs when nothing comes between."""
    return x


@dataclass(frozen=True)
class Case:
    """A service, the model inside, and the instances X (n, d) to explain.

    `sees` is what the model is given of an instance. `ordinary` names the digits of
    answers about random instances that have to be certified. A service that hides
    digits is not `faithful`: it may well be constant where the model is not.
    """

    model: zoo.Model
    service: zoo.Service
    response: str
    X: Array
    target: Any = "predicted"
    sees: zoo.Service = as_is
    domain: fw.Domain = field(default_factory=fw.Domain)
    ordinary: str = ""
    faithful: bool = True


def sizes(rng: Rng) -> tuple[int, int, int]:
    """Features, classes and instances: large ones are rare, as they are dear."""
    often = np.array([8, 8, 8, 12, 12, 12, 10, 8, 6, 4, 2, 1])
    choices = [1, 2, 3, 5, 8, 13, 20, 30, 60, 100, 300, 784]
    d = int(rng.choice(choices, p=often / often.sum()))
    C = int(rng.choice([2, 3, 4, 5, 10, 20]))
    return d, C, 25 if d <= 30 else 8 if d <= 100 else 2


def hidden(rng: Rng) -> tuple[int, int]:
    """Hidden layers of a network, and their width."""
    return int(rng.integers(1, 7)), int(rng.choice([3, 5, *2 ** np.arange(3, 10)]))


def kink_model(rng: Rng, d: int, C: int) -> zoo.PiecewiseLinear:
    """A random model that has boundaries."""
    layers, width = hidden(rng)
    return [
        lambda: zoo.random_network(rng, d, C, layers, width),
        lambda: zoo.random_network(rng, d, C, layers, width, slope=0.1),
        lambda: zoo.random_network(rng, d, C, layers, width, bias=False),
        lambda: random_maxout(rng, d, C),
        lambda: zoo.random_leaf_models(rng, d, C, int(rng.integers(1, 8))),
    ][rng.integers(5)]()


def random_maxout(rng: Rng, d: int, C: int) -> zoo.MaxOut:
    """A MaxOut network that is not too dear."""
    layers, width = hidden(rng)
    return zoo.random_maxout(rng, d, C, min(layers, 3), min(width, 64), 3)


def ask(rng: Rng, model: zoo.Model, kinds: Sequence[str] = KINDS) -> dict[str, Any]:
    """A service of a random response kind, and what else a case needs of it."""
    kind = str(rng.choice([k for k in kinds if k != "binary" or model.C == 2]))
    target = int(rng.integers(model.C)) if kind == "regression" else "predicted"
    if rng.random() < 0.3 and kind != "binary":
        target = int(rng.integers(model.C))
    service = getattr(zoo, kind)(model)
    return {"model": model, "service": service, "response": kind, "target": target}


# --- Families of cases ---------------------------------------------------------------

Family = Callable[[Rng], Case]


def at_random(make: Callable[[Rng, int, int], zoo.Model], ordinary: str) -> Family:
    """Instances where the data are, on services that add nothing."""

    def family(rng: Rng) -> Case:
        d, C, n = sizes(rng)
        model = make(rng, d, C)
        X = rng.standard_normal((n, d))
        return Case(**ask(rng, model), X=X, ordinary=ordinary)

    return family


def near_boundaries(rng: Rng) -> Case:
    """Instances at distances of 1e-1 to 1e-15 from a boundary, and exactly on one."""
    d, C, n = sizes(rng)
    distances = np.append(10.0 ** -rng.integers(1, 16, size=n - 1), 0.0)
    while True:
        model = kink_model(rng, d, C)
        try:
            rows = [zoo.near_boundary(model, rng, float(a), 20) for a in distances]
        except ValueError:  # one of those that have no boundary among the data
            continue
        return Case(**ask(rng, model), X=np.array(rows))


def moved_boundaries(rng: Rng) -> Case:
    """A boundary put next to the instance, or right through it."""
    d, C, _ = sizes(rng)
    x = rng.standard_normal(d)
    distance = float(rng.choice([0.0, *10.0 ** -np.arange(1.0, 16.0)]))
    network = zoo.random_network(rng, d, C, *hidden(rng))
    model = zoo.with_boundary(network, x, distance * rng.choice([-1.0, 1.0]))
    return Case(**ask(rng, model), X=x[None])


def at_the_origin(rng: Rng) -> Case:
    """The point where all boundaries of a model without bias meet."""
    d, C, _ = sizes(rng)
    model = zoo.random_network(rng, d, C, *hidden(rng), bias=False)
    X = np.zeros((2, d))
    X[1, rng.integers(d)] = 1.0
    return Case(**ask(rng, model), X=X)


def slabs(rng: Rng) -> Case:
    """Instances in thin slabs, beside them, and in one that shares their value."""
    d, C, _ = sizes(rng)
    base, other = zoo.random_linear(rng, d, C), zoo.random_linear(rng, d, C)
    axis = rng.standard_normal(d) if rng.random() < 0.7 else np.eye(d)[0]
    axis /= np.linalg.norm(axis)
    x, width = rng.standard_normal(d), 10.0 ** -rng.uniform(0, 15)
    offset = axis @ x + width * rng.choice([0.0, rng.uniform(-0.5, 0.5), 0.6, 3.0])
    kind = rng.integers(3)
    if kind == 0:
        slopes = 10.0 ** rng.uniform(-1, 4) * rng.standard_normal(C)
        model = zoo.Slab.tent(base, axis, offset, width, slopes)
    elif kind == 1:
        own = zoo.through(other.W, x, base.logits(x[None])[0])
        model = zoo.Slab.step(base, axis, offset, width, own)
    else:
        model = zoo.Slab.step(base, axis, offset, width, other)
    return Case(**ask(rng, model), X=x[None])


def some_instances(rng: Rng, model: zoo.PiecewiseLinear, n: int) -> Array:
    """Random instances, a third of them near a boundary; with zeros, or of 32 bits."""
    X = rng.standard_normal((n, model.d))
    if rng.random() < 0.5:
        X[rng.random(X.shape) < rng.uniform(0, 0.9)] = 0.0
    if rng.random() < 0.5:
        X = X.astype(np.float32).astype(np.float64)
    return X


def beside(rng: Rng, d: int, C: int) -> tuple[zoo.PiecewiseLinear, Array]:
    """A model and instances, of which every other one has a boundary very close by."""
    if rng.random() < 0.5:
        model = kink_model(rng, d, C)
        return model, some_instances(rng, model, 4)
    network = zoo.random_network(rng, d, C, *hidden(rng))
    X = some_instances(rng, network, 1)
    return zoo.with_boundary(network, X[0], 10.0 ** -rng.uniform(2, 14)), X


def inputs_cast(rng: Rng) -> Case:
    """Services that cast inputs to 32 bits."""
    d, C, _ = sizes(rng)
    model, X = beside(rng, d, C)
    asked = ask(rng, model)
    asked["service"] = zoo.cast_inputs(asked["service"])
    return Case(
        **asked,
        X=X,
        faithful=False,
        sees=lambda x: x.astype(np.float32).astype(np.float64),
    )


def inputs_rounded(rng: Rng) -> Case:
    """Services that round inputs to decimals."""
    d, C, _ = sizes(rng)
    decimals = int(rng.integers(1, 13))
    model, X = beside(rng, d, C)
    if rng.random() < 0.5:
        X = np.round(X, decimals)
    asked = ask(rng, model)
    asked["service"] = zoo.round_inputs(asked["service"], decimals)
    return Case(**asked, X=X, faithful=False, sees=lambda x: np.round(x, decimals))


def inputs_frozen(rng: Rng) -> Case:
    """Casts and roundings that let zeros move and nothing else, with a boundary near.

    What is frozen seems to have no weights: also where they are equal, so that some of
    their steps cancel, or faint.
    """
    d, C = int(rng.integers(2, 14)), int(rng.integers(2, 6))
    frozen = rng.random(d) < 0.5
    network = zoo.random_network(rng, d, C, *hidden(rng))
    first = network.weights[0].copy()
    if rng.random() < 0.5:
        first[:, frozen] = first[:, :1]
    first[:, frozen] *= 10.0 ** -rng.choice([0.0, rng.uniform(1, 9)])
    digits = int(rng.integers(3, 9))
    sees = [
        lambda x: x.astype(np.float32).astype(np.float64),
        lambda x: significant(x, digits),
    ][rng.integers(2)]
    x = sees(frozen * rng.uniform(1, 2, size=d))
    network = replace(network, weights=(first, *network.weights[1:]))
    model = zoo.with_boundary(network, x, 10.0 ** -rng.uniform(3, 12))
    asked = ask(rng, model)
    service = asked.pop("service")
    return Case(
        **asked,
        service=lambda X: service(sees(X)),
        X=x[None],
        sees=sees,
        faithful=False,
    )


def significant(x: Array, digits: int) -> Array:
    """Numbers rounded to significant digits."""
    magnitude = np.floor(np.log10(np.where(x == 0.0, 1.0, np.abs(x))))
    unit = 10.0 ** (digits - 1 - magnitude)
    return np.round(x * unit) / unit


def clipped(rng: Rng) -> Case:
    """Services that clip probabilities, also where a class begins to be clipped."""
    d, C, n = sizes(rng)
    model = louder(kink_model(rng, d, C), rng.choice([1.0, 3.0, 10.0]))
    asked = ask(rng, model, ("probabilities", "sigmoid", "binary"))
    X, eps = rng.standard_normal((n, d)), 10.0 ** -rng.uniform(1, 12)
    if rng.random() < 0.5:
        score = rng.choice(asked["service"](X[:1]).ravel())
        X, eps = (
            X[:1],
            score * (1.0 + rng.choice([-1, 1]) * 10.0 ** -rng.uniform(1, 12)),
        )
    asked["service"] = zoo.clip(asked["service"], min(eps, 1.0 - eps))
    return Case(**asked, X=X, faithful=False)


def louder(model: zoo.PiecewiseLinear, gain: float) -> zoo.PiecewiseLinear:
    """The model with all its outputs multiplied."""
    if isinstance(model, zoo.LeafModels):
        return replace(model, W=gain * model.W, b=gain * model.b)
    *weights, W = model.weights
    *biases, b = model.biases
    return replace(model, weights=(*weights, gain * W), biases=(*biases, gain * b))


def nearly_saturated(rng: Rng) -> Case:
    """Probabilities so close to 0 and 1 that few of their digits tell anything."""
    d, C, n = sizes(rng)
    model = louder(kink_model(rng, d, C), rng.uniform(10, 60))
    asked = ask(rng, model, ("probabilities", "sigmoid", "binary"))
    return Case(**asked, X=rng.standard_normal((n, d)), faithful=False)


def coarse_answers(rng: Rng) -> Case:
    """Scores in 32 bits, or rounded to decimals, some of them near a boundary."""
    d, C, n = sizes(rng)
    model, X = kink_model(rng, d, C), rng.standard_normal((n, d))
    if rng.random() < 0.5:
        model, X = beside(rng, d, C)
    asked = ask(rng, model)
    decimals, widen = int(rng.integers(3, 15)), bool(rng.integers(2))
    asked["service"] = [
        lambda f: zoo.float32_answers(f, widen),
        lambda f: zoo.round_answers(f, decimals),
    ][rng.integers(2)](asked["service"])
    return Case(**asked, X=X, faithful=False)


def one_coarse_class(rng: Rng) -> Case:
    """One class has fewer digits than the others, by cancellation or because rare."""
    d, C = int(rng.integers(2, 14)), int(rng.integers(3, 6))
    x, network = rng.standard_normal(d), zoo.random_network(rng, d, C, *hidden(rng))
    *biases, last = zoo.with_boundary(network, x, 10.0 ** -rng.uniform(2, 10)).biases
    c = int(rng.integers(C))
    offset = 2.0 ** rng.integers(10, 40)

    def cancelled(X: Array) -> Array:
        y = np.array(model.logits(X))
        y[:, c] = (y[:, c] + offset) - offset
        return y

    if rng.random() < 0.5:
        model = replace(network, biases=(*biases, last))
        return Case(model, cancelled, "logits", x[None], faithful=False)
    last = last - rng.uniform(5, 20) * (np.arange(C) == c)
    model = replace(network, biases=(*biases, last))
    service = zoo.round_answers(zoo.probabilities(model), int(rng.integers(8, 16)))
    return Case(model, service, "probabilities", x[None], faithful=False)


def mixed(rng: Rng) -> Case:
    """Two things at once that a service may do, anywhere."""
    d, C = int(rng.integers(1, 9)), int(rng.integers(2, 5))
    model, X = beside(rng, d, C)
    asked = ask(rng, model, ("probabilities", "sigmoid", "binary"))
    exponents = rng.uniform(2, 12, size=4)
    layers: list[Callable[[zoo.Service], zoo.Service]] = [
        zoo.cast_inputs,
        lambda f: zoo.round_inputs(f, int(exponents[0])),
        lambda f: zoo.clip(f, 10.0 ** -exponents[1]),
        zoo.float32_answers,
        lambda f: zoo.round_answers(f, int(exponents[2])),
        lambda f: zoo.noisy(f, rng, 10.0 ** -exponents[3]),
    ]
    seen: zoo.Service = np.array
    for k in sorted(rng.choice(len(layers), size=2, replace=False), reverse=True):
        asked["service"] = layers[k](asked["service"])
        seen = layers[k](seen) if k < 2 else seen
    return Case(**asked, X=X, sees=seen, faithful=False)


def random_answers(rng: Rng) -> Case:
    """Services whose answers are random in their last digits, or in more of them."""
    d, C, n = sizes(rng)
    asked = ask(rng, kink_model(rng, d, C), ("probabilities",))
    scale = 10.0 ** -rng.uniform(2, 16)
    asked["service"] = zoo.noisy(asked["service"], rng, scale)
    return Case(**asked, X=rng.standard_normal((n, d)), faithful=False)


def far_from_zero(rng: Rng) -> Case:
    """Features with a large mean, whose digits cancel against the biases."""
    d, C, n = sizes(rng)
    network = zoo.random_network(rng, d, C, *hidden(rng))
    shift = 10.0 ** rng.uniform(1, 6) * rng.choice([-1.0, 1.0], size=d)
    first = network.biases[0] - network.weights[0] @ shift
    model = replace(network, biases=(first, *network.biases[1:]))
    return Case(**ask(rng, model), X=rng.standard_normal((n, d)) + shift)


def limited(rng: Rng) -> Case:
    """Domains with limits, and instances on them."""
    d, C, n = sizes(rng)
    X = np.clip(rng.standard_normal((n, d)), -LIMIT, LIMIT)
    domain = fw.Domain(lower=-LIMIT, upper=LIMIT)
    return Case(**ask(rng, kink_model(rng, d, C)), X=X, domain=domain)


def in_32_bits(rng: Rng) -> Case:
    """Instances where the data are, answered in 32 bits."""
    d, C, n = sizes(rng)
    asked = ask(rng, kink_model(rng, d, C))
    asked["service"] = zoo.float32_answers(asked["service"], bool(rng.integers(2)))
    X = rng.standard_normal((n, d))
    return Case(**asked, X=X, ordinary=SINGLE, faithful=False)


def few_digits(*shorten: zoo.Service) -> Family:
    """Scores with few digits, near boundaries and anywhere."""

    def family(rng: Rng) -> Case:
        d, C, n = sizes(rng)
        model, X = kink_model(rng, d, C), rng.standard_normal((n, d))
        if rng.random() < 0.3:
            model, X = beside(rng, d, C)
        asked = ask(rng, model)
        whole, less = asked.pop("service"), shorten[rng.integers(len(shorten))]
        return Case(**asked, service=lambda Z: less(whole(Z)), X=X, faithful=False)

    return family


def few_digits_both_ways(rng: Rng) -> Case:
    """Inputs are rounded, or cast, and so are the answers."""
    d, C, _ = sizes(rng)
    model, X = beside(rng, d, C)
    decimals, digits = int(rng.integers(2, 9)), int(rng.integers(3, 8))
    sees = [
        lambda x: x.astype(np.float32).astype(np.float64),
        lambda x: np.round(x, decimals),
        lambda x: significant(x, digits),
    ][rng.integers(3)]
    asked = ask(rng, model)
    whole, kept = asked.pop("service"), int(rng.integers(3, 10))
    answers = [
        lambda y: y.astype(np.float32),
        lambda y: np.round(y, kept),
        lambda y: significant(y, kept),
    ][rng.integers(3)]
    if rng.random() < 0.5:
        X = sees(X)
    return Case(
        **asked,
        service=lambda Z: answers(whole(sees(Z))),
        X=X,
        sees=sees,
        faithful=False,
    )


def some_digits(rng: Rng, service: zoo.Service) -> zoo.Service:
    """The service as it is, in 32 bits, or with decimals."""
    decimals = int(rng.integers(4, 12))
    return [
        lambda f: f,
        zoo.float32_answers,
        lambda f: zoo.round_answers(f, decimals),
    ][rng.integers(3)](service)


def mixed_domains(rng: Rng) -> Case:
    """Some features on a limit, some near one, some frozen, of all scales."""
    d, C, n = sizes(rng)
    d = max(d, 2)
    X = rng.standard_normal((min(n, 8), d))
    unit = 10.0 ** rng.integers(-6, 7, size=d) if rng.random() < 0.3 else np.ones(d)
    network = zoo.random_network(rng, d, C, *hidden(rng))
    model = replace(network, weights=(network.weights[0] / unit, *network.weights[1:]))
    near = rng.choice([0.0, 1e-9, 1e-4, 0.1, np.inf], size=(2, d), p=[0.2] * 5)
    lower, upper = X.min(axis=0) - near[0], X.max(axis=0) + near[1]
    frozen = rng.random(d) < rng.choice([0.0, 0.3])
    frozen[rng.integers(d)] = False
    fixed = (lower == upper) | frozen
    if fixed.all():
        upper = upper + 1.0
    domain = fw.Domain(lower * unit, upper * unit, scale=unit, frozen=frozen)
    asked = ask(rng, model)
    asked["service"] = some_digits(rng, asked["service"])
    return Case(**asked, X=X * unit, domain=domain, faithful=False)


def lattices(rng: Rng) -> Case:
    """Whole numbers, or zeros and ones, beside free features; fractions are refused."""
    d, C, n = sizes(rng)
    d = max(d, 2)
    on = rng.random(d) < rng.uniform(0.1, 0.9)
    on[rng.integers(d)] = False
    X = rng.standard_normal((min(n, 8), d))
    ones = bool(rng.integers(2))
    counts = X > 0 if ones else np.rint(3 * X)
    X[:, on] = counts[:, on]
    limits = {"lower": np.where(on, 0.0, -np.inf), "upper": np.where(on, 1.0, np.inf)}
    domain = fw.Domain(step=on.astype(float), **(limits if ones else {}))
    model = [kink_model, zoo.random_linear][rng.integers(2)](rng, d, C)
    asked = ask(rng, model)
    whole = some_digits(rng, asked.pop("service"))

    def service(Z: Array) -> Array:
        y = np.array(whole(Z), dtype=float)
        y[(Z[:, on] != np.rint(Z[:, on])).any(axis=1)] = np.nan
        return y

    return Case(**asked, service=service, X=X, domain=domain, faithful=False)


def other_batches(rng: Rng) -> Case:
    """A row is answered a little differently in another batch, and in another place."""
    d, C, n = sizes(rng)
    asked = ask(rng, kink_model(rng, d, C), ("probabilities",))
    whole, size = asked.pop("service"), 10.0 ** -rng.uniform(5, 9)

    def service(Z: Array) -> Array:
        own = np.random.default_rng(zlib.crc32(Z.tobytes()))
        y = whole(Z)
        y = y * (1.0 + size * own.uniform(-1.0, 1.0, size=y.shape))
        return y.astype(np.float32)

    X = rng.standard_normal((n, d))
    return Case(**asked, service=service, X=X, faithful=False)


def counterexamples(rng: Rng) -> Case:
    """What broke naive versions, each with a new seed."""
    make = zoo.COUNTEREXAMPLES[rng.integers(len(zoo.COUNTEREXAMPLES))]
    found = make(int(rng.integers(2**31)))
    sees = {
        "inputs_cast_to_32_bit": lambda x: x.astype(np.float32).astype(np.float64),
        "rounded_inputs": lambda x: np.round(x, 2),
    }.get(make.__name__, lambda x: x)
    return Case(
        found.model,
        found.service,
        "probabilities",
        found.x[None],
        sees=sees,
        faithful=False,
    )


def smooth(rng: Rng) -> Case:
    """Models without any piece."""
    d, C, n = sizes(rng)
    make = [
        *(
            lambda a=a: zoo.random_smooth(rng, d, C, int(rng.integers(1, 4)), 32, a)
            for a in zoo.ACTIVATIONS
        ),
        lambda: zoo.random_rbf(rng, d, C),
        lambda: zoo.random_gaussian_process(rng, d, C),
    ][rng.integers(5)]
    X = rng.standard_normal((n, d)) * rng.choice([0.0, 1e-3, 0.3, 1.0, 5.0, 30.0])
    return Case(**ask(rng, make()), X=X)


# --- Streams from which memory learns ------------------------------------------------

SMALL = [1, 2, 5, 13, 30, 60, 100]
"""Numbers of features at which streams of a hundred rows are not too dear."""


def stream(rng: Rng) -> tuple[int, int, int]:
    """Features, classes, and so many instances that memory has something to recall."""
    return int(rng.choice(SMALL)), int(rng.integers(2, 6)), int(rng.integers(60, 200))


def few_pieces(rng: Rng, d: int, C: int) -> zoo.PiecewiseLinear:
    """A small tree of linear models, or a network with a small first layer."""
    width = int(rng.integers(2, 9))
    return [
        lambda: zoo.random_leaf_models(rng, d, C, int(rng.integers(1, 5)), 0.2),
        lambda: zoo.random_network(rng, d, C, 1, width),
        lambda: zoo.random_network(rng, d, C, 2, width, slope=0.1),
        lambda: zoo.random_maxout(rng, d, C, 1, width),
    ][rng.integers(4)]()


def nearly_the_same(rng: Rng, tree: zoo.LeafModels) -> zoo.LeafModels:
    """The tree with leaves that differ by little from the first, often below a floor.

    Of some only one weight differs, of some nothing but the intercept.
    """
    little = 10.0 ** -rng.uniform(1, 17, size=(len(tree.W), 1, 1))
    where = rng.random(tree.W.shape) < rng.choice([0.0, 0.1, 1.0])
    W = tree.W[0] + little * where * rng.standard_normal(tree.W.shape)
    b = tree.b[0] + little[:, 0] * rng.choice([0.0, 1.0]) * tree.b
    return replace(tree, W=W, b=b)


def recalled(rng: Rng) -> Case:
    """Hundreds of rows from few regions, far apart or close together."""
    d, C, n = stream(rng)
    asked = ask(rng, few_pieces(rng, d, C))
    asked["service"] = some_digits(rng, asked["service"])
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 1)
    limits = rng.random() < 0.3
    domain = fw.Domain(lower=-LIMIT, upper=LIMIT) if limits else fw.Domain()
    X = np.clip(X, -LIMIT, LIMIT) if limits else X
    if d > 1 and not limits and rng.random() < 0.3:
        # The values that are not moved differ from row to row, or hardly do.
        X[:, 0] = np.rint(X[:, 0])
        domain = fw.Domain(frozen=[0])
    if rng.random() < 0.3 and asked["response"] != "binary":
        asked["target"] = rng.integers(C, size=n)
    return Case(**asked, X=X, domain=domain, faithful=False)


def mistaken(rng: Rng) -> Case:
    """Regions that are nearly the same, and rows on the boundaries between them."""
    d, C, n = stream(rng)
    tree = zoo.random_leaf_models(rng, d, C, int(rng.integers(1, 4)))
    if rng.random() < 0.7:
        tree = nearly_the_same(rng, tree)
    asked = ask(rng, tree)
    asked["service"] = some_digits(rng, asked["service"])
    X = rng.standard_normal((n, d))
    for row in X[n // 3 :: 2]:
        split = rng.integers(len(tree.features))
        aside = rng.choice([0.0, 10.0 ** -rng.uniform(0, 16)]) * rng.choice([-1.0, 1.0])
        row[tree.features[split]] = tree.thresholds[split] + aside
    return Case(**asked, X=X, faithful=False)


@dataclass(frozen=True, eq=False)
class Replaced(zoo.PiecewiseLinear):
    """A model, and one of the same shape that takes its place after a while.

    What is asked of all instances before belongs to the first: its pieces hold, or
    pieces of the second that say the same there.
    """

    first: zoo.LeafModels
    second: zoo.LeafModels

    @property
    def _shape(self) -> tuple[int, int]:
        return self.first.C, self.first.d

    def logits(self, X: Array) -> Array:
        """Outputs of the first."""
        return self.first.logits(X)

    def patterns(self, X: Array) -> zoo.Patterns:
        """Leaves of the first."""
        return np.insert(self.first.patterns(X), 0, 0, axis=1)

    def piece(self, pattern: zoo.Patterns) -> zoo.Piece:
        """Weights and intercepts of a leaf of either."""
        return (self.first, self.second)[pattern[0]].piece(pattern[1:])

    def beside(self, x: Array, radius: Array) -> zoo.Patterns:
        """Leaves of both that reach into the box."""
        both = enumerate((self.first, self.second))
        return np.vstack(
            [np.insert(m.beside(x, radius), 0, i, axis=1) for i, m in both]
        )


def replaced(rng: Rng) -> Case:
    """Models that are replaced, when all rows were asked once, by a similar one."""
    d, C, n = stream(rng)
    first = zoo.random_leaf_models(rng, d, C, int(rng.integers(0, 3)))
    little = 10.0 ** -rng.uniform(0, 17)
    W = first.W + little * rng.standard_normal(first.W.shape)
    second = replace(first, W=W, b=first.b + little * rng.choice([-1.0, 0.0]) * first.b)
    kind = str(rng.choice(["probabilities", "logits", "sigmoid", "regression"]))
    make, after = getattr(zoo, kind), n + int(rng.integers(n * (d + 15)))
    service = some_digits(rng, zoo.changing(make(first), make(second), after))
    target = int(rng.integers(C)) if kind == "regression" else "predicted"
    model, X = Replaced(first, second), rng.standard_normal((n, d))
    return Case(model, service, kind, X, target=target, faithful=False)


FAMILIES: dict[str, tuple[int, Family]] = {
    "relu": (
        4000,
        at_random(lambda r, d, C: zoo.random_network(r, d, C, *hidden(r)), FULL),
    ),
    "leaky relu": (
        1500,
        at_random(
            lambda r, d, C: zoo.random_network(r, d, C, *hidden(r), slope=0.1), FULL
        ),
    ),
    "bias-free": (
        1500,
        at_random(
            lambda r, d, C: zoo.random_network(r, d, C, *hidden(r), bias=False), FULL
        ),
    ),
    "maxout": (
        1500,
        at_random(random_maxout, FULL),
    ),
    "trees of linear models": (
        1500,
        at_random(
            lambda r, d, C: zoo.random_leaf_models(r, d, C, int(r.integers(1, 8)), 0.2),
            FULL,
        ),
    ),
    "linear": (500, at_random(zoo.random_linear, FULL)),
    "stumps": (500, at_random(zoo.random_stumps, "")),
    "near boundaries": (4000, near_boundaries),
    "moved boundaries": (1000, moved_boundaries),
    "at the origin": (200, at_the_origin),
    "slabs": (1500, slabs),
    "inputs cast": (1500, inputs_cast),
    "inputs rounded": (1000, inputs_rounded),
    "inputs frozen": (1000, inputs_frozen),
    "clipped": (1000, clipped),
    "nearly saturated": (1000, nearly_saturated),
    "coarse answers": (1000, coarse_answers),
    "one coarse class": (1000, one_coarse_class),
    "random answers": (500, random_answers),
    "mixed services": (2000, mixed),
    "far from zero": (1000, far_from_zero),
    "limited domains": (1000, limited),
    "in 32 bits": (10_000, in_32_bits),
    "4, 6 and 8 decimals": (
        8000,
        few_digits(*(lambda y, k=k: np.round(y, k) for k in (4, 6, 8))),
    ),
    "3 and 5 digits": (
        5000,
        few_digits(*(lambda y, k=k: significant(y, k) for k in (3, 5))),
    ),
    "few digits both ways": (3000, few_digits_both_ways),
    "mixed domains": (6000, mixed_domains),
    "lattices": (4000, lattices),
    "other batches": (4000, other_batches),
    "counterexamples": (1000, counterexamples),
    "smooth": (2000, smooth),
    "streams of few regions": (12_000, recalled),
    "regions nearly alike": (12_000, mistaken),
    "models replaced": (6000, replaced),
}
"""Name -> the number of instances in a full run, and what makes a case."""
