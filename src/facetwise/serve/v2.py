"""The open inference protocol v2, with its extension for tensors in binary.

A body is JSON, and where that says so the bytes of tensors follow it; a header tells
where the JSON ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.serve import text
from facetwise.serve.behaviour import Behaviour
from facetwise.serve.problem import Problem

TYPES: dict[str, Any] = {
    "FP64": "<f8",
    "FP32": "<f4",
    "FP16": "<f2",
    "INT64": "<i8",
    "INT32": "<i4",
    "INT16": "<i2",
    "INT8": "<i1",
    "UINT64": "<u8",
    "UINT32": "<u4",
    "UINT16": "<u2",
    "UINT8": "<u1",
}

INPUT = "x"

EXTENSIONS = ["binary_tensor_data"]


@dataclass(frozen=True, slots=True)
class Question:
    """Rows (n, d), and how the answer is wanted."""

    rows: Floats
    id: str | None
    binary: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """A body, and where its JSON ends if bytes follow."""

    body: bytes
    json_size: int | None


def metadata(name: str, behaviour: Behaviour) -> dict[str, Any]:
    """What a model takes and answers; -1 is any number."""
    output, dtype = behaviour.output
    return {
        "name": name,
        "versions": ["1"],
        "platform": "facetwise",
        "inputs": [
            {
                "name": INPUT,
                "datatype": _name(behaviour.dtype),
                "shape": [-1, behaviour.features or -1],
            }
        ],
        "outputs": [
            {
                "name": output,
                "datatype": _name(dtype),
                "shape": [-1, behaviour.classes or -1],
            }
        ],
    }


def question(body: bytes, json_size: int | None, output: str) -> Question:
    """Read a question to a model whose output has that name."""
    if json_size is not None and not 0 <= json_size <= len(body):
        raise Problem(400, f"The header says {json_size} bytes of JSON in {len(body)}.")
    content = text.loads(body[:json_size])
    inputs = content.get("inputs")
    if not isinstance(inputs, list) or not inputs:
        raise Problem(400, 'Expected {"inputs": [{"name", "shape", "datatype", …}]}.')
    raw = memoryview(body)[len(body) if json_size is None else json_size :]
    tensors = list(_tensors(inputs, raw))
    parameters = _object(content.get("parameters", {}), "parameters")
    binary = parameters.get("binary_data_output") is True
    for wanted in _list(content.get("outputs", []), "outputs"):
        wanted = _object(wanted, "an output")
        if wanted.get("name") != output:
            raise Problem(400, f"The model has no output but {output!r}.")
        own = _object(wanted.get("parameters", {}), "parameters")
        binary = own.get("binary_data", binary) is True
    id = content.get("id")
    return Question(_together(tensors), id if isinstance(id, str) else None, binary)


def reply(name: str, asked: Question, output: str, answer: Any) -> Reply:
    """Put an answer (n, C) as it was wanted."""
    told: dict[str, Any] = {
        "name": output,
        "datatype": _name(answer.dtype),
        "shape": list(answer.shape),
    }
    raw = b""
    if asked.binary:
        raw = answer.astype(TYPES[told["datatype"]]).tobytes()
        told["parameters"] = {"binary_data_size": len(raw)}
    else:
        told["data"] = answer.ravel()
    content = {"model_name": name, "model_version": "1", "outputs": [told]}
    if asked.id is not None:
        content["id"] = asked.id
    head = text.dumps(content)
    return Reply(head + raw, len(head) if asked.binary else None)


def _tensors(inputs: list[Any], raw: memoryview) -> Iterator[Floats]:
    """The inputs as numbers (n, …); those in binary lie one behind the other."""
    for given in inputs:
        tensor = _object(given, "an input")
        shape: Any = tensor.get("shape")
        kind = tensor.get("datatype")
        if not isinstance(kind, str) or kind not in TYPES:
            raise Problem(400, f"datatype {kind!r} is none of {', '.join(TYPES)}.")
        if not _is_shape(shape):
            raise Problem(400, f"shape {shape!r} is no list of sizes above 0.")
        size = _object(tensor.get("parameters", {}), "parameters").get(
            "binary_data_size"
        )
        if size is None:
            values = text.numbers(tensor.get("data"), "data").ravel()
        else:
            width = np.dtype(TYPES[kind]).itemsize
            if type(size) is not int or not 0 <= size <= len(raw) or size % width:
                raise Problem(400, f"{size!r} bytes of {kind} are not there.")
            values = np.frombuffer(raw[:size], TYPES[kind]).astype(np.float64)
            raw = raw[size:]
        if values.size != math.prod(shape):
            raise Problem(400, f"{values.size} numbers do not fill the shape {shape}.")
        yield values.reshape(shape)
    if len(raw):
        raise Problem(400, f"{len(raw)} bytes follow the last of the inputs.")


def _together(tensors: list[Floats]) -> Floats:
    """One tensor of rows, or a tensor for each column in the order of the features."""
    rows = {len(tensor) for tensor in tensors}
    if len(rows) > 1:
        raise Problem(
            400, f"The inputs have {sorted(rows)} rows; one number is wanted."
        )
    if tensors[0].ndim == 1 and len(tensors) == 1:
        raise Problem(400, "The input should have the shape [rows, features].")
    return np.hstack([tensor.reshape(len(tensor), -1) for tensor in tensors])


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and 1 <= len(shape) <= 8
        and all(type(size) is int and 0 < size < 2**31 for size in shape)
    )


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Problem(400, f"{what} should be an object of JSON.")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Problem(400, f"{what} should be a list.")
    return value


def _name(dtype: Any) -> str:
    """What the protocol calls a type."""
    little = np.dtype(dtype).newbyteorder("<").str
    return next(name for name, code in TYPES.items() if np.dtype(code).str == little)
