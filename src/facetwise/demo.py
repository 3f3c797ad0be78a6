"""A first look: explain a small lending model that is only asked for its scores.

Run it with ``python -m facetwise.demo``.
"""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats
from facetwise.explainer import Explainer
from facetwise.report.terminal import render

FEATURES = ("income", "debt", "years employed", "missed payments")
CLASSES = ("deny", "review", "approve")

# One hidden layer of ReLU units, each of which a lender could have put in words.
HIDDEN = np.array(
    [
        [0.05, -0.02, 0.0, 0.0],  # income left after debt
        [-0.04, 0.03, 0.0, 0.0],  # debt that income does not carry
        [0.0, 0.0, 0.5, 0.0],  # experience beyond two years
        [0.0, 0.0, 0.0, 1.5],  # more than one missed payment
    ]
)
THRESHOLDS = np.array([-1.0, 0.5, -1.0, -1.5])
OUTPUT = np.array(
    [
        [-0.6, 1.1, -0.2, 1.4],
        [0.1, 0.3, 0.1, -0.2],
        [0.9, -1.0, 0.4, -1.6],
    ]
)

APPLICANTS = np.array(
    [
        [62.0, 18.0, 6.0, 0.0],
        [31.0, 44.0, 1.0, 0.0],
        [48.0, 20.0, 3.0, 3.0],
        [45.0, 25.0, 4.0, 1.0],  # just where a missed payment begins to count
    ]
)


def lender(X: Floats) -> Floats:
    """Probabilities of the three decisions: all that anybody can ask of the model."""
    units = np.maximum(X @ HIDDEN.T + THRESHOLDS, 0.0)
    scores = np.exp(units @ OUTPUT.T)
    probabilities: Floats = scores / scores.sum(axis=1, keepdims=True)
    return probabilities


def main() -> None:
    """Explain four applicants, one of whom is a borderline case."""
    print("Four applicants, one model, and nothing but its scores to go by.\n")
    explainer = Explainer(lender, seed=0, feature_names=FEATURES, class_names=CLASSES)
    explanation = explainer(APPLICANTS)
    print(render(explanation))
    print(
        "\nTry your own model:\n\n"
        "    import facetwise as fw\n"
        "    explanation = fw.Explainer(model.predict_proba)(X)\n"
        "    print(fw.report.render(explanation))"
    )


if __name__ == "__main__":
    main()
