"""How a model is served, and how it is made to misbehave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from facetwise.errors import InputError

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server does beyond answering.

    Parameters
    ----------
    name
        The model's name in paths.
    host, port
        Where to listen; this machine alone can reach the default. 0 takes a free port.
    token
        What requests have to show as a bearer token; None lets everyone in. Read it
        from a file or from the environment: what stands in a command line is seen by
        all users of a machine.
    max_rows, max_bytes
        The most rows a call, and the most bytes of a body, unpacked or not.
    threads
        Calls answered at a time.
    idle_seconds
        After which a connection that sends nothing is closed.
    decimals
        To which scores are rounded.
    float32
        Takes rows, and answers, in 32 bits.
    labels_only
        Answers the number of the class instead of scores.
    fail_rate
        The share of calls that get 503 instead of an answer, by chance from `seed`.
    latency
        Seconds that each call waits before it is answered.
    """

    name: str = "model"
    host: str = LOOPBACK
    port: int = 8080
    token: str | None = field(default=None, repr=False)
    max_rows: int = 10_000
    max_bytes: int = 2**26
    threads: int = 8
    idle_seconds: float = 60.0
    decimals: int | None = None
    float32: bool = False
    labels_only: bool = False
    fail_rate: float = 0.0
    latency: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_rows", "max_bytes", "threads", "idle_seconds"):
            _require(name, getattr(self, name), getattr(self, name) > 0, "above 0")
        _require("port", self.port, 0 <= self.port < 2**16, "between 0 and 65535")
        _require("latency", self.latency, self.latency >= 0.0, "at least 0")
        share = 0.0 <= self.fail_rate <= 1.0
        _require("fail_rate", self.fail_rate, share, "between 0 and 1")
        places = self.decimals is None or self.decimals >= 0
        _require("decimals", self.decimals, places, "at least 0")
        plain = bool(self.name) and not set(self.name) & set("/:?#% ")
        _require("name", self.name, plain, "a word without / : ? # % or blanks")
        if self.token is not None and not self.token.strip():
            raise InputError("The token is empty; leave it out to let everyone in.")


def _require(name: str, given: Any, holds: bool, expected: str) -> None:
    if not holds:
        raise InputError(f"{name} must be {expected}; got {given!r}.")
