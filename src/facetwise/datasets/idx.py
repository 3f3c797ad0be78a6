"""The IDX format of MNIST: two zeros, a type, the number of dimensions, sizes, values.

Sizes are big-endian 32-bit integers. Of the types only the unsigned byte is read here.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from facetwise.errors import DataError

Bytes: TypeAlias = NDArray[np.uint8]

MAGIC = b"\x00\x00\x08"
"""What a file of unsigned bytes opens with."""


def parse(content: bytes, name: str, dimensions: int) -> Bytes:
    """The array in an IDX file of so many dimensions, whose name is for the errors."""
    start = 4 + 4 * dimensions
    opening = MAGIC + bytes([dimensions])
    if content[:4] != opening or len(content) < start:
        raise DataError(
            f"{name} is not an IDX file of unsigned bytes in {dimensions} dimensions: "
            f"it opens with {content[:4].hex(' ') or 'nothing'} in {len(content):,} "
            f"bytes, and {opening.hex(' ')} and {dimensions} sizes were expected."
        )
    sizes = np.frombuffer(content, ">u4", count=dimensions, offset=4).tolist()
    if math.prod(sizes) != len(content) - start:
        raise DataError(
            f"{name} is cut short or overlong: {' x '.join(map(str, sizes))} values "
            f"were announced, and {len(content) - start:,} bytes follow."
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(sizes)
