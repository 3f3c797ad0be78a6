"""The text of a tree shows its tests and the weights that are not zero."""

import numpy as np
import pytest

from facetwise.models.logistic_tree import NONE, LogisticTree
from facetwise.models.tree_text import WIDTH, Wording, export

LEAF = LogisticTree(
    feature=np.array([NONE]),
    threshold=np.zeros(1),
    left=np.array([NONE]),
    right=np.array([NONE]),
    leaf=np.array([0]),
    W=np.array([[[0.0, -2.5, 0.1234567], [0.0, 0.0, 0.0]]]),
    b=np.array([[1.0, -0.25]]),
    weight=np.array([1234.0]),
    accuracy=np.array([0.98765]),
)
TREE = LogisticTree(
    feature=np.array([1, NONE, 0, NONE, NONE]),
    threshold=np.array([0.5, 0.0, 1e6, 0.0, 0.0]),
    left=np.array([1, NONE, 3, NONE, NONE]),
    right=np.array([2, NONE, 4, NONE, NONE]),
    leaf=np.array([NONE, 0, NONE, 1, 2]),
    W=np.zeros((3, 2, 2)),
    b=np.tile([0.0, 1.0], (3, 1)),
    weight=np.array([1.0, 40.0, 2.5]),
    accuracy=np.array([1.0, 0.5, 0.75]),
)


def wording(features, decimals=3, max_weights=None):
    """Names for two classes."""
    return Wording(features, np.array(["no", "yes"]), decimals, max_weights)


def test_a_leaf_shows_its_weights():
    """Largest first, zeros left out, with the rows it was trained on."""
    assert export(LEAF, wording(["age", "debt", "rate"])) == (
        "leaf 0: 1,234 rows, 98.8% right\n"
        "  no: 1.000 - 2.5 debt + 0.123 rate\n"
        "  yes: -0.250"
    )


def test_tests_stand_above_what_follows():
    """Each side of a test is indented below it, left before right."""
    assert export(TREE, wording(["income", "chist"])) == (
        "|--- chist <= 0.5\n"
        "|   leaf 0: 1 row, 100.0% right\n"
        "|     no: 0.000\n"
        "|     yes: 1.000\n"
        "|--- chist > 0.5\n"
        "|   |--- income <= 1e+06\n"
        "|   |   leaf 1: 40 rows, 50.0% right\n"
        "|   |     no: 0.000\n"
        "|   |     yes: 1.000\n"
        "|   |--- income > 1e+06\n"
        "|   |   leaf 2: 2.5 rows, 75.0% right\n"
        "|   |     no: 0.000\n"
        "|   |     yes: 1.000"
    )


@pytest.mark.parametrize(
    ("most", "line"),
    [
        (2, "  no: 1.000 - 2.5 debt + 0.123 rate"),
        (1, "  no: 1.000 - 2.5 debt and 1 smaller term"),
        (0, "  no: 1.000 and 2 smaller terms"),
    ],
)
def test_what_is_left_out_is_counted(most, line):
    """A limit on weights says how many it hides."""
    assert line in export(
        LEAF, wording(["age", "debt", "rate"], max_weights=most)
    ).split("\n")


def test_decimals_are_kept():
    """More decimals show more of a weight."""
    assert "0.123457 rate" in export(LEAF, wording(["a", "b", "rate"], decimals=6))


def test_long_leaves_are_wrapped():
    """A leaf with many weights runs over several lines of the usual width."""
    wide = LogisticTree(
        **{name: getattr(LEAF, name) for name in LEAF.__slots__ if name != "W"},
        W=np.ones((1, 2, 60)),
    )
    lines = export(wide, wording([f"feature {j}" for j in range(60)])).split("\n")
    assert len(lines) > 20
    assert max(map(len, lines)) <= WIDTH
