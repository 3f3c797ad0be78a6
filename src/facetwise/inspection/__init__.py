"""What a service is like, before anything is explained: asked with few questions."""

from facetwise.inspection.inspection import Inspection
from facetwise.inspection.inspector import inspect

__all__ = ["Inspection", "inspect"]
