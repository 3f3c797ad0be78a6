"""What protocols hand to a transport, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Call:
    """One question as bytes. Without a body it asks about the service itself."""

    path: str
    body: bytes | None = field(default=None, repr=False)
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer as bytes; the names of its headers are in small letters."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
