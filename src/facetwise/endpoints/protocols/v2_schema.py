"""Messages of the open inference protocol v2 over gRPC, as far as they are used.

The specification is `open_inference_grpc.proto` of kserve/open-inference-protocol. On
the wire a message is numbers of fields and nothing else, so that what is nested there
stands side by side here, and a mapping is a list of entries.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from facetwise.extras import extra

SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "ModelMetadataRequest": {"name": (1, "string"), "version": (2, "string")},
    "ModelMetadataResponse": {"inputs": (4, "*Described")},
    "Described": {
        "name": (1, "string"),
        "datatype": (2, "string"),
        "shape": (3, "*int64"),
    },
    "ModelInferRequest": {
        "model_name": (1, "string"),
        "model_version": (2, "string"),
        "parameters": (4, "*Entry"),
        "inputs": (5, "*Input"),
        "outputs": (6, "*Requested"),
        "raw_input_contents": (7, "*bytes"),
    },
    "Input": {
        "name": (1, "string"),
        "datatype": (2, "string"),
        "shape": (3, "*int64"),
        "parameters": (4, "*Entry"),
    },
    "Requested": {"name": (1, "string")},
    "Entry": {"key": (1, "string"), "value": (2, "Parameter")},
    "Parameter": {"string_param": (3, "string")},
    "ModelInferResponse": {
        "outputs": (5, "*Output"),
        "raw_output_contents": (6, "*bytes"),
    },
    "Output": {
        "name": (1, "string"),
        "datatype": (2, "string"),
        "shape": (3, "*int64"),
        "contents": (5, "Contents"),
    },
    "Contents": {"fp32_contents": (6, "*float"), "fp64_contents": (7, "*double")},
}
"""By message and field, the number on the wire and the type; `*` for any number."""


@cache
def message(name: str) -> Any:
    """The class of a message."""
    factory: Any = extra("grpc", "google.protobuf.message_factory")
    return factory.GetMessageClass(_pool().FindMessageTypeByName(f"inference.{name}"))


@cache
def _pool() -> Any:
    """Descriptors apart from those of other libraries, which have the same names."""
    descriptor_pb2: Any = extra("grpc", "google.protobuf.descriptor_pb2")
    descriptor_pool: Any = extra("grpc", "google.protobuf.descriptor_pool")
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="facetwise/v2.proto", package="inference", syntax="proto3"
    )
    for name, fields in SCHEMA.items():
        described = file.message_type.add(name=name)
        for label, (number, kind) in fields.items():
            repeated, kind = kind.startswith("*"), kind.lstrip("*")
            one = described.field.add(name=label, number=number)
            one.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
            if kind in SCHEMA:
                one.type, one.type_name = field.TYPE_MESSAGE, f".inference.{kind}"
            else:
                one.type = getattr(field, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
