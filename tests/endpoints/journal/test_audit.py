"""A journal can be read, checked and handed on after the fact."""

import contextlib
import csv
import io
import re
import sqlite3

import numpy as np
import pytest

import facetwise as fw
from facetwise.endpoints.journal.audit import COLUMNS, export, show, verify
from facetwise.endpoints.journal.identity import Identity, questions
from facetwise.endpoints.journal.session import Session
from facetwise.errors import JournalError
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((3, 4))


@pytest.fixture
def path(tmp_path):
    """The journal of one run."""
    fw.Explainer(Fake(network(0), "credit v2"), journal=tmp_path / "j", seed=7)(X)
    return tmp_path / "j"


def change(path, statement):
    """Tamper with a journal."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()


def test_a_whole_journal_has_no_faults(path):
    """What a run leaves is found to be whole, over and over."""
    assert verify(path) == []
    assert verify(path) == []


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE answers SET scores = zeroblob(24) WHERE", "call 1: .*not the one"),
        ("UPDATE answers SET occurrence = 9 WHERE", "call 1: .*not the one"),
        ("DELETE FROM answers WHERE", "call 1: 2 answers of 3 are there"),
        ("DELETE FROM calls WHERE id = 2 AND", "call 2: .*belong to no call"),
        ("UPDATE runs SET endpoint = 'other' WHERE", "run 1: .*not those it began"),
        ("UPDATE runs SET instances = zeroblob(96) WHERE", "run 1: .*instances"),
    ],
)
def test_damage_is_found(path, statement, fault):
    """A number changed, or a line gone, is named."""
    one = "question = (SELECT min(question) FROM answers WHERE call = 1)"
    where = f"{one} AND call = 1" if "answers" in statement else "1"
    change(path, f"{statement} {where}")
    assert any(re.search(fault, found) for found in verify(path))


def test_what_was_in_flight_leaves_no_fault(path):
    """A call that came back is whole, though one before it did not."""
    session = Session(path, Identity("fake", {}, X), 0)
    first, second = session.recall([b"q"]) + session.recall([b"q"])
    session.keep([(second.question, second.occurrence, b"12345678")])
    session.close()
    assert first.occurrence == 0
    assert verify(path) == []


def test_a_damaged_file_is_named(path):
    """A page overwritten is a fault, or an error that says damaged."""
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    with contextlib.suppress(JournalError):
        assert verify(path)


def test_what_it_shows(path):
    """Whom it asked, about what, how much, and how it ended can be read."""
    text = show(path)
    for part in ["run 1: credit v2, 3 rows, 4 features", "finished 20", "seed 7"]:
        assert part in text


def test_every_answer_is_exported(path):
    """Each line has a question and its scores, which read back to the last bit."""
    out = io.StringIO()
    count = export(path, out)
    lines = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(lines) == count > 3 * 20
    assert [*lines[0]][: len(COLUMNS)] == [*COLUMNS]
    first = questions(X)[0].hex()
    found = next(line for line in lines if line["question"] == first)
    assert [float(found[f"score_{c}"]) for c in range(3)] == network(0)(X)[0].tolist()


@pytest.mark.parametrize(
    "read", [verify, show, lambda path: export(path, io.StringIO())]
)
def test_a_journal_that_is_not_there_is_not_made(tmp_path, read):
    """Reading does not leave an empty journal behind."""
    with pytest.raises(JournalError, match="no journal at"):
        read(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
