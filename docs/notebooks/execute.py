"""Runs the notebooks of this folder anew, and keeps what they show: make notebooks.

A notebook whose data set is not in the folder that FACETWISE_DATA names is left as it
is, and said to be.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = Path(__file__).parent
# Sockets of the file system, which no other user of the machine can listen to.
PRIVATE = Config({"KernelManager": {"transport": "ipc"}})

NEEDS = {"image-network": "fashion-mnist"}
"""Folders of data that a notebook cannot do without."""


def missing(name: str) -> str:
    """What a notebook needs and does not have, or nothing."""
    needed = NEEDS.get(name, "")
    there = Path(os.environ.get("FACETWISE_DATA", ""), needed).is_dir()
    return "" if there else needed


def execute(path: Path) -> None:
    """Run all cells in their order; an error in any of them is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=900, record_timing=False, config=PRIVATE)
    client.execute()
    nbformat.write(notebook, path)


def main() -> int:
    """Run each, and say which."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if needed := missing(path.stem):
            print(f"{path.name}: NOT RUN, as FACETWISE_DATA has no {needed}")
            continue
        execute(path)
        print(f"{path.name}: run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
