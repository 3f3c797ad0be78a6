"""What is written for other programs is what the explanation holds."""

import csv
import json

import numpy as np
import pytest

import facetwise as fw
from facetwise import InputError, export
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((8, 4))


@pytest.fixture(scope="module")
def explanation():
    """Rows of which some were finished."""
    names = ["=a", 'b"', "c,d", "e"]
    service = Fake(network(0))
    return fw.Explainer(service, max_queries=150, seed=0, feature_names=names)(X)


def test_csv_has_a_line_for_each_weight(explanation, tmp_path):
    """Numbers keep their digits, and what is not known is empty."""
    export.write(explanation, tmp_path / "w.csv")
    with (tmp_path / "w.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    weights = [float(row["weight"] or "nan") for row in rows]
    np.testing.assert_array_equal(weights, explanation.values.ravel())
    assert [row["feature"] for row in rows[:4]] == list(explanation.feature_names)


def test_json_has_each_row(explanation, tmp_path):
    """It is strict JSON, with null where nothing is known."""
    export.write(explanation, tmp_path / "w.json")

    def strict(constant):
        raise AssertionError(constant)

    text = (tmp_path / "w.json").read_text()
    content = json.loads(text, parse_constant=strict)
    weights = [[w["weight"] for w in row["weights"]] for row in content["rows"]]
    np.testing.assert_array_equal(np.array(weights, dtype=float), explanation.values)
    status = [row["status"] for row in content["rows"]]
    assert status == [s.name for s in explanation.status]
    assert len(set(status)) == 2
    assert content["meta"]["seed"] == 0
    assert content["meta"]["lower"] == ["-inf"] * 4


def test_npz_is_what_load_reads(explanation, tmp_path):
    """The archive is the explanation itself."""
    export.write(explanation, tmp_path / "w.npz")
    np.testing.assert_array_equal(
        fw.load(tmp_path / "w.npz").pairwise, explanation.pairwise
    )


@pytest.mark.parametrize("name", ["w.txt", "w", ".csv"])
def test_other_endings(explanation, tmp_path, name):
    """A file that nobody knows how to write is not made."""
    with pytest.raises(InputError, match="ends in"):
        export.write(explanation, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_places_that_are_none(tmp_path):
    """A folder, or a file in a folder that is not there, is told beforehand."""
    export.check_place(tmp_path / "w.csv")
    with pytest.raises(InputError, match="it is a folder"):
        export.check_place(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        export.check_place(tmp_path / "gone" / "w.csv")
