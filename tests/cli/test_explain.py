"""`facetwise explain`: files in, files out, against models in files."""

import csv
import json

import numpy as np
import pytest

import facetwise as fw
from facetwise.models import PLNN
from typed import NAMES, instances, typed, write_csv


def explained(*words):
    """Explain with the model in the folder, and read what was written."""
    done = typed("explain", *words, "--model", "m.npz", "--out", "w.npz", "--seed", 1)
    assert done.exit_code == 0, done.stderr
    return fw.load("w.npz")


def test_it_is_what_python_says(folder):
    """The weights are those that `Explainer` gives for the same rows and seed."""
    found = explained("rows.csv")
    model = PLNN.load("m.npz")
    expected = fw.Explainer(model, seed=1, feature_names=NAMES)(instances())
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.feature_names == tuple(NAMES)


@pytest.mark.parametrize("ending", ["jsonl", "npy", "npz", "parquet"])
def test_rows_come_from_any_file(folder, ending):
    """The same rows from another kind of file have the same explanation."""
    X = instances()
    file = folder / f"again.{ending}"
    if ending == "jsonl":
        rows = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]
        file.write_text("\n".join(map(json.dumps, rows)))
    elif ending == "parquet":
        polars = pytest.importorskip("polars")
        polars.DataFrame(X, schema=NAMES).write_parquet(file)
    else:
        (np.save if ending == "npy" else np.savez)(file, X)
    np.testing.assert_array_equal(explained(file).values, explained("rows.csv").values)


def test_results_go_to_any_file(folder):
    """CSV, JSON and Parquet hold the weights of the NPZ, digit for digit."""
    expected = explained("rows.csv").values
    for ending in ("csv", "json", "parquet"):
        words = ["--model", "m.npz", "--seed", 1, "--out", f"w.{ending}"]
        assert typed("explain", "rows.csv", *words).exit_code == 0
    lines = list(csv.DictReader((folder / "w.csv").read_text().splitlines()))
    np.testing.assert_array_equal(
        [float(line["weight"]) for line in lines], expected.ravel()
    )
    rows = json.loads((folder / "w.json").read_text())["rows"]
    weights = [[w["weight"] for w in row["weights"]] for row in rows]
    np.testing.assert_array_equal(weights, expected)
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(folder / "w.parquet")
    np.testing.assert_array_equal(frame["weight"].to_numpy(), expected.ravel())


@pytest.mark.parametrize(
    ("typed_rows", "meant"),
    [("2", [2]), ("1:3", [1, 2]), (":5:2", [0, 2, 4]), ("-1", [5])],
)
def test_rows_can_be_chosen(folder, typed_rows, meant):
    """Rows are counted from 0, as Python counts."""
    found = explained("rows.csv", "--rows", typed_rows)
    np.testing.assert_array_equal(found.data, instances()[meant])


def test_features_can_be_chosen(folder):
    """Columns that are no features are left out, in whatever order they come."""
    X = instances()
    wide = np.column_stack([X[:, ::-1], np.arange(len(X))])
    write_csv(folder / "wide.csv", wide, [*NAMES[::-1], "id"])
    found = explained("wide.csv", "--features", ",".join(NAMES))
    np.testing.assert_array_equal(found.data, X)


def test_classes_go_by_name(folder):
    """A target and its rival are named as the classes are."""
    words = ["--classes", "no,yes", "--target", "yes", "--versus", "no"]
    found = explained("rows.csv", *words)
    assert found.target.tolist() == [1] * 6
    assert found.class_names == ("no", "yes")


def test_a_domain_comes_from_a_file(folder):
    """Frozen features and typical rows are stated in TOML, and are kept to."""
    (folder / "d.toml").write_text('typical = "rows.csv"\nfrozen = ["age"]\n')
    found = explained("rows.csv", "--domain", "d.toml", "--rows", "0")
    assert np.isnan(found.values[0]).tolist() == [name == "age" for name in NAMES]
    assert found.meta["upper"][0] == instances()[:, 0].max()


def test_text_is_printed_where_no_file_is_named(folder):
    """Without a file for results, every row is shown; JSON is for programs."""
    words = ["explain", "rows.csv", "--model", "m.npz", "--rows", "0"]
    assert "income" in typed(*words).stdout
    content = json.loads(typed(*words, "--json").stdout)
    assert len(content["rows"][0]["weights"]) == 4


def test_a_report_is_written(folder):
    """The page for a browser is there, and is named."""
    done = typed("explain", "rows.csv", "--model", "m.npz", "--report", "r.html")
    assert "Written: r.html" in done.stderr
    assert (folder / "r.html").read_text().startswith("<!")


def test_quiet_says_nothing(folder):
    """With a file for results, nothing is printed at all."""
    words = ["--model", "m.npz", "--out", "w.csv", "--quiet"]
    done = typed("explain", "rows.csv", *words)
    assert (done.exit_code, done.output) == (0, "")


def test_a_dry_run_tells_the_price(folder):
    """Questions, calls, time and price are told, and nobody is asked."""
    nobody = "http://127.0.0.1:9/v2/models/m"
    words = ["explain", "rows.csv", "--endpoint", nobody, "--dry-run", "--json"]
    rates = ["--row-price", 0.5, "--call-price", 2, "--call-seconds", 3]
    done = typed(*words, *rates)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["price"] == 0.5 * told["queries"] + 2 * told["calls"]
    assert told["seconds"] == 3 * told["calls"]
    assert told["max_queries"] >= 2 * told["queries"]
    assert not (folder / "rows.journal").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gone.csv"], "no file gone.csv"),
        (["rows.txt"], "ends in .txt"),
        (["text.npy"], "cannot be read as npy"),
        (["rows.csv", "--features", "income,depth"], "no column 'depth'"),
        (["rows.csv", "--rows", "9:"], "leaves none of 6 rows"),
        (["rows.csv", "--rows", "a"], "expected a row such as 7"),
        (["rows.csv", "--target", "maybe"], "no class 'maybe'"),
        (["rows.csv", "--target", "5"], "classes 0 to 1"),
        (["rows.csv", "--domain", "gone.toml"], "no file gone.toml"),
        (["rows.csv", "--out", "w.xlsx"], "ends in .xlsx"),
        (["rows.csv", "--out", "gone/w.csv"], "there is no folder gone"),
        (["rows.csv", "--out", "rows.csv"], "used for something else"),
        (["rows.csv", "--out", "m.npz"], "used for something else"),
        (["rows.csv", "--report", "m.npz"], "used for something else"),
        (["rows.csv", "--out", "w.csv", "--report", "./w.csv"], "something else"),
        (["."], "no file ."),
        (["rows.csv", "--resume"], "no journal to resume from"),
        (["rows.csv", "--endpoint", "http://a/"], "Name what to ask"),
        (["rows.csv", "--modle", "m"], "No such option '--modle'"),
    ],
)
def test_mistakes_are_told_in_one_line(folder, words, says):
    """What cannot be used is named in one line, with the code for misuse."""
    (folder / "text.npy").write_text("no array")
    (folder / "rows.txt").write_text("1,2")
    done = typed("explain", *words, "--model", "m.npz", "--quiet")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert says in done.stderr


def test_hostile_names_do_not_reach_the_terminal(folder):
    """Codes in the name of a column are spelled out and not obeyed."""
    names = ["\x1b[31mred", *NAMES[1:]]
    write_csv(folder / "rows.csv", instances(), names)
    done = typed("explain", "rows.csv", "--model", "m.npz", "--rows", "0")
    assert "\x1b" not in done.output
    assert "U+001B" in done.output
