"""Credentials: read where they are kept, at the moment they are sent, and never shown.

A credential is named by its source: `env:NAME`, `file:PATH`, or a function that
returns it, which may fetch a new one. What was read is known here alone, so that it can
be masked in whatever a service says.
"""

from __future__ import annotations

import contextlib
import os
import re
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import (
    SplitResult,
    parse_qsl,
    quote,
    unquote,
    urlsplit,
    urlunsplit,
)

from facetwise.errors import EndpointError, FacetwiseError, InputError

Source = str | Callable[[], str]

HIDDEN = "***"

KEPT = 64
"""Credentials that are remembered to be masked: enough for one that is often renewed
to be known still when the service repeats an older one."""

TELLING = re.compile(r"auth|cookie|key|password|secret|signature|token", re.I)
"""Names of headers whose values are credentials."""

USER = re.compile(r"(?<=://)[^/\s@\"']+(?=@)")
QUERY = re.compile(r"([?&][^=&\s\"'<>]+=)[^&\s\"'<>]+")
LONG = 8
"""Values in the query of an address that are at least so long may be credentials."""

UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


class Secret:
    """A credential, by its source. `what` says in messages what it is for."""

    def __init__(self, source: Source, what: str) -> None:
        self._what = what
        self._read, self._shown = _reader(source, what)

    def __repr__(self) -> str:
        return f"Secret({self._shown})"

    def read(self) -> str:
        """The credential as it is now."""
        value = self._fetched()
        if value and not UNPRINTABLE.search(value):
            return value
        del value  # some tracebacks show what a function holds
        raise InputError(
            f"The {self._what} from {self._shown} is empty or has characters that "
            "cannot be sent; expected one line of plain text."
        )

    def _fetched(self) -> str:
        # Raised outside of `except`: what another's function raises, and holds, may
        # tell the credential, so that it must not be chained either.
        try:
            return str(self._read()).strip()
        except FacetwiseError as ours:
            missing = ours
        except KeyError:
            missing = InputError(
                f"The {self._what} is read from {self._shown}, which is not set."
            )
        except OSError as error:
            missing = InputError(
                f"The {self._what} is read from {self._shown}: {error.strerror}."
            )
        except Exception as error:
            missing = EndpointError(
                f"The function that returns the {self._what} raised "
                f"{type(error).__name__}. Call it by itself to see why."
            )
        raise missing


class Credentials:
    """What goes with every call: headers, and the query of the address.

    `mask` removes from a text everything that was read for them so far.
    """

    def __init__(
        self,
        headers: Mapping[str, str | Secret] | None = None,
        query: str = "",
        user: str = "",
    ) -> None:
        self._headers = dict(headers or {})
        self._query = query
        self._seen: deque[str] = deque(maxlen=KEPT)
        if user:
            basic = b64encode(unquote(user).encode()).decode()
            self._headers["Authorization"] = Secret(lambda: f"Basic {basic}", "user")
            self.hide(unquote(user.partition(":")[2]))
        for name, value in parse_qsl(query):
            # A version or a format is none, and masked it would only puzzle.
            if TELLING.search(name) or len(value) >= LONG:
                self.hide(value)

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self._headers)})"

    def headers(self) -> dict[str, str]:
        """The headers to send now."""
        return {name: self._sent(value) for name, value in self._headers.items()}

    def query(self) -> str:
        """The query to send, without its question mark."""
        return self._query

    def mask(self, text: str) -> str:
        """The text without credentials."""
        return mask(text, tuple(self._seen))

    def _sent(self, value: str | Secret) -> str:
        if isinstance(value, str):
            return value
        secret = value.read()
        self.hide(secret.rpartition(" ")[2])  # behind "Bearer" or "Basic"
        return secret

    def hide(self, value: str) -> None:
        """Mask this value too from now on."""
        if value and value not in self._seen:
            self._seen.append(value)


def mask(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, and without what addresses in it may tell.

    >>> mask("no http://ann:pw@host/score?key=1 for s3cret", ["s3cret"])
    'no http://***@host/score?key=*** for ***'
    """
    forms = {form for secret in secrets for form in (secret, quote(secret, ""))}
    for form in sorted(forms - {""}, key=len, reverse=True):
        text = text.replace(form, HIDDEN)
    return QUERY.sub(rf"\g<1>{HIDDEN}", USER.sub(HIDDEN, text))


def credentials(
    url: str, token: Source | None, headers: Mapping[str, Source] | None
) -> tuple[str, Credentials]:
    """The address without what is secret in it, and all that is."""
    parts = _parts(url)
    sent: dict[str, str | Secret] = {
        name: _header(name, source) for name, source in (headers or {}).items()
    }
    user, _, host = parts.netloc.rpartition("@")
    if token is not None:
        bearer = Secret(token, "token")
        sent["Authorization"] = Secret(lambda: f"Bearer {bearer.read()}", "token")
    address = urlunsplit((parts.scheme, host, parts.path, "", ""))
    return address, Credentials(sent, parts.query, user)


def _parts(url: str) -> SplitResult:
    with contextlib.suppress(ValueError):  # which may repeat what is secret
        return urlsplit(url)
    raise InputError("The address cannot be read; expected https://HOST/PATH.")


def _header(name: str, source: Source) -> str | Secret:
    """A header that may be a credential, or one that is plainly none."""
    plain = isinstance(source, str) and not source.startswith(("env:", "file:"))
    if plain and not TELLING.search(name):
        return str(source)
    return Secret(source, f"header {name}")


def _reader(source: Source, what: str) -> tuple[Callable[[], str], str]:
    if callable(source):
        return source, "a function"
    kind, _, place = source.partition(":")
    if kind == "env" and place:
        return lambda: os.environ[place], f"the environment variable {place}"
    if kind == "file" and place:
        path = Path(place).expanduser()
        return lambda: path.read_text("utf-8"), f"the file {place}"
    # Whatever was passed may be the credential itself: it is not repeated.
    raise InputError(
        f"The {what} must be named by where it is kept, so that it gets into no "
        "history or log: 'env:NAME', 'file:PATH', or a function that returns it."
    )
