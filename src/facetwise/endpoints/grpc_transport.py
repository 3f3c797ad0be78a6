"""gRPC: one channel, over which bytes go out and come back, or a fault."""

from __future__ import annotations

import re
import weakref
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from facetwise.endpoints.credentials import Credentials
from facetwise.endpoints.faults import (
    Busy,
    Lost,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.status import said
from facetwise.endpoints.transport import LARGEST_ANSWER, LOOPBACK, TIMEOUT
from facetwise.errors import EndpointError, InputError
from facetwise.extras import extra

ADVICE = {
    "UNAUTHENTICATED": "Pass a credential: token='env:NAME'.",
    "PERMISSION_DENIED": "Ask for the right, or pass another credential.",
    "NOT_FOUND": "Check name and version of the model: grpc://HOST:PORT/NAME.",
    "UNIMPLEMENTED": "Expected the open inference protocol v2: check host and port.",
}
"""Codes that no further attempt will change."""

OF_THE_QUESTION = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"}
TOO_LARGE = re.compile("larger than max|exceeds maximum size", re.I)
"""What servers in C++ and Go, and those in Java, say of a message."""

PASSING = {"CANCELLED", "ABORTED", "DATA_LOSS"}


class Grpc:
    """Sends calls to one host; `grpcs://` for TLS."""

    def __init__(
        self,
        origin: str,
        credentials: Credentials,
        *,
        timeout: float = TIMEOUT,
        largest: int = LARGEST_ANSWER,
        ca: str | None = None,
    ) -> None:
        self._grpc: Any = extra("grpc", "grpc")
        self.origin = origin
        self._credentials, self._timeout = credentials, timeout
        self._reached = False
        parts = urlsplit(origin)
        options = [
            ("grpc.max_receive_message_length", largest),
            ("grpc.max_send_message_length", -1),
            ("grpc.enable_http_proxy", int(parts.hostname not in LOOPBACK)),
        ]
        channel = (
            self._grpc.secure_channel(parts.netloc, self._trust(ca), options)
            if parts.scheme == "grpcs"
            else self._grpc.insecure_channel(parts.netloc, options)
        )
        self._channel = channel
        self.close = weakref.finalize(self, channel.close)

    def __repr__(self) -> str:
        return f"Grpc({self.origin})"

    def mask(self, text: str) -> str:
        """The text without credentials of this connection."""
        return self._credentials.mask(text)

    def send(self, call: Call) -> Reply:
        """What the service answers."""
        outcome = self._outcome(call)
        if isinstance(outcome, EndpointError):
            raise outcome
        self._reached = True
        return outcome

    def _outcome(self, call: Call) -> Reply | EndpointError:
        """The reply, or the fault to raise once no exception of grpc is around."""
        headers = self._credentials.headers()
        ask = self._channel.unary_unary(call.path)  # bytes in, bytes out
        try:
            body = ask(
                call.body or b"",
                timeout=self._timeout,
                metadata=[(name.lower(), value) for name, value in headers.items()],
            )
        except self._grpc.RpcError as error:
            told = self.mask(said((error.details() or "").encode()))
            return self._fault(error.code().name, told)
        return Reply(200, {}, body)

    def _fault(self, code: str, told: str) -> EndpointError:
        """What a code of gRPC stands for."""
        message = f'The service answered {code}, "{told}".'
        if code in ADVICE:
            return Unusable(f"{message} {ADVICE[code]}")
        if code == "UNAVAILABLE":
            if self._reached:
                return Unavailable(message)
            return Unusable(
                f'{self.origin} cannot be reached: "{told}". Check host and port, that '
                "the service runs, and grpcs:// for TLS."
            )
        if code == "RESOURCE_EXHAUSTED":
            # The same code says that the message is too large and that the server is.
            return TooLarge(message) if TOO_LARGE.search(told) else Busy(message)
        if code == "DEADLINE_EXCEEDED":
            return TimedOut(message)
        if code in PASSING:
            return Lost(message)
        return Refused(message, passing=code not in OF_THE_QUESTION)

    def _trust(self, ca: str | None) -> Any:
        try:
            roots = None if ca is None else Path(ca).read_bytes()
        except OSError as error:
            raise InputError(f"ca={ca!r} cannot be read: {error.strerror}.") from None
        return self._grpc.ssl_channel_credentials(roots)
