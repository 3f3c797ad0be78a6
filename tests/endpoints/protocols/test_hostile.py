"""Whatever bytes a service sends, a decoder ends with its numbers or with a fault."""

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facetwise.endpoints.protocols.azure import Azure
from facetwise.endpoints.protocols.mlflow import MLflow
from facetwise.endpoints.protocols.sagemaker import SageMaker
from facetwise.endpoints.protocols.seldon import Seldon
from facetwise.endpoints.protocols.template import Csv, Template
from facetwise.endpoints.protocols.v1 import V1
from facetwise.endpoints.protocols.v2 import V2
from facetwise.endpoints.protocols.v2_grpc import V2Grpc
from facetwise.endpoints.protocols.v2_schema import message
from facetwise.errors import EndpointError

HTTP = [
    V2("/m"),
    V2("/m", output="p"),
    V1("/m"),
    MLflow("/m"),
    Azure("/m"),
    Seldon("/m"),
    Template("/m"),
    Template("/m", request="$row", scores="*.score"),
    Template("/m", scores="data[*].[length(@), p]"),
    Csv("/m"),
    Csv("/m", scores="a.b"),
    SageMaker("/m"),
    SageMaker("/m", scores="predictions[*].score"),
]
ALL = [*HTTP, V2Grpc("/m"), V2Grpc("/m", output="p")]
ROWS = st.integers(1, 4)

NUMBERS = st.floats() | st.integers(-3, 3) | st.integers()
SMALL = NUMBERS | st.none() | st.booleans() | st.sampled_from(["a", "0.5", ""])
NAMES = st.sampled_from(
    [
        *("outputs", "name", "datatype", "shape", "data", "predictions", "p", "FP64"),
        *(
            "ndarray",
            "tensor",
            "values",
            "result",
            "score",
            "scores",
            "label",
            "classes",
        ),
    ]
)
JSON = st.recursive(
    SMALL | NAMES,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=5)
    ),
    max_leaves=30,
)
TABLES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(SMALL, max_size=3) | SMALL, min_size=n, max_size=n)
)
TYPES = st.sampled_from(["FP64", "FP32", "FP16", "INT64", "BYTES", "BOOL", "x"])
OUTPUTS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["p", "q"]),
        "datatype": TYPES,
        "shape": st.lists(st.integers(-1, 4), max_size=3),
        "data": st.lists(SMALL, max_size=8),
    }
)
LIKELY = st.one_of(
    TABLES,
    st.builds(lambda table: {"predictions": table}, TABLES | JSON),
    st.builds(lambda table: {"data": {"ndarray": table}}, TABLES | JSON),
    st.builds(lambda outputs: {"outputs": outputs}, st.lists(OUTPUTS, max_size=2)),
    st.builds(lambda o: {"data": {"tensor": {"values": o["data"], **o}}}, OUTPUTS),
)


def numbers_in(content):
    """All numbers in a document, however deep; text that is a number counts in CSV."""
    if isinstance(content, dict):
        content = [*content.values()]
    if isinstance(content, list):
        return {number for part in content for number in numbers_in(part)}
    if isinstance(content, int | float) and not isinstance(content, bool):
        try:
            return {float(content), float(np.float32(content))}
        except OverflowError:
            return set()
    return set()


def decoded(protocol, body, rows):
    """Scores or None, and nothing else."""
    with contextlib.suppress(EndpointError):
        return checked(protocol.decode(body, rows).values, rows)
    return None


def checked(scores, rows):
    """Scores that have the shape of scores."""
    assert scores.dtype == np.float64
    assert scores.shape == (rows, scores.size // rows)
    assert scores.size
    return scores


@pytest.mark.parametrize("protocol", ALL, ids=repr)
@given(body=st.binary(max_size=200), rows=ROWS)
def test_arbitrary_bytes(protocol, body, rows):
    """Noise is a fault, or it spells numbers."""
    decoded(protocol, body, rows)


@pytest.mark.parametrize("protocol", HTTP, ids=repr)
@given(content=JSON | LIKELY, rows=ROWS)
@settings(max_examples=150)
@np.errstate(over="ignore")
def test_arbitrary_json(protocol, content, rows):
    """From any document come only numbers that are in it, at their full length."""
    scores = decoded(protocol, json.dumps(content).encode(), rows)
    if scores is None or "length" in repr(protocol):
        return
    there = numbers_in(content)
    finite = scores[np.isfinite(scores)]
    if not isinstance(protocol, Csv | SageMaker):
        assert set(finite.ravel()) <= there | {math.inf}


@pytest.mark.parametrize("protocol", HTTP, ids=repr)
@given(content=LIKELY, rows=ROWS, share=st.floats(0, 0.99))
def test_truncated_json(protocol, content, rows, share):
    """A document that breaks off is a fault, whatever it held."""
    whole = json.dumps(content).encode()
    body = whole[: int(share * len(whole))]
    scores = decoded(protocol, body, rows)
    if not isinstance(protocol, Csv | SageMaker):
        assert scores is None


@given(
    outputs=st.lists(OUTPUTS, max_size=3),
    raw=st.lists(st.binary(max_size=64), max_size=3),
    rows=ROWS,
)
@settings(max_examples=150)
def test_arbitrary_messages(outputs, raw, rows):
    """Well-formed messages with content that does not fit are faults."""
    answer = message("ModelInferResponse")(raw_output_contents=raw)
    for output in outputs:
        one = answer.outputs.add(
            name=output["name"], datatype=output["datatype"], shape=output["shape"]
        )
        floats = [v for v in output["data"] if isinstance(v, float)]
        one.contents.fp64_contents.extend(floats)
    for protocol in [V2Grpc("/m"), V2Grpc("/m", output="p")]:
        decoded(protocol, answer.SerializeToString(), rows)


@pytest.mark.parametrize("protocol", HTTP, ids=repr)
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"predictions": [NaN, ' + b"[" * 100_000,
        b'{"predictions": [1e999999999]}',
        b'{"predictions": [[' + b"9" * 5000 + b"]]}",
        b"\x00" * 10_000,
        b"",
        b"null",
        b'"' + b"a" * 10_000,
        "\ufeff[[0.5]]".encode("utf-16"),
    ],
)
def test_bombs(protocol, body):
    """Depth, length, and numbers beyond all bounds give no number that is finite."""
    scores = decoded(protocol, body, 1)
    assert scores is None or not np.isfinite(scores).any()
