"""Three tables: mortgages in Boston, credit in a shop, and customers who leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from facetwise.core.domain import Domain
from facetwise.core.messages import Ints
from facetwise.core.spread import spread
from facetwise.datasets.columns import read_columns
from facetwise.datasets.contents import File, check
from facetwise.datasets.encoding import Encoded, encode
from facetwise.datasets.finding import content_of
from facetwise.datasets.record import Table, TablePart, frozen
from facetwise.datasets.split import split
from facetwise.progress import Progress


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a table comes from, and how to read it.

    `target` is the column of the classes, `classes` has its words in their order and
    what they mean, and `whole` are the columns of numbers that count or rank.
    """

    name: str
    file: File
    target: str
    classes: Mapping[str, str]
    whole: frozenset[str]


ARCHIVE = "https://raw.githubusercontent.com/vincentarelbundock/Rdatasets"
"""Tables of R as text. A commit is named with each, so that what it serves stays."""

HMDA = _Source(
    "hmda",
    File(
        "hmda.csv",
        ("f3fc4072a77b05bedf36168dec3edbf38ab4b19a8238c3d8f6064bbfeeab734b",),
    ),
    "deny",
    {"no": "granted", "yes": "denied"},
    frozenset({"chist", "mhist"}),
)

CREDIT = _Source(
    "credit",
    File(
        "tabular/credit.csv",
        (
            "64984b2aff14d24ebdeb5a051d992194f03d0dc8f250372b9e37c4e653ba678d",
            "acd2b41f7923a4b7e2264e6b9ae2eff8f3e8f9ba3080fb6967df1cfec9568cac",
        ),
        (
            f"{ARCHIVE}/1c97ab8a1df2469762e635481ba27cf4e80e3e51"
            "/csv/modeldata/credit_data.csv",
        ),
    ),
    "Status",
    {"good": "good", "bad": "bad"},
    frozenset({"Seniority", "Time", "Age"}),
)

CHURN = _Source(
    "churn",
    File(
        "tabular/churn.csv",
        (
            "977e9701c245abc90ea21b882ffafea62d68e33ce2b50e1e9cfea44344cbffad",
            "58f21b63c526bded47dd6df9d58d03b11611d3ad628c2aa5e353f3abb8d51a9c",
        ),
        (
            f"{ARCHIVE}/cc03c29690889dbe83089f5206e2422db8c3f71f"
            "/csv/modeldata/mlc_churn.csv",
        ),
    ),
    "churn",
    {"no": "stayed", "yes": "left"},
    frozenset(
        {
            "account_length",
            "number_vmail_messages",
            "total_day_calls",
            "total_eve_calls",
            "total_night_calls",
            "total_intl_calls",
            "number_customer_service_calls",
        }
    ),
)


def hmda(*, seed: int = 0) -> Table:
    """2,380 applications for a mortgage in Boston in 1990, granted or denied.

    The table comes with facetwise: no network is needed.

    Parameters
    ----------
    seed
        Decides which fifth of each class is kept for the test.
    """
    content = files(__package__).joinpath(HMDA.file.path).read_bytes()
    check(content, HMDA.file, f"{HMDA.file.path}, which comes with facetwise,")
    return _table(HMDA, content, seed)


def credit(*, seed: int = 0, progress: Progress = None) -> Table:
    """4,454 loans to the customers of shops, good or bad.

    Parameters
    ----------
    seed
        Decides which fifth of each class is kept for the test.
    progress
        Shows how far the download is, on a terminal by default. Or a function of bytes
        done and bytes in all, None if unknown.
    """
    return _table(CREDIT, content_of(CREDIT.file, progress), seed)


def churn(*, seed: int = 0, progress: Progress = None) -> Table:
    """5,000 customers of a telephone company, made up, who stayed or left.

    The parameters are those of `credit`.
    """
    return _table(CHURN, content_of(CHURN.file, progress), seed)


def _table(source: _Source, content: bytes, seed: int) -> Table:
    columns = read_columns(content.decode("utf-8"), source.file.path)
    words = list(source.classes)
    classes = [words.index(str(word)) for word in columns[source.target].values]
    y = np.array(classes, dtype=np.intp)
    train, test = split(y, seed)
    given = {name: c for name, c in columns.items() if name != source.target}
    encoded = encode(given, source.whole, train)
    return Table(
        name=source.name,
        train=_part(encoded, y, train),
        test=_part(encoded, y, test),
        feature_names=encoded.names,
        class_names=tuple(source.classes.values()),
        domain=_domain(encoded),
        steps=frozen(encoded.steps),
        groups=encoded.groups,
        columns={name: column.values for name, column in columns.items()},
    )


def _part(encoded: Encoded, y: Ints, rows: Ints) -> TablePart:
    return TablePart(frozen(encoded.X[rows]), frozen(y[rows]), frozen(rows))


def _domain(encoded: Encoded) -> Domain:
    """Limits that are the extremes of all rows, and their spread, or 1 for 0 and 1."""
    X = encoded.X
    binary = np.all((X == 0.0) | (X == 1.0), axis=0)
    return Domain(
        lower=frozen(X.min(axis=0)),
        upper=frozen(X.max(axis=0)),
        scale=frozen(np.where(binary, 1.0, spread(X))),
    )
