"""Values in the types that JSON has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import numpy as np


def jsonable(value: Any, infinity: Callable[[float], str | None] = str) -> Any:
    """The same in types that JSON has; NaN is null, and infinities are words."""
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {str(key): jsonable(entry, infinity) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry, infinity) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else infinity(value)
    return value
