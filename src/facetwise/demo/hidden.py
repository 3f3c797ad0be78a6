"""The models that nobody sees: they are asked over HTTP alone."""

from __future__ import annotations

from typing import Any

from facetwise.datasets.record import Table
from facetwise.extras import extra


def network(data: Table) -> Any:
    """A ReLU network with 16 units, trained on the table."""
    layers = extra("demo", "sklearn.neural_network")
    scaling = extra("demo", "sklearn.preprocessing")
    model = layers.MLPClassifier(
        [16], learning_rate_init=0.01, early_stopping=True, random_state=0
    )
    steps = extra("demo", "sklearn.pipeline").make_pipeline
    return steps(scaling.StandardScaler(), model).fit(data.train.X, data.train.y)


def tree(data: Table) -> Any:
    """A decision tree with a linear model in each leaf, trained on the table."""
    from facetwise.models import LogisticModelTree

    return LogisticModelTree(min_samples_split=600).fit(data.train.X, data.train.y)
