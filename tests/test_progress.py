"""Progress is shown to those who watch, and to nobody else."""

import itertools
import sys

import pytest

import facetwise.progress as progress_module
from facetwise.progress import reporter


@pytest.fixture
def clock(monkeypatch):
    """A clock that is a second later every time that it is looked at."""
    ticks = itertools.count()
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: float(next(ticks)))


@pytest.fixture
def frozen(monkeypatch):
    """A clock that stands still."""
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: 0.0)


def test_silent_when_told(capsys, clock):
    """False shows nothing, even on a terminal."""
    report = reporter(False)
    report(1, 2, 30, 1)
    assert capsys.readouterr() == ("", "")


def test_silent_when_nobody_watches(capsys, clock, monkeypatch):
    """By default a line is shown where a terminal is, and nothing elsewhere."""
    for terminal in [False, True]:
        monkeypatch.setattr(sys.stderr, "isatty", lambda t=terminal: t)
        report = reporter(None)
        for done in range(1, 5):
            report(done, 5, 100 * done, done)
        assert bool(capsys.readouterr().err) == terminal


def test_short_work_is_silent(capsys, frozen):
    """Work that ends at once shows no line at all."""
    report = reporter(True)
    report(1, 2, 30, 1)
    report(2, 2, 60, 2)
    assert capsys.readouterr() == ("", "")


def test_the_line(capsys, clock):
    """The line goes to standard error, is rewritten in place, and ends with the run."""
    report = reporter(True)
    for done in range(1, 4):
        report(done, 3, 1000 * done, done - 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "3 of 3 rows, 2 certified, 3,000 questions" in err
    assert err.startswith("\r")
    assert err.endswith("\n")
    assert err.count("\n") == 1


def test_the_end_is_not_waited_for(capsys, monkeypatch):
    """A line that is shown ends with the work, however soon after the one before."""
    ticks = iter([0.0, 5.0, 5.0, 5.0])
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: next(ticks))
    report = reporter(True)
    for done in range(1, 4):
        report(done, 3, done, done)
    assert capsys.readouterr().err.count("\r") == 2


def test_the_line_of_something_else(capsys, clock):
    """Other work has its own line, which may not know how much there is in all."""
    report = reporter(True, lambda done, total: f"{done} of {total} ")
    report(1, None)
    report(2, None)
    report(2, 2)
    assert capsys.readouterr().err == "\r1 of None \r2 of None \r2 of 2 \n"


def test_a_function_is_called_as_it_is():
    """A function of one's own is handed back untouched."""
    calls = []

    def mine(done, rows, asked):
        calls.append((done, rows, asked))

    assert reporter(mine) is mine
