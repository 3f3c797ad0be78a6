"""What a protocol is: rows to bytes, bytes to scores, and nothing in between.

Protocols send nothing and remember nothing. `decode` takes any bytes at all, and ends
with scores or with a fault.
"""

from __future__ import annotations

import typing
from typing import Any

from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols.scores import Scores
from facetwise.errors import EndpointError


class Protocol(typing.Protocol):
    """How one kind of service is asked."""

    @property
    def name(self) -> str:
        """What users call it."""

    @property
    def path(self) -> str:
        """Where the model lies on its server."""

    @property
    def largest(self) -> int | None:
        """Bytes that a question may have, if that is known."""

    @property
    def most_rows(self) -> int | None:
        """Rows that a question may have, if that is known."""

    @property
    def features(self) -> int | None:
        """Numbers that a row has, if that is known."""

    def encode(self, X: Any) -> Call:
        """The question about rows: an array (n, d), or a frame with named columns."""

    def decode(self, body: bytes, rows: int) -> Scores:
        """The scores in an answer to so many rows."""

    def fault(self, reply: Reply) -> EndpointError | None:
        """What is wrong with a reply as such, if anything is."""

    def otherwise(self) -> Protocol | None:
        """How to ask a service that answered labels, if there is another way."""


class Transport(typing.Protocol):
    """What carries calls."""

    @property
    def origin(self) -> str:
        """Where they go, without credentials."""

    def mask(self, text: str) -> str:
        """A text without the credentials that go with the calls."""

    def send(self, call: Call) -> Reply:
        """What comes back; a fault is raised when nothing does."""
