"""The front door: explains instances of a model that can only be asked for scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from facetwise.asking import Service
from facetwise.core import domain as core
from facetwise.core.messages import Ints
from facetwise.core.response import Response
from facetwise.core.task import PRECISION
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layers import Limits
from facetwise.endpoints.local import LocalModel
from facetwise.errors import FacetwiseError, InputError
from facetwise.explanation import Explanation
from facetwise.progress import Report, reporter
from facetwise.run import METHODS, Run, Settings
from facetwise.tables.domain import Domain
from facetwise.tables.instances import prepare
from facetwise.wanted import Wanted

CONCURRENCY = {False: 1, True: 8}
"""Calls under way at a time, by whether the model is a service."""


class Explainer:
    """Explains a model's decisions from its scores alone.

    Parameters
    ----------
    predict
        A callable from rows (n, d) to scores (n, C), or an object with one of the
        methods `scores`, `predict_proba`, `decision_function` or `predict`; or an
        `Endpoint`, a service that costs money: it has a budget even if none is named,
        and is watched for changes.
    target
        What to explain: "predicted" (the class that scores highest), a class, or one
        class for each row.
    versus
        One rival, for "why A and not B"; None compares with all other classes.
    domain
        How features may be moved.
    response
        What the scores are: one of `Response`, or "auto", which says what it took in
        `meta["response"]`.
    method
        "facetwise", or "algorithm1": the paper's, as published, without certificates.
    seed
        Makes runs repeatable. None takes fresh entropy, and records it in `meta`: then
        nobody can foresee the check points.
    confidence
        Chance that all bounds of a row hold.
    precision
        The bound to strive for, as a share of the weights' norm. Where answers are too
        coarse for it, questions are spent on a wider box and on more check points.
        Certificates do not depend on it.
    memory
        Whether rows learn from those before them: known regions, and the subspace in
        which weights lie. It saves questions at the price of some digits, which bounds
        allow for.
    max_queries, max_calls
        Hard limits on rows and calls sent, with those that are tried again. What was
        finished within them is returned. None is no limit for a callable, and a
        generous one for an endpoint: `meta` has it.
    rows_per_second, calls_per_second
        Rates that are kept to.
    batch_size
        Rows a call, or "auto".
    concurrency
        Calls under way at a time, or "auto": 1 for a callable, 8 for an endpoint.
        Above 1 the model is asked from several threads; fewer are under way while a
        service says that it is busy.
    journal
        A file that keeps every answer. The same call with the same file takes up a run
        that broke off: what was answered is not asked again.
    progress
        True or False, or a function of (rows done, rows, questions). None shows a
        line when a terminal watches.
    feature_names, class_names
        Names to hand on. Features of a table have those of its columns by default.
    """

    def __init__(
        self,
        predict: Any,
        *,
        target: Literal["predicted"] | int | ArrayLike = "predicted",
        versus: int | None = None,
        domain: core.Domain | None = None,
        response: str = "auto",
        method: str = "facetwise",
        seed: int | None = None,
        confidence: float = 1 - 1e-6,
        precision: float = PRECISION,
        memory: bool = True,
        max_queries: int | None = None,
        max_calls: int | None = None,
        rows_per_second: float | None = None,
        calls_per_second: float | None = None,
        batch_size: int | Literal["auto"] = "auto",
        concurrency: int | Literal["auto"] = "auto",
        journal: str | PathLike[str] | None = None,
        progress: bool | Report | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> None:
        remote = isinstance(predict, Endpoint)
        self._settings = Settings(
            service=Service(
                model=predict if remote else LocalModel(predict),
                remote=remote,
                limits=Limits(
                    rows=_optional("max_queries", max_queries),
                    calls=_optional("max_calls", max_calls),
                    rows_per_second=_rate("rows_per_second", rows_per_second),
                    calls_per_second=_rate("calls_per_second", calls_per_second),
                    concurrency=CONCURRENCY[remote]
                    if concurrency == "auto"
                    else _whole("concurrency", concurrency),
                ),
                batch_size=None
                if batch_size == "auto"
                else _whole("batch_size", batch_size),
                journal=_path("journal", journal),
            ),
            wanted=Wanted(
                target=_target(target),
                versus=_optional("versus", versus, 0),
                response=_one_of("response", response, ["auto", *Response]),
                class_names=_names("class_names", class_names),
            ),
            domain=_domain(domain),
            method=_one_of("method", method, METHODS),
            seed=_optional("seed", seed, 0),
            alpha=1.0 - _share("confidence", confidence),
            precision=_share("precision", precision),
            memory=bool(memory),
            report=reporter(progress),
            feature_names=_names("feature_names", feature_names),
        )

    def __call__(self, X: ArrayLike | Any) -> Explanation:
        """Explain the instances X, (d,) or (n, d): an array, or a table.

        A model explained on a frame of pandas or polars is asked with such frames.

        When the model fails, or Ctrl-C is pressed, what was finished is in the
        `explanation` of the exception.
        """
        settings = self._settings
        rows = prepare(X, settings.feature_names, settings.domain)
        run = Run(settings, rows)
        try:
            run.advance()
        except (FacetwiseError, KeyboardInterrupt) as error:
            # Finished rows were paid for: they go with whatever ended the run.
            vars(error)["explanation"] = run.explanation() if run.classes else None
            raise
        return run.explanation()


def _target(given: object) -> Ints | None:
    """Class numbers, or None for the class predicted."""
    if isinstance(given, str) and given == "predicted":
        return None
    target = np.asarray(given)
    if target.ndim > 1 or not np.issubdtype(target.dtype, np.integer):
        raise InputError(
            f"target must be 'predicted', a class number, or a list of them, one for "
            f"each row; got {given!r}."
        )
    return target.astype(np.intp)


def _domain(given: object) -> core.Domain:
    if given is None:
        return Domain()
    if not isinstance(given, core.Domain):
        raise InputError(f"domain must be a facetwise.Domain; got {given!r}.")
    return given


def _names(what: str, given: object) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{what} must be a list of names; got {given!r}.")
    return tuple(str(name) for name in given)


def _one_of(name: str, given: str, known: Iterable[str]) -> str:
    choices = [str(choice) for choice in known]
    if given not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}; got {given!r}.")
    return str(given)


def _share(name: str, given: object) -> float:
    if not isinstance(given, float) or not 0.0 < given < 1.0:
        raise InputError(f"{name} must be a number between 0 and 1; got {given!r}.")
    return given


def _path(name: str, given: Any) -> str | PathLike[str] | None:
    if given is not None and not isinstance(given, str | PathLike):
        raise InputError(f"{name} must be the path of a file; got {given!r}.")
    return given


def _rate(name: str, given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(f"{name} must be a number; got {given!r}.")
    if not 0.0 < given < math.inf:
        raise InputError(f"{name} must be above 0, and finite; got {given}.")
    return float(given)


def _whole(name: str, given: object, least: int = 1) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise InputError(f"{name} must be a whole number; got {given!r}.")
    if given < least:
        raise InputError(f"{name} must be at least {least}; got {given}.")
    return int(given)


def _optional(name: str, given: object, least: int = 1) -> int | None:
    return None if given is None else _whole(name, given, least)
