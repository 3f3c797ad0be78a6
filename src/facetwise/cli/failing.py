"""What went wrong becomes one line and an exit code, here and nowhere else."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from facetwise.cli.showing import tell
from facetwise.errors import (
    DataError,
    EndpointError,
    ExtraError,
    FacetwiseError,
    InputError,
    JournalError,
    ModelError,
    ResponseError,
)

DEBUG = "facetwise.debug"
"""Where a context keeps whether the traceback is wanted."""

CODES: dict[type[BaseException], int] = {
    InputError: 2,
    click.UsageError: 2,
    ModelError: 3,
    ResponseError: 3,
    EndpointError: 4,
    JournalError: 5,
    ExtraError: 6,
    DataError: 7,
    OSError: 8,
    KeyboardInterrupt: 130,
}
"""Exit codes, which docs/cli.md tells. 1 is a fault that nobody has foreseen."""

STOPPED = "Stopped."


@contextmanager
def failures_told(context: click.Context) -> Iterator[None]:
    """End the process with one line and a code if something expected goes wrong."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
    except (click.exceptions.NoArgsIsHelpError, BrokenPipeError):
        raise
    except (FacetwiseError, click.UsageError, OSError, KeyboardInterrupt) as error:
        if context.meta.get(DEBUG):
            click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
        tell(_line(error, context))
        context.exit(_code(error))


def _code(error: BaseException) -> int:
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), 1)


def _line(error: BaseException, context: click.Context) -> str:
    """What, why, and what to do."""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED
    if isinstance(error, click.UsageError):
        path = (error.ctx or context).command_path
        return f"{error.format_message()} See {path} --help."
    if isinstance(error, OSError) and not isinstance(error, FacetwiseError):
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror or error}. Check the file, or name another one."
    return str(error)


def _warn(message: Warning | str, *rest: Any, **more: Any) -> None:
    tell(f"Warning: {message}")
