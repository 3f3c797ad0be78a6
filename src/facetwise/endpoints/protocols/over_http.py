"""What the protocols over HTTP have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facetwise.endpoints import status
from facetwise.endpoints.faults import Unusable
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols import json_text
from facetwise.endpoints.protocols.protocol import Protocol
from facetwise.errors import EndpointError


@dataclass(frozen=True)
class OverHttp:
    """A path that is asked in JSON; each protocol says what it holds."""

    path: str
    largest: int | None = None

    @property
    def most_rows(self) -> int | None:
        """No limit is known."""
        return None

    @property
    def features(self) -> int | None:
        """It is not said."""
        return None

    def fault(self, reply: Reply) -> EndpointError | None:
        """What the status code says."""
        return status.fault(reply)

    def otherwise(self) -> Protocol | None:
        """There is one way to ask."""
        return None

    def asking(self, content: Any, path: str | None = None) -> Call:
        """A call with this content."""
        return Call(path or self.path, json_text.dumps(content))


def field(content: Any, name: str, advice: str) -> Any:
    """A field that every answer has to have."""
    if isinstance(content, dict) and name in content:
        return content[name]
    found = ", ".join(content) if isinstance(content, dict) else type(content).__name__
    raise Unusable(
        f"The answer has no {name!r} but {found[:120] or 'nothing'}. {advice}"
    )
