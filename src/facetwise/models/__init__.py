"""The paper's target models, and the truth about models that can be looked into.

A name is fetched when it is first asked for, so that no model loads the libraries of
another.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from facetwise.models.logistic_model_tree import LogisticModelTree
    from facetwise.models.plnn import PLNN
    from facetwise.models.whitebox.openbox import openbox

__all__ = [
    "PLNN",
    "LogisticModelTree",
    "openbox",
]

_HOMES = {
    "PLNN": "facetwise.models.plnn",
    "LogisticModelTree": "facetwise.models.logistic_model_tree",
    "openbox": "facetwise.models.whitebox.openbox",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
