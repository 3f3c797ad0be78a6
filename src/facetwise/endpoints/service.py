"""One service: a protocol spoken over a transport."""

from __future__ import annotations

from typing import Any

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.faults import Labels, Lost, Refused, TooLarge, Unusable, bare
from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols.protocol import Protocol, Transport
from facetwise.endpoints.protocols.scores import Scores
from facetwise.errors import EndpointError

SAMPLE = 16
"""Rows that are encoded to see how many bytes a row takes."""

SLACK = 1.1
"""How much longer than in the sample rows may be."""

HALF = 0.55
"""What is tried of a size that was too large: half of the rows, with what surrounds
them, and no less than `SLACK` leaves."""


class Service:
    """Answers rows in one call each time, or raises a fault.

    `largest` and `most_rows` are the bytes and the rows that a question may have, and
    `classes` what the scores are of, as far as it is known.
    """

    def __init__(self, protocol: Protocol, transport: Transport) -> None:
        self._protocol, self._transport = protocol, transport
        self.largest, self.most_rows = protocol.largest, protocol.most_rows
        self.classes: tuple[str, ...] | None = None
        self._labels: Labels | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def name(self) -> str:
        """The protocol and the address, without credentials."""
        address = f"{self._transport.origin}{self._protocol.path}"
        return self._transport.mask(f"{self._protocol.name} {address}")

    @property
    def features(self) -> int | None:
        """Numbers that a row has, if the service says so."""
        return self._protocol.features

    def implies(self, classes: int) -> Response | None:
        """Nothing: no protocol says what its numbers are."""
        return None

    def fits(self, X: Any) -> int:
        """How many of the rows go into one call, as far as is known."""
        most = min(len(X), self.most_rows or len(X))
        if self.largest is None:
            return most
        sample = X[: min(SAMPLE, most)]
        bytes_a_row = SLACK * self._encoded(sample)[1] / len(sample)
        return max(1, min(most, int(self.largest / bytes_a_row)))

    def keep_to(self, rows: int) -> None:
        """Learn that no call should have more rows than that."""
        self.most_rows = max(1, min(rows, self.most_rows or rows))

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows X, from one call."""
        try:
            return self._scores(X)
        except EndpointError as fault:
            told = bare(fault, self._transport.mask)
        raise told

    def _scores(self, X: Any) -> Floats:
        protocol = self._protocol
        call, size = self._encoded(X)
        # What is remembered of a limit may be too low by what surrounds the rows: one
        # row is tried in any case.
        if self.largest is not None and size > self.largest and len(X) > 1:
            raise TooLarge(f"{size:,} bytes; the limit is {self.largest:,}.")
        try:
            reply = self._transport.send(call)
            if fault := protocol.fault(reply):
                raise fault
            return self._known(protocol.decode(reply.body, len(X)))
        except TooLarge:
            self.largest = int(HALF * size)
            raise
        except Labels as labels:
            raise self._asking_otherwise(protocol, labels) from None
        except Refused as fault:
            if self._labels is not None:
                fault.args = (f"{self._labels} Asked for scores by name: {fault}",)
            raise

    def _encoded(self, X: Any) -> tuple[Call, int]:
        call = self._protocol.encode(X)
        return call, len(call.body or b"")

    def _asking_otherwise(self, protocol: Protocol, labels: Labels) -> EndpointError:
        """Ask for scores by name from now on, if the protocol can do that."""
        other = protocol.otherwise()
        if other is None:
            return Unusable(str(labels))
        self._protocol, self._labels = other, labels
        return Lost("The service answers labels unless asked for scores by name.")

    def _known(self, scores: Scores) -> Floats:
        """The numbers, if their classes are those of the first answer."""
        if scores.classes is not None:
            self.classes = self.classes or scores.classes
            if self.classes != scores.classes:
                raise Unusable(
                    f"The service answered scores of {_listed(scores.classes)} after "
                    f"those of {_listed(self.classes)}. Expected every class in every "
                    "answer: where it keeps to the best few (top_k), ask for all."
                )
        return scores.values


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + ("…" if len(names) > 6 else "")
