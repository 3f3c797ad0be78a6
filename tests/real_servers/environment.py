"""An environment for each server, kept in the user's cache: their pins conflict."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

MADE = "made"
"""A file that is written last, so that what broke off is not taken for whole."""


def cache() -> Path:
    """Where environments are kept."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "facetwise" / "servers"


def python_with(name: str, requirements: tuple[str, ...]) -> Path:
    """A Python that has these packages, and no others; made when it is not there."""
    pins = "\n".join([sys.version, *requirements])
    folder = cache() / f"{name}-{hashlib.sha256(pins.encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if not (folder / MADE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", *requirements]
        subprocess.run(install, check=True)
        (folder / MADE).write_text(pins, "utf-8")
    return python
