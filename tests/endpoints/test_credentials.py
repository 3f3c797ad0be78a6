"""Credentials are sent, renewed, and seen nowhere else."""

import base64
import json
import logging
import traceback

import numpy as np
import pytest

import facetwise as fw
from facetwise.endpoints.credentials import Credentials, Secret, credentials, mask
from facetwise.endpoints.retry import Patience
from faulty_server import FaultyServer, lies, resets, status, truncates

TOKEN, KEY, PASSWORD, QUERY = "t0ken+/=x", "k3y-of-mine", "pa ss:w0rd", "qu3ry&secret"
SECRETS = [
    TOKEN,
    KEY,
    PASSWORD,
    QUERY,
    "pa%20ss%3Aw0rd",
    "qu3ry%26secret",
    "t0ken%2B%2F%3Dx",
    base64.b64encode(f"ann:{PASSWORD}".encode()).decode(),
]
X = np.ones((3, 2))
QUICK = Patience(attempts=2, first_wait=0.0)


def model(X):
    """Two scores."""
    return X


def echoes(code):
    """Answer with everything that was sent, as a debugging proxy may."""

    def fault(handler):
        told = json.dumps({"path": handler.path, "headers": dict(handler.headers)})
        status(code, json.dumps({"error": told}).encode())(handler)

    return fault


def repeats(handler):
    """Answer 200 with a text that repeats the credential."""
    lies(f"Hello {handler.headers['Authorization']}".encode())(handler)


def shouts(handler):
    """Answer 200 with a page that repeats the address."""
    page = f"<html>{handler.path} {handler.headers['x-api-key']}</html>"
    lies(page.encode())(handler)


def connected(server, monkeypatch, user):
    """An endpoint with a credential of every kind."""
    monkeypatch.setenv("TOKEN_OF_TEST", TOKEN)
    address = server.url.replace("//", "//ann:pa%20ss%3Aw0rd@" if user else "//")
    return fw.connect(
        f"{address}?key=qu3ry%26secret&v=2",
        token=None if user else "env:TOKEN_OF_TEST",
        headers={"x-api-key": lambda: KEY, "x-tenant": "blue"},
        patience=QUICK,
        timeout=5.0,
    )


def shown(error):
    """All that a traceback can show of an error, local variables too."""
    texts, seen = [], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        texts += [str(error), repr(error), repr(error.args), repr(vars(error))]
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        for frame in told.stack:
            if frame.filename != __file__:
                texts += [*(frame.locals or {}).values()]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def leaked(text):
    """The secrets that a text tells."""
    return [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize(
    "fault",
    [echoes(code) for code in (302, 400, 401, 403, 404, 413, 429, 500, 503)]
    + [repeats, shouts, resets, truncates],
)
def test_nothing_tells_them(fault, user, monkeypatch, caplog, capfd):
    """No error, traceback, log, repr or record has a credential, however it fails."""
    caplog.set_level(logging.DEBUG)
    with FaultyServer(model) as server:
        endpoint = connected(server, monkeypatch, user)
        endpoint.scores(X)
        server.plan = [fault] * 100
        with pytest.raises(fw.EndpointError) as caught:
            endpoint.scores(X)
        sent = server.headers[-1]
    assert KEY in str(sent)  # it was sent
    assert leaked(str(sent)) != [KEY]
    told = [shown(caught.value), caplog.text, *capfd.readouterr()]
    told += [repr(endpoint), endpoint.name, repr(endpoint.inner), str(vars(endpoint))]
    told += [repr(part) for part in vars(endpoint.inner).values()]
    told += [repr(part) for part in vars(endpoint.inner._transport).values()]
    assert leaked("\n".join(told)) == []


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize(
    "fault", [echoes(401), echoes(500), echoes(302), repeats, shouts, resets]
)
def test_nothing_tells_them_at_the_door(fault, user, monkeypatch, caplog):
    """A service that fails when asked about itself tells no credential either."""
    caplog.set_level(logging.DEBUG)
    with FaultyServer(model, described=fault) as server:
        with pytest.raises(fw.EndpointError) as caught:
            connected(server, monkeypatch, user)
        assert KEY in str(server.headers)
    assert leaked(shown(caught.value) + caplog.text) == []


def test_no_record_tells_them(monkeypatch):
    """An explanation, and the error that ended one, are without them too."""
    with FaultyServer(lambda X: np.column_stack([X[:, 0], -X[:, 1]])) as server:
        endpoint = connected(server, monkeypatch, user=True)
        explained = fw.Explainer(endpoint, seed=0, response="logits")(X)
        server.plan = [echoes(401)]
        with pytest.raises(fw.FacetwiseError) as caught:
            fw.Explainer(endpoint, seed=0, response="logits")(X)
    assert leaked(f"{explained.meta} {explained!r} {shown(caught.value)}") == []


def test_what_is_sent(monkeypatch):
    """Token, password, header and query arrive as they are."""
    with FaultyServer(model) as server:
        connected(server, monkeypatch, user=False).scores(X)
        connected(server, monkeypatch, user=True).scores(X)
        first, last = server.headers[1], server.headers[-1]
    assert first["Authorization"] == f"Bearer {TOKEN}"
    basic = base64.b64decode(last["Authorization"].removeprefix("Basic ")).decode()
    assert basic == f"ann:{PASSWORD}"
    assert (first["x-api-key"], first["x-tenant"]) == (KEY, "blue")


def test_they_are_renewed(tmp_path, monkeypatch):
    """A source is read for every call, so that it may give another credential."""
    tokens = iter(["first", "second"])
    monkeypatch.setenv("TOKEN_OF_TEST", "one\n")
    file = tmp_path / "token"
    file.write_text("uno\n")
    sources = [lambda: next(tokens), f"file:{file}", "env:TOKEN_OF_TEST"]
    sent = [credentials("http://host", source, None)[1] for source in sources]
    now = [one.headers()["Authorization"] for one in sent]
    assert now == ["Bearer first", "Bearer uno", "Bearer one"]
    monkeypatch.setenv("TOKEN_OF_TEST", "two")
    file.write_text("due")
    now = [one.headers()["Authorization"] for one in sent]
    assert now == ["Bearer second", "Bearer due", "Bearer two"]


@pytest.mark.parametrize("source", [TOKEN, "env:", "file:", "ENV:x", ""])
def test_a_credential_itself_is_no_source(source):
    """Whatever is passed in place of a source is refused, and not repeated."""
    with pytest.raises(fw.InputError, match="env:NAME") as caught:
        fw.connect("http://127.0.0.1:1/v2/models/m", token=source)
    assert TOKEN not in str(caught.value)
    with pytest.raises(fw.InputError, match="header X-Api-Key"):
        fw.connect("http://127.0.0.1:1/v2/models/m", headers={"X-Api-Key": source})


def broken():
    """A function that tells its secret as it fails."""
    raise ValueError(KEY)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("env:NOT_SET_BY_ANYONE", "NOT_SET_BY_ANYONE, which is not set"),
        ("file:/no/such/file", "file /no/such/file: No such file"),
        (broken, "function.*raised ValueError"),
        (lambda: "", "empty"),
        (lambda: f"{KEY}\r\nX-Evil: 1", "characters that cannot be sent"),
        (lambda: f"{KEY}é", "characters that cannot be sent"),
    ],
)
def test_a_source_that_gives_none(source, says):
    """What is wrong with a source is told without what it gave."""
    with FaultyServer(model) as server:
        with pytest.raises(fw.FacetwiseError, match=says) as caught:
            fw.connect(server.url, token=source)
        assert server.headers == []
    assert leaked(shown(caught.value)) == []


@pytest.mark.parametrize("host", ["[::1", "a\u2100b"])
def test_an_address_that_cannot_be_read(host):
    """What is wrong with an address is told without what it holds."""
    with pytest.raises(fw.InputError, match="cannot be read") as caught:
        credentials(f"http://ann:{KEY}@{host}/", None, None)
    assert caught.value.__context__ is None
    assert KEY not in str(caught.value)


def test_masking():
    """Secrets, users and queries of addresses are masked, however they are written."""
    assert mask("a b+c b%2Bc", ["b+c"]) == "a *** ***"
    assert mask("abcab", ["ab", "abc"]) == "******"
    assert mask("https://ann:pw@host:1/p?x=1&y=2 end") == (
        "https://***@host:1/p?x=***&y=*** end"
    )
    assert mask("nothing to hide: a@b.c, 1 = 2?") == "nothing to hide: a@b.c, 1 = 2?"
    assert mask("text", [""]) == "text"


def test_versions_are_no_secrets():
    """Short values in a query stay readable; those with a telling name do not."""
    _, sent = credentials("http://host/p?api-version=2&sig=x1&token=z", None, None)
    assert sent.query() == "api-version=2&sig=x1&token=z"
    assert sent.mask("2 z") == "2 ***"


def test_reprs():
    """A repr names the source."""
    assert repr(Secret("env:A", "token")) == "Secret(the environment variable A)"
    assert repr(Secret(lambda: KEY, "token")) == "Secret(a function)"
    assert repr(Credentials({"x-api-key": Secret("env:A", "key")})) == (
        "Credentials(x-api-key)"
    )
