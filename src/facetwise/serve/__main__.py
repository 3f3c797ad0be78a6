"""Serves a model from the command line: python -m facetwise.serve model.joblib."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from facetwise.errors import FacetwiseError, InputError
from facetwise.serve.server import serve
from facetwise.serve.settings import Settings

FAILED = 2
"""The exit code when the model cannot be served."""


def parsed(arguments: Sequence[str] | None = None) -> tuple[str, Settings]:
    """The model's file, and how to serve it."""
    parser = argparse.ArgumentParser(prog="facetwise serve", description=__doc__)
    parser.add_argument("model", help=".joblib, .onnx, .pt or .npz")
    for option, kind, text in [
        ("name", str, "the model's name in paths"),
        ("host", str, "where to listen"),
        ("port", int, "0 takes a free one"),
        ("max-rows", int, "the most rows a call"),
        ("max-bytes", int, "the most bytes of a body"),
        ("decimals", int, "to which scores are rounded"),
        ("fail-rate", float, "share of calls that fail"),
        ("latency", float, "seconds before each answer"),
        ("seed", int, "of the calls that fail"),
    ]:
        parser.add_argument(f"--{option}", type=kind, help=text)
    for option, text in [
        ("float32", "take rows and answer in 32 bits"),
        ("labels-only", "answer labels instead of scores"),
    ]:
        parser.add_argument(f"--{option}", action="store_true", help=text)
    tokens = parser.add_mutually_exclusive_group()
    tokens.add_argument("--token-env", help="a variable that holds the token")
    tokens.add_argument("--token-file", help="a file that holds the token")
    given = vars(parser.parse_args(arguments))
    model, variable, file = (given.pop(k) for k in ("model", "token_env", "token_file"))
    chosen = {key: value for key, value in given.items() if value is not None}
    return model, Settings(**chosen, token=_token(variable, file))


def _token(variable: str | None, file: str | None) -> str | None:
    if variable is not None:
        if variable not in os.environ:
            raise InputError(f"The variable {variable} is not set.")
        return os.environ[variable]
    if file is not None:
        try:
            return Path(file).read_text("utf-8").strip()
        except OSError as error:
            raise InputError(f"The token's file cannot be read: {error}.") from error
    return None


def main() -> int:
    """Serve until Ctrl-C, or until the process is asked to end."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # That calls wait for one another is nothing to report.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    try:
        server = serve(*parsed())
    except FacetwiseError as error:
        print(error, file=sys.stderr)
        return FAILED
    with server:
        print(f"serving {server.url}; Ctrl-C ends it", flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            print("ended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
