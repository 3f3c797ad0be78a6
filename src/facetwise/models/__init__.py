"""The paper's target models.

A name is fetched when it is first asked for, so that no model loads the libraries of
another.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from facetwise.models.logistic_model_tree import LogisticModelTree

__all__ = [
    "LogisticModelTree",
]

_HOMES = {
    "LogisticModelTree": "facetwise.models.logistic_model_tree",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
