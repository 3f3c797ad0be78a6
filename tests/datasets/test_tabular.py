"""Tables are the published ones, as numbers whose meaning is told."""

import hashlib
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import facetwise as fw
import facetwise.datasets.tabular as module

DATA = Path(os.environ.get("FACETWISE_DATA", ""))

needs_data = pytest.mark.skipif(
    not all((DATA / "tabular" / f"{n}.csv").is_file() for n in ["credit", "churn"]),
    reason="needs tabular/ in the folder that FACETWISE_DATA names",
)

TABLES = [
    fw.datasets.hmda,
    pytest.param(fw.datasets.credit, marks=needs_data),
    pytest.param(fw.datasets.churn, marks=needs_data),
]


def whole(data):
    """Features and classes of all rows, in their order in the table."""
    X = np.empty((len(data.train) + len(data.test), len(data.feature_names)))
    y = np.empty(len(X), dtype=int)
    for part in [data.train, data.test]:
        X[part.rows], y[part.rows] = part.X, part.y
    return X, y


# --- What they say ------------------------------------------------------------------


def test_hmda_needs_nothing(monkeypatch, tmp_path):
    """The mortgages come with the package: no folder, no cache, no network."""
    monkeypatch.setenv("FACETWISE_DATA", str(tmp_path / "gone"))
    data = fw.datasets.hmda()
    assert repr(data) == (
        "<hmda: 1,904 rows to train and 476 to test with, 13 features, 2 classes>"
    )
    assert data.class_names == ("granted", "denied")
    assert data.groups == ()


def test_hmda_is_the_published_table():
    """Regressions come out as in Stock and Watson, equations 11.1 and 11.3."""
    data = fw.datasets.hmda()
    X, denied = whole(data)
    ratio, black = (X[:, data.feature_names.index(n)] for n in ["pirat", "afam=yes"])
    ones = np.ones(len(X))
    simple = np.linalg.lstsq(np.column_stack([ones, ratio]), denied)[0]
    assert simple.round(3).tolist() == [-0.080, 0.604]
    double = np.linalg.lstsq(np.column_stack([ones, ratio, black]), denied)[0]
    assert double.round(3).tolist() == [-0.091, 0.559, 0.177]


@needs_data
def test_credit_as_published():
    """Loans, classes and gaps are as many as the table is known to have."""
    data = fw.datasets.credit()
    X, y = whole(data)
    assert X.shape == (4454, 31)
    assert np.bincount(y).tolist() == [3200, 1254]
    gaps = {n: int(v.sum()) for n, v in zip(data.feature_names, X.T, strict=True)}
    assert gaps["Income missing"] == 381
    assert gaps["Assets missing"] == 47
    assert gaps["Debt missing"] == 18
    assert [gaps[f"{name}=missing"] for name in ["Home", "Marital", "Job"]] == [6, 1, 2]


@needs_data
def test_churn_as_published():
    """Customers, classes and groups are as many as the table is known to have."""
    data = fw.datasets.churn()
    X, y = whole(data)
    assert X.shape == (5000, 71)
    assert np.bincount(y).tolist() == [4293, 707]
    assert [len(group) for group in data.groups] == [51, 3]
    assert not any("missing" in name for name in data.feature_names)


@needs_data
@pytest.mark.parametrize("source", [module.CREDIT, module.CHURN], ids=lambda s: s.name)
def test_the_public_home_has_the_same_rows(source, tmp_path, monkeypatch):
    """The table as the archive writes it, with row names and 129 for 129.0, is known.

    It is written here from the rows at hand; that its checksum is the one listed says
    that a download would be taken, and the result that it is read as the same table.
    """
    read = getattr(fw.datasets, source.name)
    here = read()
    path = DATA / source.file.path
    header, *lines = path.read_text().splitlines()
    rows = [",".join(map(as_written_there, line.split(","))) for line in lines]
    text = "".join(f"{i},{row}\n" for i, row in enumerate(rows, start=1))
    content = f"rownames,{header}\n{text}".encode()
    assert hashlib.sha256(content).hexdigest() == source.file.sha256[1]
    there = tmp_path / source.file.path
    there.parent.mkdir()
    there.write_bytes(content)
    monkeypatch.setenv("FACETWISE_DATA", str(tmp_path))
    assert np.array_equal(read().train.X, here.train.X)
    assert read().columns == here.columns


def as_written_there(cell):
    """A cell without the `.0` of whole numbers."""
    return cell.removesuffix(".0")


# --- What they are handed out as ----------------------------------------------------


@pytest.mark.parametrize("read", TABLES)
def test_names_steps_and_groups(read):
    """Features have names of their own; what has a step has values that keep to it."""
    data = read()
    X, y = whole(data)
    assert np.isfinite(X).all()
    assert len(set(data.feature_names)) == X.shape[1] == len(data.steps)
    stepping = data.steps == 1.0
    assert (data.steps[~stepping] == 0.0).all()
    assert (X[:, stepping] == np.rint(X[:, stepping])).all()
    for group in data.groups:
        assert (X[:, list(group)].sum(axis=1) == 1.0).all()
    assert set(y.tolist()) == set(range(len(data.class_names)))


@pytest.mark.parametrize("read", TABLES)
def test_the_domain(read):
    """Every row is in the domain, whose limits are reached, and all features move."""
    data = read()
    X, _ = whole(data)
    domain = data.domain.resolve(X)
    assert domain.moving.all()
    assert (domain.lower == X.min(axis=0)).all()
    assert (domain.upper == X.max(axis=0)).all()
    binary = [set(np.unique(column)) == {0.0, 1.0} for column in X.T]
    assert (domain.scale[binary] == 1.0).all()
    assert (domain.scale <= domain.upper - domain.lower).all()


@pytest.mark.parametrize("read", TABLES)
def test_the_split(read):
    """A fifth of each class is kept for the test, another one with another seed."""
    data = read()
    shares = [np.bincount(part.y) / len(part) for part in [data.train, data.test]]
    assert np.abs(shares[0] - shares[1]).max() < 0.001
    assert np.array_equal(read(seed=0).test.rows, data.test.rows)
    assert not np.array_equal(read(seed=1).test.rows, data.test.rows)
    # Not a feature changes with the split but those that had gaps.
    names = data.feature_names
    same = [f"{name} missing" not in names for name in names]
    assert np.array_equal(whole(data)[0][:, same], whole(read(seed=1))[0][:, same])


def test_nobody_changes_it():
    """A data set is handed out read-only."""
    data = fw.datasets.hmda()
    limits = data.domain.lower
    for array in [data.train.X, data.test.y, data.train.rows, data.steps, limits]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_sent_to_another_process():
    """A table can be pickled, as those who train in several processes have to."""
    data = fw.datasets.hmda()
    again = pickle.loads(pickle.dumps(data))
    assert np.array_equal(again.train.X, data.train.X)
    assert again.columns == data.columns


def test_hmda_was_damaged(monkeypatch, tmp_path):
    """Even the file that comes with the package is checked before it is used."""
    (tmp_path / "hmda.csv").write_text("deny,pirat\nno,0.3\n")
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    with pytest.raises(fw.DataError, match=r"hmda\.csv, which comes with facetwise"):
        fw.datasets.hmda()


# --- Frames -------------------------------------------------------------------------


@pytest.mark.parametrize("read", TABLES)
def test_a_frame_of_pandas(read):
    """The table before it was encoded is what pandas reads from the file itself."""
    data = read()
    source = getattr(module, data.name.upper())
    folder = Path(module.__file__).parent if data.name == "hmda" else DATA
    frame = data.frame()
    expected = pd.read_csv(folder / source.file.path)
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    assert (
        frame[source.target].iloc[data.test.rows].isin(["yes", "bad"]) == data.test.y
    ).all()


def test_a_frame_of_polars():
    """The same with polars."""
    frame = fw.datasets.hmda().frame("polars")
    assert isinstance(frame, pl.DataFrame)
    assert frame.shape == (2380, 14)
    assert frame["chist"].dtype == pl.Int64


@needs_data
def test_gaps_in_a_frame():
    """What is missing is missing in frames of either kind."""
    data = fw.datasets.credit()
    assert data.frame()["Income"].isna().sum() == 381
    frame = data.frame("polars")
    assert frame["Income"].null_count() == 381
    assert frame["Job"].null_count() == 2


def test_frames_of_another_kind():
    """Only the two libraries are known."""
    with pytest.raises(fw.InputError, match="pandas, polars; got 'arrow'"):
        fw.datasets.hmda().frame("arrow")


# --- Explained ----------------------------------------------------------------------


def test_a_mortgage_is_explained():
    """Domain and names go to an explainer: weights are right, probes inside limits."""
    data = fw.datasets.hmda()
    w = np.random.default_rng(0).normal(size=13) / data.domain.scale
    asked = []

    def service(X):
        asked.append(X)
        return 1.0 / (1.0 + np.exp(-(X - data.train.X.mean(axis=0)) @ w))

    explainer = fw.Explainer(
        service,
        response="binary",
        domain=data.domain,
        feature_names=data.feature_names,
        seed=0,
    )
    explanation = explainer(data.test.X[:5])
    assert explanation.certified.all()
    assert (np.abs(explanation.values - w) <= explanation.error_bound).all()
    points = np.vstack(asked)
    assert (points >= data.domain.lower).all()
    assert (points <= data.domain.upper).all()
