"""Options that say how to reach a service, and the endpoint that they lead to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from facetwise.cli import tokens
from facetwise.endpoints.connect import PROTOCOLS, SCHEMES, connect
from facetwise.endpoints.credentials import mask
from facetwise.endpoints.endpoint import Endpoint
from facetwise.errors import InputError

Decorated = Callable[..., Any]

OPTIONS = (
    click.option(
        "--protocol",
        type=click.Choice(["auto", *PROTOCOLS]),
        default="auto",
        show_default=True,
        help="What the service speaks.",
    ),
    click.option("--model-name", help="The model, where the server has several."),
    click.option("--output-name", help="The output that holds the scores."),
    click.option(
        "--request",
        type=click.Path(path_type=Path),
        help="A JSON file with the question; $rows stands where the rows are to be.",
    ),
    click.option("--scores", metavar="PATH", help="A JMESPath to the scores."),
    *tokens.OPTIONS,
    click.option(
        "--header",
        multiple=True,
        metavar="NAME=SOURCE",
        help="A further header; secret values as env:NAME or file:PATH.",
    ),
    click.option(
        "--ca", type=click.Path(), help="A file of certificates to trust instead."
    ),
    click.option("--timeout", type=float, help="Seconds for a whole answer."),
    click.option("--max-bytes", type=int, help="The largest question it takes."),
)


@dataclass(frozen=True, slots=True)
class Reach:
    """How to reach a service, as it was typed or set."""

    protocol: str
    model_name: str | None
    output_name: str | None
    request: Path | None
    scores: str | None
    token_env: str | None
    token_file: Path | None
    header: tuple[str, ...]
    ca: str | None
    timeout: float | None
    max_bytes: int | None

    def connected(self, url: str) -> Endpoint:
        """The endpoint at an address."""
        given = {
            "model": self.model_name,
            "output": self.output_name,
            "request": _json(self.request),
            "scores": self.scores,
            "token": tokens.token_source(self.token_env, self.token_file),
            "headers": dict(map(_header, self.header)),
            "ca": self.ca,
            "timeout": self.timeout,
            "max_bytes": self.max_bytes,
        }
        chosen: Any = {key: value for key, value in given.items() if value is not None}
        return connect(url, self.protocol, **chosen)


def endpoint_options(command: Decorated) -> Decorated:
    """Give a command the options of `Reach`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def reach(options: dict[str, Any]) -> Reach:
    """Take what says how to reach the service out of a command's options."""
    return Reach(**{field.name: options.pop(field.name) for field in fields(Reach)})


def address(
    ctx: click.Context, parameter: click.Parameter, url: str | None
) -> str | None:
    """An address that may be typed: without credentials, which others would see."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise click.BadParameter("it cannot be read as an address.") from error
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise click.BadParameter(
            f"expected an address such as http://127.0.0.1:8080/v2/models/NAME; got "
            f"{mask(url)!r}."
        )
    typed = ctx.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    if typed and "@" in parts.netloc:
        raise click.BadParameter(
            "a password that is typed is seen by all users of the machine, and kept in "
            "the shell's history. Use --header Authorization=env:NAME or --token-env."
        )
    return url


def _json(file: Path | None) -> Any:
    if file is None:
        return None
    try:
        return json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise InputError(f"{file} is no JSON: {error}.") from error


def _header(typed: str) -> tuple[str, str]:
    name, equals, source = typed.partition("=")
    if not (name and equals and source):
        raise InputError(
            "A header is typed as NAME=SOURCE, such as x-api-key=env:API_KEY."
        )
    return name, source
