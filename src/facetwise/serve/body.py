"""The bytes of a request, unpacked, and never more than allowed."""

from __future__ import annotations

import zlib
from typing import BinaryIO

from facetwise.serve.problem import Problem

PACKED = {"gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
"""How zlib is told which header to expect."""


def unpacked(stream: BinaryIO, encoding: str, most: int) -> bytes:
    """Read a body that may be compressed."""
    content = stream.read()
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return content
    if encoding not in PACKED:
        raise Problem(415, f"Bodies may be packed by gzip or deflate, not {encoding}.")
    unpacking = zlib.decompressobj(PACKED[encoding])
    try:
        whole = unpacking.decompress(content, most + 1)
    except zlib.error as error:
        raise Problem(400, f"The body is not packed by {encoding}: {error}.") from error
    if len(whole) > most:
        raise Problem(413, f"The body has more than {most} bytes when unpacked.")
    if not unpacking.eof:
        raise Problem(400, "The packed body ends too early.")
    return whole
