"""What SQLite holds against a file is told in a sentence, with what to do."""

import os
import sqlite3
import subprocess
import sys

import pytest

from facetwise.endpoints.journal import connection
from facetwise.endpoints.journal.connection import connect, told
from facetwise.errors import JournalError

NOBODY = 65534


def test_names_that_mean_something_to_sqlite(tmp_path, monkeypatch):
    """A journal is a file always, and never one that ends with its process."""
    monkeypatch.chdir(tmp_path)
    connect(":memory:").close()
    assert (tmp_path / ":memory:").is_file()
    with pytest.raises(JournalError):
        connect("")


def test_a_folder_that_is_not_there(tmp_path):
    """A journal in a folder that does not exist says so before a run begins."""
    with pytest.raises(JournalError, match=r"unable to open.*folder exists"):
        connect(tmp_path / "gone" / "journal")


def test_two_that_log_a_file_at_once(monkeypatch):
    """Who is refused because another one is about to log the file asks again."""

    class Refusing:
        def __init__(self, times):
            self.left = times

        def execute(self, statement):
            if self.left:
                self.left -= 1
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

    monkeypatch.setattr(connection, "PAUSE", 0.0)
    refusing = Refusing(3)
    connection._write_ahead(refusing)
    assert refusing.left == 0
    monkeypatch.setattr(connection, "PATIENCE", -1.0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        connection._write_ahead(Refusing(1))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_file_that_others_own(tmp_path, mode):
    """A file that may not be written is told before anything is asked."""
    path = tmp_path / "journal"
    connect(path).close()
    path.chmod(mode)
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.owner() == "root" and str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    code = (
        "import os, sys; from facetwise.endpoints.journal.connection import connect\n"
        f"os.setuid({NOBODY})\n"
        "try: connect(sys.argv[1])\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("JournalError")
    assert "writable" in ran.stdout


def test_unknown_errors_are_told_too():
    """An error that nothing is known of still names the journal and the cause."""
    with pytest.raises(JournalError, match=r"The journal j .*odd"), told("j"):
        raise sqlite3.OperationalError("odd")


def test_other_errors_pass():
    """Only what SQLite raises is translated."""
    with pytest.raises(KeyError), told("j"):
        raise KeyError
