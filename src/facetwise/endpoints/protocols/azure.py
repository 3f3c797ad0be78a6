"""Azure ML online endpoints: `/score`, with what MLflow models there take and give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints import status
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp
from facetwise.endpoints.protocols.scores import Scores, scores_of
from facetwise.errors import EndpointError

ADVICE = (
    "What an endpoint takes and gives is up to its scoring script: have it answer "
    "predict_proba, or describe it by protocol='json' with request= and scores=."
)

WRAPPERS = ("predictions", "result", "output", "outputs")
"""Names under which scoring scripts return their list, where it does not come bare."""

MODEL_STATUS = "ms-azureml-model-error-statuscode"
"""Where the gateway tells what the model itself answered."""


@dataclass(frozen=True)
class Azure(OverHttp):
    """`path` is `/score`."""

    name = "azure"

    def encode(self, X: Any) -> Call:
        """A list of rows, or a table with the names of its columns."""
        if not rows.named(X):
            return self.asking({"input_data": rows.lists(X)})
        names = [str(name) for name in X.columns]
        table = {"columns": names, "index": list(range(len(X))), "data": rows.lists(X)}
        return self.asking({"input_data": table})

    def decode(self, body: bytes, rows: int) -> Scores:
        """A bare list, or one under a usual name; as JSON within JSON too."""
        content = json_text.loads(body)
        if isinstance(content, str):
            content = json_text.loads(content.encode())
        if isinstance(content, dict):
            usual = (content[name] for name in WRAPPERS if name in content)
            content = next(usual, content)
        return scores_of(content, rows, ADVICE)

    def fault(self, reply: Reply) -> EndpointError | None:
        """What the model's own status says, where the gateway wraps it in a 424."""
        return status.fault(reply, status.told(reply.headers.get(MODEL_STATUS)))
