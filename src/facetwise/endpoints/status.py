"""What the status code of an answer means, and what the service says beside it."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from facetwise.endpoints.faults import (
    Busy,
    Lost,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from facetwise.endpoints.messages import Reply
from facetwise.errors import EndpointError

QUOTED = 240
"""Characters that are quoted of what a service says."""

TOLD_IN = (
    "error",
    "message",
    "detail",
    "error_message",
    "OriginalMessage",
    "Message",
    "error_code",
)
"""Fields in which services tell what is wrong."""

TAGS = re.compile(rb"<(script|style)\b.*?</\1>|<[^>]*>", re.S | re.I)

ADVICE = {
    401: "The service does not accept the credential, or wants one: pass "
    "token='env:NAME', or headers={'x-api-key': 'env:NAME'}.",
    403: "The service does not allow this: ask for the right, or pass another "
    "credential.",
    404: "There is nothing at this path: check path, model name and version.",
    405: "This path takes no questions: check it, or name the protocol.",
    406: "The service does not answer in JSON: name the protocol that it speaks.",
    407: "A proxy wants a credential.",
    410: "What was at this path is gone: check path, model name and version.",
    415: "The service does not take this kind of body: name the protocol it speaks.",
}


def fault(reply: Reply, status: int | None = None) -> EndpointError | None:
    """What an answer with this status stands for; None if it is none but an answer.

    `status` replaces the answer's own where a gateway hides that of the model.
    """
    code = reply.status if status is None else status
    if 200 <= code < 300:
        return None
    told = f"The service answered {_named(code)}{_quoted(reply.body)}."
    if 300 <= code < 400:
        place = reply.headers.get("location", "another address")
        return Unusable(f"{told} It points to {place}: pass that address if it is it.")
    if code in ADVICE:
        return Unusable(f"{told} {ADVICE[code]}")
    if code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return TooLarge(f"{told} Pass fewer rows at a time: batch_size=…")
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        return Busy(told, retry_after(reply))
    if code == HTTPStatus.SERVICE_UNAVAILABLE:
        return Unavailable(told, retry_after(reply))
    if code in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT):
        return TimedOut(told)
    if code in (HTTPStatus.TOO_EARLY, HTTPStatus.BAD_GATEWAY):
        return Lost(told)
    return Refused(told, passing=code >= 500)


def told(code: str | None) -> int | None:
    """The status of a model behind a gateway, from what the gateway tells of it."""
    return int(code) if code and re.fullmatch(r"[45]\d\d", code, re.ASCII) else None


def retry_after(reply: Reply) -> float | None:
    """Seconds until the service wants to be asked again, if it says so.

    A date is compared with the date of the answer, so that clocks need not agree.
    """
    value = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d*)?", value, re.ASCII):
        return float(value)
    until = _seconds(value)
    if until is None:
        return None
    now = _seconds(reply.headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def said(body: bytes) -> str:
    """What a service says in an error or in a page, on one line, cut short."""
    try:
        told = _field(json.loads(body))
    except (ValueError, RecursionError):
        told = TAGS.sub(b" ", body).decode("utf-8", "replace")
    printable = "".join(c if c.isprintable() else " " for c in told)
    line = " ".join(printable.split())
    # Of a traceback, the end tells what went wrong.
    half = QUOTED // 2
    return line if len(line) <= QUOTED else f"{line[:half]} … {line[-half:]}"


def _field(content: object) -> str:
    """The first of the fields that tell something, however deep."""
    if isinstance(content, dict):
        for name in TOLD_IN:
            if name in content:
                return _field(content[name])
    return content if isinstance(content, str) else json.dumps(content)


def _quoted(body: bytes) -> str:
    line = said(body)
    return f', "{line}"' if line else ""


def _named(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
