"""Files whose ending says what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from facetwise.errors import InputError


def check_ending(file: Path, known: Iterable[str], use: str) -> str:
    """The ending of a file if it is a known one; `use` says what those are for."""
    if file.suffix not in known:
        raise InputError(
            f"{file.name} ends in {file.suffix or 'nothing'}; {use} {', '.join(known)}."
        )
    return file.suffix
