"""SageMaker's runtime: CSV or JSON, as the container behind it has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints import status
from facetwise.endpoints.faults import Busy
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols import json_text
from facetwise.endpoints.protocols.over_http import OverHttp
from facetwise.endpoints.protocols.scores import Scores, scores_of
from facetwise.endpoints.protocols.template import Csv, Template, csv_scores
from facetwise.errors import EndpointError

LARGEST = 6_291_456
"""Bytes of a question that the runtime takes."""

ADVICE = (
    "The container decides what it answers: set it to probabilities, as XGBoost with "
    "objective=multi:softprob, or say where they are: scores='a JMESPath'."
)


@dataclass(frozen=True)
class SageMaker(OverHttp):
    """`path` is `/endpoints/NAME/invocations`; `request` and `scores` as in "json"."""

    largest: int | None = LARGEST
    request: Any = None
    scores: str | None = None
    name = "sagemaker"

    @property
    def _inner(self) -> Csv | Template:
        if self.request is None:
            return Csv(self.path, scores=self.scores)
        return Template(self.path, request=self.request, scores=self.scores or "@")

    @property
    def most_rows(self) -> int | None:
        """What the template allows."""
        return self._inner.most_rows

    def encode(self, X: Any) -> Call:
        """Lines of CSV, or the template with the rows in it."""
        return self._inner.encode(X)

    def decode(self, body: bytes, rows: int) -> Scores:
        """What the path leads to; without one, `predictions` or lines of CSV."""
        if self.scores is not None:
            return self._inner.decode(body, rows)
        if body.lstrip()[:1] not in (b"{", b"["):
            return csv_scores(body, rows)
        content = json_text.loads(body)
        if isinstance(content, dict) and "predictions" in content:
            content = content["predictions"]
        return scores_of(content, rows, ADVICE)

    def fault(self, reply: Reply) -> EndpointError | None:
        """What the model's own status says, where the runtime wraps it in a 424."""
        if "Throttling" in reply.headers.get("x-amzn-errortype", ""):
            return Busy(f'The service throttles calls, "{status.said(reply.body)}".')
        if reply.status != 424:
            return status.fault(reply)
        try:
            content = json_text.loads(reply.body)
        except EndpointError:
            content = None
        told = content.get("OriginalStatusCode") if isinstance(content, dict) else None
        return status.fault(reply, status.told(str(told)))
