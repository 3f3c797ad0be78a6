"""`python -m facetwise.reproduce`: the paper's tables and figures, done again."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from facetwise.errors import FacetwiseError
from facetwise.progress import reporter
from facetwise.reproduce.claims.all import CLAIMS
from facetwise.reproduce.claims.claim import Verdict
from facetwise.reproduce.methods import METHODS
from facetwise.reproduce.paper import reproduce
from facetwise.reproduce.targets import DATA_SETS, MODELS
from facetwise.reproduce.work import INSTANCES, Request

BROKEN_OFF = 130
"""Exit code after Ctrl-C, as shells have it."""


PROGRAM = "python -m facetwise.reproduce"
"""What it is called by, if not by another command."""


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        prog=program,
        epilog=f"Example: {program} --instances 50",
        description="Reproduce the paper's tables and figures. Work that is done is "
        "kept, so that it can be stopped (Ctrl-C) and taken up again at any time.",
    )
    parser.add_argument(
        "--instances", type=int, default=INSTANCES, help="test images of each data set"
    )
    for option, known in (
        ("--datasets", DATA_SETS),
        ("--models", MODELS),
        ("--methods", METHODS),
        ("--claims", CLAIMS),
    ):
        names = list(known)
        parser.add_argument(
            option, nargs="+", choices=names, metavar="NAME", help=", ".join(names)
        )
    parser.add_argument("--seed", type=int, default=0, help="of all randomness")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="one to a core"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for all results"
    )
    return parser


def request(options: argparse.Namespace) -> tuple[Request, list[str]]:
    """What is asked for, and the claims to judge; only their methods are needed."""
    claims = options.claims or list(CLAIMS)
    needed = dict.fromkeys(m for name in claims for m in CLAIMS[name].methods)
    default = needed if options.claims else METHODS
    asked = Request(
        data_sets=tuple(options.datasets or DATA_SETS),
        models=tuple(options.models or MODELS),
        methods=tuple(options.methods or default),
        instances=options.instances,
        seed=options.seed,
    )
    return asked, claims


def main(arguments: Sequence[str] | None = None) -> int:
    """Reproduce, print the verdicts; 0 when all was measured and written."""
    try:
        run(arguments)
    except FacetwiseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command takes it up again.", file=sys.stderr)
        return BROKEN_OFF
    return 0


def run(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> None:
    """Reproduce what is asked for, and print the verdicts."""
    options = parser(program).parse_args(arguments)
    told = reporter(True, _line)
    asked, claims = request(options)
    options.out.mkdir(parents=True, exist_ok=True)
    verdicts = reproduce(
        asked,
        claims,
        options.out,
        max(1, options.processes),
        lambda done, total, rest: told(done, total, int(rest)),
    )
    _print(verdicts)
    print(f"\n{options.out / 'index.html'} shows all of it.")


def _line(done: int, total: int | None, rest: int) -> str:
    return f"{done:,} of {total:,} pieces, about {rest / 60:.0f} minutes left "


def _print(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        claim = verdict.claim
        print(f"{verdict.outcome:<13} {claim.place:<16} {claim.statement}")
