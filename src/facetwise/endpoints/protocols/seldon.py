"""Seldon's first protocol: `data` with an array in it, both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp, field
from facetwise.endpoints.protocols.scores import Scores, scores_of, shaped

ADVICE = (
    "Have the model answer probabilities: Seldon's scikit-learn server does with the "
    'parameter method="predict_proba".'
)


@dataclass(frozen=True)
class Seldon(OverHttp):
    """`path` is as a rule `/api/v1.0/predictions`, behind that of the deployment."""

    name = "seldon"

    def encode(self, X: Any) -> Call:
        """A list of numbers for each row, and the names of columns."""
        data: dict[str, Any] = {"ndarray": rows.lists(X)}
        if rows.named(X):
            data["names"] = [str(name) for name in X.columns]
        return self.asking({"data": data})

    def decode(self, body: bytes, rows: int) -> Scores:
        """A nested array, or a flat one with its shape."""
        data = field(json_text.loads(body), "data", ADVICE)
        if not isinstance(data, dict) or "tensor" not in data:
            return scores_of(field(data, "ndarray", ADVICE), rows, ADVICE)
        tensor = data["tensor"]
        values, shape = field(tensor, "values", ADVICE), field(tensor, "shape", ADVICE)
        return shaped(values, shape, rows, ADVICE)
