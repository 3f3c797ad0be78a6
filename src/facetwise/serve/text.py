"""JSON as it comes and goes: numbers exact, everything else a problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.extras import extra
from facetwise.serve.problem import Problem


def loads(content: bytes) -> dict[str, Any]:
    """An object of JSON."""
    orjson = extra("serve", "orjson")
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise Problem(400, f"The body is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise Problem(400, "The body should be an object of JSON.")
    return value


def dumps(value: Any) -> bytes:
    """JSON with every digit of the arrays in it."""
    orjson = extra("serve", "orjson")
    text: bytes = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    return text


def numbers(data: Any, what: str) -> Floats:
    """Numbers in lists of one length; text and truth values are none."""
    try:
        values = np.asarray(data)
    except ValueError as error:
        raise Problem(400, f"{what} should be lists of one length.") from error
    if values.size and values.dtype.kind not in "iuf":
        raise Problem(400, f"{what} should be numbers alone.")
    return values.astype(np.float64)
