"""Which request is answered by what: the paths of both protocols, as a WSGI app."""

from __future__ import annotations

import hmac
import logging
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from facetwise.serve import text, v1, v2
from facetwise.serve.behaviour import Behaviour
from facetwise.serve.body import unpacked
from facetwise.serve.metrics import Metrics
from facetwise.serve.problem import Problem
from facetwise.serve.settings import Settings
from facetwise.version import __version__

Environ = dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]

JSON, BYTES, TEXT = "application/json", "application/octet-stream", "text/plain"
JSON_SIZE = "Inference-Header-Content-Length"
WHOLE = re.compile("[0-9]{1,12}")

OPEN = ("/v2/health/live", "/v2/health/ready")
"""Paths that need no token: what looks after a server has none."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back, and how many rows it answers."""

    body: bytes = b""
    kind: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    rows: int = 0
    status: int = 200


@dataclass(frozen=True)
class App:
    """Answers requests for one model."""

    behaviour: Behaviour
    settings: Settings
    metrics: Metrics = field(default_factory=Metrics)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request; whatever goes wrong is told as JSON."""
        began = time.perf_counter()
        try:
            answer = self._answer(environ)
        except Problem as problem:
            answer = _told(problem)
        except Exception:
            # What the model's own code raises must not end a connection unanswered,
            # and is not for whoever asked to read.
            log.exception("A request failed.")
            answer = _told(Problem(500, "The server failed; its log says how."))
        spent = time.perf_counter() - began
        self.metrics.count(answer.status, answer.rows, spent)
        headers = [("Content-Type", answer.kind), *answer.headers]
        headers.append(("Content-Length", str(len(answer.body))))
        start(f"{answer.status} {HTTPStatus(answer.status).phrase}", headers)
        return [answer.body]

    def _answer(self, environ: Environ) -> Answer:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path not in OPEN:
            self._check_token(environ.get("HTTP_AUTHORIZATION", ""))
        for pattern, expected, handler in ROUTES:
            if (match := pattern.fullmatch(path)) is None:
                continue
            if (name := match.groupdict().get("name", self.settings.name)) != (
                self.settings.name
            ):
                raise Problem(
                    404, f"There is no model {name!r}, only {self.settings.name!r}."
                )
            if method != expected:
                raise Problem(405, f"{path} takes {expected}, not {method}.")
            return handler(self, environ)
        raise Problem(
            404,
            f"There is nothing at {path}. Ask /v2/models/{self.settings.name}/infer or "
            f"/v1/models/{self.settings.name}:predict.",
        )

    def _check_token(self, shown: str) -> None:
        token = self.settings.token
        if token is None:
            return
        # WSGI hands headers over as latin-1.
        expected = f"Bearer {token}".encode()
        if not hmac.compare_digest(shown.encode("latin-1"), expected):
            raise Problem(401, "This server wants a bearer token, and not this one.")

    def body(self, environ: Environ) -> bytes:
        """The request's body."""
        encoding = environ.get("HTTP_CONTENT_ENCODING", "")
        return unpacked(environ["wsgi.input"], encoding, self.settings.max_bytes)


def _told(problem: Problem) -> Answer:
    return Answer(text.dumps({"error": problem.sentence}), status=problem.status)


def _empty(app: App, environ: Environ) -> Answer:
    return Answer()


def _server(app: App, environ: Environ) -> Answer:
    about = {
        "name": "facetwise",
        "version": __version__,
        "extensions": v2.EXTENSIONS,
    }
    return Answer(text.dumps(about))


def _metrics(app: App, environ: Environ) -> Answer:
    return Answer(app.metrics.text().encode(), TEXT)


def _models(app: App, environ: Environ) -> Answer:
    listed = [{"name": app.settings.name, "version": "1", "state": "READY"}]
    return Answer(text.dumps(listed))


def _model(app: App, environ: Environ) -> Answer:
    return Answer(text.dumps(v2.metadata(app.settings.name, app.behaviour)))


def _models_v1(app: App, environ: Environ) -> Answer:
    return Answer(text.dumps({"models": [app.settings.name]}))


def _model_v1(app: App, environ: Environ) -> Answer:
    return Answer(text.dumps({"name": app.settings.name, "ready": True}))


def _infer(app: App, environ: Environ) -> Answer:
    size = environ.get("HTTP_INFERENCE_HEADER_CONTENT_LENGTH")
    if size is not None and not WHOLE.fullmatch(size):
        raise Problem(400, f"{JSON_SIZE} should be a number of bytes.")
    output, _ = app.behaviour.output
    asked = v2.question(app.body(environ), None if size is None else int(size), output)
    answer = app.behaviour.answer(asked.rows)
    reply = v2.reply(app.settings.name, asked, output, answer)
    if reply.json_size is None:
        return Answer(reply.body, rows=len(answer))
    headers = ((JSON_SIZE, str(reply.json_size)),)
    return Answer(reply.body, BYTES, headers, len(answer))


def _predict(app: App, environ: Environ) -> Answer:
    answer = app.behaviour.answer(v1.rows(app.body(environ)))
    return Answer(v1.reply(answer), rows=len(answer))


Handler = Callable[[App, Environ], Answer]

V1, V2 = r"/v1/models/(?P<name>[^/:]+)", r"/v2/models/(?P<name>[^/]+)(/versions/1)?"

ROUTES: list[tuple[re.Pattern[str], str, Handler]] = [
    (re.compile(pattern), method, handler)
    for pattern, method, handler in [
        (r"/v2/health/(live|ready)", "GET", _empty),
        (r"/v2/?", "GET", _server),
        (r"/v2/repository/index", "POST", _models),
        (V2, "GET", _model),
        (f"{V2}/ready", "GET", _empty),
        (f"{V2}/infer", "POST", _infer),
        (r"/v1/models", "GET", _models_v1),
        (V1, "GET", _model_v1),
        (f"{V1}:predict", "POST", _predict),
        (r"/metrics", "GET", _metrics),
    ]
]
"""What is asked for, how, and who answers."""
