"""Commands as they are typed: in this process, or in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from facetwise.cli.main import main
from facetwise.models import PLNN

NAMES = ["income", "debt", "age", "rate"]


def typed(*words: object) -> Result:
    """What a command prints, and its exit code."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def command(*words: object, **settings: Any) -> subprocess.Popen[str]:
    """The same in a process of its own."""
    variables = settings.pop("variables", {})
    return subprocess.Popen(
        [sys.executable, "-m", "facetwise", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
        **settings,
    )


def instances(n: int = 6) -> Any:
    """Rows with four features."""
    return np.random.default_rng(0).standard_normal((n, 4)).round(3)


def write_csv(file: Path, X: Any, names: list[str] = NAMES) -> Path:
    """Rows as CSV, with a head."""
    lines = [",".join(names), *(",".join(map(repr, row)) for row in X.tolist())]
    file.write_text("\n".join(lines) + "\n")
    return file


def saved_network(file: Path) -> Path:
    """A small network in a file."""
    X = np.random.default_rng(1).standard_normal((60, 4))
    PLNN((6,), epochs=2, seed=0).fit(X, X[:, 0] > X[:, 1]).save(file)
    return file
