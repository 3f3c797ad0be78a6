"""What is kept of a full run is small, and the smallest piece comes out the same."""

import json
from pathlib import Path

import numpy as np
import pytest

from facetwise.errors import FacetwiseError
from facetwise.reproduce import expected, table
from facetwise.reproduce.measure import Scene, measure
from facetwise.reproduce.methods import ENTRANTS
from facetwise.reproduce.pieces import _seed
from facetwise.reproduce.table1 import accuracy
from facetwise.reproduce.targets import target
from facetwise.reproduce.work import Request

from .conftest import made_up

KEPT = Path(__file__).parents[2] / "experiments/cong2020openapi/expected"
CELL = "mnist", "plnn"
"""The model that is trained soonest, if it was not."""

QUICK = [("facetwise", ""), ("zoo", "1e-4"), ("saliency", ""), ("gradient input", "")]


def test_what_is_kept_is_small(tmp_path):
    """Tables, figures and verdicts, the lines of one instance, and no pieces."""
    results, folder = tmp_path / "results", tmp_path / "kept"
    (results / "pieces").mkdir(parents=True)
    first = str(Request(instances=1).drawn[0])
    rows = [(*r[:4], first if r[4] == "2" else r[4], *r[5:]) for r in made_up()]
    table.write(results / "results.csv", rows)
    about = {"instances": 4, "seed": 0}
    (results / "request.json").write_text(json.dumps(about), "utf-8")
    assert expected.main([str(results), str(folder)]) == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "summary.csv", "curves.csv", "first-instance.csv", "verdicts.md",
        "request.json", "figures",
    }  # fmt: skip
    cell = table.read(folder / "first-instance.csv").cells[0]
    assert all(list(found) == [first] for found in cell.values.values())
    curves = table.read(folder / "curves.csv").cells[0]
    assert [f"CPP {k}" for k in range(0, 201, 10)] == [
        m for method, _, m in curves.values if method == "lime" and m[:3] == "CPP"
    ]
    text = (folder / "verdicts.md").read_text("utf-8")
    assert text.index("## Contradicted") < text.index("## Confirmed")
    assert "| FMNIST (LMT) |" in text


@pytest.mark.parametrize("entrant", QUICK, ids=" ".join)
def test_the_smallest_piece_comes_out_the_same(entrant):
    """One image by one method, against what is kept in `expected/`."""
    try:
        here = accuracy(*CELL)
        scene = Scene(target(*CELL))
    except FacetwiseError as error:
        pytest.skip(f"The data are not there: {error}")
    kept = (KEPT / "summary.csv").read_text("utf-8").splitlines()
    if f"{','.join(CELL)},,,test accuracy,0,1,{here.test:.6g}" not in "\n".join(kept):
        pytest.skip("This machine trains another network than the one that was kept.")
    method, setting = entrant
    (cell,) = (
        c
        for c in table.read(KEPT / "first-instance.csv").cells
        if (c.data_set, c.model) == CELL
    )
    (instance,) = Request(instances=1).drawn
    neighbour = int(scene.neighbours(np.array([instance]))[0])
    seed = _seed(0, instance)
    found = measure(ENTRANTS[entrant], scene, instance, neighbour, seed).numbers
    for name, value in found.items():
        (then,) = cell.of(method, name, setting)
        if name in ("L1Dist", "error", "bound", "cosine to truth"):
            # Rounding differs between machines, and these are made of it.
            assert np.log10(max(value, 1e-16)) == pytest.approx(
                np.log10(max(then, 1e-16)), abs=1.5
            ), name
        elif name != "seconds":
            assert value == pytest.approx(then, rel=1e-3, abs=1e-9), name
