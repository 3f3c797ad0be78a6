"""MLflow's `/invocations`, which Databricks speaks too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp, field
from facetwise.endpoints.protocols.scores import Scores, scores_of

ADVICE = (
    "Have the model answer probabilities: save it with "
    'mlflow.sklearn.save_model(…, pyfunc_predict_fn="predict_proba").'
)


@dataclass(frozen=True)
class MLflow(OverHttp):
    """`path` ends in `/invocations`."""

    name = "mlflow"

    def encode(self, X: Any) -> Call:
        """A list of rows, or a table with the names of its columns."""
        if not rows.named(X):
            return self.asking({"inputs": rows.lists(X)})
        names = [str(name) for name in X.columns]
        table = {"columns": names, "data": rows.lists(X)}
        return self.asking({"dataframe_split": table})

    def decode(self, body: bytes, rows: int) -> Scores:
        """What `predictions` holds."""
        predictions = field(json_text.loads(body), "predictions", ADVICE)
        return scores_of(predictions, rows, ADVICE)
