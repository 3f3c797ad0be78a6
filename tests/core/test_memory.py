"""Finished instances teach those after them what is sure, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

import problems as zoo
from facetwise.core.memory import Memory
from facetwise.core.recovered import Asked, Local, Recovered, nothing
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status

D, C = 8, 3
ALL = np.ones(D, dtype=bool)
BOUND = 1e-10


def reading(target=0, kind=Response.LOGITS):
    """A target against all rivals."""
    return LogOdds(kind, target, tuple(c for c in range(C) if c != target))


def record(model, x, moving=ALL, read=None, **changes):
    """What is found of a linear model around x: certified, by all directions."""
    read = read or reading()
    pairs = {}
    for rival in read.rivals or (read.target,):
        weights, base = model.W[read.target], model.b[read.target]
        if read.rivals:
            weights, base = weights - model.W[rival], base - model.b[rival]
        D_hat = np.where(moving, weights, np.nan)
        base = base + weights[~moving] @ x[~moving]
        none = np.full(D, np.nan)
        pairs[rival] = Local(D_hat, base, BOUND, none, BOUND, Status.CERTIFIED)
    local = next(iter(pairs.values()))
    found = Recovered(
        Status.CERTIFIED, read.target, -1, local, pairs, 0.5, 1.0, BOUND, 30, 1
    )
    return replace(found, **{"asked": Asked.ALL, **changes})


def remembered(memory, model, x, read=None):
    """The regions that an instance of the model might be in."""
    read = read or reading()
    l = read.values(model.logits(x[None]))[0]  # noqa: E741
    return memory.recall(x, l, np.full(len(l), 1e-12), read)


def taught(*found, moving=ALL):
    """A memory that has learnt records, each with the instance and how it was read."""
    memory = Memory(C, moving, np.ones(D))
    memory.learn(found)
    return memory


def drawn(seed):
    """A linear model, and two instances of it."""
    rng = np.random.default_rng(seed)
    return zoo.random_linear(rng, D, C), *rng.standard_normal((2, D))


@pytest.mark.parametrize("target", [0, 2])
@pytest.mark.parametrize("kind", [Response.LOGITS, Response.REGRESSION])
def test_a_certified_instance_teaches_its_region(kind, target):
    """Another instance of the same linear model finds it, whatever was the target."""
    model, x, other = drawn(0)
    read = reading(target)
    if kind is Response.REGRESSION:
        read = LogOdds(kind, target, ())
    memory = taught((read, x, record(model, x, read=read)))
    (known,) = remembered(memory, model, other, read)
    weights = read.compare(known.T.T)
    assert weights == pytest.approx(read.compare(model.W.T), abs=1e-12)
    assert known.radius == 0.5
    if read.rivals:
        assert len(remembered(memory, model, other, reading(1))) == 1


@pytest.mark.parametrize(
    "status", [Status.TOO_COARSE, Status.SMOOTH, Status.ON_BOUNDARY, Status.SATURATED]
)
def test_what_is_not_certified_teaches_nothing(status):
    """Weights that carry another status are neither a region nor a direction."""
    model, x, other = drawn(1)
    found = record(model, x)
    pairs = {r: replace(pair, status=status) for r, pair in found.pairs.items()}
    memory = taught(*[(reading(), x, replace(found, pairs=pairs, status=status))] * 3)
    assert remembered(memory, model, other) == []
    assert memory.design(np.random.default_rng(0)) is None


def test_pairs_that_are_certified_teach_alone():
    """Of a row of which a part is certified, that part is known and no more."""
    model, x, other = drawn(2)
    found = record(model, x)
    found.pairs[2] = nothing(D, Status.TOO_COARSE)
    memory = taught((reading(), x, replace(found, status=Status.PARTLY_CERTIFIED)))
    assert remembered(memory, model, other) == []
    one = LogOdds(Response.LOGITS, 0, (1,))
    (known,) = remembered(memory, model, other, one)
    assert np.isnan(known.T).all(axis=1).tolist() == [False, False, True]


def test_a_region_holds_for_the_frozen_values_that_it_was_found_with():
    """Features that do not move count in the intercept, as the instance had them."""
    model, x, other = drawn(3)
    moving = np.arange(D) > 1
    memory = taught((reading(), x, record(model, x, moving)), moving=moving)
    alike = np.where(moving, other, x)
    (known,) = remembered(memory, model, alike)
    assert known.T.shape == (C, D - 2)
    assert remembered(memory, model, other) == []


def test_weights_on_a_lattice_count_in_the_intercept():
    """A weight of a feature that pairs did not move is taken at the row's value."""
    model, x, other = drawn(4)
    moving = np.arange(D) > 0
    found = record(model, x, moving)
    for rival, pair in found.pairs.items():
        pair.D[0] = model.W[0, 0] - model.W[rival, 0]
        base = pair.base - pair.D[0] * x[0]
        found.pairs[rival] = replace(pair, base=base)
    memory = taught((reading(), x, found), moving=moving)
    assert len(remembered(memory, model, np.where(moving, other, x))) == 1


def test_what_was_recalled_is_not_learnt_again():
    """A row found in a known region adds none, and is the region's latest use."""
    model, x, other = drawn(5)
    found = record(model, x)
    memory = taught((reading(), x, found), (reading(), x, found))
    recalled = replace(found, recalled=0, tried=1, asked=Asked.NOTHING, queries=14)
    memory.learn([(reading(), other, recalled)] * 3)
    assert memory._regions.count == 2
    assert np.argmin(memory._regions._used[:2]) == 1


def test_regions_rest_while_they_are_wrong():
    """After a wave in which trying them cost more, none is recalled for a wave."""
    model, x, other = drawn(6)
    found = record(model, x)
    memory = taught((reading(), x, found))
    vain = [(reading(), x, replace(found, tried=2, queries=60))]
    memory.learn(vain)
    assert remembered(memory, model, other) == []
    memory.learn([(reading(), x, found)])
    assert remembered(memory, model, other)


def test_weights_in_few_directions_become_a_design():
    """The subspace is offered, in scaled units, once weights no longer leave it."""
    rng = np.random.default_rng(7)
    scale, basis = 10.0 ** rng.uniform(-2, 2, D), rng.standard_normal((2, D))
    memory = Memory(C, ALL, scale)
    for _ in range(3):
        x, mix = rng.standard_normal(D), rng.standard_normal((C, 2))
        model = zoo.Linear(mix @ basis / scale, np.zeros(C))
        memory.learn([(reading(), x, record(model, x))])
    design = memory.design(rng)
    assert (design.size, design.d) == (2, D)
    left = basis.T - design.project(design.coordinates(basis).T)
    assert np.abs(left).max() < 1e-6


def test_what_was_asked_inside_a_subspace_does_not_widen_it():
    """Weights that could not but lie in it say nothing of other directions."""
    rng = np.random.default_rng(8)
    memory = Memory(C, ALL, np.ones(D))
    for asked, found in [(Asked.INSIDE, False), (Asked.REST, True)]:
        for _ in range(4):
            x = rng.standard_normal(D)
            model = zoo.Linear(rng.standard_normal((C, 2)) @ np.eye(2, D), np.zeros(C))
            memory.learn([(reading(), x, record(model, x, asked=asked))])
        assert (memory._span._learnt is not None) is found
