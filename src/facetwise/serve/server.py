"""Listens, and stops when it is told to.

Waitress does the work that hostile and slow clients make: it reads a request to its
end, within limits, before a thread is given to it.
"""

from __future__ import annotations

import socket
import threading
from os import PathLike
from typing import Any, Self

from facetwise.errors import InputError
from facetwise.extras import extra
from facetwise.serve.app import App
from facetwise.serve.behaviour import Behaviour
from facetwise.serve.loading import load_model, served
from facetwise.serve.settings import Settings

CONNECTIONS = 256
"""Open at a time; others wait to be accepted."""

LAST_CALLS = 30.0
"""Seconds that calls under way are given when the server stops."""

READ_AT_ONCE = 2**18
"""Bytes taken from a connection at a time."""


class Server:
    """A model that is being served, until `stop` or the end of the `with` block."""

    def __init__(self, app: App) -> None:
        waitress = extra("serve", "waitress")
        self._wasyncore = extra("serve", "waitress.wasyncore")
        settings = app.settings
        self._server = waitress.create_server(
            app,
            sockets=[_listening(settings)],
            threads=settings.threads,
            ident="facetwise",
            max_request_body_size=settings.max_bytes,
            inbuf_overflow=settings.max_bytes,
            outbuf_overflow=settings.max_bytes,
            recv_bytes=READ_AT_ONCE,
            channel_timeout=settings.idle_seconds,
            cleanup_interval=min(30.0, settings.idle_seconds),
            connection_limit=CONNECTIONS,
            asyncore_use_poll=True,
        )
        self._settings = settings
        self._thread = threading.Thread(target=self._server.run, name="facetwise-serve")
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address of the model."""
        host = self._settings.host
        host = f"[{host}]" if ":" in host else host
        port = self._server.effective_port
        return f"http://{host}:{port}/v2/models/{self._settings.name}"

    def wait(self) -> None:
        """Return when the server has stopped."""
        self._thread.join()

    def stop(self) -> None:
        """Finish the calls under way, close all connections, and leave no thread."""
        self._server.task_dispatcher.shutdown(timeout=LAST_CALLS)
        if self._thread.is_alive():
            # Its loop ends when there is no socket left in its map.
            close_all, sockets = self._wasyncore.close_all, self._server._map
            self._server.trigger.pull_trigger(lambda: close_all(sockets))
            self._thread.join()


def _listening(settings: Settings) -> socket.socket:
    """The socket that is listened on, made before any thread is."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        raise InputError(
            f"Cannot listen on {settings.host}:{settings.port} ({error}). Pass another "
            "port, or 0 for a free one."
        ) from error


def serve(model: Any, settings: Settings | None = None) -> Server:
    """Put a model behind HTTP: a function, an object that scores, or a file.

    It answers the open inference protocol v2 and v1, from threads of its own, until the
    server is stopped.
    """
    settings = settings or Settings()
    if isinstance(model, str | PathLike):
        model = load_model(model)
    return Server(App(Behaviour(served(model), settings), settings))
