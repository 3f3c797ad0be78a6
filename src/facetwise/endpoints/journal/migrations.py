"""How the tables of a journal came to be: steps that are only ever appended.

Each step is committed together with the number that says that it was made, so that a
journal is never between two of them.
"""

from __future__ import annotations

import sqlite3

from facetwise.endpoints.journal.transaction import transaction
from facetwise.errors import JournalError

APPLICATION = 0x66776A6C
"""Marks an SQLite file as a journal of ours: the letters fwjl."""

MIGRATIONS = (
    # 1: what a run is, the calls it made, and the answer to each question.
    """
    CREATE TABLE runs (
        id        INTEGER PRIMARY KEY,
        identity  BLOB NOT NULL UNIQUE,  -- hash of what follows, but for seed and dates
        endpoint  TEXT NOT NULL,
        settings  TEXT NOT NULL,         -- JSON, keys in order
        shape     TEXT NOT NULL,         -- of the instances: JSON
        instances BLOB NOT NULL,         -- 64-bit floats, little-endian
        seed      TEXT NOT NULL,         -- JSON
        begun     TEXT NOT NULL,
        finished  TEXT
    );
    CREATE TABLE calls (
        id      INTEGER PRIMARY KEY,
        run     INTEGER NOT NULL REFERENCES runs (id),
        answers INTEGER NOT NULL,
        at      TEXT NOT NULL,
        digest  BLOB NOT NULL            -- hash of its questions and answers
    );
    CREATE TABLE answers (
        run        INTEGER NOT NULL REFERENCES runs (id),
        question   BLOB NOT NULL,        -- hash of the row that was asked
        occurrence INTEGER NOT NULL,     -- how often it had been asked before
        call       INTEGER NOT NULL REFERENCES calls (id),
        scores     BLOB NOT NULL,        -- 64-bit floats, little-endian
        PRIMARY KEY (run, question, occurrence)
    ) WITHOUT ROWID;
    """,
)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Make the steps that a journal lacks; other files are refused and not touched."""
    if _number(connection, "user_version") == len(MIGRATIONS):
        _check_kind(connection, path)
        return
    # Another process may be about to do the same.
    with transaction(connection, "BEGIN IMMEDIATE"):
        _check_kind(connection, path)
        done = _number(connection, "user_version")
        for migration in MIGRATIONS[done:]:
            for statement in migration.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _check_kind(connection: sqlite3.Connection, path: str) -> None:
    """Raise unless the file is a journal that this version knows, or empty."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    kind = _number(connection, "application_id")
    if kind != APPLICATION and (tables or kind):
        raise JournalError(
            f"{path} is an SQLite file of something else than facetwise. Name a file "
            "that does not exist yet, or a journal."
        )
    if (version := _number(connection, "user_version")) > len(MIGRATIONS):
        raise JournalError(
            f"The journal {path} has version {version}; this facetwise knows versions "
            f"up to {len(MIGRATIONS)}. Use the facetwise that wrote it, or a newer one."
        )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)
