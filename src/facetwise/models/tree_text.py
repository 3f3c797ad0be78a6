"""A logistic model tree as text: its tests, and the weights of its leaves."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facetwise.core.messages import Floats
from facetwise.models.logistic_tree import NONE, LogisticTree

INDENT = "|   "
WIDTH = 88


@dataclass(frozen=True, slots=True)
class Wording:
    """How things are called, and how much of a leaf is shown."""

    features: Sequence[str]
    classes: NDArray[Any]
    decimals: int
    max_weights: int | None


def export(tree: LogisticTree, wording: Wording) -> str:
    """Every test and every leaf; what follows a test stands indented below it."""
    lines: list[str] = []
    tasks = [(0, 0, "")]
    while tasks:
        node, depth, test = tasks.pop()
        if test:
            lines.append(f"{INDENT * (depth - 1)}|--- {test}")
        if (leaf := int(tree.leaf[node])) != NONE:
            lines.extend(INDENT * depth + line for line in _leaf(tree, leaf, wording))
            continue
        name, t = wording.features[tree.feature[node]], f"{tree.threshold[node]:.6g}"
        tasks.append((int(tree.right[node]), depth + 1, f"{name} > {t}"))
        tasks.append((int(tree.left[node]), depth + 1, f"{name} <= {t}"))
    return "\n".join(lines)


def _leaf(tree: LogisticTree, leaf: int, wording: Wording) -> Iterator[str]:
    """What a leaf was trained on, and the logit of each class."""
    weight, accuracy = tree.weight[leaf], tree.accuracy[leaf]
    rows = "row" if weight == 1.0 else "rows"
    yield f"leaf {leaf}: {weight:,.6g} {rows}, {accuracy:.1%} right"
    for label, W, b in zip(wording.classes, tree.W[leaf], tree.b[leaf], strict=True):
        text = f"{label}: {b:.{wording.decimals}f}{_terms(W, wording)}"
        yield from textwrap.wrap(
            text, WIDTH, initial_indent="  ", subsequent_indent="      "
        )


def _terms(W: Floats, wording: Wording) -> str:
    """The weights (d,) that are not zero, the largest first, as terms of a sum."""
    order = np.argsort(-np.abs(W), kind="stable")[: np.count_nonzero(W)]
    shown = order[: wording.max_weights]
    terms = [
        f" {'-' if W[j] < 0 else '+'} {abs(W[j]):.{wording.decimals}g} "
        f"{wording.features[j]}"
        for j in shown
    ]
    if (left := len(order) - len(shown)) > 0:
        terms.append(f" and {left} smaller {'term' if left == 1 else 'terms'}")
    return "".join(terms)
