"""An explanation as a frame: a line for each weight, or for each row."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import facetwise as fw
import problems as zoo
from facetwise import InputError, Status

MODEL = zoo.random_network(np.random.default_rng(0), 3, 3, 1, 8)
X = np.random.default_rng(1).standard_normal((5, 3))
NAMES = ("a", "b", "c")
PER_FEATURE = [
    *["row", "feature", "data", "weight", "error_bound"],
    *["status", "certified", "target", "contrast"],
]
PER_ROW = {
    "status": "status",
    "certified": "certified",
    "target": "target",
    "contrast": "contrast",
    "base_value": "base_values",
    "base_bound": "base_bound",
    "scaled_bound": "scaled_bound",
    "radius": "radius",
    "floor": "floor",
    "queries": "queries",
    "designs": "designs",
}


def explain(rows=X, **settings):
    """Five rows: four certified ones, and one that is refused."""
    service = zoo.nan_near(zoo.probabilities(MODEL), X[3], 1e-6)
    settings = {"seed": 0, "feature_names": NAMES, **settings}
    return fw.Explainer(service, **settings)(rows)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_line_for_each_weight(kind):
    """Weights and bounds stand beside what they are of, row after row."""
    explanation = explain(domain=fw.Domain(frozen=["b"]))
    frame = explanation.to_frame(kind=kind)
    assert list(frame.columns) == PER_FEATURE
    assert frame["row"].to_list() == np.repeat(range(5), 3).tolist()
    assert frame["feature"].to_list() == list(NAMES) * 5
    for name, field in [
        ("data", "data"),
        ("weight", "values"),
        ("error_bound", "error_bound"),
    ]:
        expected = getattr(explanation, field).ravel()
        assert np.array_equal(frame[name].to_numpy(), expected, equal_nan=True)
    for name in ["certified", "target", "contrast"]:
        assert (
            frame[name].to_list() == np.repeat(getattr(explanation, name), 3).tolist()
        )
    refused = frame["status"].to_numpy() == Status.REFUSED.name
    assert refused.tolist() == [False] * 9 + [True] * 3 + [False] * 3


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_line_for_each_row(kind):
    """Everything that there is one of for each row, under its own name."""
    explanation = explain()
    frame = explanation.to_frame("row", kind)
    assert list(frame.columns) == ["row", *PER_ROW]
    assert frame["row"].to_list() == list(range(5))
    for name, field in PER_ROW.items():
        if name != "status":
            expected = np.asarray(getattr(explanation, field), dtype=float)
            found = frame[name].to_numpy().astype(float)
            assert np.array_equal(found, expected, equal_nan=True), name
    assert [Status[name] for name in frame["status"]] == list(explanation.status)


def test_the_two_join():
    """Log-odds are the base value of a row and the effects of its features."""
    rows = [0, 1, 2, 4]
    explanation = explain(domain=fw.Domain(frozen=["b"]))[rows]
    both = explanation.to_frame().merge(
        explanation.to_frame("row")[["row", "base_value"]]
    )
    effects = (both["weight"] * both["data"]).groupby(both["row"]).sum()
    found = effects + both.groupby("row")["base_value"].first()
    logits = MODEL.logits(X[rows])
    truth = [
        zoo.contrast(z[:, None], target)[0]
        for z, target in zip(logits, explanation.target, strict=True)
    ]
    assert np.allclose(found, truth, rtol=0, atol=1e-9)


def test_a_wide_table():
    """One pivot gives a line for each row and a column for each feature."""
    explanation = explain()
    wide = explanation.to_frame().pivot(index="row", columns="feature", values="weight")
    assert np.array_equal(wide[list(NAMES)], explanation.values, equal_nan=True)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_classes_by_name(kind):
    """Classes have their names where there are any; no single rival is no name."""
    names = ["x", "y", "z"]
    for versus, rival in [(None, None), (2, "z")]:
        explanation = explain(X[:2], class_names=names, target=1, versus=versus)
        for frame in [
            explanation.to_frame(kind=kind),
            explanation.to_frame("row", kind),
        ]:
            assert set(frame["target"]) == {"y"}
            known = (
                frame["contrast"].dropna() if kind == "pandas" else frame["contrast"]
            )
            assert set(known) - {None} == {rival} - {None}


def test_features_without_names_are_counted():
    """Without names, features are told by their number."""
    frame = explain(feature_names=None).to_frame()
    assert frame["feature"].iloc[:3].tolist() == ["feature 0", "feature 1", "feature 2"]


@pytest.mark.parametrize("library", [pd, pl])
def test_the_library_that_came_in(library, tmp_path):
    """A table comes back as one of the same library, after saving as well."""
    frame = library.DataFrame({"x": [0.5], "text": ["a"]})
    explainer = fw.Explainer(
        lambda f: np.asarray(f["x"]) * 3.0 + 1.0,
        seed=0,
        domain=fw.Domain(frozen=["text"]),
        response="regression",
    )
    explanation = explainer(frame)
    explanation.save(tmp_path / "rows")
    for same in [explanation, fw.load(tmp_path / "rows")]:
        assert type(same.to_frame()) is library.DataFrame
        assert type(same.to_frame("row")) is library.DataFrame
        lines = same.to_frame(kind="pandas")
        assert lines["data"].isna().tolist() == [False, True]
    assert explanation.data.tolist() == [[0.5, 0.0]]


def test_no_rows():
    """An explanation without rows is a frame without lines."""
    assert explain()[:0].to_frame().shape == (0, 9)
    assert explain()[:0].to_frame("row", "polars").shape == (0, 12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"per": "rows"}, "per must be 'feature' or 'row'; got 'rows'"),
        ({"kind": "arrow"}, "kind must be one of pandas, polars; got 'arrow'"),
    ],
)
def test_frames_that_there_are_not(arguments, says):
    """What is asked for and not known is told with what is."""
    with pytest.raises(InputError, match=says):
        explain(X[:1]).to_frame(**arguments)
