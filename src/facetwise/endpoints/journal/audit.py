"""Reads a journal after the fact: what it holds, whether it is whole, all of it."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TextIO

from facetwise.endpoints.journal.connection import connect, told
from facetwise.endpoints.journal.identity import call_digest, run_hash, unpacked
from facetwise.errors import JournalError

RUNS = """
SELECT id, endpoint, settings, shape, instances, seed, begun, finished, identity
FROM runs ORDER BY id
"""

COUNTS = """
SELECT count(*), coalesce(sum(answers), 0), min(at), max(at) FROM calls WHERE run = ?
"""

BY_CALL = """
SELECT call, question, occurrence, scores FROM answers
ORDER BY call, question, occurrence
"""

ANSWERS = """
SELECT answers.run, call, at, question, occurrence, scores
FROM answers JOIN calls ON calls.id = call ORDER BY call, question, occurrence
"""

COLUMNS = ("run", "call", "at", "question", "occurrence")


def verify(path: str | PathLike[str]) -> list[str]:
    """Derive every hash again from what is read back; faults found, none if whole."""
    with _opened(path) as journal:
        faults = [
            f"SQLite finds: {text}"
            for (text,) in journal.execute("PRAGMA quick_check")
            if text != "ok"
        ]
        return faults or [*_faults_of_runs(journal), *_faults_of_calls(journal)]


def show(path: str | PathLike[str]) -> str:
    """What a journal holds, run by run, for people to read."""
    lines = []
    with _opened(path) as journal:
        for run, endpoint, settings, shape, _, seed, begun, end, _ in journal.execute(
            RUNS
        ):
            calls, answers, _, last = journal.execute(COUNTS, (run,)).fetchone()
            said = json.loads(settings)
            told_settings = ", ".join(f"{k} {said[k]}" for k in sorted(said) if said[k])
            rows, d = json.loads(shape)
            lines += [
                f"run {run}: {endpoint}, {rows} rows, {d} features",
                f"  begun {begun}, {f'finished {end}' if end else 'not finished'}",
                f"  {answers} answers in {calls} calls, the last {last or 'never'}",
                f"  seed {seed}; {told_settings}",
            ]
    return "\n".join(lines) or "no runs"


def export(path: str | PathLike[str], out: TextIO) -> int:
    """Write every answer as a line of CSV, floats with all their digits; the count.

    Questions go by their hash: the rows asked follow from a run's instances, its
    settings and its seed.
    """
    writer = csv.writer(out, lineterminator="\n")
    with _opened(path) as journal:
        (size,) = journal.execute(
            "SELECT coalesce(max(length(scores)), 0) FROM answers"
        ).fetchone()
        writer.writerow([*COLUMNS, *(f"score_{c}" for c in range(size // 8))])
        count = 0
        for *about, question, occurrence, scores in journal.execute(ANSWERS):
            numbers = map(repr, unpacked(scores).tolist())
            writer.writerow([*about, question.hex(), occurrence, *numbers])
            count += 1
    return count


@contextmanager
def _opened(path: str | PathLike[str]) -> Iterator[sqlite3.Connection]:
    path = fspath(path)
    if not Path(path).exists():
        raise JournalError(f"There is no journal at {path}.")
    connection = connect(path)
    try:
        with told(path):
            yield connection
    finally:
        connection.close()


def _faults_of_runs(journal: sqlite3.Connection) -> Iterator[str]:
    for run, endpoint, settings, shape, instances, *_, identity in journal.execute(
        RUNS
    ):
        if run_hash(endpoint, settings, shape, instances) != identity:
            yield f"run {run}: its settings or instances are not those it began with"


def _faults_of_calls(journal: sqlite3.Connection) -> Iterator[str]:
    found: dict[int, tuple[int, bytes]] = {}
    rows: Iterator[tuple[Any, ...]] = journal.execute(BY_CALL)
    for call, group in groupby(rows, key=itemgetter(0)):
        answers = [answer for _, *answer in group]
        found[call] = len(answers), call_digest((q, o, y) for q, o, y in answers)
    for call, count, digest in journal.execute("SELECT id, answers, digest FROM calls"):
        seen, hashed = found.pop(call, (0, call_digest([])))
        if seen != count:
            yield f"call {call}: {seen} answers of {count} are there"
        elif hashed != digest:
            yield f"call {call}: an answer is not the one that was kept"
    yield from (f"call {call}: its answers belong to no call" for call in found)
