"""What is saved: arrays and a note in JSON, in one .npz file, without pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from facetwise.errors import InputError

Result = TypeVar("Result")
Note = dict[str, Any]
Arrays = Mapping[str, Any]

UNREADABLE = (
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    OSError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file raises that is not what it should be."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One kind of file: the key and number of its format, and names for messages.

    `what` is what such a file holds, `writer` the function that writes it.
    """

    key: str
    format: int
    what: str
    writer: str

    def write(self, path: str | PathLike[str], note: Note, arrays: Arrays) -> None:
        """Write arrays, and a note that JSON can hold."""
        about = np.array(json.dumps({**note, self.key: self.format}))
        with open(path, "wb") as file:  # noqa: PTH123  a path may be a plain string
            np.savez_compressed(file, about=about, **arrays)

    def read(
        self, path: str | PathLike[str], build: Callable[[Note, Arrays], Result]
    ) -> Result:
        """What `build` makes of note and arrays; any other file is named."""
        with open(path, "rb") as file:  # noqa: PTH123  a path may be a plain string
            try:
                with np.load(file, allow_pickle=False) as content:
                    note = json.loads(str(content["about"]))
                    self._check_format(note[self.key], path)
                    return build(note, content)
            except InputError:
                raise
            except UNREADABLE as error:
                raise InputError(
                    f"{path} is no saved {self.what}, or a damaged one ({error!r}). "
                    f"Expected a file that {self.writer} wrote."
                ) from error

    def _check_format(self, found: object, path: str | PathLike[str]) -> None:
        if found != self.format:
            raise InputError(
                f"{path} has format {found}; this version of facetwise reads format "
                f"{self.format}. Read it with the version that wrote it."
            )
