"""A status code and what stands beside it become the right kind of fault."""

import pytest

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
from facetwise.endpoints.status import QUOTED, fault, retry_after, said

NOW = "Fri, 20 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize("code", [200, 201, 204])
def test_answers_are_no_faults(code):
    """What begins with 2 is an answer."""
    assert fault(Reply(code, {}, b"")) is None


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        ([301, 302, 307, 308, 401, 403, 404, 405, 406, 410, 415], Unusable),
        ([425, 502], Lost),
        ([408, 504], TimedOut),
        ([413], TooLarge),
        ([429], Busy),
        ([503], Unavailable),
        ([400, 409, 418, 422, 424, 500, 501, 520, 599], Refused),
    ],
)
def test_kinds(codes, kind):
    """Each code has its kind."""
    for code in codes:
        assert type(fault(Reply(code, {}, b""))) is kind


def test_what_may_pass():
    """A 5xx may pass, and a 4xx will not."""
    assert fault(Reply(500, {}, b"")).passing
    assert not fault(Reply(422, {}, b"")).passing


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT", "date": NOW}, 30.0),
        ({"retry-after": "Fri, 20 Nov 2026 09:59:00 GMT", "date": NOW}, 0.0),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:30 +0200", "date": NOW}, 30.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({}, None),
        *(
            ({"retry-after": value}, None)
            for value in ["", "soon", "-5", "nan", "1e9", "٣", "9" * 30, "0x10"]
        ),
    ],
)
def test_retry_after(headers, seconds):
    """Seconds and dates are understood, by the clock of the service; noise is not."""
    assert retry_after(Reply(503, headers, b"")) == seconds
    assert fault(Reply(503, headers, b"")).wait == seconds


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b'{"error": "no model"}', "no model"),
        (b'{"error": {"message": "deep", "code": 3}}', "deep"),
        (b'{"detail": [{"loc": ["x"]}]}', '[{"loc": ["x"]}]'),
        (b"<html><style>p{}</style><h1>Log in</h1>\n<p>now</p></html>", "Log in now"),
        (b"plain \t text\r\n", "plain text"),
        (b"\x1b[31mred\x00\x07", "[31mred"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b'{"error": null}', "null"),
        (b"[" * 10_000, "[" * (QUOTED // 2) + " … " + "[" * (QUOTED // 2)),
    ],
)
def test_what_is_quoted(body, line):
    """What a service says fits on a line, and cannot steer a terminal."""
    assert said(body) == line


def test_redirects_tell_where():
    """A redirect is not followed, and says where it points."""
    told = str(fault(Reply(307, {"location": "https://other/login"}, b"")))
    assert "307 Temporary Redirect" in told
    assert "https://other/login" in told
