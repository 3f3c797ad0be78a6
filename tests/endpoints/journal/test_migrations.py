"""A journal is brought up to date step by step, and no other file is touched."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from facetwise.endpoints.journal import migrations
from facetwise.endpoints.journal.connection import connect
from facetwise.errors import JournalError


def columns(connection, table):
    """Names of a table's columns."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_a_journal_of_before_is_brought_up_to_date(tmp_path, monkeypatch):
    """A step that was added is made once, and what was there stays."""
    path = tmp_path / "journal"
    first = connect(path)
    first.execute("INSERT INTO calls VALUES (7, 1, 3, 'now', x'00')")
    first.close()
    more = "ALTER TABLE calls ADD COLUMN note TEXT;\n"
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, more))
    for _ in range(2):
        later = connect(path)
        assert columns(later, "calls")[-1] == "note"
        assert later.execute("SELECT * FROM calls").fetchall() == [
            (7, 1, 3, "now", b"\0", None)
        ]
        later.close()


def test_a_step_that_fails_leaves_nothing(tmp_path, monkeypatch):
    """Half a step is undone, and the next one who opens the journal finds it whole."""
    path = tmp_path / "journal"
    connect(path).close()
    bad = "CREATE TABLE half (a);\nCREATE TABLE calls (a);\n"
    steps = migrations.MIGRATIONS
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*steps, bad))
        with pytest.raises(JournalError, match="already exists"):
            connect(path)
    whole = connect(path)
    assert columns(whole, "half") == []
    whole.close()


def test_many_may_make_it_at_once(tmp_path):
    """Whoever comes first makes the tables, and all others find them."""

    def opened(_):
        connection = connect(tmp_path / "journal")
        found = columns(connection, "answers")
        connection.close()
        return found

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(opened, range(16)))
    assert found[0][:3] == ["run", "question", "occurrence"]
    assert all(names == found[0] for names in found)


def test_a_newer_journal_is_left_alone(tmp_path):
    """A journal that a later version wrote is refused by its number."""
    path = tmp_path / "journal"
    connection = connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(JournalError, match=r"version 99.*up to 1"):
        connect(path)


def test_files_of_others_are_left_alone(tmp_path):
    """An SQLite file of something else is refused, and stays as it was."""
    path = tmp_path / "theirs"
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE runs (a)")
    theirs.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="something else"):
        connect(path)
    assert path.read_bytes() == before


def test_files_that_are_no_database(tmp_path):
    """A text is refused, and stays as it was."""
    path = tmp_path / "text"
    path.write_text("rows,scores\n" * 100)
    with pytest.raises(JournalError, match="no journal"):
        connect(path)
    assert path.read_text() == "rows,scores\n" * 100
