"""Options that `Explainer` takes as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from facetwise.core.response import Response
from facetwise.core.task import PRECISION
from facetwise.run import METHODS

Decorated = Callable[..., Any]

OPTIONS: dict[str, dict[str, Any]] = {
    "response": {
        "type": click.Choice(["auto", *map(str, Response)]),
        "default": "auto",
        "show_default": True,
        "help": "What the scores are.",
    },
    "max_queries": {"type": int, "help": "The most rows to send."},
    "max_calls": {"type": int, "help": "The most calls to make."},
    "rows_per_second": {"type": float, "help": "The most rows to send a second."},
    "calls_per_second": {"type": float, "help": "The most calls to make a second."},
    "concurrency": {"type": int, "help": "Calls under way at a time."},
    "batch_size": {"type": int, "help": "Rows a call."},
    "seed": {"type": int, "help": "Makes the run repeatable; fresh by default."},
    "precision": {
        "type": float,
        "default": PRECISION,
        "show_default": True,
        "help": "The bound to strive for where answers are coarse.",
    },
    "method": {
        "type": click.Choice(list(METHODS)),
        "default": "facetwise",
        "show_default": True,
        "help": "algorithm1 is the paper's, without certificates.",
    },
}
"""By the name that `Explainer` has for each."""


def engine_options(command: Decorated) -> Decorated:
    """Give a command these options."""
    for name, settings in reversed(OPTIONS.items()):
        command = click.option(f"--{name.replace('_', '-')}", name, **settings)(command)
    return command


def engine(options: dict[str, Any]) -> dict[str, Any]:
    """Take them out of a command's options, but for those that were left out."""
    given = {name: options.pop(name) for name in OPTIONS}
    return {name: value for name, value in given.items() if value is not None}
