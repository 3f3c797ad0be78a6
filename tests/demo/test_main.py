"""From the command line the tour runs, or says what is missing."""

import pytest

from facetwise import ExtraError
from facetwise.demo import __main__ as command


def test_it_says_what_is_missing(monkeypatch, capsys):
    """Without a library that it needs, it ends with the hint and an exit code."""

    def missing():
        raise ExtraError("Install it.")

    monkeypatch.setattr(command, "main", missing)
    assert command.run() == command.FAILED
    assert capsys.readouterr().err == "Install it.\n"


@pytest.mark.parametrize("error", [KeyError("a"), KeyboardInterrupt()])
def test_other_errors_are_not_hidden(error, monkeypatch):
    """What is no fault of the user's is raised as it is."""

    def broken():
        raise error

    monkeypatch.setattr(command, "main", broken)
    with pytest.raises(type(error)):
        command.run()


def test_it_shows_the_tour(monkeypatch, capsys):
    """It runs the tour once, and ends well."""
    monkeypatch.setattr(command, "main", lambda: print("seen"))
    assert command.run() == 0
    assert capsys.readouterr().out == "seen\n"
