"""Stops a run in all its threads: what was not sent yet is not sent any more."""

from __future__ import annotations

import threading

from facetwise.errors import EndpointError


class Halted(EndpointError):
    """A call was not sent, since the run ended; never the reason why it did."""


class Halt:
    """A flag that is put up once."""

    def __init__(self) -> None:
        self._up = threading.Event()

    def put_up(self) -> None:
        """End the run."""
        self._up.set()

    def check(self) -> None:
        """Raise if the run has ended."""
        if self._up.is_set():
            raise Halted("The run ended before this call was sent.")

    def sleep(self, seconds: float) -> None:
        """Wait, and raise as soon as the run has ended."""
        self._up.wait(seconds)
        self.check()
