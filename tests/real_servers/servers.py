"""Servers that nobody here wrote: what they need, how they start, where they answer."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import sklearn

from real_servers.environment import python_with

SAME_SKLEARN = f"scikit-learn=={sklearn.__version__}"
"""Models are pickled here and loaded there."""

STARTED_WITHIN = 90.0
STOPPED_WITHIN = 15.0

Ports = tuple[int, int, int]


@dataclass(frozen=True)
class Server:
    """One kind of server; `command` prepares a folder that has `model.joblib`."""

    requirements: tuple[str, ...]
    command: Callable[[Path, Path, Ports], list[str]]
    ready: str
    urls: tuple[str, ...]


def mlserver(python: Path, folder: Path, ports: Ports) -> list[str]:
    """MLServer reads its settings from the folder of the model."""
    http, grpc, metrics = ports
    settings = {
        "host": "127.0.0.1",
        "http_port": http,
        "grpc_port": grpc,
        "metrics_port": metrics,
        "parallel_workers": 0,
    }
    model = {
        "name": "digits",
        "implementation": "mlserver_sklearn.SKLearnModel",
        "parameters": {"uri": str(folder / "model.joblib"), "version": "v1"},
    }
    (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
    (folder / "model-settings.json").write_text(json.dumps(model), "utf-8")
    return [str(python.parent / "mlserver"), "start", str(folder)]


SAVE_FOR_MLFLOW = """
import joblib, mlflow
mlflow.sklearn.save_model(
    joblib.load("model.joblib"), "saved", pyfunc_predict_fn="predict_proba",
    serialization_format="cloudpickle",
)
"""


def mlflow(python: Path, folder: Path, ports: Ports) -> list[str]:
    """MLflow serves models in a format of its own."""
    subprocess.run([python, "-c", SAVE_FOR_MLFLOW], cwd=folder, check=True)
    serve = ["models", "serve", "-m", "saved", "--env-manager", "local"]
    return [
        *(str(python), "-m", "mlflow"),
        *(*serve, "-h", "127.0.0.1", "-p", str(ports[0])),
    ]


SERVERS = {
    "mlserver": Server(
        ("mlserver==1.7.1", "mlserver-sklearn==1.7.1", SAME_SKLEARN),
        mlserver,
        "/v2/health/ready",
        (
            "http://127.0.0.1:{0}",
            "http://127.0.0.1:{0}/v2/models/digits/versions/v1",
            "grpc://127.0.0.1:{1}/digits",
        ),
    ),
    "mlflow": Server(
        ("mlflow==3.17.2", SAME_SKLEARN),
        mlflow,
        "/ping",
        ("http://127.0.0.1:{0}",),
    ),
}


@contextlib.contextmanager
def running(name: str, folder: Path) -> Iterator[list[str]]:
    """The addresses of a server while it runs on the model in `folder`."""
    server = SERVERS[name]
    python = python_with(name, server.requirements)
    ports = free_ports()
    command = server.command(python, folder, ports)
    # Servers look for their own programs, and not for those of these tests.
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=log,
            stderr=log,
            env=os.environ | {"PATH": path},
            start_new_session=True,  # so that its workers end with it
        )
        try:
            wait_until_ready(process, f"http://127.0.0.1:{ports[0]}{server.ready}")
            yield [url.format(*ports) for url in server.urls]
        except TimeoutError as error:
            error.add_note((folder / "log.txt").read_text("utf-8", "replace"))
            raise
        finally:
            stop(process)


def free_ports() -> Ports:
    """Three ports that nobody uses."""
    with contextlib.ExitStack() as sockets:
        taken = [sockets.enter_context(socket.socket()) for _ in range(3)]
        for one in taken:
            one.bind(("127.0.0.1", 0))
        first, second, third = (one.getsockname()[1] for one in taken)
    return first, second, third


def wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    """Return when the server says that it is ready."""
    end = time.monotonic() + STARTED_WITHIN
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(url).is_success:
                return
        time.sleep(0.1)
    raise TimeoutError(f"No server at {url}; exit code {process.poll()}.")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server and its workers."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOPPED_WITHIN)
            return
