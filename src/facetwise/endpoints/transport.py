"""HTTP: one pool of connections, from which bytes come back, or a fault.

Credentials are added below the client, so that neither its log nor its exceptions
have seen them. Its exceptions end here: they are told by a fault, and not chained.
"""

from __future__ import annotations

import ssl
import time
import weakref
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from facetwise.endpoints.credentials import Credentials
from facetwise.endpoints.faults import Lost, TimedOut, Unusable
from facetwise.endpoints.messages import Call, Reply
from facetwise.errors import EndpointError, InputError
from facetwise.extras import extra
from facetwise.version import __version__

TIMEOUT = 60.0
"""Seconds for a whole answer: what cloud services allow a model."""

CONNECT_TIMEOUT = 10.0

LARGEST_ANSWER = 2**28
"""Bytes, unpacked: a million rows of ten scores, at 25 characters a number."""

CONNECTIONS = 256
"""More than anybody asks at a time: how many do is decided above."""

LOOPBACK = {"localhost", "127.0.0.1", "::1"}

Sign = Callable[[str, str, bytes, dict[str, str]], dict[str, str]]
"""From method, address, body and headers of a request to the headers that sign it."""


class Http:
    """Sends calls to one origin, such as `https://models.example`."""

    def __init__(
        self,
        origin: str,
        credentials: Credentials,
        *,
        timeout: float = TIMEOUT,
        largest: int = LARGEST_ANSWER,
        ca: str | None = None,
        sign: Sign | None = None,
        below: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._httpx: Any = extra("remote", "httpx")
        self.origin = origin
        self._credentials = credentials
        self._timeout, self._largest, self._clock = timeout, largest, clock
        self._reached = False
        stamped = _Stamped(below or self._pool(ca), self._httpx, credentials, sign)
        self._client = self._httpx.Client(
            transport=stamped,
            timeout=self._httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
            headers={"User-Agent": f"facetwise/{__version__}"},
            cookies=_no_cookies(),
        )
        # Nobody closes an endpoint that came out of an expression.
        self.close = weakref.finalize(self, self._client.close)

    def __repr__(self) -> str:
        return f"Http({self.origin})"

    def mask(self, text: str) -> str:
        """The text without credentials of this connection."""
        return self._credentials.mask(text)

    def send(self, call: Call) -> Reply:
        """What the service answers, whatever its status."""
        while True:
            attempt = _Attempt()
            outcome = self._outcome(call, attempt)
            if isinstance(outcome, Reply):
                self._reached = True
                return outcome
            if not attempt.was_stale:
                raise outcome
            # The service closed a connection that it had kept for us, and has not
            # seen the question: each such connection is gone after one attempt.

    def _pool(self, ca: str | None) -> Any:
        try:
            verify = ssl.create_default_context(cafile=ca)
        except OSError as error:
            raise InputError(
                f"ca={ca!r} is no file of certificates: {error}."
            ) from None
        return self._httpx.HTTPTransport(
            verify=verify,
            proxy=_proxy(self.origin),
            limits=self._httpx.Limits(
                max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS
            ),
        )

    def _outcome(self, call: Call, attempt: _Attempt) -> Reply | EndpointError:
        """The reply, or the fault to raise once no exception of httpx is around."""
        httpx = self._httpx
        try:
            return self._reply(call, attempt)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            return self._unreached(error)
        except httpx.TimeoutException as error:
            kind = type(error).__name__
            return TimedOut(f"No whole answer in {self._timeout:g} seconds ({kind}).")
        except httpx.DecodingError:
            return Lost("The answer is packed in a way that cannot be unpacked.")
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            attempt.reset = True
            return Lost(self.mask(f"The connection broke: {_told(error)}."))
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            return Unusable(
                self.mask(f"{self.origin} cannot be asked: {_told(error)}.")
            )

    def _reply(self, call: Call, attempt: _Attempt) -> Reply:
        end = self._clock() + self._timeout
        request = self._client.build_request(
            "GET" if call.body is None else "POST",
            self.origin + call.path,
            content=call.body,
            headers={} if call.body is None else {"Content-Type": call.content_type},
            extensions={"trace": attempt.trace},
        )
        answer = self._client.send(request, stream=True)
        try:
            body = bytearray()
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > self._largest:
                    raise Unusable(
                        f"{self.origin}{call.path} answers without end: more than "
                        f"{self._largest:,} bytes. Is it a model?"
                    )
                if self._clock() > end:
                    raise TimedOut(
                        f"The answer was not whole after {self._timeout:g} s."
                    )
        finally:
            answer.close()
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(answer.status_code, headers, bytes(body))

    def _unreached(self, error: Exception) -> EndpointError:
        told = self.mask(_told(error))
        if self._reached:
            return Lost(f"{self.origin} cannot be reached any more: {told}.")
        if "SSL" in told or "certificate" in told:
            return Unusable(
                f"No safe connection to {self.origin}: {told}. Expected TLS with a "
                "certificate that this machine trusts: pass ca='FILE' for one of your "
                "own, or http:// where there is no TLS."
            )
        return Unusable(
            f"{self.origin} cannot be reached: {told}. Check host and port, and that "
            "the service runs."
        )


class _Attempt:
    """What httpx tells of one request while it goes on."""

    def __init__(self) -> None:
        self.reset = self._opened = self._sent = self._answered = False

    def trace(self, event: str, info: dict[str, Any]) -> None:
        self._opened |= event.startswith("connection.connect")
        self._sent |= event == "http11.send_request_headers.started"
        self._answered |= event == "http11.receive_response_headers.complete"

    @property
    def was_stale(self) -> bool:
        """Whether a connection from an earlier request was reset without an answer."""
        kept = self._sent and not self._opened
        return self.reset and kept and not self._answered


class _Stamped:
    """A transport of httpx that adds credentials on the way down."""

    def __init__(
        self, below: Any, httpx: Any, credentials: Credentials, sign: Sign | None
    ) -> None:
        self._below, self._httpx = below, httpx
        self._credentials, self._sign = credentials, sign

    def handle_request(self, request: Any) -> Any:
        url, query = request.url, self._credentials.query()
        if query:
            url = url.copy_with(query=query.encode())
        headers = request.headers.copy()
        headers.update(self._credentials.headers())
        if self._sign:
            signed = self._sign(request.method, str(url), request.read(), dict(headers))
            headers.update(signed)
            for name, value in signed.items():
                if "token" in name.lower():  # a signature is good for one call
                    self._credentials.hide(value)
        return self._below.handle_request(
            self._httpx.Request(
                request.method,
                url,
                headers=headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )

    def close(self) -> None:
        self._below.close()


def _no_cookies() -> Any:
    """A jar that keeps nothing.

    By a cookie some load balancers send all questions to one of several versions, and
    nobody would ever see that there is another.
    """
    from http.cookiejar import CookieJar, DefaultCookiePolicy  # takes long to load

    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


def _proxy(origin: str) -> str | None:
    """The proxy that the environment names; never between us and this machine."""
    from urllib.request import getproxies, proxy_bypass  # takes long to load

    parts = urlsplit(origin)
    host = parts.hostname or ""
    if host in LOOPBACK or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def _told(error: Exception) -> str:
    return str(error).rstrip(". ") or type(error).__name__
