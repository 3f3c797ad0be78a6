"""An explanation as plain text, for a terminal or a log."""

from __future__ import annotations

import textwrap
from collections import Counter

import numpy as np

from facetwise.core.recovered import AGAINST_ALL
from facetwise.core.response import Response
from facetwise.explanation import Explanation, class_labels, labels

WIDTH = 78
BAR = 16


def render(explanation: Explanation, max_display: int = 10) -> str:
    """Every row with its features, those that matter most first, and a summary."""
    rows = [_row(explanation, i, max_display) for i in range(len(explanation))]
    return "\n\n".join([*rows, summary(explanation)])


def summary(explanation: Explanation) -> str:
    """How many rows ended how, and what it cost."""
    n, asked = len(explanation), int(explanation.queries.sum())
    certified = int(explanation.certified.sum())
    questions = "question" if asked == 1 else "questions"
    lines = [f"{certified} of {n} rows certified, {asked:,} {questions} asked."]
    for status, count in Counter(explanation.status).items():
        lines.append(_wrapped(f"{count} x {status}", "  "))
    return "\n".join(lines)


def _row(explanation: Explanation, i: int, max_display: int) -> str:
    status = explanation.status[i]
    title = f"Row {i}: {_question(explanation, i)}{status.title}."
    values = explanation.values[i]
    if not np.isfinite(values).any():
        return "\n".join([title, _wrapped(str(status), "  ")])
    # What is not told from 0 is shown as 0.
    values = np.where(np.abs(values) <= explanation.error_bound[i], 0.0, values)
    effects = np.nan_to_num(values * explanation.data[i]) + 0.0  # and no -0
    order = np.argsort(-np.abs(effects), kind="stable")[:max_display]
    names = [labels(explanation)[j] for j in order]
    wide = max(len(name) for name in [*names, "intercept"])
    largest = max(np.abs(effects[order]).max(initial=0.0), 1e-300)
    lines = [
        title,
        f"  {'':{wide}}  {'value':>10}  {'weight':>11}  {'at most off':>11}  effect",
    ]
    for name, j in zip(names, order, strict=True):
        bar = _bar(effects[j] / largest)
        lines.append(
            f"  {name:{wide}}  {explanation.data[i, j]:>10.5g}  {values[j]:>+11.5g}  "
            f"{explanation.error_bound[i, j]:>11.1e}  {effects[j]:>+9.4g}  {bar}"
        )
    if (left := len(values) - len(order)) > 0:
        rest = effects.sum() - effects[order].sum()
        features = "feature" if left == 1 else "features"
        lines.append(f"  {left} further {features}: {rest:+.4g}")
    if np.isfinite(base := explanation.base_values[i]):
        lines.append(
            f"  {'intercept':{wide}}  {'':>10}  {'':>11}  {'':>11}  {base:>+9.4g}"
        )
        total = "output" if _is_regression(explanation) else "log-odds"
        lines.append(f"  {total} {base + effects.sum():+.6g}")
    return "\n".join(line.rstrip() for line in lines)


def _question(explanation: Explanation, i: int) -> str:
    """What the values of a row compare, as far as it is known."""
    if (target := explanation.target[i]) < 0:
        return ""
    names = class_labels(explanation)
    if (rival := explanation.contrast[i]) != AGAINST_ALL:
        return f"why {names[target]} and not {names[rival]}. "
    return f"why {names[target]}. "


def _is_regression(explanation: Explanation) -> bool:
    return explanation.meta.get("response") == Response.REGRESSION


def _bar(share: float) -> str:
    length = round(abs(share) * BAR)
    return ("+" if share > 0 else "-") * length


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  "
    )
