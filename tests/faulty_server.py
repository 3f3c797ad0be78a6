"""A server on loopback that answers as the open inference protocol v2, or misbehaves.

What it does with the next questions is a plan, a list of faults; once that is used up
it is honest, but for the rows that it dislikes and the bytes that are too many for it.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np

Fault = Callable[["Handler"], None]

END = 30.0
"""Seconds after which a connection that nobody uses is let go."""


class FaultyServer:
    """Serves `model` as "m"; `asked` has the rows of each question that arrived.

    Another `model` may be put in its place while it runs, as when one is redeployed.
    Beyond `at_a_time` questions under way it says 429.
    """

    def __init__(
        self,
        model: Callable[[np.ndarray], np.ndarray],
        *,
        plan: list[Fault] | None = None,
        dislikes: Callable[[np.ndarray], bool] = lambda row: False,
        dislike: Fault | None = None,
        most_bytes: int | None = None,
        at_a_time: int = 1000,
        described: Fault | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.model, self.plan = model, list(plan or [])
        self.dislikes, self.most_bytes = dislikes, most_bytes
        self.dislike = dislike or status(500, b"Internal Server Error")
        self.described, self.tls = described, tls
        self.asked: list[int] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self.places = threading.Semaphore(at_a_time)

    def __enter__(self) -> Self:
        self._server = _Server(self)
        scheme = "http"
        if self.tls is not None:
            scheme = "https"
            self._server.socket = self.tls.wrap_socket(
                self._server.socket, server_side=True
            )
        self.origin = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/v2/models/m"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_fault(self) -> Fault | None:
        """What the plan says of this question."""
        with self._lock:
            return self.plan.pop(0) if self.plan else None


# What can go wrong -------------------------------------------------------------------


def honest(handler: Handler) -> None:
    """Answer well."""
    handler.answer()


def status(code: int, body: bytes = b"", **headers: str) -> Fault:
    """Answer with a status; underscores in names of headers stand for dashes."""

    def fault(handler: Handler) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.reply(body, code, named)

    return fault


def lies(body: bytes, kind: str = "application/json") -> Fault:
    """Answer 200, and something else than was asked for."""
    return status(200, body, Content_Type=kind)


def resets(handler: Handler) -> None:
    """Reset the connection."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.drop()


def truncates(handler: Handler) -> None:
    """Announce more bytes than are sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"outputs": [')
    handler.drop()


def stalls(handler: Handler) -> None:
    """Say nothing until the server stops."""
    handler.owner.stopping.wait(END)
    handler.drop()


def drips(handler: Handler) -> None:
    """Send a byte now and then, for ever."""
    handler.send_response(200)
    handler.end_headers()
    handler.pour(b" ", 0.02)


def floods(handler: Handler) -> None:
    """Send without end."""
    handler.send_response(200)
    handler.end_headers()
    handler.pour(b" " * 2**16, 0.0)


def answers_and_closes(handler: Handler) -> None:
    """Answer well, and close the connection without a word."""
    handler.answer()
    handler.close_connection = True


# The server --------------------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # connections that are kept alive would keep us waiting

    def __init__(self, owner: FaultyServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave are no error here."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = END
    disable_nagle_algorithm = True
    server: _Server

    @property
    def owner(self) -> FaultyServer:
        """The server with its plan."""
        return self.server.owner

    def setup(self) -> None:
        """Count the connection."""
        super().setup()
        self.owner.connections += 1

    def do_GET(self) -> None:
        """Metadata of the model."""
        self.owner.headers.append(dict(self.headers))
        if self.owner.described is not None:
            return self.owner.described(self)
        if self.path.partition("?")[0] != "/v2/models/m":
            return self.reply(b'{"error": "not found"}', 404)
        described = {"name": "m", "platform": "", "inputs": [], "outputs": []}
        return self.reply(json.dumps(described).encode())

    def do_POST(self) -> None:
        """A question."""
        self.body = self.rfile.read(int(self.headers["Content-Length"]))
        self.owner.headers.append(dict(self.headers))
        if self.path.partition("?")[0] != "/v2/models/m/infer":
            return self.reply(b'{"error": "not found"}', 404)
        self.question = json.loads(self.body)
        (x,) = self.question["inputs"]
        self.X = np.reshape(np.array(x["data"], dtype=float), x["shape"])
        self.owner.asked.append(len(self.X))
        if not self.owner.places.acquire(blocking=False):
            return status(429, b"too many")(self)
        try:
            return (self.owner.next_fault() or self.usual())(self)
        finally:
            self.owner.places.release()

    def usual(self) -> Fault:
        """What happens where the plan says nothing."""
        owner = self.owner
        if owner.most_bytes is not None and len(self.body) > owner.most_bytes:
            return status(413, b"too large")
        return owner.dislike if any(map(owner.dislikes, self.X)) else honest

    def answer(self) -> None:
        """Scores of the model."""
        scores = np.asarray(self.owner.model(self.X))
        output = {
            "name": "predict_proba",
            "datatype": "FP64",
            "shape": list(scores.shape),
            "data": scores.ravel().tolist(),
        }
        self.reply(json.dumps({"model_name": "m", "outputs": [output]}).encode())

    def reply(
        self, body: bytes, code: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """Send an answer."""
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def drop(self) -> None:
        """Close the connection now."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()

    def pour(self, chunk: bytes, pause: float) -> None:
        """Send chunks until the server stops or the client goes."""
        self.close_connection = True
        while not self.owner.stopping.is_set():
            self.wfile.write(chunk)
            time.sleep(pause)

    def log_message(self, format: str, *args: object) -> None:
        """Tests read what was asked, and not a log."""
