"""What is explained, as it is typed: rows, features, classes, domain."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

import click

from facetwise.errors import InputError
from facetwise.tables.domain_file import StatedDomain, read_domain


class DomainFrom(click.Path):
    """A file with a domain; settings may state the domain itself instead."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """What is stated, to be understood when the features' names are known."""
        return value if isinstance(value, StatedDomain) else read_domain(value)


def span(ctx: click.Context, option: click.Parameter, typed: str | None) -> slice:
    """Rows that were typed as 7, 0:100, 100: or 0:100:10."""
    if typed is None:
        return slice(None)
    try:
        bounds = [int(bound) if bound.strip() else None for bound in typed.split(":")]
        first, *rest = bounds
        if not rest and first is not None:
            return slice(first, first + 1 or None)
        slice(*bounds).indices(0)  # no more than three, and no step of 0
    except (TypeError, ValueError) as error:
        raise click.BadParameter(
            f"expected a row such as 7, or rows such as 0:100; got {typed!r}."
        ) from error
    return slice(*bounds)


def taken(X: Any, rows: slice) -> Any:
    """These rows of an array or a frame, of which there is at least one."""
    chosen = X[rows]
    if not len(chosen):
        raise InputError(f"--rows leaves none of {len(X)} rows. Rows count from 0.")
    return chosen


def names(
    ctx: click.Context, option: click.Parameter, typed: str | None
) -> tuple[str, ...]:
    """Names that were typed with commas between them, in quotes if they have some."""
    if not typed:
        return ()
    return tuple(name.strip() for name in next(csv.reader([typed])))


def class_number(typed: str, classes: Sequence[str]) -> int:
    """The class of that name or number."""
    if typed in classes:
        return classes.index(typed)
    if typed.isdecimal():
        return int(typed)
    known = f"Known by name are {', '.join(classes)}" if classes else "None has a name"
    raise InputError(
        f"There is no class {typed!r}. {known}; --classes names them. Numbers count "
        "from 0."
    )


FEATURES = click.option(
    "--features", callback=names, help="The columns, in the model's order."
)
DOMAIN = click.option(
    "--domain",
    type=DomainFrom(),
    help="How features may move: .toml, .json, or a table of typical rows.",
)
