"""What is kept of a full run is small, and the smallest piece comes out the same."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from facetwise.reproduce import expected, table, targets
from facetwise.reproduce.measure import Scene, measure
from facetwise.reproduce.methods import ENTRANTS
from facetwise.reproduce.pieces import seed_of
from facetwise.reproduce.table1 import accuracy
from facetwise.reproduce.work import Request

from .conftest import made_up

KEPT = Path(__file__).parents[2] / "experiments/cong2020openapi/expected"
DATA = Path(os.environ.get("FACETWISE_DATA", ""))
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


@pytest.mark.skipif(
    not (DATA / CELL[0] / "train-images-idx3-ubyte.gz").exists(),
    reason="needs mnist/ in the folder that FACETWISE_DATA names",
)
def test_the_smallest_piece_comes_out_the_same(monkeypatch, tmp_path):
    """One image by some methods, against what is kept; the network is trained anew."""
    monkeypatch.setattr(targets, "cache", lambda: tmp_path)
    here = accuracy(*CELL)
    (kept,) = (
        c for c in kept_cells("first-instance.csv") if (c.data_set, c.model) == CELL
    )
    summary = (KEPT / "summary.csv").read_text("utf-8").splitlines()
    if f"{','.join(CELL)},,,test accuracy,0,1,{here.test:.6g}" not in "\n".join(
        summary
    ):
        pytest.skip("This machine trains another network than the one that was kept.")
    scene = Scene(targets.target(*CELL))
    (instance,) = Request(instances=1).drawn
    neighbour = int(scene.neighbours(np.array([instance]))[0])
    for method, setting in QUICK:
        entrant = ENTRANTS[method, setting]
        found = measure(entrant, scene, instance, neighbour, seed_of(0, instance))
        for name, value in found.numbers.items():
            (then,) = kept.of(method, name, setting)
            assert agree(name, value, then), (method, name, value, then)


def kept_cells(name):
    """The cells of a table that is kept."""
    return table.read(KEPT / name).cells


def agree(name, value, then):
    """Rounding differs between machines: what is made of it agrees in size alone."""
    if name == "seconds":
        return True
    if name in ("L1Dist", "error", "bound"):
        return abs(np.log10(max(value, 1e-16) / max(then, 1e-16))) < 1.5
    return value == pytest.approx(then, rel=1e-3, abs=1e-9)
