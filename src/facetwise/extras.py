"""Optional libraries: imported where they are used, and missed with a hint."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from facetwise.errors import ExtraError


def extra(name: str, library: str) -> ModuleType:
    """Import a library that the extra `name` installs, or say how to get it."""
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library.partition(".")[0]:
            raise  # the library is here, and lacks something itself
        raise ExtraError(
            f"This needs {library}, which is not installed. Install it with "
            f'pip install "facetwise[{name}]".'
        ) from error
