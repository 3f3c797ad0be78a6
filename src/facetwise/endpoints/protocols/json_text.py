"""JSON with every digit of a 64-bit number, both ways."""

from __future__ import annotations

import json
from typing import Any

from facetwise.endpoints.faults import Lost, Unusable
from facetwise.endpoints.status import said
from facetwise.extras import extra

LITERALS = (b"NaN", b"Infinity")
"""What JSON does not have, and some services write all the same."""


def dumps(content: Any) -> bytes:
    """JSON of plain values and arrays; dates in the form of ISO 8601."""
    orjson: Any = extra("remote", "orjson")
    text: bytes = orjson.dumps(content, default=str, option=orjson.OPT_SERIALIZE_NUMPY)
    return text


def loads(body: bytes) -> Any:
    """What a body says, or the fault that it is."""
    orjson: Any = extra("remote", "orjson")
    try:
        if any(literal in body for literal in LITERALS):
            return json.loads(body)
        return orjson.loads(body)
    except (ValueError, RecursionError):
        pass
    if body.lstrip()[:1] == b"<":
        raise Unusable(
            f'The service answered a web page, "{said(body)}", where JSON was '
            "expected. Check host and path; a page to log in means a credential."
        )
    raise Lost(f'The answer is no whole JSON: "{said(body)}".')
