"""The open inference protocol v2 over gRPC: numbers as bytes, in both directions."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.endpoints.faults import Labels, Lost
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols import rows as rows_of
from facetwise.endpoints.protocols.scores import Scores, width_of
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
from facetwise.endpoints.protocols.v2_schema import message
from facetwise.errors import EndpointError
from facetwise.extras import extra

SERVICE = "/inference.GRPCInferenceService"

LARGEST = 4 * 2**20
"""What a gRPC server takes unless it is told otherwise."""

TYPED = {"FP64": "fp64_contents", "FP32": "fp32_contents"}
"""Fields that hold numbers where they do not come as bytes."""


@dataclass(frozen=True)
class V2Grpc:
    """`path` is the name of the model, after a slash, and maybe a version."""

    path: str
    largest: int | None = LARGEST
    inputs: tuple[Slot, ...] = ()
    output: str | None = None
    name = "v2-grpc"

    @property
    def most_rows(self) -> int | None:
        """No limit is known."""
        return None

    @property
    def features(self) -> int | None:
        """What the model's description says."""
        return features(self.inputs)

    def encode(self, X: Any) -> Call:
        """All rows in one tensor, or a tensor for each column."""
        name, version = named(self.path)
        request = message("ModelInferRequest")(model_name=name, model_version=version)
        for tensor in tensors(X, self.inputs):
            described = request.inputs.add(
                name=tensor.name, datatype=tensor.datatype, shape=tensor.shape
            )
            request.raw_input_contents.append(_raw(tensor))
            if tensor.datatype == "BYTES":
                _say(described, "str")
        if self.output is not None:
            request.outputs.add(name=self.output)
        if rows_of.named(X) and not self.inputs:
            _say(request, "pd")  # MLServer's word for frames
        return Call(f"{SERVICE}/ModelInfer", request.SerializeToString())

    def decode(self, body: bytes, rows: int) -> Scores:
        """The output that was asked for, or the only one that holds numbers."""
        answer = parsed("ModelInferResponse", body)
        outputs, raw = answer.outputs, answer.raw_output_contents
        kinds = [output.datatype for output in outputs]
        chosen = pick([output.name for output in outputs], kinds, self.output)
        output, kind = outputs[chosen], kinds[chosen]
        if kind not in FLOATS:
            raise Labels(f"The model answered {kind}, which is no score. {ADVICE}")
        if raw and len(raw) != len(outputs):
            raise Lost(f"{len(raw)} of {len(outputs)} outputs came as bytes.")
        values = _numbers(raw[chosen], kind) if raw else _typed(output, kind)
        width = width_of(list(output.shape), values.size, rows)
        return Scores(values.astype(np.float64).reshape(rows, width))

    def fault(self, reply: Reply) -> EndpointError | None:
        """Nothing: what gRPC calls an error, the transport has raised."""
        return None

    def otherwise(self) -> V2Grpc | None:
        """Ask for the probabilities of a scikit-learn model by their name."""
        return replace(self, output=SCORES) if self.output is None else None


def metadata(path: str) -> Call:
    """The question what a model takes."""
    name, version = named(path)
    request = message("ModelMetadataRequest")(name=name, version=version)
    return Call(f"{SERVICE}/ModelMetadata", request.SerializeToString())


def inputs(body: bytes) -> tuple[Slot, ...]:
    """The inputs in the answer to that."""
    described = parsed("ModelMetadataResponse", body).inputs
    return tuple(Slot(i.name, i.datatype, tuple(i.shape)) for i in described)


def named(path: str) -> tuple[str, str]:
    """Name and version of a model, which may be empty."""
    name, _, version = path.strip("/").partition("/versions/")
    return name, version


def parsed(name: str, body: bytes) -> Any:
    """A message of that name, or the fault that it is."""
    protobuf: Any = extra("grpc", "google.protobuf.message")
    try:
        return message(name).FromString(body)
    except protobuf.DecodeError:
        raise Lost(f"The answer is no {name} of the open inference protocol.") from None


def _say(to: Any, content_type: str) -> None:
    to.parameters.add(key="content_type").value.string_param = content_type


def _raw(tensor: Tensor) -> bytes:
    """Numbers in the order of small machines; texts after their lengths."""
    if isinstance(tensor.values, list):
        texts = [text.encode() for text in tensor.values]
        return b"".join(struct.pack("<I", len(text)) + text for text in texts)
    values = tensor.values.astype(tensor.values.dtype.newbyteorder("<"))
    return bytes(values.tobytes())


def _numbers(raw: bytes, kind: str) -> Floats:
    dtype = np.dtype(TYPES[kind]).newbyteorder("<")
    if len(raw) % dtype.itemsize:
        raise Lost(f"{len(raw)} bytes are no whole count of {kind}.")
    values: Floats = np.frombuffer(raw, dtype)
    return values


def _typed(output: Any, kind: str) -> Floats:
    if kind not in TYPED:
        raise Lost(f"{kind} can only come as bytes, and there are none.")
    values: Floats = np.array(getattr(output.contents, TYPED[kind]), dtype=np.float64)
    return values
