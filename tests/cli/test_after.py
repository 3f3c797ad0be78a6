"""`report`, `journal`, `demo` and `reproduce`: what comes after, and before."""

import sqlite3

import pytest

import facetwise.demo
from facetwise.cli import reproduce as module
from typed import typed


@pytest.fixture
def explained(folder):
    """w.npz and its journal."""
    words = ["--model", "m.npz", "--out", "w.npz", "--journal", "w.journal"]
    assert typed("explain", "rows.csv", *words, "--batch-size", 8).exit_code == 0
    return folder


def test_reports_are_written_afterwards(explained):
    """A saved explanation becomes a page, with a title and with rows as images."""
    words = ["--out", "r.html", "--title", "Lending", "--image-shape", "2x2"]
    assert typed("report", "w.npz", *words).exit_code == 0
    assert "Lending" in (explained / "r.html").read_text()


def test_a_report_does_not_replace_what_it_reports(explained):
    """The explanation is not a place for its own page."""
    assert typed("report", "w.npz", "--out", "w.npz").exit_code == 2
    assert typed("report", "w.npz", "--out", "r.html").exit_code == 0


@pytest.mark.parametrize("shape", ["2", "2x", "axb", "2x2x1x1"])
def test_shapes_that_are_none(explained, shape):
    """What is no shape is a mistake in the command."""
    assert typed("report", "w.npz", "--image-shape", shape).exit_code == 2


def test_journals_are_looked_into(explained):
    """What a journal holds is shown, found whole, and written as CSV."""
    assert "6 rows, 4 features" in typed("journal", "show", "w.journal").stdout
    assert "is whole" in typed("journal", "verify", "w.journal").stdout
    done = typed("journal", "export", "w.journal", "--out", "a.csv")
    lines = (explained / "a.csv").read_text().splitlines()
    assert f"{len(lines) - 1:,} answers" in done.stderr


def test_damage_has_a_code(explained):
    """A journal that is no longer what was written is told, fault by fault."""
    connection = sqlite3.connect(explained / "w.journal")
    connection.execute("UPDATE answers SET scores = zeroblob(16) WHERE call = 1")
    connection.commit()
    connection.close()
    done = typed("journal", "verify", "w.journal")
    assert done.exit_code == 5
    assert "call 1" in done.stdout


@pytest.mark.parametrize("what", ["show", "verify"])
@pytest.mark.parametrize("file", ["gone.journal", "rows.csv"])
def test_what_is_no_journal(folder, what, file):
    """Other files are named, and not touched."""
    assert typed("journal", what, file).exit_code == 5
    assert not (folder / "gone.journal").exists()


def test_an_export_does_not_replace_its_journal(explained):
    """The journal is not a place for its own answers."""
    done = typed("journal", "export", "w.journal", "--out", "w.journal")
    assert done.exit_code == 2
    assert typed("journal", "verify", "w.journal").exit_code == 0


def test_the_demo_is_called(monkeypatch):
    """`facetwise demo` is the demo."""
    monkeypatch.setattr(facetwise.demo, "main", lambda: print("shown"))
    assert typed("demo").output == "shown\n"


def test_the_paper_is_called(monkeypatch):
    """`facetwise reproduce` hands on all options as they are."""
    calls = []
    monkeypatch.setattr(module, "run", lambda *given: calls.append(given))
    assert typed("reproduce", "--instances", 5, "--models", "lmt").exit_code == 0
    assert calls[0][0] == ("--instances", "5", "--models", "lmt")
