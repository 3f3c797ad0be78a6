"""`facetwise serve`: a model of one's own behind HTTP."""

from __future__ import annotations

import logging
import signal
from pathlib import Path
from typing import Any

import click

from facetwise.cli import tokens
from facetwise.cli.command import Command
from facetwise.cli.showing import show
from facetwise.endpoints.credentials import Secret
from facetwise.serve.server import serve as begin
from facetwise.serve.settings import Settings


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option("--name", help="The model's name in paths.")
@click.option("--host", help="Where to listen; this machine alone by default.")
@click.option("--port", type=int, help="8080 by default; 0 takes a free one.")
@tokens.OPTIONS[0]
@tokens.OPTIONS[1]
@click.option("--max-rows", type=int, help="The most rows a call.")
@click.option("--max-bytes", type=int, help="The most bytes of a body.")
@click.option("--decimals", type=int, help="Round scores to so many.")
@click.option("--float32", is_flag=True, help="Take rows and answer in 32 bits.")
@click.option("--labels-only", is_flag=True, help="Answer labels instead of scores.")
@click.option("--fail-rate", type=float, help="The share of calls that fail.")
@click.option("--latency", type=float, help="Seconds before each answer.")
@click.option("--seed", type=int, help="Of the calls that fail.")
def serve(
    model: str, token_env: str | None, token_file: Path | None, **given: Any
) -> None:
    """Serve MODEL (.joblib, .onnx, .pt or .npz) behind HTTP until Ctrl-C.

    It speaks the open inference protocol v2, and v1. It can be made to round, to fail
    and to be slow, as real services are.

    Example: facetwise serve model.joblib --port 8080
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    source = tokens.token_source(token_env, token_file)
    token = None if source is None else Secret(source, "token").read()
    settings = Settings(**chosen, token=token)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # That calls wait for one another is nothing to report.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    with begin(model, settings) as server:
        show(f"serving {server.url}; Ctrl-C ends it")
        try:
            server.wait()
        except KeyboardInterrupt:
            show("ended")
