"""An explanation is a record: indexed, shown, saved and read back without loss."""

import dataclasses
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facetwise as fw
import problems as zoo
import records
from facetwise import Explanation, InputError, Status, load
from facetwise.explanation import ARCHIVE, NOTHING, STRONGEST, typical_steps

ARRAYS = [
    field.name
    for field in dataclasses.fields(Explanation)
    if field.name not in {"feature_names", "class_names", "meta"}
]


@pytest.fixture(scope="module")
def explanation():
    """Five rows: four certified ones, and one that is refused."""
    rng = np.random.default_rng(0)
    model = zoo.random_network(rng, 4, 3, 1, 8)
    X = rng.standard_normal((5, 4))
    service = zoo.nan_near(zoo.probabilities(model), X[3], 1e-6)
    return fw.Explainer(
        service,
        seed=1,
        feature_names=["a", "b", "c", "ü"],
        class_names=["x", "y", "z"],
    )(X)


def same(one, other):
    """Whether two explanations are equal, bit for bit and type for type."""
    for name in ARRAYS:
        p, q = getattr(one, name), getattr(other, name)
        assert p.dtype == q.dtype, name
        assert p.shape == q.shape, name
        if p.dtype == object:
            assert all(a is b for a, b in zip(p.ravel(), q.ravel(), strict=True))
        else:
            assert p.tobytes() == q.tobytes(), name
    assert one.feature_names == other.feature_names
    assert one.class_names == other.class_names
    assert one.meta == other.meta
    return True


def test_shapes(explanation):
    """All fields have the shapes that the docstring says."""
    n, d, C = 5, 4, 3
    assert len(explanation) == n
    shapes = {name: getattr(explanation, name).shape for name in ARRAYS}
    for name in ["values", "error_bound", "data"]:
        assert shapes.pop(name) == (n, d)
    assert shapes.pop("pairwise") == (n, C, d)
    for name in ["pairwise_base", "pairwise_bound", "pairwise_status"]:
        assert shapes.pop(name) == (n, C)
    assert set(shapes.values()) == {(n,)}
    assert explanation.certified.shape == (n,)
    assert explanation.certified.dtype == bool


def test_values_are_the_mean_over_rivals(explanation):
    """D_c is the mean of the pairs, and the target has no pair with itself."""
    for i in np.flatnonzero(explanation.certified):
        target = explanation.target[i]
        assert np.isnan(explanation.pairwise[i, target]).all()
        mean = np.delete(explanation.pairwise[i], target, axis=0).mean(axis=0)
        assert np.allclose(explanation.values[i], mean, rtol=1e-12)


def test_certified_says_which_rows_carry_a_bound(explanation):
    """Certified are those of the two statuses that swear to something."""
    assert explanation.certified.tolist() == [True, True, True, False, True]
    assert explanation.status[3] is Status.REFUSED
    assert np.isnan(explanation.values[3]).all()


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (0, [0]),
        (-1, [4]),
        (np.int64(2), [2]),
        (slice(1, 3), [1, 2]),
        ([3, 0], [3, 0]),
        (np.array([True, False, False, True, False]), [0, 3]),
        (slice(0, 0), []),
    ],
)
def test_indexing(explanation, rows, kept):
    """One row, a slice, a list or a mask give an explanation of those rows."""
    some = explanation[rows]
    assert isinstance(some, Explanation)
    assert len(some) == len(kept)
    for name in ARRAYS:
        got, expected = getattr(some, name), getattr(explanation, name)[kept]
        np.testing.assert_array_equal(got, expected)
    assert some.meta == explanation.meta
    assert some.feature_names == explanation.feature_names


@pytest.mark.parametrize("row", [5, -6])
def test_rows_that_are_not_there(explanation, row):
    """A row beyond the last one is an IndexError that says how many there are."""
    with pytest.raises(IndexError, match="5 rows"):
        explanation[row]


def test_iterating_gives_single_rows(explanation):
    """Iterating gives an explanation for each row, in order."""
    singles = list(explanation)
    assert [len(single) for single in singles] == [1] * 5
    assert np.array_equal(
        np.vstack([single.data for single in singles]), explanation.data
    )


def test_repr_tells_the_outcome(explanation):
    """The representation counts rows, features and outcomes."""
    text = repr(explanation)
    assert "5 rows" in text
    assert "4 features" in text
    assert "4 certified" in text
    assert "1 refused" in text
    assert len(text) < 200


def cells(explanation):
    """What a notebook shows: the caption, and the cells of each line."""
    html = explanation._repr_html_()
    caption = re.search(r"<caption><bdi>(.*?)</bdi>", html)[1]
    lines = re.findall(r"<tr>(<td>.*?)</tr>", html)
    return caption, [re.findall(r"<td><bdi>(.*?)</bdi></td>", line) for line in lines]


def test_a_notebook_shows_rows_at_a_glance(explanation):
    """Each row has its status, what it explains, its strongest weights and a bound."""
    caption, lines = cells(explanation)
    assert caption == "Explanation of 5 rows, 4 features: 4 certified, 1 refused"
    assert [line[0] for line in lines] == list("01234")
    effects = np.abs(explanation.values * typical_steps(explanation))
    names = np.array(explanation.feature_names)
    for i in np.flatnonzero(explanation.certified):
        _, status, explains, weights, bound = lines[i]
        assert status == "Certified"
        assert explains == explanation.class_names[explanation.target[i]]
        strongest = names[np.argsort(-effects[i])[:STRONGEST]]
        assert [w.split()[0] for w in weights.split(", ")] == strongest.tolist()
        assert float(bound) == pytest.approx(explanation.error_bound[i].max(), rel=0.1)


def test_a_notebook_shows_no_bound_that_is_not_there(explanation):
    """A row without weights shows none; an estimate has no bound beside it."""
    assert cells(explanation)[1][3] == [
        "3",
        "Refused by the service",
        "x",
        NOTHING,
        NOTHING,
    ]
    smooth = records.explanation([[1.0, 2.0]], status=[Status.SMOOTH])
    (line,) = cells(smooth)[1]
    assert (line[1], line[-1]) == ("Smooth, or too small to tell", NOTHING)
    unasked = records.without(Status.NOT_ASKED, target=np.array([-1]))
    assert cells(unasked)[1][0][2] == NOTHING
    against = records.explanation([[1.0]], contrast=np.array([1]))
    assert cells(against)[1][0][2] == "2 and not 1"


def test_a_notebook_shows_the_first_rows():
    """Of many rows it says how many there are, and shows few."""
    caption, lines = cells(records.explanation(np.ones((1000, 2))))
    assert "1000 rows" in caption
    assert caption.endswith("the first 10 rows")
    assert len(lines) == 10
    assert cells(records.explanation(np.ones((1000, 2)))[:0])[1] == []


def test_names_in_a_notebook_are_text():
    """Markup in a name is shown, and is none."""
    name = "<script>alert(1)</script>"
    given = records.explanation(
        [[1.0]], feature_names=(name,), class_names=("a", "b", name)
    )
    html = given._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 2


@pytest.mark.parametrize(
    ("column", "step"),
    [
        ([0.0, 1.0, 2.0, 3.0, 400.0], 2.0),  # the middle half, whatever the extremes
        ([5.0, 5.0, 5.0, 5.0, 9.0], 4.0),  # all of it
        ([5.0] * 5, 7.0),  # the scale
    ],
)
def test_typical_steps(column, step):
    """The step of a feature is how far its values lie apart, or its scale."""
    data = np.array(column)[:, None]
    given = records.explanation(np.ones((5, 1)), data, meta={"scale": [7.0]})
    assert typical_steps(given).tolist() == [step]
    assert typical_steps(given[:0]).tolist() == [7.0]


def test_fields_cannot_be_replaced(explanation):
    """A record is frozen."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        explanation.values = np.zeros((5, 4))


@pytest.mark.parametrize("rows", [slice(None), 3, slice(0, 0)])
def test_saved_and_loaded_is_the_same(explanation, rows, tmp_path):
    """What is read back equals what was written, to the last bit."""
    path = tmp_path / "rows.npz"
    explanation[rows].save(path)
    assert same(load(path), explanation[rows])


def test_paths_may_be_strings_of_any_name(explanation, tmp_path):
    """The file gets exactly the name that was asked for."""
    path = tmp_path / "no ending"
    explanation.save(str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["no ending"]
    assert same(load(str(path)), explanation)


def test_every_outcome_can_be_saved(tmp_path):
    """Rows that were never asked are read back as such, and names may be missing."""
    rng = np.random.default_rng(1)
    model = zoo.random_linear(rng, 3, 2)
    X = rng.standard_normal((4, 3))
    explained = fw.Explainer(zoo.probabilities(model), seed=0, max_queries=3)(X)
    explained.save(tmp_path / "a")
    assert same(load(tmp_path / "a"), explained)
    assert explained.feature_names is None


def test_the_file_needs_no_pickle(explanation, tmp_path):
    """Nothing in the file is an object that only pickle can read."""
    path = tmp_path / "rows.npz"
    explanation.save(path)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
        about = json.loads(str(file["about"]))
    assert about["facetwise"] == ARCHIVE.format


def rubbish(tmp_path, explanation):
    """Files that are no explanations, by name."""
    good = tmp_path / "good"
    explanation.save(good)
    whole = good.read_bytes()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("rows of text\n")
    (tmp_path / "cut short").write_bytes(whole[: len(whole) // 2])
    spoiled = bytearray(whole)
    spoiled[len(whole) // 3 : len(whole) // 3 + 200] = b"x" * 200
    (tmp_path / "spoiled").write_bytes(spoiled)
    for name, array in [("array", np.zeros(3)), ("objects", np.array([{}, None]))]:
        with (tmp_path / name).open("wb") as file:
            np.save(file, array)
    with (tmp_path / "other").open("wb") as file:
        np.savez(file, values=np.zeros(3))
    with np.load(good) as file:
        fields = {name: file[name] for name in file.files}
    for name, change in [
        ("no json", {"about": np.array("{")}),
        ("no version", {"about": np.array("{}")}),
        ("no object", {"about": np.array("[1]")}),
        ("no such status", {"status": np.array(["SPLENDID"] * 5)}),
    ]:
        with (tmp_path / name).open("wb") as file:
            np.savez(file, **{**fields, **change})


RUBBISH = [
    "empty",
    "text",
    "cut short",
    "spoiled",
    "array",
    "objects",
    "other",
    "no json",
    "no version",
    "no object",
    "no such status",
]


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_is_refused(name, explanation, tmp_path):
    """A file that is no saved explanation is an input error that names the file."""
    rubbish(tmp_path, explanation)
    with pytest.raises(InputError, match=f"{name} is no saved explanation"):
        load(tmp_path / name)


@pytest.fixture(scope="module")
def file(explanation, tmp_path_factory):
    """A path to write to, and what a saved explanation holds, byte by byte."""
    path = tmp_path_factory.mktemp("saved") / "rows.npz"
    explanation.save(path)
    return path, path.read_bytes()


@given(
    damage=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)),
        min_size=1,
        max_size=4,
    )
)
def test_damage_is_noticed(damage, explanation, file):
    """Whatever bytes are spoiled: the file is refused, or nothing in it is lost."""
    path, whole = file
    spoiled = bytearray(whole)
    for place, byte in damage:
        spoiled[int(place * len(whole))] = byte
    path.write_bytes(spoiled)
    try:
        read = load(path)
    except InputError as error:
        assert str(path) in str(error)  # noqa: PT017  being read is right as well
    else:
        assert same(read, explanation)


@pytest.mark.parametrize(
    ("offset", "byte"), [(4, 255), (6, 1), (8, 99)], ids=["version", "key", "method"]
)
def test_other_kinds_of_archives_are_refused(offset, byte, file):
    """An entry that is said to be newer, encrypted or packed in another way is none."""
    path, whole = file
    spoiled = bytearray(whole)
    # The central directory repeats the header of an entry, two bytes later.
    spoiled[whole.index(b"PK\x01\x02") + 2 + offset] = byte
    spoiled[offset] = byte
    path.write_bytes(spoiled)
    with pytest.raises(InputError, match="is no saved explanation"):
        load(path)


@pytest.mark.parametrize("fields", [{}, {"values": np.zeros(3)}])
def test_another_format_is_named(fields, tmp_path):
    """A file of a later format plainly says so, whatever else it holds."""
    path = tmp_path / "later.npz"
    about = {"facetwise": ARCHIVE.format + 1}
    np.savez(path, about=np.array(json.dumps(about)), **fields)
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path} has format {ARCHIVE.format + 1};")
    assert f"reads format {ARCHIVE.format}." in str(caught.value)
    assert "Error" not in str(caught.value)


def test_a_missing_file_is_missing(tmp_path):
    """A file that is not there is the usual error."""
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.npz")
