"""The paper's measures, by hand and against other ways to compute them."""

import numpy as np
import pytest

from facetwise import metrics
from facetwise.errors import InputError


def test_features_are_altered_by_descending_weight():
    """The largest weight comes first; positive ones go to 0, negative ones to 1."""
    x = np.array([0.5, 0.6, 0.7, 0.8])
    rows = metrics.altered(x, np.array([1.0, -3.0, 0.0, 2.0]))
    assert rows.tolist() == [
        [0.5, 0.6, 0.7, 0.8],
        [0.5, 1.0, 0.7, 0.8],
        [0.5, 1.0, 0.7, 0.0],
        [0.0, 1.0, 0.7, 0.0],
        [0.0, 1.0, 0.7, 0.0],  # a weight of zero says nothing
    ]


def test_no_more_features_are_altered_than_asked():
    """After k rows, k features differ; equal weights go in their order."""
    x = np.full(300, 0.5)
    rows = metrics.altered(x, np.ones(300))
    assert rows.shape == (201, 300)
    assert [(row != x).sum() for row in rows] == list(range(201))
    assert (rows[7, :7] == 0).all()


def test_an_answer_that_is_missing_alters_nothing():
    """NaN weights leave the instance as it is."""
    rows = metrics.altered(np.ones(3), np.full(3, np.nan), features=2)
    assert (rows == 1.0).all()


def test_change_of_probability():
    """CPP is the absolute change against the first row."""
    p = np.array([[0.2, 0.8], [0.7, 0.3], [0.1, 0.9]])
    assert metrics.change_of_probability(p, 1) == pytest.approx([0.0, 0.5, 0.1])


def test_label_changed_instances():
    """NLCI counts the rows whose label differs from their first."""
    labels = np.array([[1, 1, 2], [0, 2, 0], [3, 3, 3]])
    assert metrics.label_changed_instances(labels).tolist() == [0, 1, 1]


def test_nearest_neighbours():
    """They are those that brute force finds, a row itself never among them."""
    pool = np.random.default_rng(0).uniform(size=(50, 7))
    pool[9] = pool[4]
    rows = np.array([4, 9, 0, 30])
    distances = np.linalg.norm(pool[rows][:, None] - pool, axis=2)
    distances[np.arange(4), rows] = np.inf
    found = metrics.nearest_neighbours(rows, pool)
    assert found.tolist() == distances.argmin(axis=1).tolist()
    assert found[:2].tolist() == [9, 4]


@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_cosine_similarity(size):
    """It is that of the definition at any length, and NaN of what points nowhere."""
    a = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, -1.0], [0.0, 0.0]])
    b = np.array([[0.0, 2.0], [3.0, 3.0], [-4.0, 2.0], [1.0, 0.0]])
    found = metrics.cosine_similarity(size * a, b)
    assert found[:3] == pytest.approx([0.0, 1.0, -1.0], abs=1e-15)
    assert np.isnan(found[3])
    assert metrics.cosine_similarity(b, b).max() == 1.0


def test_region_difference():
    """One probe beyond the region is enough."""
    assert metrics.region_difference(b"a", [b"a", b"a"]) == 0
    assert metrics.region_difference(b"a", [b"a", b"b"]) == 1


def test_weight_difference_is_the_papers_formula():
    """Sums over probes and rivals, divided by (C - 1) times the number of probes."""
    rng = np.random.default_rng(0)
    own, weights = rng.standard_normal((4, 5)), rng.standard_normal((6, 4, 5))
    total = sum(
        np.abs((own[2] - own[c]) - (W[2] - W[c])).sum()
        for W in weights
        for c in range(4)
    )
    found = metrics.weight_difference(own, weights, 2)
    assert found == pytest.approx(total / (3 * 6))
    counts = np.array([1, 3, 2, 0, 1, 1])
    assert metrics.weight_difference(own, weights, 2, counts) == pytest.approx(
        metrics.weight_difference(own, np.repeat(weights, counts, axis=0), 2)
    )


def test_weight_difference_is_zero_for_the_same_log_odds():
    """Logits may have a common slope more: their differences are the model."""
    own = np.random.default_rng(0).standard_normal((3, 4))
    assert metrics.weight_difference(own, own[None] + 7.0, 1) == pytest.approx(0.0)


def test_l1_distance():
    """The sum of absolute errors, row by row; a row without an answer stays NaN."""
    values = np.array([[1.0, 2.0], [np.nan, 0.0]])
    found = metrics.l1_distance(values, np.array([[0.0, 4.0], [0.0, 0.0]]))
    assert found[0] == 3.0
    assert np.isnan(found[1])


@pytest.mark.parametrize(
    ("measure", "arguments"),
    [
        (metrics.altered, (np.ones(3), np.ones(2))),
        (metrics.cosine_similarity, (np.ones((2, 3)), np.ones((1, 3)))),
        (metrics.l1_distance, (np.ones((2, 3)), np.ones(3))),
        (metrics.region_difference, (1, [])),
        (metrics.weight_difference, (np.ones((2, 3)), np.ones((4, 3, 3)), 0)),
        (metrics.weight_difference, (np.ones((2, 3)), np.ones((0, 2, 3)), 0)),
        (metrics.nearest_neighbours, (np.array([0]), np.ones((1, 3)))),
    ],
)
def test_shapes_that_do_not_fit_are_refused(measure, arguments):
    """Nothing is broadcast in silence."""
    with pytest.raises(InputError):
        measure(*arguments)
