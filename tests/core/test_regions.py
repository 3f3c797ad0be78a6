"""Known regions are found by the answers that they would give, in bounded work."""

import numpy as np
import pytest

import facetwise.core.regions as kept
import problems as zoo
from facetwise.core.regions import MOST_TRIED, Regions
from facetwise.core.response import LogOdds, Response

D, C = 5, 3
BOUND = 1e-9


def read(target=0, rivals=None, kind=Response.LOGITS):
    """A target against all rivals, where nothing else is said."""
    others = tuple(c for c in range(C) if c != target) if rivals is None else rivals
    return LogOdds(kind, target, others)


def linear(seed=0):
    """A linear model, an instance that it was learnt from, and another one."""
    rng = np.random.default_rng(seed)
    return zoo.random_linear(rng, D, C), *rng.standard_normal((2, D))


def memory(*pieces, scale=1.0, bound=BOUND):
    """Regions that know the pieces (anchor, model), in this order."""
    regions = Regions(C, np.full(D, scale))
    for a, model in pieces:
        regions.learn(a, model.W, model.b, bound, bound, 0.25)
    return regions


def explaining(regions, x, model, asked=None, slack=1e-12):
    """Places of the regions that explain the model's answer at x."""
    asked = asked or read()
    l = asked.values(model.logits(x[None]))[0]  # noqa: E741
    known = regions.explaining(x, l, np.full(len(l), slack), asked)
    return [region.place for region in known]


@pytest.mark.parametrize(
    "asked", [read(), read(2), read(1, (0,)), LogOdds(Response.REGRESSION, 1, ())]
)
def test_a_known_region_explains_any_comparison_of_its_scores(asked):
    """Whatever target it was learnt from, an instance of any other finds it, and T."""
    model, a, x = linear()
    regions = memory((a, model))
    assert explaining(regions, x, model, asked) == [0]
    shifted = zoo.Linear(model.W, model.b + np.array([0.0, 1e-6, 3e-6]))
    assert explaining(regions, x, shifted, asked) == []
    l = asked.values(model.logits(x[None]))[0]  # noqa: E741
    (known,) = regions.explaining(x, l, np.zeros(len(l)), asked)
    assert np.array_equal(known.T, model.W)
    assert (known.radius, known.place) == (0.25, 0)


def test_an_answer_counts_as_far_as_weights_and_answers_are_known():
    """What a region may miss grows with its bound, the distance, and the slack."""
    model, a, x = linear(1)
    away = np.linalg.norm(x) + np.linalg.norm(a)
    reach = 2.0 * BOUND * away + BOUND
    for slack in (0.0, 1e-6):
        for share, found in [(0.9, [0]), (1.1, [])]:
            off = share * (reach + slack)
            shifted = zoo.Linear(model.W, model.b + off * np.eye(C)[0])
            places = explaining(memory((a, model)), x, shifted, slack=slack)
            assert places == found


def test_classes_that_are_not_known_explain_nothing():
    """A region learnt from some rivals alone serves where no other one has told."""
    model, a, x = linear(2)
    part = zoo.Linear(model.W.copy(), model.b.copy())
    part.W[2], part.b[2] = np.nan, np.nan
    regions = memory((a, part))
    assert explaining(regions, x, model) == []
    assert explaining(regions, x, model, read(0, (1,))) == [0]
    l = read().values(model.logits(x[None]))[0]  # noqa: E741
    l[1] = np.nan  # saturated
    assert len(regions.explaining(x, l, np.zeros(2), read())) == 1
    assert regions.explaining(x, np.full(2, np.nan), np.zeros(2), read()) == []


def test_nothing_known_explains_nothing():
    """Before anything was learnt there is no region."""
    model, _, x = linear(3)
    assert explaining(Regions(C, np.ones(D)), x, model) == []


def test_a_region_known_many_times_is_tried_once():
    """Where the same one does not agree, the next to try is one that is another."""
    model, a, x = linear(4)
    other = zoo.through(model.W[::-1], x, model.logits(x[None])[0])
    shift = zoo.Linear(model.W + 1.0, model.b)  # says the same of any two classes
    regions = memory((a, model), (a, shift), (a, model), (x, other), (a, model))
    places = explaining(regions, x, model)
    assert len(places) == MOST_TRIED
    assert sorted(place == 3 for place in places) == [False, True]
    assert len(explaining(memory((a, model), (a, shift)), x, model)) == 1


def test_the_best_known_region_is_tried_first():
    """Of two that explain an answer, the one that is more exact comes first."""
    model, a, x = linear(5)
    other = zoo.through(model.W[::-1], x, model.logits(x[None])[0])
    regions = memory((a, other))
    regions.learn(a, model.W, model.b, BOUND / 10, BOUND, 0.25)
    assert explaining(regions, x, model) == [1, 0]


def test_a_look_up_goes_over_the_nearest_anchors_alone(monkeypatch):
    """Of more regions than the work allows, those are looked at that are near by."""
    monkeypatch.setattr(kept, "WORK", 8 * D)
    rng = np.random.default_rng(6)
    anchors = rng.standard_normal((200, D)) + 50.0 * np.eye(200, D)[:, ::-1]
    models = [zoo.random_linear(rng, D, C) for _ in anchors]
    regions = memory(*zip(anchors, models, strict=True))
    for i in range(0, 200, 7):
        near = anchors[i] + 1e-6
        assert explaining(regions, near, models[i]) == [i]
    assert len(regions._near(anchors[0])) == 8


def test_what_was_of_no_use_for_longest_is_forgotten(monkeypatch):
    """Where memory is full, a new region takes the place that was left unused."""
    monkeypatch.setattr(kept, "MOST_NUMBERS", 4 * D * C + 1)
    rng = np.random.default_rng(7)
    models, x = [zoo.random_linear(rng, D, C) for _ in range(9)], rng.random(D)
    regions = memory(*((x, model) for model in models[:4]))
    regions.use(0)
    for model in models[4:6]:
        regions.learn(x, model.W, model.b, BOUND, BOUND, 0.25)
    found = [bool(explaining(regions, x, model)) for model in models]
    assert found == [True, False, False, True, True, True, False, False, False]
    assert regions.count == 4
    for model in models[6:]:
        regions.use(0)
        regions.learn(x, model.W, model.b, BOUND, BOUND, 0.25)
    found = [bool(explaining(regions, x, model)) for model in models]
    assert [i for i in range(9) if found[i]] == [0, 6, 7, 8]
    assert regions._T.size <= 4 * D * C


def test_a_region_that_no_memory_holds_is_not_kept(monkeypatch):
    """Where one region alone would be more than all may have, none is remembered."""
    monkeypatch.setattr(kept, "MOST_NUMBERS", D * C - 1)
    model, a, x = linear(8)
    regions = memory((a, model))
    assert explaining(regions, x, model) == []
    assert regions._T.size == 0


def test_all_that_is_known_survives_growth():
    """However many regions come in, each stays in its place, as it was learnt."""
    rng = np.random.default_rng(9)
    models = [zoo.random_linear(rng, D, C) for _ in range(100)]
    regions = memory(*((rng.standard_normal(D), model) for model in models))
    x = rng.standard_normal(D)
    assert [explaining(regions, x, m) for m in models] == [[i] for i in range(100)]


@pytest.mark.parametrize("size", [1e160, 1e200, 1e308])
def test_instances_beyond_all_numbers_are_in_no_region(size):
    """An instance that far out that its distance overflows is explained by none."""
    model, a, x = linear(10)
    assert explaining(memory((a, model), scale=1e-3), size * np.sign(x), model) == []
