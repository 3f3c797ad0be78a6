"""Files of data sets, known by what they hold, and used only when that is right."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from facetwise.errors import DataError

LARGEST = 2**26
"""Bytes that are unpacked at most; none of the files has more."""


@dataclass(frozen=True, slots=True)
class File:
    """Where a file lies in a folder of data, its checksums, and its public homes.

    `sha256` are those of what it holds, unpacked: the same bytes are found packed in
    different ways. A text has one for each of the ways in which it is found written.
    """

    path: str
    sha256: tuple[str, ...]
    homes: tuple[str, ...] = ()

    @property
    def packed(self) -> bool:
        """Whether it is a gzip file."""
        return self.path.endswith(".gz")


def contents(path: Path, file: File) -> bytes:
    """What the file at `path` holds, unpacked, if it is the file that it should be."""
    try:
        with gzip.open(path) if file.packed else path.open("rb") as stream:
            content = stream.read(LARGEST)
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error
    check(content, file, str(path))
    return content


def check(content: bytes, file: File, name: str) -> None:
    """Say so if these are not the bytes of the file."""
    found = hashlib.sha256(content).hexdigest()
    if found not in file.sha256:
        unpacked = " once unpacked" if file.packed else ""
        raise DataError(
            f"{name} is damaged, incomplete or another file: its SHA-256{unpacked} is "
            f"{found}, and {' or '.join(file.sha256)} was expected."
        )
