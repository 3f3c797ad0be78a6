"""Exact, certified explanations of piecewise linear models behind APIs."""

from facetwise import report
from facetwise.core.domain import Domain
from facetwise.core.response import Response
from facetwise.core.status import Status
from facetwise.errors import FacetwiseError, InputError, ModelError, ResponseError
from facetwise.explainer import Explainer
from facetwise.explanation import Explanation, load
from facetwise.version import __version__

__all__ = [
    "Domain",
    "Explainer",
    "Explanation",
    "FacetwiseError",
    "InputError",
    "ModelError",
    "Response",
    "ResponseError",
    "Status",
    "__version__",
    "load",
    "report",
]
