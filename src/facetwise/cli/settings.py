"""`facetwise.toml`: endpoint and domain, so that commands stay short.

    [endpoint]
    url = "https://scores.example/v2/models/credit"
    token-env = "CREDIT_TOKEN"

    [explain]
    features = "income,debt,age"

    [domain]
    frozen = ["age"]

It lies in the working folder or the nearest one above. What is typed counts before what
it says. Files that it names lie beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from facetwise.cli.showing import tell
from facetwise.errors import InputError
from facetwise.tables.domain_file import StatedDomain, read_stated

Decorated = Callable[..., Any]

NAME = "facetwise.toml"

URL = "url"
"""What the file calls the address, which commands call as they like."""

SECTIONS = ("endpoint", "explain", "domain")


def settings_option(url: str, *sections: str) -> Callable[[Decorated], Decorated]:
    """The option `--settings` of a command, whose parameter `url` is the address.

    The sections are those whose keys are options of the command.
    """

    def take(ctx: click.Context, option: click.Parameter, given: Path | None) -> None:
        file = given or nearest(Path.cwd())
        if file is not None:
            ctx.default_map = defaults(file, ctx.command, url, sections)
            tell(f"Settings are taken from {file}.")

    return click.option(
        "--settings",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=take,
        help=f"Take settings from this file instead of the nearest {NAME}.",
    )


def nearest(folder: Path) -> Path | None:
    """The settings file in a folder or the nearest one above."""
    places = (place / NAME for place in (folder, *folder.parents))
    return next((place for place in places if place.is_file()), None)


def defaults(
    file: Path, command: click.Command, url: str, sections: tuple[str, ...]
) -> dict[str, Any]:
    """What a settings file says for the parameters of a command."""
    stated = read_stated(file)
    for section, content in stated.items():
        if section not in SECTIONS or not isinstance(content, dict):
            raise InputError(
                f"{file} has {section!r}; it takes the sections "
                f"{', '.join(f'[{name}]' for name in SECTIONS)}."
            )
    found: dict[str, Any] = {}
    parameters = {_key(parameter): parameter for parameter in command.params}
    for section in sections:
        for key, value in stated.get(section, {}).items():
            name = url if section == "endpoint" and key == URL else key
            if name not in parameters:
                raise InputError(
                    f"{file}: [{section}] has {key!r}, which is no option of "
                    f"{command.name}. {command.name} --help lists them."
                )
            parameter = parameters[name]
            found[str(parameter.name)] = _placed(value, parameter, file.parent)
    if "domain" in stated and "domain" in parameters:
        found["domain"] = StatedDomain(stated["domain"], file.parent)
    return found


def _key(parameter: click.Parameter) -> str:
    """What a settings file calls a parameter."""
    return str(parameter.name).replace("_", "-")


def _placed(value: Any, parameter: click.Parameter, folder: Path) -> Any:
    """A value in the form that a parameter takes; files lie beside the settings."""
    if isinstance(value, Mapping):
        return [f"{name}={source}" for name, source in value.items()]
    if isinstance(value, list) and not parameter.multiple:
        return ",".join('"' + str(name).replace('"', '""') + '"' for name in value)
    if isinstance(parameter.type, click.Path) and isinstance(value, str):
        return str(folder / value)
    return value
