"""Bytes go out once, come back whole, and are cut where they have no end."""

import gzip

import httpx
import pytest

from facetwise.endpoints.credentials import Credentials, Secret
from facetwise.endpoints.faults import Lost, TimedOut, Unusable
from facetwise.endpoints.messages import Call
from facetwise.endpoints.transport import Http, _proxy

ORIGIN = "http://models.example"


def sending(answer, **settings):
    """A transport above a mock that answers with a function."""
    credentials = settings.pop("credentials", Credentials())
    return Http(ORIGIN, credentials, below=httpx.MockTransport(answer), **settings)


def raising(error):
    """A mock that fails."""

    def answer(request):
        raise error

    return answer


def test_what_is_sent():
    """A call with a body is a POST of its type, and one without is a GET."""
    seen = []

    def answer(request):
        seen.append((request.method, str(request.url), request.read(), request.headers))
        return httpx.Response(200, content=b"ok", headers={"X-Kind": "a"})

    http = sending(answer, credentials=Credentials({"x-key": Secret(lambda: "k", "")}))
    reply = http.send(Call("/score", b"1,2", "text/csv"))
    http.send(Call("/v2"))
    assert (reply.status, reply.body, reply.headers["x-kind"]) == (200, b"ok", "a")
    posted, got = seen
    assert posted[:3] == ("POST", f"{ORIGIN}/score", b"1,2")
    assert posted[3]["content-type"] == "text/csv"
    assert posted[3]["x-key"] == got[3]["x-key"] == "k"
    assert "gzip" in posted[3]["accept-encoding"]
    assert got[:3] == ("GET", f"{ORIGIN}/v2", b"")


def test_cookies_are_not_kept():
    """What a service sets is not sent back: it may tie us to one of its versions."""
    seen = []

    def answer(request):
        seen.append(request.headers)
        return httpx.Response(200, headers={"Set-Cookie": "route=a; Path=/"})

    http = sending(answer)
    http.send(Call("/score", b"1"))
    http.send(Call("/score", b"2"))
    assert len(seen) == 2
    assert not any("cookie" in headers for headers in seen)


def test_packed_answers():
    """An answer that is packed arrives unpacked."""
    packed = httpx.Response(
        200, content=gzip.compress(b"text"), headers={"Content-Encoding": "gzip"}
    )
    assert sending(lambda request: packed).send(Call("/")).body == b"text"


def test_a_bomb():
    """A small answer that unpacks to a large one is cut as it grows."""
    bomb = httpx.Response(
        200,
        content=gzip.compress(b" " * 10**7),
        headers={"Content-Encoding": "gzip"},
    )
    with pytest.raises(Unusable, match="without end"):
        sending(lambda request: bomb, largest=10**6).send(Call("/"))


def test_redirects_are_not_followed():
    """A redirect is handed up as it is; credentials go nowhere else."""
    asked = []

    def answer(request):
        asked.append(request.url.host)
        return httpx.Response(302, headers={"Location": "http://evil.example/"})

    assert sending(answer).send(Call("/")).status == 302
    assert asked == ["models.example"]


def test_an_answer_that_takes_too_long():
    """An answer that keeps coming is cut when its time is over."""
    ticks = iter(range(0, 1000, 20))
    drips = httpx.Response(200, stream=Drips())
    with pytest.raises(Lost, match="not whole after 60 s"):
        sending(lambda request: drips, clock=lambda: next(ticks)).send(Call("/"))


class Drips(httpx.SyncByteStream):
    """An answer in many pieces."""

    def __iter__(self):
        yield from [b" "] * 1000


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (httpx.ConnectError("refused"), Unusable, "cannot be reached: refused"),
        (httpx.ConnectTimeout(""), Unusable, "cannot be reached: ConnectTimeout"),
        (httpx.ConnectError("[SSL: X] bad"), Unusable, "No safe connection.*bad"),
        (httpx.ReadTimeout("slow"), TimedOut, "in 60 seconds"),
        (httpx.PoolTimeout("slow"), TimedOut, "in 60 seconds"),
        (httpx.WriteError("reset"), Lost, "connection broke: reset"),
        (httpx.RemoteProtocolError("noise"), Lost, "connection broke: noise"),
        (httpx.DecodingError("gzip"), Lost, "unpacked"),
        (httpx.UnsupportedProtocol("ftp"), Unusable, "cannot be asked: ftp"),
        (httpx.LocalProtocolError("header"), Unusable, "cannot be asked: header"),
    ],
)
def test_faults(error, kind, says):
    """Each exception of the library becomes a fault of ours, with nothing chained."""
    with pytest.raises(kind, match=says) as caught:
        sending(raising(error)).send(Call("/", b""))
    assert type(caught.value) is kind
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_service_that_was_there():
    """Once it has answered, a service that cannot be reached may come back."""
    answers = iter(
        [lambda request: httpx.Response(200), raising(httpx.ConnectError("refused"))]
    )
    http = sending(lambda request: next(answers)(request))
    http.send(Call("/"))
    with pytest.raises(Lost, match="any more: refused"):
        http.send(Call("/"))


def test_proxies(monkeypatch):
    """The environment's proxy is used, but not for this machine or where it says no."""
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert _proxy("http://models.example") == "http://proxy:3128"
    assert _proxy("http://127.0.0.1:8080") is None
    assert _proxy("http://inside.example") is None
