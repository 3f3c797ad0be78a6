"""`instances` in, `predictions` out: KServe v1, TensorFlow Serving, Vertex AI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp, field
from facetwise.endpoints.protocols.scores import Scores, scores_of

ADVICE = (
    "Have the model answer probabilities: KServe's scikit-learn server does with the "
    "environment variable PREDICT_PROBA=true; in TensorFlow Serving the signature "
    "names the outputs; a custom container returns predict_proba."
)


@dataclass(frozen=True)
class V1(OverHttp):
    """`path` is the whole of it, `/v1/models/NAME:predict`."""

    name = "v1"

    def encode(self, X: Any) -> Call:
        """A list of numbers for each row, or a mapping where columns have names."""
        instances = rows.records(X) if rows.named(X) else rows.lists(X)
        return self.asking({"instances": instances})

    def decode(self, body: bytes, rows: int) -> Scores:
        """What `predictions` holds."""
        predictions = field(json_text.loads(body), "predictions", ADVICE)
        return scores_of(predictions, rows, ADVICE)
