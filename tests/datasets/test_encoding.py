"""Features say what the columns said, and gaps are filled from training alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.datasets.columns import Column
from facetwise.datasets.encoding import encode

N = 8


def column(values, numeric):
    """A strategy for columns of N values."""
    return st.lists(values, min_size=N, max_size=N).map(
        lambda drawn: Column(tuple(drawn), numeric)
    )


numbers = st.floats(-1e6, 1e6)
columns = st.dictionaries(
    st.sampled_from(["age", "income", "home", "job", "debt"]),
    column(numbers, True)
    | column(numbers | st.none(), True).filter(
        lambda c: any(v is not None for v in c.values)
    )
    | column(st.integers(-9, 9), True)
    | column(st.sampled_from(["yes", "no"]), False)
    | column(st.sampled_from(["yes", "no", None]), False)
    | column(st.sampled_from(["rent", "owner", "other", None]), False),
    min_size=1,
)
some_rows = st.sets(st.integers(0, N - 1), min_size=1).map(
    lambda rows: np.array(sorted(rows))
)


def decode(encoded, name):
    """The values of a column, from its features by their names; None for a gap."""
    features = dict(zip(encoded.names, encoded.X.T, strict=True))
    if name in features:
        gap = features.get(f"{name} missing", np.zeros(N))
        return [None if g else v for v, g in zip(features[name], gap, strict=True)]
    own = {
        n.partition("=")[2]: v for n, v in features.items() if n.startswith(f"{name}=")
    }
    if list(own) == ["yes"] and not own["yes"].all():
        return ["yes" if v else "no" for v in own["yes"]]
    words = [word if word != "missing" else None for word in own]
    return [words[i] for i in np.argmax(list(own.values()), axis=0)]


@given(columns, some_rows)
def test_nothing_is_lost(columns, train):
    """Every value can be told from the features, gaps from what filled them."""
    encoded = encode(columns, (), train)
    assert np.isfinite(encoded.X).all()
    assert encoded.X.shape == (N, len(encoded.names)) == (N, len(encoded.steps))
    for name, column in columns.items():
        assert decode(encoded, name) == list(column.values)


@given(columns, some_rows)
def test_one_of_a_group_is_one(columns, train):
    """In each group exactly one feature is 1, and groups are columns of words."""
    encoded = encode(columns, (), train)
    for group in encoded.groups:
        members = encoded.X[:, list(group)]
        assert set(np.unique(members)) <= {0.0, 1.0}
        assert (members.sum(axis=1) == 1.0).all()
        assert (encoded.steps[list(group)] == 1.0).all()
        assert len({encoded.names[j].partition("=")[0] for j in group}) == 1
    words = {
        n for n, c in columns.items() if not c.numeric and {*c.values} != {"yes", "no"}
    }
    assert len(encoded.groups) == len(words)


@given(columns, some_rows, st.randoms(use_true_random=False))
def test_the_test_does_not_leak(columns, train, random):
    """What fills a gap occurs among the training rows, whatever the others hold."""
    encoded = encode(columns, (), train)
    others = np.setdiff1d(np.arange(N), train)
    for name, column in columns.items():
        gaps = [i for i in range(N) if column.values[i] is None]
        known = {column.values[i] for i in train} - {None}
        if not column.numeric or not gaps or not known:
            continue
        filled = encoded.X[gaps, encoded.names.index(name)]
        assert {*filled} <= known
        below = sum(
            v <= filled[0]
            for v in map(column.values.__getitem__, train)
            if v is not None
        )
        size = sum(column.values[i] is not None for i in train)
        assert 2 * below >= size
        changed = list(column.values)
        for i in others:
            changed[i] = random.choice([None, 1e9])
        again = encode({name: Column(tuple(changed), True)}, (), train)
        still = [i for i in gaps if changed[i] is None]
        assert (again.X[still, 0] == filled[0]).all()


def test_by_hand():
    """Names, steps, groups and values of each kind of column, in their order."""
    columns = {
        "age": Column((30, 41, 30), True),
        "records": Column(("no", "yes", "no"), False),
        "home": Column(("rent", None, "owner"), False),
        "income": Column((None, 7.5, 2.0), True),
    }
    encoded = encode(columns, {"age"}, np.array([0, 1]))
    assert encoded.names == (
        "age",
        "records=yes",
        "home=owner",
        "home=rent",
        "home=missing",
        "income",
        "income missing",
    )
    assert encoded.steps.tolist() == [1, 1, 1, 1, 1, 0, 1]
    assert encoded.groups == ((2, 3, 4),)
    assert encoded.X.tolist() == [
        [30, 0, 0, 1, 0, 7.5, 1],
        [41, 1, 0, 0, 1, 7.5, 0],
        [30, 0, 1, 0, 0, 2.0, 0],
    ]


def test_the_lower_of_two_middles():
    """A gap is filled with a value that occurs, so that a whole number stays one."""
    values = (None, 1.0, 2.0, 3.0, 4.0)
    encoded = encode({"n": Column(values, True)}, {"n"}, np.arange(5))
    assert encoded.X[0, 0] == 2.0


def test_a_column_unknown_in_training():
    """Where no training row has a value, the others have to serve."""
    encoded = encode({"n": Column((None, 5.0), True)}, (), np.array([0]))
    assert encoded.X[:, 0].tolist() == [5.0, 5.0]


@pytest.mark.parametrize("values", [("yes", "yes"), ("yes", None), ("good", "bad")])
def test_what_is_not_yes_and_no(values):
    """Anything but both of yes and no, all there, becomes a group."""
    encoded = encode({"c": Column(values, False)}, (), np.array([0]))
    assert len(encoded.groups) == 1
