"""Numbers are taken for scores only where they can be nothing else."""

import numpy as np
import pytest

from facetwise.endpoints.faults import Labels, Lost, Unusable
from facetwise.endpoints.protocols.scores import scores_of, shaped

ADVICE = "Do this."


def pairs(*scores):
    """Labels with their scores, as text services answer."""
    return [{"label": label, "score": score} for label, score in scores]


@pytest.mark.parametrize(
    ("entries", "values", "classes"),
    [
        ([0.5, 0.25], [[0.5], [0.25]], None),
        ([[0.5], [0.25]], [[0.5], [0.25]], None),
        ([[0.5, 0.5], [1, 0]], [[0.5, 0.5], [1.0, 0.0]], None),
        ([[1, 0], [0, 1]], [[1.0, 0.0], [0.0, 1.0]], None),
        ([{"b": 0.25, "a": 0.75}], [[0.75, 0.25]], ("a", "b")),
        ([{"scores": [0.25, 0.75]}], [[0.25, 0.75]], None),
        (
            [{"scores": [0.25, 0.75], "classes": ["b", "a"]}],
            [[0.75, 0.25]],
            ("a", "b"),
        ),
        ([{"score": 0.5, "predicted_label": 1}], [[0.5]], None),
        (
            [{"probabilities": [0.5, 0.5], "logits": [1.0, 1.0], "class_ids": [0]}],
            [[0.5, 0.5]],
            None,
        ),
        (
            [pairs(("b", 0.75), ("a", 0.25)), pairs(("a", 0.5), ("b", 0.5))],
            [[0.25, 0.75], [0.5, 0.5]],
            ("a", "b"),
        ),
    ],
)
def test_forms_of_scores(entries, values, classes):
    """Scores come as numbers, lists and mappings; names decide their order."""
    scores = scores_of(entries, len(entries), ADVICE)
    assert scores.values.tolist() == values
    assert scores.classes == classes


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_numbers_that_are_missing(missing):
    """What is no number stays none."""
    scores = scores_of([[missing, missing], [0.5, 0.5]], 2, ADVICE).values
    np.testing.assert_array_equal(scores, [[np.nan, np.nan], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("entries", "kind", "says"),
    [
        ([1, 0, 2], Labels, r"whole numbers, such as \[1\]"),
        ([[3], [1], [2]], Labels, "whole numbers"),
        ([[3, 1], [1, 0], [0, 2]], Labels, "whole numbers"),
        (["cat", "dog", "cat"], Labels, r"labels, such as \['cat'\]"),
        ([True, False, True], Labels, "labels"),
        ([[0.5, True]] * 3, Labels, "labels"),
        ([[0.5, "0.5"]] * 3, Labels, "labels"),
        ([{"label": "cat"}] * 3, Labels, "labels"),
        ([{"label": "cat", "score": 0.9}] * 3, Unusable, "decision alone.*top_k"),
        ([{"prediction": 1, "probability": 0.9}] * 3, Unusable, "decision alone"),
        ([[0.5, 0.5], [1.0], [0.5, 0.5]], Unusable, "from 1 to 2 scores"),
        ([[], [], []], Unusable, "from 0 to 0"),
        ([[[0.5]]] * 3, Unusable, "Expected numbers"),
        ([{"a": 0.5, "b": 0.5}, {"a": 0.5}, {"a": 1.0}], Unusable, "top_k"),
        (
            [
                pairs(("a", 0.9), ("b", 0.1)),
                pairs(("a", 0.9), ("c", 0.1)),
                pairs(("a", 0.9), ("b", 0.1)),
            ],
            Unusable,
            "top_k",
        ),
        ([{"scores": [0.5], "classes": ["a", "b"]}] * 3, Unusable, "for each class"),
        ([{"scores": [0.5, 0.5], "classes": ["a", "a"]}] * 3, Unusable, "each class"),
        ({"a": 1}, Unusable, "Expected a list"),
        ("text", Unusable, "Expected a list"),
        ([0.5, 0.5], Lost, "2 rows to 3"),
        ([[10**400]] * 3, Lost, "no 64-bit number"),
    ],
)
def test_what_is_no_score(entries, kind, says):
    """Labels, gaps and the best few are told for what they are."""
    with pytest.raises(kind, match=says) as caught:
        scores_of(entries, 3, ADVICE)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("data", "shape", "values"),
    [
        ([0.1, 0.9, 0.2, 0.8], [2, 2], [[0.1, 0.9], [0.2, 0.8]]),
        ([[0.1, 0.9], [0.2, 0.8]], [2, 2], [[0.1, 0.9], [0.2, 0.8]]),
        ([0.1, 0.2], [2], [[0.1], [0.2]]),
        ([0.1, 0.9, 0.2, 0.8], [2, 1, 2], [[0.1, 0.9], [0.2, 0.8]]),
    ],
)
def test_shapes(data, shape, values):
    """Numbers are laid out row by row."""
    assert shaped(data, shape, 2, ADVICE).values.tolist() == values


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ([2, 3], Lost),
        ([3, 2], Lost),
        ([-2, -2], Lost),
        ([2.0, 2], Lost),
        (["2", 2], Lost),
        ([], Lost),
        (None, Lost),
        ([1, 2, 2], Unusable),
        ([1, 4], Lost),
    ],
)
def test_wrong_shapes(shape, kind):
    """A shape that does not go with the numbers or the rows is a fault."""
    with pytest.raises(kind):
        shaped([0.1, 0.9, 0.2, 0.8], shape, 2, ADVICE)
