"""Where files of data sets are looked for, and where downloads are kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from facetwise.errors import DataError

VARIABLE = "FACETWISE_DATA"
"""The environment variable that names a folder of data."""


def folders() -> list[Path]:
    """Folders to look in, in this order: the one that is named, and the cache."""
    named = os.environ.get(VARIABLE)
    if not named:
        return [cache()]
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise DataError(
            f"{VARIABLE} names {folder}, which is not a folder. Name one that is, or "
            f"unset it: then {cache()} is used, and filled by downloads."
        )
    return [folder, cache()]


def cache() -> Path:
    """The folder of facetwise where this platform keeps what can be had again."""
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local or home / "AppData/Local", "facetwise", "Cache")
    if sys.platform == "darwin":
        return home / "Library/Caches/facetwise"
    # The specification of XDG has relative paths ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else home / ".cache") / "facetwise"
