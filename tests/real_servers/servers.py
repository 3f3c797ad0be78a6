"""Servers that nobody here wrote: what they need, how they start, where they answer."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import sklearn

import facetwise as fw
from facetwise.endpoints.retry import Retry
from real_servers.environment import python_with

SAME_SKLEARN = f"scikit-learn=={sklearn.__version__}"
"""Models are pickled here and loaded there."""

STARTED_WITHIN = 90.0
STOPPED_WITHIN = 15.0

Ports = tuple[int, int, int]
Connect = Callable[[], Retry]


@dataclass(frozen=True)
class Server:
    """One kind of server; `command` prepares a folder that has `model.joblib`.

    `settings` is what `connect` has to be told beside the addresses.
    """

    requirements: tuple[str, ...]
    command: Callable[[Path, Path, Ports], list[str]]
    ready: str
    urls: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)


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


SERVE_WITH_MOSEC = """
import joblib, mosec

class Digits(mosec.Worker):
    def __init__(self):
        self.model = joblib.load("model.joblib")

    def forward(self, rows):
        try:
            return {"scores": self.model.predict_proba(rows).tolist()}
        except ValueError as error:
            raise mosec.ValidationError(error) from error

server = mosec.Server()
server.append_worker(Digits)
server.run()
"""


def mosec(python: Path, folder: Path, ports: Ports) -> list[str]:
    """Mosec serves a class; more than four questions at a time are too many for it."""
    (folder / "serve.py").write_text(SERVE_WITH_MOSEC, "utf-8")
    options = ["--address", "127.0.0.1", "--port", str(ports[0]), "--capacity", "4"]
    return [str(python), "serve.py", *options]


SERVE_WITH_TRITON = """
import sys, joblib, numpy as np
from pytriton.decorators import batch
from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

model = joblib.load("model.joblib")
http, grpc, metrics = map(int, sys.argv[1:])

@batch
def infer(pixels):
    return [model.predict_proba(pixels).astype(np.float32)]

settings = TritonConfig(
    http_address="127.0.0.1", http_port=http, grpc_address="127.0.0.1", grpc_port=grpc,
    metrics_address="127.0.0.1", metrics_port=metrics,
)
with Triton(config=settings) as triton:
    triton.bind(
        "digits", infer, config=ModelConfig(max_batch_size=1024),
        inputs=[Tensor(name="pixels", dtype=np.float32, shape=(64,))],
        outputs=[Tensor(name="scores", dtype=np.float32, shape=(10,))],
    )
    triton.serve()
"""


def pytriton(python: Path, folder: Path, ports: Ports) -> list[str]:
    """Triton, with a model in Python; its stub looks for the Python that runs it."""
    (folder / "serve.py").write_text(SERVE_WITH_TRITON, "utf-8")
    library = f"LD_LIBRARY_PATH={sysconfig.get_config_var('LIBDIR')}"
    return ["env", library, str(python), "serve.py", *map(str, ports)]


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
    "mosec": Server(
        ("mosec==0.9.8", SAME_SKLEARN),
        mosec,
        "/",
        ("http://127.0.0.1:{0}/inference",),
        {"protocol": "json", "scores": "scores"},
    ),
    "pytriton": Server(
        ("nvidia-pytriton==0.7.0", SAME_SKLEARN),
        pytriton,
        "/v2/models/digits/ready",
        ("http://127.0.0.1:{0}/v2/models/digits", "grpc://127.0.0.1:{1}/digits"),
    ),
}


@contextlib.contextmanager
def running(name: str, folder: Path) -> Iterator[list[Connect]]:
    """Connections to a server while it runs on the model in `folder`."""
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
            yield [
                partial(fw.connect, url.format(*ports), **server.settings)
                for url in server.urls
            ]
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
