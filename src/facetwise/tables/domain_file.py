"""A domain from a file: stated in TOML or JSON, or taken from a table of typical rows.

    typical = "training.csv"        # limits and scale from its rows
    frozen = ["sex", "region"]
    lower = { age = 18 }
    step = { children = 1 }

What is stated counts before what typical rows have.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from facetwise.errors import InputError
from facetwise.tables.domain import SETTINGS, Domain
from facetwise.tables.files import READERS, read_rows

KEYS = (*SETTINGS, "frozen", "typical")

STATED = (".toml", ".json")


def read_domain(path: str | PathLike[str], features: tuple[str, ...] = ()) -> Domain:
    """The domain that a file states, or that its rows span.

    `features` picks columns, as in `read_rows`.
    """
    file = Path(fspath(path))
    if file.suffix in READERS:
        return stated_domain({"typical": file.name}, file.parent, features)
    if file.suffix not in STATED:
        raise InputError(
            f"{file.name} ends in {file.suffix or 'nothing'}; a domain is stated in "
            f"{' or '.join(STATED)}, or taken from rows in {', '.join(READERS)}."
        )
    return stated_domain(read_stated(file), file.parent, features)


def read_stated(file: Path) -> Mapping[str, Any]:
    """What a TOML or JSON file states."""
    if not file.is_file():
        raise InputError(f"There is no file {file}. Check its name and the folder.")
    try:
        text = file.read_text("utf-8")
        stated = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not proper {file.suffix[1:]}: {error}.") from error
    if not isinstance(stated, dict):
        raise InputError(f"{file} must state settings by name; it holds {stated!r:.40}")
    return stated


def stated_domain(
    stated: Mapping[str, Any], folder: Path, features: tuple[str, ...] = ()
) -> Domain:
    """The domain of these settings; typical rows lie in `folder`."""
    for key in stated:
        if key not in KEYS:
            raise InputError(f"A domain has no {key!r}; it takes {', '.join(KEYS)}.")
    settings = {key: value for key, value in stated.items() if key != "typical"}
    if "typical" not in stated:
        return Domain(**settings)
    if not isinstance(stated["typical"], str):
        raise InputError("typical must be the name of a file with typical rows.")
    rows, names = read_rows(folder / stated["typical"], features)
    spanned = Domain.from_data(rows, settings.get("frozen"), feature_names=names)
    for key in settings:
        settings[key] = _over(key, getattr(spanned, key), settings[key])
    return replace(spanned, **settings)


def _over(key: str, spanned: Any, stated: Any) -> Any:
    """What is stated; by name, it leaves other features as they are."""
    if not isinstance(stated, Mapping) or spanned is None:
        return stated
    if not isinstance(spanned, Mapping):
        raise InputError(
            f"{key} goes by name, and the typical rows have no names. Name their "
            "columns, or state a number for each."
        )
    return {**spanned, **stated}
