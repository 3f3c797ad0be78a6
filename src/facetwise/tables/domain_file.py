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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from facetwise.errors import InputError
from facetwise.tables.domain import SETTINGS, Domain
from facetwise.tables.files import READERS, read_rows

TYPICAL = "typical"
"""Names a file with rows that limits and scale are taken from."""

KEYS = (*SETTINGS, "frozen", TYPICAL)

STATED = (".toml", ".json")


@dataclass(frozen=True, slots=True)
class StatedDomain:
    """Settings of a domain; files that they name lie in `folder`."""

    settings: Mapping[str, Any]
    folder: Path

    def domain(self, features: Sequence[str] = ()) -> Domain:
        """The domain of rows that have these features, if they have names."""
        for key in self.settings:
            if key not in KEYS:
                raise InputError(
                    f"A domain has no {key!r}; it takes {', '.join(KEYS)}."
                )
        stated = {k: value for k, value in self.settings.items() if k != TYPICAL}
        if TYPICAL not in self.settings:
            return Domain(**stated)
        if not isinstance(file := self.settings[TYPICAL], str):
            raise InputError(f"{TYPICAL} must name a file with rows; got {file!r}.")
        rows, names = read_rows(self.folder / file, features)
        spanned = Domain.from_data(rows, stated.get("frozen"), feature_names=names)
        for key in stated:
            stated[key] = _over(key, getattr(spanned, key), stated[key])
        return replace(spanned, **stated)


def read_domain(path: str | PathLike[str]) -> StatedDomain:
    """The domain that a file states, or that its rows span."""
    file = Path(fspath(path))
    if file.suffix in READERS:
        return StatedDomain({TYPICAL: file.name}, file.parent)
    if file.suffix not in STATED:
        raise InputError(
            f"{file.name} ends in {file.suffix or 'nothing'}; a domain is stated in "
            f"{' or '.join(STATED)}, or taken from rows in {', '.join(READERS)}."
        )
    return StatedDomain(read_stated(file), file.parent)


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
