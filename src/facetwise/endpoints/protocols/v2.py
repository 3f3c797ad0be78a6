"""The open inference protocol v2 over REST: KServe, MLServer, Triton, and others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from facetwise.endpoints.faults import Lost
from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp, field
from facetwise.endpoints.protocols.scores import Scores, shaped
from facetwise.endpoints.protocols.tensors import (
    ADVICE,
    FLOATS,
    SCORES,
    TYPES,
    Slot,
    Tensor,
    features,
    pick,
    tensors,
)


@dataclass(frozen=True)
class V2(OverHttp):
    """`path` is that of the model, `/v2/models/NAME`."""

    inputs: tuple[Slot, ...] = ()
    output: str | None = None
    name = "v2"

    @property
    def features(self) -> int | None:
        """What the model's description says."""
        return features(self.inputs)

    def encode(self, X: Any) -> Call:
        """All rows in one tensor, or a tensor for each column."""
        content: dict[str, Any] = {
            "inputs": [_written(t) for t in tensors(X, self.inputs)]
        }
        if self.output is not None:
            content["outputs"] = [{"name": self.output}]
        if rows.named(X) and not self.inputs:
            content["parameters"] = {"content_type": "pd"}  # MLServer's word for frames
        return self.asking(content, f"{self.path}/infer")

    def decode(self, body: bytes, rows: int) -> Scores:
        """The output that was asked for, or the only one that holds numbers."""
        outputs = field(json_text.loads(body), "outputs", ADVICE)
        if not isinstance(outputs, list) or not all(map(_is_output, outputs)):
            raise Lost("The answer has outputs without name, type, shape or data.")
        names = [output["name"] for output in outputs]
        types = [output["datatype"] for output in outputs]
        chosen = outputs[pick(names, types, self.output)]
        scores = shaped(chosen["data"], chosen["shape"], rows, ADVICE)
        return Scores(exactly(scores.values, chosen["datatype"]))

    def otherwise(self) -> V2 | None:
        """Ask for the probabilities of a scikit-learn model by their name."""
        return replace(self, output=SCORES) if self.output is None else None


def exactly(values: Any, datatype: str) -> Any:
    """Numbers as the model had them: decimals of 32 bits stand for such a number."""
    if datatype not in FLOATS:
        return values
    with np.errstate(over="ignore"):
        return values.astype(TYPES[datatype]).astype(np.float64)


def _written(tensor: Tensor) -> dict[str, Any]:
    values = tensor.values
    if tensor.datatype in FLOATS:
        # Written with the digits of 64 bits, numbers of 32 are read alike by all.
        values = values.astype(np.float64)
    content = {
        "name": tensor.name,
        "shape": tensor.shape,
        "datatype": tensor.datatype,
        "data": values if isinstance(values, list) else values.ravel(),
    }
    if tensor.datatype == "BYTES":
        content["parameters"] = {"content_type": "str"}
    return content


def _is_output(output: Any) -> bool:
    return (
        isinstance(output, dict)
        and {"name", "datatype", "shape", "data"} <= output.keys()
        and isinstance(output["name"], str)
        and isinstance(output["datatype"], str)
    )
