"""What was found, in words that fit a terminal."""

from __future__ import annotations

import math
import textwrap

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.demo.questions import DENIED, SENSITIVE, directions
from facetwise.explanation import Explanation

WIDTH = 78


def say(text: str) -> None:
    """Print a paragraph."""
    print(textwrap.fill(" ".join(text.split()), WIDTH), end="\n\n")


def heading(text: str) -> None:
    """Print the heading of a part."""
    print(f"{text}\n{'-' * len(text)}")


def at_most(size: float) -> str:
    """A power of ten that is not exceeded: a bound is never rounded down."""
    return "0" if size == 0.0 else f"1e{math.ceil(math.log10(size)):+03d}"


def how_sure(explanation: Explanation) -> str:
    """How many rows are certified, to what, and at what cost."""
    sure, asked = explanation.certified, explanation.queries
    bound = np.nanmax(explanation.error_bound[sure], initial=0.0)
    return (
        f"{sure.sum()} of {len(sure)} are certified: all weights of an applicant are "
        f"within {at_most(bound)} of the model's own, with a confidence of "
        f"{100 * explanation.meta['confidence']:.12g} %. That took {asked.sum():,} "
        f"questions, {asked.mean():.0f} an applicant."
    )


def ranking(explanation: Explanation, scale: Floats) -> str:
    """A table of the features: how far a typical step moves the score, and whither."""
    raises, lowers = directions(explanation)
    moves = np.abs(explanation.values[explanation.certified]) * scale
    typical = np.median(moves, axis=0)
    names = explanation.feature_names or ()
    lines = [
        f"  {'feature':14}{'step':>8}{'moves it by':>13}{'raises':>9}{'lowers':>9}"
    ]
    for j in np.argsort(-typical, kind="stable"):
        mark = "  <--" if names[j] == SENSITIVE else ""
        lines.append(
            f"  {names[j]:14}{scale[j]:>8.3g}{typical[j]:>13.2f}"
            f"{raises[j]:>9}{lowers[j]:>9}{mark}"
        )
    return "\n".join(lines)


def tell_exchange(decisions: Ints) -> None:
    """Say how many decisions turn on the sensitive entry alone."""
    no, yes = decisions == DENIED
    say(
        f"""Its own answers, when {SENSITIVE} is set to 1 and then to 0 and nothing
        else is changed: of {len(no)} applicants {np.sum(yes & ~no)} are denied with 1
        alone, and {np.sum(no & ~yes)} with 0 alone."""
    )
