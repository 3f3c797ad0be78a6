"""A model behind a server can be explained, whatever happens on the way."""

import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import trustme

import facetwise as fw
from facetwise.endpoints.faults import Lost, TooLarge, Unusable
from facetwise.endpoints.retry import Patience
from faulty_server import (
    FaultyServer,
    answers_and_closes,
    drips,
    floods,
    honest,
    lies,
    resets,
    stalls,
    status,
    truncates,
)

rng = np.random.default_rng(3)
V, W = rng.normal(size=(4, 16)), rng.normal(size=(16, 3)) / 4
X = rng.normal(size=(5, 4))
QUICK = Patience(attempts=4, first_wait=0.001)


def model(X):
    """A small ReLU network with three classes; no row's answer depends on its batch."""
    scores = np.array([np.exp(np.maximum(x @ V, 0) @ W) for x in X])
    return scores / scores.sum(axis=1, keepdims=True)


def connected(server, **settings):
    """The endpoint that a server's address leads to."""
    return fw.connect(server.url, **{"patience": QUICK, "timeout": 5.0, **settings})


def test_what_comes_back_is_what_the_model_says():
    """Scores over the wire are those of the model to the last bit, in any batch."""
    with FaultyServer(model) as server:
        endpoint = connected(server)
        np.testing.assert_array_equal(endpoint.scores(X), model(X))
        np.testing.assert_array_equal(endpoint.scores(X[:1]), model(X[:1]))
        assert endpoint.name == f"v2 {server.url}"


def test_numbers_keep_all_digits():
    """Every 64-bit number arrives as it is, the smallest and the largest too."""
    numbers = np.array([[0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3, 2.0**53]])
    with FaultyServer(lambda X: X) as server:
        answered = connected(server).scores(numbers)
    assert answered.tobytes() == numbers.tobytes()


def test_an_explanation():
    """An endpoint is explained as a callable is, with the same weights."""
    with FaultyServer(model) as server:
        remote = fw.Explainer(connected(server), seed=0)(X)
    local = fw.Explainer(model, seed=0)(X)
    assert remote.certified.all()
    np.testing.assert_array_equal(remote.values, local.values)


@pytest.mark.parametrize(
    "fault",
    [
        resets,
        truncates,
        lies(b""),
        lies(b'{"outputs": [{"na'),
        lies(b"\xff\xfe\x00"),
        lies(
            b'{"outputs": [{"name": "p", "datatype": "FP64", "shape": [1], "data": 1}]}'
        ),
        status(429, b"busy"),
        status(429, b"{}", Retry_After="0"),
        status(503, b"no worker", Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"),
        status(502, b"<html><body>Bad gateway</body></html>"),
        status(500, b"hiccup"),
        status(200, b"no gzip", Content_Encoding="gzip"),
    ],
)
def test_faults_that_pass(fault):
    """A passing fault is invisible, but for one more attempt that is counted."""
    with FaultyServer(model, plan=[fault, fault]) as server:
        endpoint = connected(server)
        spent = []
        endpoint.spend = spent.append
        np.testing.assert_array_equal(endpoint.scores(X), model(X))
        assert len(spent) >= 2


def test_a_stale_connection_is_invisible():
    """A reset on a connection that was kept alive is not even an attempt."""
    with FaultyServer(model, plan=[honest, resets, honest, resets]) as server:
        endpoint = connected(server, patience=Patience(attempts=1))
        spent = []
        endpoint.spend = spent.append
        for _ in range(3):
            np.testing.assert_array_equal(endpoint.scores(X), model(X))
        assert spent == [5, 5, 5]


def test_a_reset_on_a_new_connection_is_seen():
    """A server that resets every connection is told as what it is."""
    with FaultyServer(model, plan=[resets] * 9) as server:
        endpoint = connected(server, patience=Patience(attempts=2, first_wait=0.0))
        with pytest.raises(Lost, match=r"connection broke.*Asked 2 times"):
            endpoint.scores(X[:1])


def test_a_server_that_closes_after_every_answer():
    """Connections that the server closes are opened again."""
    with FaultyServer(model, plan=[answers_and_closes] * 9) as server:
        endpoint = connected(server, patience=Patience(attempts=1))
        for _ in range(5):
            np.testing.assert_array_equal(endpoint.scores(X), model(X))


def test_connections_are_kept():
    """Many questions in a row go over one connection."""
    with FaultyServer(model) as server:
        endpoint = connected(server)
        for _ in range(20):
            endpoint.scores(X)
        assert server.connections == 1


@pytest.mark.parametrize("fault", [stalls, drips])
def test_an_answer_that_never_ends_in_time(fault):
    """Silence and dripping bytes are cut after the time that an answer may take."""
    with FaultyServer(model, plan=[fault]) as server:
        endpoint = connected(server, timeout=0.3)
        np.testing.assert_array_equal(endpoint.scores(X), model(X))


def test_an_answer_without_end():
    """An answer of too many bytes ends the run, and says how many were read."""
    with FaultyServer(model, plan=[floods]) as server:
        endpoint = connected(server)
        endpoint.inner._transport._largest = 10**6
        with pytest.raises(Unusable, match="without end: more than 1,000,000 bytes"):
            endpoint.scores(X)


def test_many_threads():
    """Answers to many questions at a time do not get mixed up, whatever fails."""
    faults = [resets, truncates, status(429), status(503), honest, honest, lies(b"{")]
    batches = [rng.normal(size=(n % 7 + 1, 4)) for n in range(80)]
    with FaultyServer(model, plan=faults * 12) as server:
        endpoint = connected(server, patience=Patience(attempts=50, first_wait=0.001))
        endpoint.scores(X)
        with ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(endpoint.scores, batches))
    for batch, answer in zip(batches, answers, strict=True):
        np.testing.assert_array_equal(answer, model(batch))


def test_more_questions_than_are_taken():
    """Where only one question at a time is taken, all are answered in the end."""
    together = threading.Barrier(2)

    def slow(X):
        together.wait(5.0)  # until another question has been sent away
        return model(X)

    with FaultyServer(slow, at_a_time=1) as server:
        endpoint = connected(server, patience=Patience(attempts=1000, first_wait=0.001))
        busy = []

        def noted():
            busy.append(1)
            if len(busy) == 1:
                server.model = model
                together.wait(5.0)

        endpoint.busy = noted
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(endpoint.scores, [X, X]))
    assert busy
    np.testing.assert_array_equal(answers, [model(X), model(X)])


@pytest.mark.parametrize("code", [400, 422, 500, 503])
def test_a_bad_row_costs_that_row(code):
    """A row that the server dislikes is NaN, and the others are answered."""
    bad = X.copy()
    bad[3] = 99.0
    with FaultyServer(
        model, dislikes=lambda x: x[0] == 99.0, dislike=status(code, b"bad")
    ) as server:
        answered = connected(server).scores(bad)
    np.testing.assert_array_equal(answered[[0, 1, 2, 4]], model(X)[[0, 1, 2, 4]])
    assert np.isnan(answered[3]).all()


def test_a_limit_of_bytes_is_found_and_kept():
    """After a few refusals no question is too large any more."""
    many = np.tile(X, (40, 1))
    with FaultyServer(model, most_bytes=3000) as server:
        endpoint = connected(server)
        np.testing.assert_array_equal(endpoint.scores(many), model(many))
        found = len(server.asked)
        server.plan = []
        np.testing.assert_array_equal(endpoint.scores(many), model(many))
        asked = server.asked[found:]
        assert sum(asked) == len(many)  # none was refused
        assert min(asked[:-1]) >= 10


def test_a_known_limit_of_bytes_is_kept():
    """A limit that is known beforehand is never exceeded."""
    many = np.tile(X, (40, 1))
    with FaultyServer(model, most_bytes=3000) as server:
        endpoint = connected(server, max_bytes=3000)
        np.testing.assert_array_equal(endpoint.scores(many), model(many))
        assert sum(server.asked) == len(many)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (status(401, b'{"error": "who?"}'), r'401 Unauthorized, "who\?".*credential'),
        (status(403), "403 Forbidden.*right"),
        (status(404, b"gone"), '404 Not Found, "gone".*path'),
        (status(302, b"", Location="http://other/"), "302 Found.*http://other/"),
        (lies(b"<html><h1>Log in</h1></html>"), 'web page, "Log in".*JSON'),
        (lies(b'{"outputs": []}'), "no outputs.*predict_proba"),
        (lies(b'{"predictions": [1]}'), "no 'outputs' but predictions"),
    ],
)
def test_faults_for_good(fault, says):
    """What cannot pass is told in a sentence: what came, and what to try."""
    with FaultyServer(model, plan=[fault] * 9) as server:
        endpoint = connected(server)
        with pytest.raises(Unusable, match=f"(?s){says}"):
            endpoint.scores(X)
        assert len(server.asked) <= 2


def test_labels_are_asked_otherwise():
    """A server that answers labels is asked for probabilities by name from then on."""
    labels = b'{"outputs": [{"name": "predict", "datatype": "INT64", "shape": [5, 1], \
        "data": [0, 1, 2, 0, 1]}]}'
    with FaultyServer(model, plan=[lies(labels)]) as server:
        endpoint = connected(server)
        np.testing.assert_array_equal(endpoint.scores(X), model(X))
        assert len(server.asked) == 2
        endpoint.scores(X)
        assert len(server.asked) == 3


def test_labels_for_good():
    """When the server answers labels all the same, the error tells how to get more."""
    labels = b'{"outputs": [{"name": "predict_proba", "datatype": "INT64", \
        "shape": [5, 1], "data": [0, 1, 2, 0, 1]}]}'
    with (
        FaultyServer(model, plan=[lies(labels)] * 9) as server,
        pytest.raises(Unusable, match=r"labels|whole numbers.*predict_proba"),
    ):
        connected(server).scores(X)


def test_unreachable():
    """A port where nobody listens is told with the address."""
    with FaultyServer(model) as server:
        url = server.url
    with pytest.raises(Unusable, match=r"127\.0\.0\.1.*refused.*host and port"):
        fw.connect(url)
    with pytest.raises(Unusable, match=r"no-such-host\.invalid cannot be reached"):
        fw.connect("http://no-such-host.invalid/v2/models/m")


def test_no_tls():
    """https where there is none is told as that."""
    with FaultyServer(model) as server:
        https = server.url.replace("http", "https")
        with pytest.raises(Unusable, match=r"No safe connection.*http://"):
            fw.connect(https)


@pytest.mark.parametrize("host", ["127.0.0.1", "elsewhere.example"])
def test_tls(host, tmp_path):
    """A certificate is taken from those who are trusted, for the right host, alone."""
    authority, file = trustme.CA(), tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(file)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(tls)
    with FaultyServer(model, tls=tls) as server:
        with pytest.raises(Unusable, match=r"No safe connection.*CERTIF.*ca='FILE'"):
            fw.connect(server.url)
        if host == "127.0.0.1":
            endpoint = fw.connect(server.url, ca=str(file))
            np.testing.assert_array_equal(endpoint.scores(X), model(X))
        else:
            with pytest.raises(Unusable, match="No safe connection"):
                fw.connect(server.url, ca=str(file))
    with pytest.raises(fw.InputError, match="no file of certificates"):
        fw.connect("https://127.0.0.1:1/v2/models/m", ca=str(tmp_path / "none"))


def test_a_large_frame_around_few_rows():
    """A limit between one row and two is found, though most of a question is frame."""
    with FaultyServer(model, most_bytes=165) as server:
        np.testing.assert_array_equal(connected(server).scores(X[:2]), model(X[:2]))
        assert server.asked == [2, 1, 1]


def test_a_web_page_at_the_door():
    """A page where a model should describe itself is told as a page."""
    page = lies(b"<html><title>Log in</title></html>", "text/html")
    with (
        FaultyServer(model, described=page) as server,
        pytest.raises(Unusable, match=r'web page, "Log in".*JSON was expected'),
    ):
        fw.connect(server.url)


def test_wrong_model_name():
    """A name that the server does not have is told."""
    with (
        FaultyServer(model) as server,
        pytest.raises(Unusable, match=r"no model at .*/v2/models/wrong"),
    ):
        fw.connect(f"{server.origin}/v2/models/wrong")


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://host/x", "http://"])
def test_no_address(url):
    """What is no address is refused with an example of one."""
    with pytest.raises(fw.InputError, match="Expected an address such as"):
        fw.connect(url)


@pytest.mark.parametrize(
    ("protocol", "given"),
    [
        ("v1", {"output": "p"}),
        ("v2", {"scores": "a"}),
        ("mlflow", {"request": "$rows"}),
    ],
)
def test_what_a_protocol_has_no_use_for(protocol, given):
    """An option of another protocol is refused, and not ignored."""
    with pytest.raises(fw.InputError, match="has no meaning for the protocol"):
        fw.connect("http://127.0.0.1:1/x", protocol=protocol, **given)


def test_unknown_protocol():
    """A protocol that is not known is answered with those that are."""
    with pytest.raises(fw.InputError, match=r"auto, v2, .*'v3'"):
        fw.connect("http://127.0.0.1:1/x", protocol="v3")


def test_too_large_for_one_row():
    """A limit that not even one row keeps ends with a sentence."""
    with FaultyServer(model, most_bytes=10) as server:
        with pytest.raises(Unusable, match="Not even one row") as caught:
            connected(server).scores(X)
        assert isinstance(caught.value.__cause__, TooLarge)
