"""`facetwise explain`: rows from a file, a model, and what drove its decisions."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from facetwise.cli import planning
from facetwise.cli.command import TYPED, Command
from facetwise.cli.connecting import Reach, address, endpoint_options, reach
from facetwise.cli.engine import engine, engine_options
from facetwise.cli.results import Results
from facetwise.cli.rows import DOMAIN, FEATURES, class_number, names, span, taken
from facetwise.cli.settings import settings_option
from facetwise.cli.showing import show, tell
from facetwise.cli.watching import line
from facetwise.core.status import Status
from facetwise.endpoints.credentials import mask
from facetwise.endpoints.unreached import Unreached
from facetwise.errors import FacetwiseError
from facetwise.explainer import Explainer
from facetwise.progress import reporter
from facetwise.serve.loading import load_model
from facetwise.tables.domain_file import StatedDomain
from facetwise.tables.files import read_rows
from facetwise.tables.reading import as_array

FILE = click.Path(path_type=Path)


@click.command(cls=Command)
@click.argument("file", type=FILE)
@settings_option("endpoint", "endpoint", "explain")
@click.option("--endpoint", metavar="URL", callback=address, help="The service to ask.")
@click.option("--model", type=FILE, help="A model in a file, which serve could load.")
@endpoint_options
@click.option("--out", type=FILE, help="Write to .parquet, .csv, .json or .npz.")
@click.option("--report", type=FILE, help="Write a page for a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--quiet", is_flag=True, help="Say nothing of the work.")
@click.option("--dry-run", is_flag=True, help="Say what it would take; send nothing.")
@FEATURES
@click.option("--rows", callback=span, help="One, or some: 7, 0:100; from 0.")
@click.option("--target", default="predicted", show_default=True, help="The class.")
@click.option("--versus", help="One rival class; all others by default.")
@click.option("--classes", callback=names, help="Names of the classes, in order.")
@DOMAIN
@engine_options
@click.option("--journal", type=FILE, help="Keep every answer in this file.")
@click.option("--no-journal", is_flag=True, help="Keep no journal of a service.")
@click.option("--resume", is_flag=True, help="Take up the run that the journal holds.")
@click.option("--row-price", type=float, help="What a row costs, for the estimate.")
@click.option("--call-price", type=float, help="What a call costs, for the estimate.")
@click.option("--call-seconds", type=float, help="What a call takes, for the estimate.")
@click.pass_context
def explain(ctx: click.Context, /, **options: Any) -> None:
    """Explain the rows of FILE: .csv, .jsonl, .npy, .npz or .parquet.

    A service is asked within a budget that is shown before anything is sent, and every
    answer is kept in a journal: Ctrl-C stops at any time, and --resume goes on.

    Example: facetwise explain rows.csv --endpoint http://127.0.0.1:8080 --out w.csv
    """
    options[_other_model(ctx)] = None
    order = Order(reach=reach(options), engine=engine(options), **options)
    order.results.check(order.file, order.kept, order.model)
    X, settings = order.instances()
    model = None if order.model is None else load_model(order.model)
    if model is not None and not hasattr(model, "feature_names_in_"):
        X = as_array(X)
    unasked = Unreached(order.endpoint or "") if model is None else model
    plan = Explainer(unasked, **settings).plan(X)
    if order.dry_run:
        as_json = planning.as_json(plan, order.rates)
        show(json.dumps(as_json) if order.as_json else planning.text(plan, order.rates))
        return
    if not order.quiet:
        tell(planning.line(plan))
    watched = reporter(False if order.quiet else None, line(plan))
    asked = order.reach.connected(order.endpoint) if order.endpoint else model
    explainer = Explainer(asked, progress=watched, **settings)
    try:
        explanation = explainer(X)
    except (FacetwiseError, KeyboardInterrupt) as error:
        if sys.stderr.isatty() and not order.quiet:
            click.echo(err=True)  # leaves the line of progress as it stands
        if (part := getattr(error, "explanation", None)) is not None:
            if set(part.status) != {Status.NOT_ASKED}:
                order.results.deliver(part)
            if order.kept is not None:
                tell(f"Answers so far are in {order.kept}. Go on with: {_again(ctx)}")
        raise
    order.results.deliver(explanation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was typed, in the order of the help."""

    file: Path
    endpoint: str | None
    model: Path | None
    reach: Reach
    out: Path | None
    report: Path | None
    as_json: bool
    quiet: bool
    dry_run: bool
    features: tuple[str, ...]
    rows: slice
    target: str
    versus: str | None
    classes: tuple[str, ...]
    domain: StatedDomain | None
    engine: dict[str, Any]
    journal: Path | None
    no_journal: bool
    resume: bool
    row_price: float | None
    call_price: float | None
    call_seconds: float | None

    @property
    def results(self) -> Results:
        """Where results go."""
        return Results(self.out, self.report, self.as_json, self.quiet)

    @property
    def kept(self) -> Path | None:
        """The journal: services have one beside the results if nothing else is said."""
        if self.journal is not None and self.no_journal:
            raise click.UsageError("Name --journal or --no-journal, not both.")
        if self.journal is None and self.endpoint is not None and not self.no_journal:
            return (self.out or Path(self.file.name)).with_suffix(".journal")
        return self.journal

    @property
    def rates(self) -> planning.Rates:
        """What rows and calls cost."""
        return planning.Rates(
            self.row_price,
            self.call_price,
            self.call_seconds,
            self.engine.get("rows_per_second"),
            self.engine.get("calls_per_second"),
        )

    def instances(self) -> tuple[Any, dict[str, Any]]:
        """The rows, and all that `Explainer` is told."""
        X, found = read_rows(self.file, self.features)
        if self.resume and self.kept is None:
            raise click.UsageError("There is no journal to resume from: --journal.")
        settings = {
            **self.engine,
            "feature_names": found,
            "class_names": self.classes or None,
            "journal": self.kept,
            "resume": self.resume,
        }
        if self.target != "predicted":
            settings["target"] = class_number(self.target, self.classes)
        if self.versus is not None:
            settings["versus"] = class_number(self.versus, self.classes)
        if self.domain is not None:
            settings["domain"] = self.domain.domain(found or ())
        return taken(X, self.rows), settings


def _other_model(ctx: click.Context) -> str:
    """Which of two models is not meant: what was typed counts before settings."""
    both = ("endpoint", "model")
    named = [name for name in both if ctx.params[name] is not None]
    typed = [
        name
        for name in named
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    meant = typed or named
    if len(meant) != 1:
        raise click.UsageError("Name what to ask: --endpoint URL, or --model FILE.")
    return both[meant == ["endpoint"]]


def _again(ctx: click.Context) -> str:
    """The command that takes up the run."""
    words = [mask(word) for word in ctx.meta[TYPED] if word != "--resume"]
    return f"facetwise {shlex.join([*words, '--resume'])}"
