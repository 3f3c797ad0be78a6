"""`facetwise inspect`: what a service is like, before it is explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from facetwise.cli.command import Command
from facetwise.cli.connecting import address, endpoint_options, reach
from facetwise.cli.engine import OPTIONS
from facetwise.cli.rows import DOMAIN, FEATURES
from facetwise.cli.settings import settings_option
from facetwise.cli.showing import show
from facetwise.inspection import inspect as look
from facetwise.tables.domain_file import StatedDomain
from facetwise.tables.files import read_rows


@click.command(cls=Command)
@click.argument("url", callback=address)
@settings_option("url", "endpoint")
@endpoint_options
@click.option("--rows", type=click.Path(path_type=Path), help="A file of typical rows.")
@FEATURES
@DOMAIN
@click.option("--response", **OPTIONS["response"])
@click.option("--instances", type=int, help="Rows to be explained, for the estimate.")
@click.option("--max-queries", type=int, help="The most rows to send.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def inspect(
    url: str,
    rows: Path | None,
    features: tuple[str, ...],
    domain: StatedDomain | None,
    as_json: bool,
    **options: Any,
) -> None:
    """See what the service at URL is like, with few questions.

    Protocol, names, kind of scores, digits, noise, limits, speed, and whether it looks
    piecewise linear.

    Example: facetwise inspect http://127.0.0.1:8080/v2/models/credit --rows rows.csv
    """
    connection = reach(options)
    chosen = {key: value for key, value in options.items() if value is not None}
    X, found = (None, None) if rows is None else read_rows(rows, features)
    if domain is not None:
        chosen["domain"] = domain.domain(found or ())
    seen = look(connection.connected(url), X, **chosen)
    show(json.dumps(seen.as_json()) if as_json else seen.text())
