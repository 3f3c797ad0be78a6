"""Settings by name end up at their features, and typical rows give limits and scale."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import facetwise as fw
from facetwise.core import domain as core
from facetwise.errors import InputError
from facetwise.tables.domain import frozen_features, positional

NAMES = ("age", "income", "debt")
X = np.array([[30.0, 2e4, -5.0], [40.0, 5e4, 0.0]])


def resolved(domain, names=NAMES, coded=(False, False, False)):
    """Limits, scale and moving features of the rows X."""
    return positional(domain, names, X, np.array(coded)).resolve(X)


# --- By name ------------------------------------------------------------------------


def test_limits_by_name():
    """Named features get their limit, the others none."""
    domain = resolved(fw.Domain(lower={"age": 18}, upper={"debt": 1.5, "age": 99.0}))
    assert domain.lower.tolist() == [18.0, -np.inf, -np.inf]
    assert domain.upper.tolist() == [99.0, np.inf, 1.5]


def test_limits_of_a_pandas_series():
    """What pandas says of each column goes by name, not by place."""
    frame = pd.DataFrame(X, columns=NAMES)[["debt", "income", "age"]]
    assert resolved(fw.Domain(frame.min())).lower.tolist() == [30.0, 2e4, -5.0]
    some = frame[["debt", "age"]].min()
    assert resolved(fw.Domain(some)).lower.tolist() == [30.0, -np.inf, -5.0]
    by_place = pd.Series([0.0, 1.0, -9.0])
    assert resolved(fw.Domain(by_place)).lower.tolist() == [0.0, 1.0, -9.0]


def test_scale_by_name():
    """Named features get their scale, the others the one that they have by default."""
    usual = core.Domain().resolve(X).scale
    scale = resolved(fw.Domain(scale={"income": 1000.0})).scale
    assert scale.tolist() == [usual[0], 1000.0, usual[2]]


@pytest.mark.parametrize(
    "frozen",
    [
        "income",
        ["income"],
        ("income",),
        {"income"},
        np.array(["income"]),
        pd.Index(["income"]),
        [1],
        [-2],
        1,
        np.array(1),
        [False, True, False],
    ],
)
def test_frozen_by_name(frozen):
    """A name, several, indices or a mask say the same."""
    assert frozen_features(frozen, NAMES, 3).tolist() == [False, True, False]
    assert resolved(fw.Domain(frozen=frozen)).moving.tolist() == [True, False, True]


def test_positions_still_do():
    """Numbers, arrays and masks mean what they mean without names."""
    for domain in [
        fw.Domain(lower=-1e9, upper=[1e9] * 3, scale=2.0, frozen=[True, False, False]),
        fw.Domain(),
    ]:
        plain = core.Domain(domain.lower, domain.upper, domain.scale, domain.frozen)
        for names in [NAMES, None]:
            for field in ["lower", "upper", "scale", "moving"]:
                one = getattr(resolved(domain, names), field)
                assert np.array_equal(one, getattr(plain.resolve(X), field))


def test_codes_have_no_limits():
    """Limits and scale do not apply to codes, nor are they taken from them."""
    domain = fw.Domain(lower=0.0, upper=[50.0, 1.0, 10.0], scale=2.0, frozen=[1, 2])
    found = resolved(domain, coded=(False, True, True))
    assert found.lower.tolist() == [0.0, -np.inf, -np.inf]
    assert found.upper.tolist() == [50.0, np.inf, np.inf]
    long = X * [1.0, 1e20, 1.0]
    coded = np.array([False, True, False])
    found = positional(fw.Domain(frozen=[1]), NAMES, long, coded).resolve(long)
    alone = core.Domain().resolve(X[:, [0, 2]]).scale
    assert found.scale[[0, 2]].tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("domain", "names", "says"),
    [
        (fw.Domain(frozen=["sex"]), NAMES, r"frozen=.*'sex'.*no feature.*'age', 'inc"),
        (fw.Domain(frozen=["age", 1]), NAMES, "names '1', which is no feature"),
        (fw.Domain(frozen=[None]), NAMES, "names None, which is no feature"),
        (fw.Domain(frozen=[["age"]]), NAMES, "which is no feature"),
        (fw.Domain(lower={"agee": 1.0}), NAMES, "lower=.*'agee', which is no feature"),
        (fw.Domain(scale={"age": "old"}), NAMES, "scale=.*number for 'age'; got 'old'"),
        (fw.Domain(scale={"age": -1.0}), NAMES, "scale=.*above 0"),
        (fw.Domain(frozen=["age"]), None, "features have none.*feature_names="),
        (fw.Domain(upper={"age": 1.0}), None, "features have none.*feature_names="),
        (fw.Domain(upper={"x": 1.0}), ("x", "x", "y"), "share one name"),
        (fw.Domain(lower=[1.0, 2.0]), NAMES, r"lower=.*one number or 3.*\(2,\)"),
        (fw.Domain(lower="low"), NAMES, "lower=.*numbers.*'low'"),
        (fw.Domain(frozen=NAMES), NAMES, "every feature is frozen"),
    ],
)
def test_settings_that_do_not_fit(domain, names, says):
    """A name that is unknown, or no number, is told with what would do."""
    with pytest.raises(InputError, match=f"(?s){says}"):
        resolved(domain, names)


def test_long_tables_are_not_told_in_full():
    """A message about an unknown name lists the first features only."""
    names = tuple(f"x{j}" for j in range(1000))
    with pytest.raises(InputError, match=r"'x0', .*'x9', …") as caught:
        frozen_features("y", names, 1000)
    assert len(str(caught.value)) < 200


def test_names_of_an_array():
    """Settings go by the names that an array is given in the explainer as well."""

    def service(X):
        return X @ [[1.0], [2.0], [3.0]]

    domain = fw.Domain(frozen="income", scale={"debt": 1.0})
    explainer = fw.Explainer(service, domain=domain, feature_names=NAMES, seed=0)
    explanation = explainer(X)
    assert np.isnan(explanation.values).tolist() == [[False, True, False]] * 2
    assert explanation.meta["scale"][2] == 1.0


# --- From typical rows --------------------------------------------------------------

ROWS = np.random.default_rng(0).standard_normal((501, 3)) * [1.0, 10.0, 1e-3]


def test_limits_and_scale_of_typical_rows():
    """Limits are the extremes; the scale is the range of the middle half."""
    domain = fw.Domain.from_data(ROWS)
    assert np.array_equal(domain.lower, ROWS.min(axis=0))
    assert np.array_equal(domain.upper, ROWS.max(axis=0))
    ordered = np.sort(ROWS, axis=0)
    assert np.allclose(domain.scale, ordered[375] - ordered[125], rtol=1e-14)


def test_an_outlier_leaves_the_scale():
    """One absurd row stretches the limits, and not the scale."""
    wild = np.vstack([ROWS, [1e12, 0.0, 0.0]])
    domain = fw.Domain.from_data(wild)
    assert domain.upper[0] == 1e12
    assert np.allclose(domain.scale, fw.Domain.from_data(ROWS).scale, rtol=0.05)


def test_features_that_seldom_differ():
    """Mostly one value: the scale is the standard deviation. Always: not moved."""
    rows = np.zeros((100, 3))
    rows[:, 0] = np.arange(100.0)
    rows[:9, 1] = 1.0
    rows[:, 2] = 0.1
    domain = fw.Domain.from_data(rows)
    assert np.allclose(domain.scale[1], rows[:, 1].std())
    assert domain.scale[2] == 1.0
    assert domain.resolve(rows).moving.tolist() == [True, True, False]


@pytest.mark.parametrize("library", [pd, pl])
def test_typical_rows_of_a_table(library):
    """Limits and scale go by name, whatever the order of the columns explained."""
    frame = library.DataFrame(
        {"age": [20, 30, 40], "sex": ["f", "m", "f"], "debt": [0.5, 0.0, 1.0]}
    )
    domain = fw.Domain.from_data(frame, frozen=["sex"])
    assert domain.lower == {"age": 20.0, "debt": 0.0}
    assert domain.upper == {"age": 40.0, "debt": 1.0}
    assert domain.scale == {"age": 10.0, "debt": 0.5}
    assert domain.frozen == ["sex"]
    turned = frame[["debt", "sex", "age"]]
    asked = []

    def service(F):
        asked.append(F)
        return np.asarray(F["age"] * 0.01 + F["debt"])

    explanation = fw.Explainer(service, domain=domain, seed=0)(turned)
    assert explanation.certified.all()
    assert all(F["debt"].min() >= 0.0 and F["age"].max() <= 40.0 for F in asked)


def test_frozen_features_have_no_limits():
    """Rows may differ from typical ones in what is never moved."""
    domain = fw.Domain.from_data(ROWS, frozen=[0])
    assert (domain.lower[0], domain.upper[0], domain.scale[0]) == (-np.inf, np.inf, 1.0)
    assert domain.resolve(ROWS * [100.0, 1.0, 1.0]).moving.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("rows", "frozen", "says"),
    [
        (np.array([[1.0, np.nan]]), None, "nan at row 0, feature 1"),
        (pd.DataFrame({"x": [1.0, np.nan]}), None, "nan at row 1, feature 'x'"),
        (pd.DataFrame({"x": ["a"]}), None, "number and not frozen; X has none"),
        (pd.DataFrame({"x": [1.0]}), ["y"], "'y', which is no feature"),
        ([[1.0, "a"]], None, "numbers alone"),
    ],
)
def test_rows_that_are_not_typical(rows, frozen, says):
    """Rows without numbers to go by are refused as rows to explain are."""
    with pytest.raises(InputError, match=f"(?s){says}"):
        fw.Domain.from_data(rows, frozen=frozen)


def test_columns_of_an_array_can_be_named():
    """Limits of an array go by name when its columns are given names."""
    found = fw.Domain.from_data(
        np.array([[1.0, 5.0], [3.0, 6.0]]), feature_names=("a", "b")
    )
    assert found.lower == {"a": 1.0, "b": 5.0}
