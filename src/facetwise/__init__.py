"""Exact, certified explanations of piecewise linear models behind APIs."""

from facetwise import datasets, plot, report
from facetwise.core.response import Response
from facetwise.core.status import Status
from facetwise.endpoints.connect import connect
from facetwise.errors import (
    DataError,
    EndpointError,
    ExtraError,
    FacetwiseError,
    InputError,
    JournalError,
    ModelError,
    ResponseError,
)
from facetwise.explainer import Explainer
from facetwise.explanation import Explanation, load
from facetwise.inspection import Inspection, inspect
from facetwise.shap_explanation import to_shap
from facetwise.tables.domain import Domain
from facetwise.version import __version__

__all__ = [
    "DataError",
    "Domain",
    "EndpointError",
    "Explainer",
    "Explanation",
    "ExtraError",
    "FacetwiseError",
    "InputError",
    "Inspection",
    "JournalError",
    "ModelError",
    "Response",
    "ResponseError",
    "Status",
    "__version__",
    "connect",
    "datasets",
    "inspect",
    "load",
    "plot",
    "report",
    "to_shap",
]
