"""`facetwise serve`: a model of one's own behind HTTP."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Any

import click

from facetwise.cli.command import Command
from facetwise.cli.showing import show
from facetwise.errors import InputError
from facetwise.serve.server import serve as begin
from facetwise.serve.settings import Settings


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option("--name", help="The model's name in paths.")
@click.option("--host", help="Where to listen; this machine alone by default.")
@click.option("--port", type=int, help="8080 by default; 0 takes a free one.")
@click.option("--token-env", metavar="NAME", help="A variable that holds the token.")
@click.option("--token-file", type=click.Path(), help="A file that holds the token.")
@click.option("--max-rows", type=int, help="The most rows a call.")
@click.option("--max-bytes", type=int, help="The most bytes of a body.")
@click.option("--decimals", type=int, help="Round scores to so many.")
@click.option("--float32", is_flag=True, help="Take rows and answer in 32 bits.")
@click.option("--labels-only", is_flag=True, help="Answer labels instead of scores.")
@click.option("--fail-rate", type=float, help="The share of calls that fail.")
@click.option("--latency", type=float, help="Seconds before each answer.")
@click.option("--seed", type=int, help="Of the calls that fail.")
def serve(
    model: str, token_env: str | None, token_file: str | None, **given: Any
) -> None:
    """Serve MODEL (.joblib, .onnx, .pt or .npz) behind HTTP until Ctrl-C.

    It speaks the open inference protocol v2, and v1. It can be made to round, to fail
    and to be slow, as real services are.

    Example: facetwise serve model.joblib --port 8080
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    settings = Settings(**chosen, token=_token(token_env, token_file))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # That calls wait for one another is nothing to report.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    with begin(model, settings) as server:
        show(f"serving {server.url}; Ctrl-C ends it")
        try:
            server.wait()
        except KeyboardInterrupt:
            show("ended")


def _token(variable: str | None, file: str | None) -> str | None:
    if variable is not None and file is not None:
        raise InputError("Name one place for the token: --token-env or --token-file.")
    if variable is not None:
        if variable not in os.environ:
            # What was typed may be the token itself: it is not repeated.
            raise InputError("The variable that --token-env names is not set.")
        return os.environ[variable]
    return None if file is None else Path(file).read_text("utf-8").strip()
