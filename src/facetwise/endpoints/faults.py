"""What goes wrong between the engine and a service, and what each case allows.

    EndpointError
    ├── Unusable     asking again cannot help: address, name, credential, kind of answer
    │   └── Labels   the service answers classes where scores were expected
    ├── Busy         it asks to be left alone for a while (429)
    │   └── Unavailable   it says that it cannot answer now (503)
    ├── Lost         question or answer got lost: reset, a truncated body
    │   └── TimedOut no whole answer in time: too many rows, or too much to do
    ├── Refused      it answered with an error, which may be due to the rows
    └── TooLarge     the body has more bytes than the service takes

Transport and protocol make them; layers above know them by type alone.
"""

from __future__ import annotations

from collections.abc import Callable

from facetwise.errors import EndpointError


class Unusable(EndpointError):
    """The service cannot be used in this way, however often it is asked."""


class Labels(Unusable):
    """The service answers classes where scores were expected."""


class Busy(EndpointError):
    """The service has too much to do.

    `wait` is the time in seconds that it asked for, if it named one.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Unavailable(Busy):
    """The service cannot answer now; some say so where the model fails on a row."""


class Lost(EndpointError):
    """Nothing whole came back; the service may have answered all the same."""


class TimedOut(Lost):
    """It took too long; fewer rows may not."""


class Refused(EndpointError):
    """An error was answered. `passing` tells whether the next attempt may go well."""

    def __init__(self, message: str, passing: bool) -> None:
        super().__init__(message)
        self.passing = passing


class TooLarge(EndpointError):
    """The service takes fewer bytes in a call."""


def bare(fault: EndpointError, mask: Callable[[str], str]) -> EndpointError:
    """The fault with its message masked, and without what else hangs on it.

    What a service says may repeat what it was sent, also in bytes that a traceback
    would hold.
    """
    fault.args = (mask(str(fault)),)
    fault.__cause__ = fault.__context__ = None
    return fault.with_traceback(None)
