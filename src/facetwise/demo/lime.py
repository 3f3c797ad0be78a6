"""What LIME says about the same applicant, where its package is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.datasets.record import Table
from facetwise.demo.questions import DENIED, SENSITIVE, why_denied
from facetwise.demo.telling import at_most, say
from facetwise.endpoints.endpoint import Endpoint
from facetwise.errors import ExtraError
from facetwise.extras import extra

RUNS = 3
"""How often it is run, to see whether it says the same again."""


def lime_says(lime: Any, endpoint: Endpoint, x: Floats, data: Table, seed: int) -> str:
    """The weight that LIME, as it comes, gives the sensitive entry, and its place."""
    words = [j for j, name in enumerate(data.feature_names) if "=" in name]
    explainer = lime.LimeTabularExplainer(
        data.train.X, categorical_features=words, random_state=seed
    )
    found = explainer.explain_instance(
        x, endpoint.scores, labels=(DENIED,), num_features=len(x)
    )
    weights = dict(found.local_exp[DENIED])
    order = sorted(weights, key=lambda j: -abs(weights[j]))
    j = data.feature_names.index(SENSITIVE)
    return f"{weights[j]:+.4f} (place {order.index(j) + 1})"


def tell_lime(endpoint: Endpoint, x: Floats, data: Table) -> None:
    """Ask LIME about one applicant some times, and facetwise as often."""
    try:
        lime = extra("paper", "lime.lime_tabular")
    except ExtraError:
        say("""LIME is not installed, so it is not asked. 'pip install lime' brings it,
            and the tour then compares.""")
        return
    j = data.feature_names.index(SENSITIVE)
    theirs = [lime_says(lime, endpoint, x, data, seed) for seed in range(RUNS)]
    ours = [why_denied(endpoint, x, data, seed) for seed in range(RUNS)]
    weights = [run.values[0, j] for run in ours]
    print("  LIME       " + "   ".join(theirs))
    print(
        "  facetwise  " + "   ".join(f"{weight:<+17.4f}" for weight in weights).rstrip()
    )
    print()
    say(f"""This is about one applicant, whose entry is {x[j]:g}. LIME asks 5,000
        questions a run, and gives no bound. facetwise asks {ours[0].queries[0]}, and
        its runs are at most {at_most(float(np.ptp(weights)))} apart. The two measure
        different things. LIME's weight is what having the entry that the applicant has
        adds to the probability, in a neighbourhood as wide as the table. facetwise's is
        the slope of the log-odds right at this applicant.""")
