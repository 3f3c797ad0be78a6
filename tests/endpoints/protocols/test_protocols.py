"""Each protocol asks and understands as its services do."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from facetwise.endpoints.faults import (
    Busy,
    Labels,
    Lost,
    Refused,
    Unavailable,
    Unusable,
)
from facetwise.endpoints.messages import Reply
from facetwise.endpoints.protocols.azure import Azure
from facetwise.endpoints.protocols.mlflow import MLflow
from facetwise.endpoints.protocols.sagemaker import SageMaker
from facetwise.endpoints.protocols.seldon import Seldon
from facetwise.endpoints.protocols.template import Csv, Template
from facetwise.endpoints.protocols.tensors import Slot
from facetwise.endpoints.protocols.v1 import V1
from facetwise.endpoints.protocols.v2 import V2
from facetwise.errors import InputError

X = np.array([[0.1, -2.0], [1e-300, 1 / 3]])
FRAME = pd.DataFrame({"age": X[:, 0], "sex": ["f", None]})
FRAMES = [FRAME, pl.DataFrame({"age": X[:, 0], "sex": ["f", None]})]
SCORES = [[0.25, 0.75], [1.0, 0.0]]


def asked(protocol, X):
    """The document that is sent."""
    return json.loads(protocol.encode(X).body)


def understood(protocol, content, rows=2):
    """The scores in a document."""
    return protocol.decode(json.dumps(content).encode(), rows).values.tolist()


@pytest.mark.parametrize(
    ("protocol", "question", "answer"),
    [
        (V1("/m"), {"instances": X.tolist()}, {"predictions": SCORES}),
        (MLflow("/m"), {"inputs": X.tolist()}, {"predictions": SCORES}),
        (Azure("/m"), {"input_data": X.tolist()}, SCORES),
        (Azure("/m"), {"input_data": X.tolist()}, json.dumps({"result": SCORES})),
        (
            Seldon("/m"),
            {"data": {"ndarray": X.tolist()}},
            {"data": {"ndarray": SCORES}},
        ),
        (
            Seldon("/m"),
            {"data": {"ndarray": X.tolist()}},
            {"data": {"tensor": {"shape": [2, 2], "values": [0.25, 0.75, 1.0, 0.0]}}},
        ),
        (
            Template("/m", request={"a": ["$rows", 1], "b": "x"}, scores="r[*].p"),
            {"a": [X.tolist(), 1], "b": "x"},
            {"r": [{"p": SCORES[0]}, {"p": SCORES[1]}]},
        ),
        (
            SageMaker("/m", request={"instances": "$rows"}),
            {"instances": X.tolist()},
            {"predictions": [{"score": row} for row in SCORES]},
        ),
        (
            V2("/m"),
            {
                "inputs": [
                    {
                        "name": "x",
                        "shape": [2, 2],
                        "datatype": "FP64",
                        "data": X.ravel().tolist(),
                    }
                ]
            },
            {
                "outputs": [
                    {
                        "name": "label",
                        "shape": [2],
                        "datatype": "INT64",
                        "data": [1, 0],
                    },
                    {"name": "p", "shape": [2, 2], "datatype": "FP64", "data": SCORES},
                ]
            },
        ),
    ],
)
def test_arrays(protocol, question, answer):
    """Rows without names are asked with every digit, and answers keep their order."""
    assert asked(protocol, X) == question
    assert understood(protocol, answer) == SCORES


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("protocol", "question"),
    [
        (
            V1("/m"),
            {"instances": [{"age": 0.1, "sex": "f"}, {"age": 1e-300, "sex": None}]},
        ),
        (
            MLflow("/m"),
            {
                "dataframe_split": {
                    "columns": ["age", "sex"],
                    "data": [[0.1, "f"], [1e-300, None]],
                }
            },
        ),
        (
            Azure("/m"),
            {
                "input_data": {
                    "columns": ["age", "sex"],
                    "index": [0, 1],
                    "data": [[0.1, "f"], [1e-300, None]],
                }
            },
        ),
        (
            Seldon("/m"),
            {
                "data": {
                    "names": ["age", "sex"],
                    "ndarray": [[0.1, "f"], [1e-300, None]],
                }
            },
        ),
        (
            Template("/m", request={"columns": "$columns", "rows": "$records"}),
            {
                "columns": ["age", "sex"],
                "rows": [{"age": 0.1, "sex": "f"}, {"age": 1e-300, "sex": None}],
            },
        ),
        (
            V2("/m"),
            {
                "parameters": {"content_type": "pd"},
                "inputs": [
                    {
                        "name": "age",
                        "shape": [2, 1],
                        "datatype": "FP64",
                        "data": [0.1, 1e-300],
                    },
                    {
                        "name": "sex",
                        "shape": [2, 1],
                        "datatype": "BYTES",
                        "data": ["f", ""],
                        "parameters": {"content_type": "str"},
                    },
                ],
            },
        ),
    ],
)
def test_frames(protocol, question, frame):
    """Columns of pandas and polars go by their names where the protocol has names."""
    assert asked(protocol, frame) == question


def test_csv():
    """Lines of values go out, with names if there are any, and lines come back."""
    assert Csv("/m").encode(X).body == b"0.1,-2.0\n1e-300,0.3333333333333333\n"
    assert Csv("/m").encode(FRAME).body == b"age,sex\n0.1,f\n1e-300,\n"
    assert Csv("/m").encode(X).content_type == "text/csv"
    assert Csv("/m").decode(b"0.25,0.75\r\n1.0,0\n", 2).values.tolist() == SCORES
    assert Csv("/m").decode(b"0.25,0.75", 2).values.tolist() == [[0.25], [0.75]]
    with pytest.raises(Labels):
        Csv("/m").decode(b"cat\ndog\n", 2)
    with pytest.raises(Labels):
        Csv("/m").decode(b"1\n0\n", 2)
    with pytest.raises(Labels):
        Csv("/m").decode(b"0.5_0\n0.5\n", 2)


def test_csv_that_may_be_cut_off():
    """Where nothing tells that the last number is whole, it is not taken for whole."""
    length = {"content-length": "9"}
    assert Csv("/m").fault(Reply(200, length, b"0.25,0.75")) is None
    assert Csv("/m").fault(Reply(200, {}, b"0.25,0.75\n")) is None
    assert type(Csv("/m").fault(Reply(200, {}, b"0.25,0.7"))) is Lost
    assert type(Csv("/m").fault(Reply(400, {}, b""))) is Refused


def test_templates_of_one_row():
    """A template with a place for one row takes one a call."""
    one = Template("/m", request={"x": "$row"}, scores="scores")
    assert one.most_rows == 1
    assert asked(one, X[:1]) == {"x": X[0].tolist()}
    assert understood(one, {"scores": [0.25, 0.75]}, 1) == [[0.25, 0.75]]
    assert asked(Template("/m", request="$record"), FRAME[:1]) == {
        "age": 0.1,
        "sex": "f",
    }


@pytest.mark.parametrize(
    ("request_", "scores", "says"),
    [
        ({"x": 1}, "a", "no place for rows"),
        ("$rows", "a[", "no JMESPath"),
    ],
)
def test_wrong_templates(request_, scores, says):
    """A template without rows, and a path that is none, are refused at once."""
    with pytest.raises(InputError, match=says):
        Template("/m", request=request_, scores=scores)


def test_templates_that_lead_nowhere():
    """A path to nothing is told with what is there."""
    protocol = Template("/m", scores="result.scores")
    with pytest.raises(Unusable, match=r"result\.scores.*nowhere.*has score, id"):
        understood(protocol, {"score": 1, "id": 2})
    with pytest.raises(Unusable, match="does not fit the answer"):
        understood(Template("/m", scores="length(a)"), {"a": 1})


def test_names_are_needed():
    """A template with names cannot be filled from an array."""
    with pytest.raises(InputError, match="explain a table"):
        Template("/m", request="$records").encode(X)


# The open inference protocol ---------------------------------------------------------


@pytest.mark.parametrize(
    ("datatype", "sent"), [("FP32", np.float32), ("FP16", np.float16)]
)
def test_numbers_are_cut_to_what_the_model_sees(datatype, sent):
    """A model that takes 32 bits is sent numbers of 32 bits, with all their digits."""
    protocol = V2("/m", inputs=(Slot("x", datatype, (-1, 2)),))
    (tensor,) = asked(protocol, X)["inputs"]
    assert tensor["datatype"] == datatype
    assert tensor["data"] == X.astype(sent).astype(float).ravel().tolist()


def test_answers_of_32_bits_are_such_numbers():
    """A decimal that stands for a number of 32 bits becomes that number."""
    output = {"name": "p", "shape": [1, 2], "datatype": "FP32", "data": [0.1, 0.9]}
    scores = understood(V2("/m"), {"outputs": [output]}, 1)
    assert scores == [[float(np.float32(0.1)), float(np.float32(0.9))]]


def test_shapes_are_those_of_the_model():
    """Rows take the shape that the model describes, and others are refused."""
    image = V2("/m", inputs=(Slot("x", "FP64", (-1, 2, 1)),))
    assert asked(image, X)["inputs"][0]["shape"] == [2, 2, 1]
    with pytest.raises(InputError, match=r"3 numbers a row.*have 2"):
        V2("/m", inputs=(Slot("x", "FP64", (-1, 3)),)).encode(X)


def test_inputs_for_columns():
    """A model with an input for each column gets them by name, or by place."""
    slots = (Slot("sex", "BYTES", (-1, 1)), Slot("age", "FP32", (-1,)))
    sent = asked(V2("/m", inputs=slots), FRAME)["inputs"]
    assert [tensor["name"] for tensor in sent] == ["sex", "age"]
    assert [tensor["shape"] for tensor in sent] == [[2, 1], [2]]
    by_place = tuple(Slot(name, "FP64", (-1, 1)) for name in "ab")
    sent = asked(V2("/m", inputs=by_place), X)["inputs"]
    assert [tensor["data"] for tensor in sent] == X.T.tolist()
    with pytest.raises(InputError, match=r"inputs income.*has age, sex"):
        V2("/m", inputs=(*slots, Slot("income", "FP64", (-1,)))).encode(FRAME)
    with pytest.raises(InputError, match="3 inputs; rows have 2"):
        V2("/m", inputs=(*by_place, Slot("c", "FP64", (-1,)))).encode(X)


@pytest.mark.parametrize("frame", [pd.DataFrame(X), pl.DataFrame(X)])
def test_tables_for_one_input(frame):
    """A model of one input gets a table of numbers as an array, and no other."""
    protocol = V2("/m", inputs=(Slot("x", "FP64", (-1, 2)),))
    assert asked(protocol, frame) == asked(protocol, X)
    with pytest.raises(InputError, match="column has others"):
        protocol.encode(FRAME)
    with pytest.raises(InputError, match="column has others"):
        protocol.encode(frame_of_codes(frame))


def frame_of_codes(frame):
    """A table of the same library, with text that looks like numbers."""
    return type(frame)({"age": [0.1, 0.2], "code": ["01", "1"]})


def test_codes_stay_text():
    """Text that looks like numbers is sent as text, and refused where none is taken."""
    for kind in [pd.DataFrame, pl.DataFrame]:
        frame = frame_of_codes(kind())
        code = asked(V2("/m"), frame)["inputs"][1]
        assert (code["datatype"], code["data"]) == ("BYTES", ["01", "1"])
        slots = Slot("age", "FP64", (-1, 1)), Slot("code", "FP64", (-1, 1))
        with pytest.raises(InputError, match=r"'code' takes FP64.*text"):
            V2("/m", inputs=slots).encode(frame)
        slots = Slot("age", "BYTES", (-1, 1)), Slot("code", "BYTES", (-1, 1))
        sent = asked(V2("/m", inputs=slots), frame)["inputs"]
        assert sent[0]["data"] == ["0.1", "0.2"]


def test_whole_numbers():
    """A model of whole numbers gets whole numbers, and no rounded ones."""
    protocol = V2("/m", inputs=(Slot("x", "INT64", (-1, 2)),))
    assert asked(protocol, np.array([[1.0, 2.0]]))["inputs"][0]["data"] == [1, 2]
    with pytest.raises(InputError, match=r"takes INT64.*step"):
        protocol.encode(X)


def test_outputs_are_named():
    """An output is asked for by name; several without a name are no answer."""
    named = V2("/m", output="q")
    assert asked(named, X)["outputs"] == [{"name": "q"}]
    outputs = [
        {"name": name, "shape": [1, 1], "datatype": "FP64", "data": [value]}
        for name, value in [("p", 0.25), ("q", 0.75)]
    ]
    assert understood(named, {"outputs": outputs}, 1) == [[0.75]]
    with pytest.raises(Unusable, match=r"p, q\. Name one"):
        understood(V2("/m"), {"outputs": outputs}, 1)
    with pytest.raises(Unusable, match="no output 'r'; it has p, q"):
        understood(V2("/m", output="r"), {"outputs": outputs}, 1)


@pytest.mark.parametrize("kind", ["INT64", "BYTES", "BOOL"])
def test_labels_have_another_way(kind):
    """Labels are told as such, and there is one other way to ask."""
    output = {"name": "y", "shape": [2, 1], "datatype": kind, "data": [1, 0]}
    with pytest.raises(Labels, match="predict_proba"):
        understood(V2("/m"), {"outputs": [output]})
    assert V2("/m").otherwise() == V2("/m", output="predict_proba")
    assert V2("/m", output="y").otherwise() is None


# What is wrong with a reply ----------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "headers", "body", "kind"),
    [
        (Azure("/m"), {"ms-azureml-model-error-statuscode": "400"}, b"", Refused),
        (Azure("/m"), {"ms-azureml-model-error-statuscode": "503"}, b"", Unavailable),
        (Azure("/m"), {"ms-azureml-model-error-statuscode": "what"}, b"", Refused),
        (SageMaker("/m"), {}, b'{"OriginalStatusCode": 400}', Refused),
        (SageMaker("/m"), {}, b'{"OriginalStatusCode": 503}', Unavailable),
        (SageMaker("/m"), {}, b"[]", Refused),
        (SageMaker("/m"), {}, b"broken", Refused),
        (SageMaker("/m"), {"x-amzn-errortype": "ThrottlingException:"}, b"", Busy),
    ],
)
def test_gateways_hide_the_status_of_the_model(protocol, headers, body, kind):
    """Behind a 424 there is a status of the model's own, and that one counts."""
    assert type(protocol.fault(Reply(424, headers, body))) is kind


@pytest.mark.parametrize(
    "protocol", [V1("/m"), MLflow("/m"), Seldon("/m"), Azure("/m"), V2("/m")]
)
def test_labels_are_told_with_a_remedy(protocol):
    """Wherever labels come, the error says how that kind of server gives scores."""
    labels = ["cat", "dog"]
    answers = {
        "v1": {"predictions": labels},
        "mlflow": {"predictions": labels},
        "seldon": {"data": {"ndarray": labels}},
        "azure": labels,
        "v2": {
            "outputs": [
                {"name": "y", "shape": [2], "datatype": "BYTES", "data": labels}
            ]
        },
    }
    with pytest.raises(Labels, match=r"predict_proba|PREDICT_PROBA"):
        understood(protocol, answers[protocol.name])


def test_rows_that_are_missing():
    """An answer to fewer rows, or to more, is no answer."""
    for n in [1, 3]:
        with pytest.raises(Lost, match=f"2 rows to {n}"):
            understood(V1("/m"), {"predictions": SCORES}, n)
