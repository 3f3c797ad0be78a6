"""Opens the file of a journal, and says in words what SQLite holds against it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

from facetwise.endpoints.journal.migrations import migrate
from facetwise.errors import JournalError

PATIENCE = 60.0
"""Seconds to wait while another process writes."""

PAUSE = 0.01
"""Seconds until a second attempt, where SQLite itself does not wait."""

PAGES_AHEAD = 2**14
"""Pages (64 MiB) that may wait in the log. Hashes fall all over the file, so each call
touches hundreds of pages: written back seldom, most are written once for many."""

REMEDIES = {
    "SQLITE_FULL": "The disk is full: make room, and run again.",
    "SQLITE_READONLY": "It is read-only: make it and its folder writable.",
    "SQLITE_CANTOPEN": "Check that its folder exists and is writable.",
    "SQLITE_NOTADB": "It is no journal: name a file that does not exist yet.",
    "SQLITE_CORRUPT": "It is damaged: restore a copy, or name another file.",
    "SQLITE_BUSY": "Another process holds it: wait for that one, or name another file.",
    "SQLITE_IOERR": "The disk fails, or is full: check it, and run again.",
}
"""What to do, by the beginning of SQLite's own name of the error."""

WHAT_IS_SAFE = "Answers that were kept before are safe, and are not asked again."


def connect(path: str | PathLike[str]) -> sqlite3.Connection:
    """A connection to a journal, which is made if it is not there."""
    path = fspath(path)
    # SQLite has meanings of its own for "" and ":memory:", which nothing outlives.
    file = Path(path).absolute()
    with told(path):
        connection = sqlite3.connect(
            file, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            migrate(connection, path)
            # Readers and one writer at a time; a commit survives the end of the
            # process without waiting for the disk.
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES_AHEAD}")
        except BaseException:
            connection.close()
            raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Have what is written logged; whoever does so first needs the file for itself.

    When two ask for that at once each would wait for the other, so SQLite refuses one
    of them at once, whatever its timeout is.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(PAUSE)
        else:
            return


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what SQLite raises into a sentence."""
    try:
        yield
    except sqlite3.Error as error:
        name = str(getattr(error, "sqlite_errorname", ""))
        remedies = (r for begins, r in REMEDIES.items() if name.startswith(begins))
        remedy = next(remedies, "Check the file, or name another one.")
        raise JournalError(
            f"The journal {path} cannot be used ({error}). {remedy} {WHAT_IS_SAFE}"
        ) from error
