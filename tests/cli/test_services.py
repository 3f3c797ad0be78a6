"""`facetwise explain` against `facetwise serve`: money, tokens, Ctrl-C."""

import json
import shlex
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import facetwise as fw
from typed import command, instances, typed, write_csv

TOKEN = "s3cret-and-long"

FIRST_WAVE = 600
"""More answers than the first 16 of 60 rows need."""


def finish(process, code):
    """What a process printed, which has to end with this code."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    return out, err


def test_explaining_a_service(served):
    """The weights over HTTP are those of the model, and the budget is told first."""
    url = served()
    words = ["explain", "rows.csv", "--endpoint", url, "--out", "w.npz"]
    _, err = finish(command(*words), 0)
    first = err.splitlines()[0]
    assert "at most" in first
    assert "questions" in first
    done = typed("explain", "rows.csv", "--model", "m.npz", "--out", "here.npz")
    assert done.exit_code == 0
    far, near = fw.load("w.npz"), fw.load("here.npz")
    assert far.certified.all()
    slack = far.error_bound + near.error_bound
    assert (np.abs(far.values - near.values) <= slack).all()
    assert Path("w.journal").exists()


def test_ctrl_c_and_resume(served):
    """What was finished is kept, and the command that is printed takes up the rest."""
    url = served("--latency", 0.05)
    write_csv(Path("rows.csv"), instances(60))
    words = ["explain", "rows.csv", "--endpoint", url, "--out", "w.npz"]
    process = command(*words, "--batch-size", 16, "--concurrency", 1)
    while not answers(Path("w.journal")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = finish(process, 130)
    assert err.splitlines()[-1] == "facetwise: Stopped."
    assert not fw.load("w.npz").certified.all()
    (told,) = [line for line in err.splitlines() if "Go on with: " in line]
    again = shlex.split(told.partition("Go on with: ")[2])
    paid = answers(Path("w.journal"))
    finish(command(*again[1:]), 0)
    whole = fw.load("w.npz")
    assert whole.certified.all()
    assert answers(Path("w.journal")) > paid
    assert typed("journal", "show", "w.journal").stdout.count("run ") == 1


def answers(journal):
    """Answers that a journal holds, of a run whose first rows must be finished."""
    if not journal.exists():
        return 0
    shown = typed("journal", "show", journal)
    lines = [line for line in shown.stdout.splitlines() if " answers in " in line]
    count = int(lines[0].split()[0]) if lines else 0
    return count if count > FIRST_WAVE else 0


def test_another_run_is_not_resumed(served):
    """With another seed nothing is paid: the journal does not hold that run."""
    url = served()
    words = ["explain", "rows.csv", "--endpoint", url, "--out", "w.npz"]
    assert typed(*words, "--rows", "0").exit_code == 0
    done = typed(*words, "--rows", "1", "--resume")
    assert done.exit_code == 5
    assert "does not hold this run" in done.stderr


@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_tokens_are_taken_and_shown_nowhere(served, monkeypatch, debug):
    """The right one is let in, a wrong one is not, and neither is in any file."""
    url = served("--token-env", "SERVER", SERVER=TOKEN)
    words = ["explain", "rows.csv", "--endpoint", url, "--out", "w.npz", *debug]
    Path("token").write_text(TOKEN + "\n")
    monkeypatch.setenv("CLIENT", "wrong-" + TOKEN)
    wrong = typed(*words, "--token-env", "CLIENT")
    assert wrong.exit_code == 4
    assert "401" in wrong.stderr
    right = typed(*words, "--token-file", "token", "--report", "r.html")
    assert right.exit_code == 0
    files = [f for f in Path().iterdir() if f.name != "token"]
    assert not [f.name for f in files if TOKEN.encode() in f.read_bytes()]
    assert TOKEN not in wrong.output + right.output


@pytest.mark.parametrize(
    "words",
    [
        ["--endpoint", f"http://ann:{TOKEN}@127.0.0.1:9/v2/models/m"],
        ["--endpoint", "http://127.0.0.1:9/", "--token-env", TOKEN],
        ["--endpoint", "http://127.0.0.1:9/", "--header", f"x-api-key={TOKEN}"],
        ["--endpoint", "http://127.0.0.1:9/", "--token-env", "A", "--token-file", "b"],
    ],
)
def test_credentials_are_not_typed(folder, words):
    """A credential in the command line is refused, and not repeated."""
    done = typed("explain", "rows.csv", *words)
    assert done.exit_code == 2
    assert TOKEN not in done.output


def test_wrong_addresses(served):
    """A service that is not there, and one that has no such model, are told apart."""
    words = ["explain", "rows.csv", "--endpoint"]
    gone = typed(*words, "http://127.0.0.1:9/v2/models/m")
    assert (gone.exit_code, len(gone.stderr.splitlines())) == (4, 2)
    assert "cannot be reached" in gone.stderr
    other = typed(*words, served() + "-not")
    assert other.exit_code == 4


def test_too_little_money(served):
    """What the budget is enough for is there, and the rest says so."""
    words = ["explain", "rows.csv", "--endpoint", served(), "--out", "w.json"]
    assert typed(*words, "--max-queries", 60).exit_code == 0
    rows = json.loads(Path("w.json").read_text())["rows"]
    assert {"OUT_OF_BUDGET"} < {row["status"] for row in rows} | {"CERTIFIED"}


def test_inspecting_a_service(served):
    """What is there is told in sentences, or as JSON."""
    url = served("--decimals", 6)
    words = ["inspect", url, "--rows", "rows.csv"]
    done = typed(*words)
    assert done.exit_code == 0, done.stderr
    assert "6 decimals" in done.stdout
    assert isinstance(json.loads(typed(*words, "--json").stdout), dict)
