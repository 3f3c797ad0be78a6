"""The open inference protocol, read and written as it is specified."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.serve import Settings, v2
from facetwise.serve.behaviour import Behaviour
from facetwise.serve.loading import Served
from facetwise.serve.problem import Problem
from fake_endpoints import network

X = np.random.default_rng(0).standard_normal((3, 4))


def tensor(data, shape, datatype="FP64", **more):
    """An input."""
    return {"name": "x", "shape": shape, "datatype": datatype, "data": data, **more}


def body(*inputs, **more):
    """A question as bytes."""
    return json.dumps({"inputs": list(inputs), **more}).encode()


def rows(content, size=None):
    """The rows of a question."""
    return v2.question(content, size, "scores").rows


@pytest.mark.parametrize("data", [X.ravel().tolist(), X.tolist()])
def test_numbers_flat_or_nested(data):
    """Data may be nested as the shape says, or flat; every digit counts."""
    assert rows(body(tensor(data, [3, 4]))).tobytes() == X.tobytes()


def test_columns_make_rows():
    """An input for each feature is put together in their order."""
    columns = [tensor(x.tolist(), [3, 1]) for x in X.T]
    assert np.array_equal(rows(body(*columns)), X)
    flat = [tensor(x.tolist(), [3]) for x in X.T]
    assert np.array_equal(rows(body(*flat)), X)


@pytest.mark.parametrize("name", [*v2.TYPES])
def test_binary_tensors(name):
    """Bytes after the JSON are read in every type of the protocol."""
    values = np.array([[1, 2], [3, 100]]).astype(v2.TYPES[name])
    given = {"name": "x", "shape": [2, 2], "datatype": name}
    given["parameters"] = {"binary_data_size": values.nbytes}
    head = body(given)
    assert rows(head + values.tobytes(), len(head)).tolist() == [[1, 2], [3, 100]]


def test_several_binary_tensors():
    """They lie one behind the other, in the order of the inputs."""
    inputs = [
        {
            "name": f"x{j}",
            "shape": [3, 1],
            "datatype": "FP64",
            "parameters": {"binary_data_size": 24},
        }
        for j in range(4)
    ]
    head = body(*inputs)
    raw = b"".join(np.ascontiguousarray(x).tobytes() for x in X.T)
    assert np.array_equal(rows(head + raw, len(head)), X)


BINARY = {"name": "x", "shape": [1, 2], "datatype": "FP64"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"{}",
        b'{"inputs": 3}',
        b'{"inputs": []}',
        b'{"inputs": [3]}',
        body(tensor([float("nan")], [1, 1])),
        b"[" * 5000,
        body(tensor([1.0], [1, 2])),
        body(tensor([1.0, 2.0], [-1, 2])),
        body(tensor([], [0, 2])),
        body(tensor([1.0, 2.0], [2])),
        body(tensor([1.0], 1)),
        body(tensor([1.0], [True, True])),
        body(tensor([1.0], [1.0, 1.0])),
        body(tensor(["1.0"], [1, 1])),
        body(tensor([True], [1, 1])),
        body(tensor([None], [1, 1])),
        body(tensor([[1.0], [1.0, 2.0]], [3, 1])),
        body(tensor([1.0], [1, 1], "BYTES")),
        body(tensor([1.0], [1, 1], ["FP64"])),
        body(tensor([1.0], [1, 1]), tensor([1.0, 2.0], [2, 1])),
        body(tensor([1.0], [1, 1]), outputs=[{"name": "other"}]),
        body(tensor([1.0], [1, 1]), outputs=3),
        body(tensor([1.0], [1, 1]), outputs=[3]),
        body(tensor([1.0], [1, 1]), parameters=3),
        body({**BINARY, "parameters": {"binary_data_size": 16}}),
        body({**BINARY, "parameters": {"binary_data_size": -16}}),
        body({**BINARY, "parameters": {"binary_data_size": "16"}}),
        body({**BINARY, "parameters": 3}),
        body(BINARY),
    ],
)
def test_hostile_questions(content):
    """What is no question is a problem of the one who asked, and nothing else."""
    with pytest.raises(Problem) as caught:
        v2.question(content, None, "scores")
    assert caught.value.status == 400


@pytest.mark.parametrize("size", [-1, 1, 10**6])
def test_a_header_that_lies(size):
    """JSON that ends elsewhere than the header says is a problem."""
    with pytest.raises(Problem):
        v2.question(body(tensor([1.0], [1, 1])), size, "scores")


def test_bytes_that_belong_to_nothing():
    """What follows the last input is not ignored."""
    content = body(tensor([1.0], [1, 1]))
    with pytest.raises(Problem, match="5 bytes follow"):
        v2.question(content + b"extra", len(content), "scores")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=8,
)
INPUT = st.fixed_dictionaries(
    {},
    optional={
        "name": JSON,
        "shape": JSON | st.lists(st.integers(-1, 4), max_size=3),
        "datatype": JSON | st.sampled_from([*v2.TYPES]),
        "data": JSON | st.lists(st.floats() | st.integers(), max_size=8),
        "parameters": JSON
        | st.fixed_dictionaries({"binary_data_size": JSON | st.integers(-8, 40)}),
    },
)
QUESTION = st.fixed_dictionaries(
    {"inputs": JSON | st.lists(INPUT, max_size=3)},
    optional={"outputs": JSON, "parameters": JSON, "id": JSON},
)


@given(st.binary(max_size=200), st.none() | st.integers(-10, 300))
def test_any_bytes(content, size):
    """No bytes at all break it."""
    try:
        asked = v2.question(content, size, "scores")
    except Problem:
        return
    assert asked.rows.ndim == 2


@given(QUESTION, st.binary(max_size=40), st.booleans())
def test_any_question(content, raw, binary):
    """Whatever JSON comes, with whatever bytes, it is rows of numbers or a problem."""
    head = json.dumps(content).encode()
    try:
        asked = v2.question(head + raw * binary, len(head) if binary else None, "s")
    except Problem:
        return
    assert asked.rows.ndim == 2
    assert asked.rows.dtype == np.float64
    sizes = [math.prod(given["shape"]) for given in content["inputs"]]
    assert asked.rows.size == sum(sizes)


def test_an_answer_in_json():
    """Scores keep every digit, and the id comes back."""
    asked = v2.question(body(tensor([1.0], [1, 1]), id="q7"), None, "scores")
    reply = v2.reply("m", asked, "scores", X)
    content = json.loads(reply.body)
    (output,) = content["outputs"]
    assert (content["model_name"], content["id"], reply.json_size) == ("m", "q7", None)
    assert (output["name"], output["datatype"]) == ("scores", "FP64")
    assert np.reshape(output["data"], output["shape"]).tobytes() == X.tobytes()


@pytest.mark.parametrize(
    "wanted",
    [
        {"parameters": {"binary_data_output": True}},
        {"outputs": [{"name": "scores", "parameters": {"binary_data": True}}]},
    ],
)
def test_an_answer_in_binary(wanted):
    """Asked for in either way, the numbers follow the JSON as bytes."""
    asked = v2.question(body(tensor([1.0], [1, 1]), **wanted), None, "scores")
    reply = v2.reply("m", asked, "scores", X.astype(np.float32))
    (output,) = json.loads(reply.body[: reply.json_size])["outputs"]
    assert output["parameters"] == {"binary_data_size": 48}
    assert reply.body[reply.json_size :] == X.astype("<f4").tobytes()


def test_one_output_may_differ_from_the_rest():
    """What is said of the output counts more than what is said of all."""
    outputs = [{"name": "scores", "parameters": {"binary_data": False}}]
    content = body(
        tensor([1.0], [1, 1]), outputs=outputs, parameters={"binary_data_output": True}
    )
    assert not v2.question(content, None, "scores").binary


@pytest.mark.parametrize(
    ("settings", "types", "output"),
    [
        ({}, ["FP64", "FP64"], ("scores", [-1, 3])),
        ({"float32": True}, ["FP32", "FP32"], ("scores", [-1, 3])),
        ({"labels_only": True}, ["FP64", "INT64"], ("labels", [-1, 1])),
    ],
)
def test_what_a_model_says_of_itself(settings, types, output):
    """Names, types and shapes are those of what it takes and answers."""
    behaviour = Behaviour(Served(network(0), 4, 3), Settings(**settings))
    told = v2.metadata("m", behaviour)
    (x,), (y,) = told["inputs"], told["outputs"]
    assert [x["datatype"], y["datatype"]] == types
    assert x["shape"] == [-1, 4]
    assert (y["name"], y["shape"]) == output
