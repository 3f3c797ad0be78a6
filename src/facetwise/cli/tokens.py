"""Where a token is kept, as it is typed; the token itself never is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from facetwise.errors import InputError

Decorated = Callable[..., Any]

OPTIONS = (
    click.option("--token-env", metavar="NAME", help="A variable that holds a token."),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        help="A file that holds a token.",
    ),
)


def token_source(variable: str | None, file: Path | None) -> str | None:
    """The source of a credential, as `connect` takes it, or None."""
    if variable is not None and file is not None:
        raise InputError("Name one place for the token: --token-env or --token-file.")
    if variable is None:
        return None if file is None else f"file:{file}"
    if variable not in os.environ:
        # What was typed may be the token itself: it is not repeated.
        raise InputError(
            "The variable that --token-env names is not set. Set it to the token, and "
            "name the variable here, not the token."
        )
    return f"env:{variable}"
