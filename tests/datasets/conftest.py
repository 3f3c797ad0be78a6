"""A home on this machine: a server that hands out one file, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class Home:
    """What the server has and how it behaves; `asked` are the ranges it was asked for.

    With `knows_ranges` it sends what is missing, else all of it. It breaks off after
    so many bytes, tells the length, or stays silent, as it is told.
    """

    url: str
    content: bytes = b""
    status: int = 200
    knows_ranges: bool = True
    breaks_off: int | None = None
    tells_length: bool = True
    silent: bool = False
    asked: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        home: Home = self.server.home
        wanted = self.headers["Range"]
        home.asked.append(wanted)
        if home.silent:
            home.over.wait()
            return
        if home.status != 200:
            self.send_error(home.status)
            return
        start = 0
        if wanted and home.knows_ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(home.content):
                self.send_error(416)
                return
        rest = home.content[start:]
        self.send_response(206 if start else 200)
        if home.tells_length:
            self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: home.breaks_off])

    def log_message(self, *args: object) -> None:
        """Tests show what fails by themselves."""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A server on a free port, reached without any proxy, stopped after the test."""
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = False  # so that leaving waits for all answers
        server.home = home = Home(f"http://127.0.0.1:{server.server_port}/file.gz")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield home
        home.over.set()
        server.shutdown()
        thread.join()
