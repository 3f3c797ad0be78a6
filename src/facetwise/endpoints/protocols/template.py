"""Services of any kind: a template of the question, and a path to the scores."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from facetwise.endpoints.faults import Lost, Unusable
from facetwise.endpoints.messages import Call, Reply
from facetwise.endpoints.protocols import json_text, rows
from facetwise.endpoints.protocols.over_http import OverHttp
from facetwise.endpoints.protocols.scores import Scores, scores_of
from facetwise.errors import EndpointError, InputError
from facetwise.extras import extra

ADVICE = "Describe where the scores are: scores='a JMESPath', as in 'result[*].scores'."

OF_ALL = ("$rows", "$records", "$columns")
OF_ONE = ("$row", "$record")
"""Where rows are to stand: `$rows` for lists of values, `$records` for mappings by
name, `$columns` for the names; `$row` and `$record` for the only row of a call."""


@dataclass(frozen=True)
class Template(OverHttp):
    """JSON as the user describes it; `request` is any content, with words of `OF_ALL`.

    `scores` is a JMESPath to a list with an entry for each row; for templates of one
    row, to the scores of that row.
    """

    request: Any = "$rows"
    scores: str = "@"
    name = "json"

    def __post_init__(self) -> None:
        """See that there is a place for rows, and that the path is one."""
        words = set(_words(self.request))
        if not words & {"$rows", "$records", *OF_ONE}:
            raise InputError(
                "request= has no place for rows: put '$rows' (lists of values), "
                "'$records' (mappings by name), or '$row', '$record' where a call "
                "takes one."
            )
        _compiled(self.scores)

    @property
    def most_rows(self) -> int | None:
        """One, if the template has a place for one."""
        return 1 if set(_words(self.request)) & set(OF_ONE) else None

    def encode(self, X: Any) -> Call:
        """The template with the rows in it."""
        return self.asking(_filled(self.request, X))

    def decode(self, body: bytes, rows: int) -> Scores:
        """What the path leads to."""
        found = _found(self.scores, json_text.loads(body))
        entries = [found] if self.most_rows else found
        return scores_of(entries, rows, ADVICE)


@dataclass(frozen=True)
class Csv(OverHttp):
    """A line for each row, and a line of names where rows have names.

    The answer is read as CSV, or as JSON if `scores` leads to the scores in it.
    """

    scores: str | None = None
    name = "csv"

    def encode(self, X: Any) -> Call:
        """Lines of values."""
        return Call(self.path, csv_text(X).encode(), "text/csv")

    def decode(self, body: bytes, rows: int) -> Scores:
        """Lines of scores."""
        if self.scores is not None:
            return scores_of(_found(self.scores, json_text.loads(body)), rows, ADVICE)
        return csv_scores(body, rows)

    def fault(self, reply: Reply) -> EndpointError | None:
        """What the status code says, and whether the last number may be cut off."""
        framed = {"content-length", "transfer-encoding"} & reply.headers.keys()
        if reply.status == 200 and not framed and not reply.body.endswith(b"\n"):
            return Lost("The answer says neither its length nor ends with a line.")
        return super().fault(reply)


def csv_scores(body: bytes, rows: int) -> Scores:
    """Scores from lines of CSV, or from one line with a score for each row."""
    lines = csv_lines(body)
    if len(lines) == 1 and len(lines[0]) == rows:
        lines = [[score] for score in lines[0]]
    return scores_of(lines, rows, ADVICE)


def csv_text(X: Any) -> str:
    """Rows as CSV, with every digit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if rows.named(X):
        writer.writerow(X.columns)
    writer.writerows(X.tolist() if not rows.named(X) else rows.lists(X))
    return text.getvalue()


def csv_lines(body: bytes) -> list[list[Any]]:
    """Lines of CSV, numbers as numbers and everything else as text."""
    try:
        lines = list(csv.reader(io.StringIO(body.decode("utf-8")), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise Unusable(f"The answer is no CSV. {ADVICE}") from None
    return [[_value(cell) for cell in line] for line in lines if line]


def _value(cell: str) -> Any:
    if "_" in cell:  # Python would take it for a digit
        return cell
    try:
        return int(cell) if cell.strip().lstrip("+-").isdigit() else float(cell)
    except ValueError:
        return cell


def _filled(template: Any, X: Any) -> Any:
    if isinstance(template, dict):
        return {name: _filled(part, X) for name, part in template.items()}
    if isinstance(template, list):
        return [_filled(part, X) for part in template]
    if template == "$rows":
        return rows.lists(X)
    if template == "$row":
        return rows.lists(X)[0]
    if template in ("$columns", "$records", "$record"):
        if not rows.named(X):
            raise InputError(f"{template} needs names: explain a table, not an array.")
        if template == "$columns":
            return [str(name) for name in X.columns]
        return rows.records(X) if template == "$records" else rows.records(X)[0]
    return template


def _words(template: Any) -> list[str]:
    if isinstance(template, dict):
        return [word for part in template.values() for word in _words(part)]
    if isinstance(template, list):
        return [word for part in template for word in _words(part)]
    return [template] if isinstance(template, str) else []


def _compiled(path: str) -> Any:
    jmespath: Any = extra("remote", "jmespath")
    try:
        return jmespath.compile(path)
    except jmespath.exceptions.JMESPathError as error:
        raise InputError(f"scores={path!r} is no JMESPath: {error}") from None


def _found(path: str, content: Any) -> Any:
    jmespath: Any = extra("remote", "jmespath")
    try:
        found = _compiled(path).search(content)
    except jmespath.exceptions.JMESPathError as error:
        raise Unusable(f"scores={path!r} does not fit the answer: {error}") from None
    if found is None:
        names = ", ".join(content)[:120] if isinstance(content, dict) else "no mapping"
        raise Unusable(f"scores={path!r} leads nowhere; the answer has {names}.")
    return found
