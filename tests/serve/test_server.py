"""It holds out against clients of every kind, and stops when it is told to."""

import contextlib
import json
import socket
import threading

import numpy as np
import pytest

import facetwise as fw
from facetwise import InputError
from facetwise.serve import Settings, serve
from fake_endpoints import network

ANSWER = network(0)
X = np.random.default_rng(0).standard_normal((3, 4))
BODY = json.dumps({"instances": X.tolist()}).encode()
HEAD = b"POST /v1/models/model:predict HTTP/1.1\r\nHost: here\r\n"


def talk(client, *parts):
    """What comes back on a connection of its own, to its end."""
    with socket.create_connection((client.host, client.port), timeout=60) as sock:
        received = b""
        with contextlib.suppress(ConnectionError):  # it may hang up on nonsense
            for part in parts:
                sock.sendall(part)
            with contextlib.suppress(OSError):  # and may have done so already
                sock.shutdown(socket.SHUT_WR)
            while more := sock.recv(2**16):
                received += more
    return received


def test_connections_are_kept_alive(serving):
    """Many calls go over one connection, failed ones among them."""
    client = serving()
    client.infer(X)
    sock = client.http.sock
    for rows in (X, X[:, :3], X):
        client.infer(rows)
    assert client.http.sock is sock


def test_bodies_in_chunks(serving):
    """A body of a length not told beforehand is put together."""
    chunks = [BODY[:10], BODY[10:50], BODY[50:]]
    coded = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\n\r\n"
    head = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    received = talk(serving(), head, coded)
    assert received.startswith(b"HTTP/1.1 200")
    assert json.loads(received.partition(b"\r\n\r\n")[2])["predictions"]


@pytest.mark.parametrize("chunked", [True, False])
def test_bodies_that_are_too_large(serving, chunked):
    """More bytes than allowed are refused, whether they are announced or not."""
    client = serving(max_bytes=1000)
    if chunked:
        head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        received = talk(client, head, b"7d0\r\n" + bytes(2000) + b"\r\n0\r\n\r\n")
    else:
        received = talk(client, HEAD + b"Content-Length: 2000\r\n\r\n", bytes(2000))
    assert received.startswith(b"HTTP/1.1 413")
    assert client.infer(X)[0] == 200


@pytest.mark.parametrize(
    "parts",
    [
        [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
        [b"GET\r\n\r\n"],
        [b"\r\n" * 100],
        [HEAD + b"Content-Length: -5\r\n\r\n"],
        [HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello"],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"],
        [HEAD + b"Content-Length: 100\r\n\r\n{"],
        [b"GET / HTTP/1.1\r\n" + b"A: " + b"a" * 2**20],
    ],
)
def test_hostile_requests(serving, parts):
    """Nonsense gets an error or nothing, and the server goes on."""
    client = serving()
    received = talk(client, *parts)
    assert not received.startswith(b"HTTP/1.1 200")
    assert client.infer(X)[0] == 200


def test_slow_clients_hold_up_nobody(serving):
    """Many who stop in the middle of a question leave the threads to others."""
    client = serving(threads=1)
    slow = [
        socket.create_connection((client.host, client.port), timeout=60)
        for _ in range(20)
    ]
    for sock in slow:
        sock.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    assert client.infer(X)[0] == 200
    for sock in slow:
        sock.close()


def test_calls_are_answered_together(serving):
    """As many calls are under way as there are threads."""
    together = threading.Barrier(2, timeout=60)

    class Slow:
        n_features_in_ = None

        def predict_proba(self, X):
            together.wait()
            return ANSWER(X)

    client = serving(Slow(), threads=2)
    first = threading.Thread(target=talk, args=(client, _question()))
    first.start()
    assert client.infer(X)[0] == 200
    first.join()


def _question():
    length = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(BODY)
    return HEAD + length + BODY


def test_limits_on_rows(serving):
    """More rows than a call may have are refused by number."""
    status, content = serving(max_rows=2).infer(X)
    assert (status, content["error"]) == (413, "3 rows in a call; this server takes 2.")


def test_it_stops_at_once_and_for_good(serving):
    """Open connections do not keep it, and a second stop does no harm."""
    client = serving()
    client.infer(X)
    client.server.stop()
    client.server.stop()
    with pytest.raises(OSError, match=r"refused|reset"):
        socket.create_connection((client.host, client.port), timeout=60)


def test_a_port_that_is_taken(serving):
    """Where it cannot listen, it says what to do."""
    client = serving()
    with pytest.raises(InputError, match=f"{client.port}.*another port"):
        serve(ANSWER, Settings(port=client.port))


def test_triton_client(serving):
    """NVIDIA's own client talks to it as is, in binary and in JSON, packed or not."""
    triton = pytest.importorskip("tritonclient.http")
    client = serving(name="digits")
    with triton.InferenceServerClient(f"{client.host}:{client.port}") as theirs:
        assert theirs.is_server_live()
        assert theirs.is_server_ready()
        assert theirs.is_model_ready("digits")
        assert theirs.get_server_metadata()["extensions"] == ["binary_tensor_data"]
        told = theirs.get_model_metadata("digits")
        assert told["outputs"][0]["shape"] == [-1, 3]
        for binary, packed in [(True, None), (False, None), (True, "gzip")]:
            given = triton.InferInput("x", [3, 4], "FP64")
            given.set_data_from_numpy(X, binary_data=binary)
            wanted = triton.InferRequestedOutput("scores", binary_data=binary)
            answer = theirs.infer(
                "digits",
                [given],
                outputs=[wanted],
                request_id="7",
                request_compression_algorithm=packed,
            )
            assert answer.as_numpy("scores").tobytes() == ANSWER(X).tobytes()
            assert answer.get_response()["id"] == "7"
        answer = theirs.infer("digits", [given])
        assert answer.as_numpy("scores").tobytes() == ANSWER(X).tobytes()
        wrong = triton.InferInput("x", [3, 3], "FP64")
        wrong.set_data_from_numpy(X[:, :3])
        with pytest.raises(triton.InferenceServerException, match="takes 4"):
            theirs.infer("digits", [wrong])


def test_what_is_served_can_be_explained(serving):
    """From questions over HTTP the same explanation comes as from the model itself."""
    client = serving()

    def over_http(rows):
        _, content = client.infer(rows)
        (output,) = content["outputs"]
        return np.reshape(output["data"], output["shape"])

    explanation = fw.Explainer(over_http, seed=0)(X)
    assert explanation.certified.all()
    direct = fw.Explainer(ANSWER, seed=0)(X)
    assert explanation.values.tobytes() == direct.values.tobytes()
