"""What is asked of a model, by its address alone."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.datasets.record import Table
from facetwise.endpoints.endpoint import Endpoint
from facetwise.explainer import Explainer
from facetwise.explanation import Explanation

DENIED = 1
"""The class that is asked about: `data.class_names` says so."""

SENSITIVE = "afam=yes"
"""Is the applicant African-American? 1 for yes, 0 for no."""


def denied(endpoint: Endpoint, X: Floats) -> Floats:
    """The rows that the model denies."""
    rows: Floats = X[endpoint.scores(X).argmax(axis=1) == DENIED]
    return rows


def why_denied(endpoint: Endpoint, X: Floats, data: Table, seed: int) -> Explanation:
    """The weights behind the log-odds of a denial, for each row."""
    explainer = Explainer(
        endpoint,
        target=DENIED,
        domain=data.domain,
        feature_names=data.feature_names,
        class_names=data.class_names,
        seed=seed,
    )
    return explainer(X)


def exchanged(endpoint: Endpoint, X: Floats, feature: int) -> Ints:
    """Decisions (2, n) with 0 and with 1 for a feature, all else as it is."""
    both = np.stack([X, X])
    both[0, :, feature], both[1, :, feature] = 0.0, 1.0
    return np.stack([endpoint.scores(rows).argmax(axis=1) for rows in both])


def directions(explanation: Explanation) -> tuple[Ints, Ints]:
    """Rows in which each feature (d,) raises and lowers the score, beyond doubt."""
    sure = explanation.certified
    W, bound = explanation.values[sure], explanation.error_bound[sure]
    return (bound < W).sum(axis=0), (bound < -W).sum(axis=0)
