"""The notebooks of the site run from top to bottom, and are shown as they ran."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 200_000
"""Bytes of a notebook with its pictures."""


def cells(path: Path) -> list[nbformat.NotebookNode]:
    """The cells of code."""
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def run(folder: Path, name: str, data: str) -> str:
    """Run a copy of one notebook as `make notebooks` does; what is said of it."""
    shutil.copy(FOLDER / "execute.py", folder)
    shutil.copy(FOLDER / name, folder)
    done = subprocess.run(
        [sys.executable, folder / "execute.py"],
        env={**os.environ, "FACETWISE_DATA": data},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_shown_as_they_ran(path: Path) -> None:
    """All cells were run once, in their order, and the file is small."""
    counts = [cell.execution_count for cell in cells(path)]
    assert counts == list(range(1, len(counts) + 1))
    assert path.stat().st_size < LARGEST


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    """Run anew, no cell fails, and each shows as many things as before."""
    said = run(tmp_path, path.name, os.environ.get("FACETWISE_DATA", ""))
    if "NOT RUN" in said:
        pytest.skip(said.strip())
    shown = [[output.output_type for output in cell.outputs] for cell in cells(path)]
    again = cells(tmp_path / path.name)
    assert [[output.output_type for output in cell.outputs] for cell in again] == shown


def test_a_notebook_without_its_data_is_left_alone(tmp_path: Path) -> None:
    """It is said not to have been run, and its file stays as it was."""
    name = "image-network.ipynb"
    assert "NOT RUN" in run(tmp_path, name, str(tmp_path))
    assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_a_cell_that_fails_is_seen(tmp_path: Path) -> None:
    """An error in a notebook ends the run with an error."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(notebook, tmp_path / "wrong.ipynb")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run(tmp_path, "tabular-audit.ipynb", "")
