"""What a model is sent: frames like the one that came in, filled with probes."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import facetwise as fw
from facetwise.core.domain import Domain
from facetwise.errors import InputError, ModelError
from facetwise.tables.instances import prepare

LIBRARIES = [pd, pl]


def rng():
    """The same numbers every time."""
    return np.random.default_rng(0)


class Recording:
    """A linear regression on columns of a frame, which keeps what it was asked."""

    def __init__(self, **weights):
        """Weights by column."""
        self.weights = weights
        self.asked = []

    def __call__(self, frame):
        """Predictions (n,)."""
        self.asked.append(frame)
        return sum(w * np.asarray(frame[name]) for name, w in self.weights.items())


def explain(model, frame, **settings):
    """The explanation of a frame, under a seed."""
    return fw.Explainer(model, seed=0, response="regression", **settings)(frame)


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_go_in_frames_come_out(library):
    """Every call gets a frame of the same library and columns, in full batches."""
    frame = library.DataFrame({"a": rng().normal(size=40), "b": np.arange(40.0)})
    model = Recording(b=2.0, a=-3.0)
    explanation = explain(model, frame)
    assert explanation.certified.all()
    assert explanation.feature_names == ("a", "b")
    assert explanation.meta["table"] == library.__name__
    assert np.allclose(explanation.values, [-3.0, 2.0], rtol=1e-9)
    assert {type(asked) for asked in model.asked} == {library.DataFrame}
    assert {tuple(asked.columns) for asked in model.asked} == {("a", "b")}
    assert sum(map(len, model.asked)) == explanation.meta["queries"]
    assert len(model.asked) == explanation.meta["calls"] < len(frame)


def test_arrays_stay_arrays():
    """Without a frame the model gets arrays, with names for the features or not."""
    asked = []

    def service(X):
        asked.append(type(X))
        return X @ [1.0, 2.0]

    for names in [None, ["a", "b"]]:
        explanation = explain(service, np.ones((1, 2)), feature_names=names)
        assert explanation.meta["table"] is None
    assert set(asked) == {np.ndarray}


def test_the_index_is_not_sent():
    """Probes have an index of their own, whatever the rows are called."""
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=["mary", "john"])
    model = Recording(a=1.0)
    explain(model, frame)
    assert all((f.index == np.arange(len(f))).all() for f in model.asked)


def test_labels_that_are_no_text():
    """Columns keep labels of any type, and features have them as text."""
    frame = pd.DataFrame([[1.0, 2.0]], columns=[7, ("x", "y")])

    def service(asked):
        return asked[7] + 2.0 * asked[("x", "y")]

    explanation = explain(service, frame)
    assert explanation.feature_names == ("7", "('x', 'y')")
    assert np.allclose(explanation.values, [[1.0, 2.0]])


def test_names_of_the_user():
    """Features are called as the user says, and columns as the model knows them."""
    model = Recording(a=1.0, b=2.0)
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    domain = fw.Domain(frozen=["age"])
    explanation = explain(model, frame, feature_names=["age", "debt"], domain=domain)
    assert explanation.feature_names == ("age", "debt")
    assert np.isnan(explanation.values[0, 0])
    assert tuple(model.asked[0].columns) == ("a", "b")


# --- Types --------------------------------------------------------------------------

MOVED = {
    "int64": "float64",
    "uint8": "float64",
    "bool": "float64",
    "float16": "float64",
    "float32": "float32",
    "float64": "float64",
    "Int64": "float64",
    "boolean": "float64",
    "Float32": "Float32",
    "Float64": "Float64",
}


@pytest.mark.parametrize(("dtype", "sent"), MOVED.items())
def test_moved_columns_of_pandas(dtype, sent):
    """Moved columns are sent as floats: as they were if they are, else with 64 bits."""
    frame = pd.DataFrame({"x": pd.array([0, 1, 1], dtype=dtype), "y": 1.5})
    model = Recording(x=2.0, y=1.0)
    explanation = explain(lambda f: model(f).astype(float), frame)
    assert explanation.certified.all()
    assert np.allclose(explanation.values, [2.0, 1.0], rtol=1e-5)
    assert {str(asked["x"].dtype) for asked in model.asked} == {sent}
    assert {str(asked["y"].dtype) for asked in model.asked} == {"float64"}


@pytest.mark.parametrize("dtype", ["Int32", "UInt8", "Boolean", "Float32", "Float64"])
def test_moved_columns_of_polars(dtype):
    """The same for polars."""
    dtype = getattr(pl, dtype)
    frame = pl.DataFrame({"x": [0, 1, 1], "y": [0.5, 1.5, 2.5]})
    frame = frame.with_columns(pl.col("x").cast(dtype))
    model = Recording(x=2.0, y=1.0)
    explanation = explain(model, frame)
    assert explanation.certified.all()
    assert np.allclose(explanation.values, [2.0, 1.0], rtol=1e-5)
    sent = pl.Float32 if dtype == pl.Float32 else pl.Float64
    assert {asked["x"].dtype for asked in model.asked} == {sent}
    assert {asked["y"].dtype for asked in model.asked} == {pl.Float64}


@pytest.mark.parametrize("library", LIBRARIES)
def test_points_are_sent_as_they_are(library):
    """A 64-bit column holds the engine's own numbers, to the last bit."""
    points = rng().standard_normal((5, 2)) * [1e-12, 1e12]
    rows = prepare(library.DataFrame({"a": [1, 2], "b": [0.1, 2.0]}), None, Domain())
    assert np.array_equal(rows.sent(points).to_numpy(), points)


def test_single_precision_is_in_the_bound():
    """A model that is sent 32-bit numbers is explained as such: within its bounds."""
    W = np.array([1.0, -2.0, 3.0])
    data = rng().standard_normal((10, 3)).astype(np.float32)
    frame = pd.DataFrame(data, columns=list("abc"))

    def service(f):
        return f.to_numpy().astype(np.float64) @ W

    explanation = explain(service, frame)
    assert explanation.certified.all()
    assert np.array_equal(explanation.data, data)
    assert (np.abs(explanation.values - W) <= explanation.error_bound).all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_casts_do_not_cross_limits(sign):
    """A limit that 32 bits do not hold is not crossed by rounding towards it."""
    limit = np.float64(np.float32(0.1)) + 1e-10
    frame = pd.DataFrame({"x": np.float32(sign * limit) + np.zeros(1), "y": [0.0]})
    frame["x"] = frame["x"].astype(np.float32)
    rows = prepare(frame, None, Domain(lower=-limit, upper=limit))
    ends = np.array([[rows.domain.lower[0], 0.0], [rows.domain.upper[0], 0.0]])
    sent = rows.sent(ends)["x"].to_numpy().astype(np.float64)
    assert np.array_equal(sent, ends[:, 0])
    assert (np.abs(sent) <= limit).all()
    assert (rows.domain.lower[0] <= rows.data[:, 0]).all()
    assert (rows.data[:, 0] <= rows.domain.upper[0]).all()
    assert rows.domain.upper[1] == limit


# --- Frozen columns -----------------------------------------------------------------

DAY = datetime.date(2020, 2, 29)


def frozen_columns(library):
    """Columns of many types, two different entries in three rows."""
    if library is pd:
        return pd.DataFrame(
            {
                "text": ["b", "a", "b"],
                "missing text": ["b", None, "b"],
                "category": pd.Categorical(list("xyx"), categories=list("zyx")),
                "day": pd.to_datetime(["2020-02-29", "2021-01-01", "2020-02-29"]),
                "whole": [3, 1, 3],
                "small": np.array([3, 1, 3], dtype=np.int8),
                "yes": [True, False, True],
                "maybe": pd.array([True, None, True], dtype="boolean"),
                "long": [2**62 + 1, 2**62 + 2, 2**62 + 1],
                "gap": [np.nan, 1.5, np.nan],
                "mixed": [1, True, 1],
                "single": np.array([0.1, 0.2, 0.1], dtype=np.float32),
            }
        ).astype({"mixed": object})
    return pl.DataFrame(
        {
            "text": ["b", "a", "b"],
            "missing text": ["b", None, "b"],
            "category": pl.Series(list("xyx"), dtype=pl.Enum(list("zyx"))),
            "day": [DAY, datetime.date(2021, 1, 1), DAY],
            "whole": [3, 1, 3],
            "small": pl.Series([3, 1, 3], dtype=pl.Int8),
            "yes": [True, False, True],
            "maybe": [True, None, True],
            "long": [2**62 + 1, 2**62 + 2, 2**62 + 1],
            "gap": [None, 1.5, None],
            "mixed": [1, 2, 1],
            "single": pl.Series([0.1, 0.2, 0.1], dtype=pl.Float32),
        }
    )


def records(frame):
    """Rows as tuples of text, types included, that can be compared."""
    columns = [frame[name].to_list() for name in frame.columns]
    return [
        tuple((str(type(v)), str(v)) for v in row) for row in zip(*columns, strict=True)
    ]


@pytest.mark.parametrize("library", LIBRARIES)
def test_frozen_columns_are_sent_as_they_came(library):
    """Each probe carries its own row's entries in frozen columns, types and all."""
    still = frozen_columns(library)
    names = list(still.columns)
    frame = still.copy() if library is pd else still.clone()
    x = [0.5, -0.5, 0.25]
    frame = frame.assign(x=x) if library is pd else frame.with_columns(x=pl.Series(x))
    model = Recording(x=2.0)
    explanation = explain(model, frame, domain=fw.Domain(frozen=names))
    assert explanation.certified.all()
    assert np.allclose(explanation.values[:, -1], 2.0)
    assert np.isnan(explanation.values[:, :-1]).all()
    for asked in model.asked:
        sent = asked[names]
        assert list(map(str, sent.dtypes)) == list(map(str, still.dtypes))
        assert set(records(sent)) <= set(records(still))
    first = model.asked[0][names]
    assert records(first) == records(still)


@pytest.mark.parametrize("library", LIBRARIES)
def test_codes_and_what_they_stand_for(library):
    """Entries that are not numbers are codes in `data`, with their text beside it."""
    still = frozen_columns(library)[["text", "whole", "gap"]]
    extra = {"x": [1.0, 2.0, 3.0]}
    frame = (
        still.assign(**extra)
        if library is pd
        else still.with_columns(**{k: pl.Series(v) for k, v in extra.items()})
    )
    domain = fw.Domain(frozen=["text", "whole", "gap"])
    explanation = explain(Recording(x=1.0), frame, domain=domain)
    assert explanation.data[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert explanation.data[:, 1].tolist() == [3.0, 1.0, 3.0]
    categories = explanation.meta["categories"]
    assert set(categories) == {"text", "gap"}
    assert categories["text"] == ["b", "a"]


def test_a_frozen_category_can_decide():
    """A model that looks at text is explained for the text that each row has."""
    frame = pd.DataFrame({"kind": ["up", "down"] * 8, "x": np.linspace(-1.0, 1.0, 16)})

    def service(f):
        return f["x"] * np.where(f["kind"] == "up", 2.0, -5.0) + (f["kind"] == "up")

    explanation = explain(service, frame, domain=fw.Domain(frozen=["kind"]))
    up = frame["kind"] == "up"
    assert explanation.certified.all()
    assert np.allclose(explanation.values[:, 1], np.where(up, 2.0, -5.0))
    assert np.allclose(explanation.base_values, up)


def test_limits_do_not_apply_to_text():
    """One limit for all features leaves codes alone."""
    frame = pd.DataFrame({"kind": list("abcdef"), "x": np.linspace(0.1, 0.9, 6)})
    domain = fw.Domain(lower=0.0, upper=1.0, frozen=["kind"])
    model = Recording(x=1.0)
    assert explain(model, frame, domain=domain).certified.all()
    assert all(asked["x"].between(0.0, 1.0).all() for asked in model.asked)


def test_text_that_would_have_to_move():
    """Text that is not frozen is refused before a question, with the ways out."""
    frame = pd.DataFrame({"kind": ["a"], "x": [1.0]})
    model = Recording(x=1.0)
    with pytest.raises(InputError, match=r"'kind' cannot be moved.*'a'.*frozen"):
        explain(model, frame)
    assert not model.asked


def test_entries_that_are_no_categories():
    """Lists cannot be told apart by what they are equal to, and are refused."""
    frame = pd.DataFrame({"kind": [["a"], ["b"]], "x": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"'kind' holds values such as \['a'\]"):
        explain(Recording(x=1.0), frame, domain=fw.Domain(frozen=["kind"]))


def test_a_model_that_misses_a_column():
    """What a model raises on a frame is told as ever, and finished work is kept."""
    frame = pd.DataFrame({"x": [1.0]})
    with pytest.raises(ModelError, match=r"KeyError on 1 rows.*'y'"):
        explain(Recording(y=1.0), frame)


def test_a_model_that_writes_into_its_frame():
    """Neither the data nor the user's frame can be changed by the model."""
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    before = frame.copy()

    def service(f):
        scores = f["x"] + 2.0 * f["y"]
        f.loc[:, "x"] = 0.0
        return scores

    explanation = explain(service, frame)
    assert frame.equals(before)
    assert np.array_equal(explanation.data, before)
    assert np.allclose(explanation.values, [1.0, 2.0])
