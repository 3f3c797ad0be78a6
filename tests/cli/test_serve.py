"""The command serves until it is asked to end, and never takes a token as it stands."""

import json
import signal
import urllib.request
from pathlib import Path

import pytest

from facetwise.cli import serve as module
from facetwise.serve.settings import Settings
from typed import command, typed


@pytest.fixture
def begun(folder, monkeypatch):
    """The settings that a server would have for words that are typed."""
    found = []

    def begin(model, settings):
        found.append(settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "begin", begin)

    def settings(*words):
        assert typed("serve", "m.npz", *words).exit_code == 130
        return found[-1]

    return settings


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended(folder, how):
    """It tells its address, answers there, and ends cleanly when it is asked to."""
    words = ["serve", "m.npz", "--port", 0, "--name", "net", "--decimals", 2]
    with command(*words) as process:
        try:
            url = process.stdout.readline().split()[1].rstrip(";")
            rows = json.dumps({"instances": [[1.0, 2.0, 3.0, 4.0]]}).encode()
            predict = url.replace("/v2/", "/v1/") + ":predict"
            with urllib.request.urlopen(predict, rows, timeout=60) as reply:
                (scores,) = json.load(reply)["predictions"]
        finally:
            process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert scores == [round(score, 2) for score in scores]
    assert url.endswith("/v2/models/net")
    assert (process.returncode, out, err) == (0, "ended\n", "")


def test_what_cannot_be_served(folder):
    """A file that is not there is one line, and an exit code."""
    done = typed("serve", "gone.npz")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "no file" in done.stderr


def test_tokens_come_from_elsewhere(begun, monkeypatch):
    """From a variable or a file; blanks around it are not part of it."""
    monkeypatch.setenv("TOKEN", "from env")
    Path("token").write_text("from file\n")
    assert begun("--token-env", "TOKEN").token == "from env"
    assert begun("--token-file", "token").token == "from file"
    assert begun().token is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--token-env", "s3cret"], 2),
        (["--token-file", "gone"], 2),
        (["--token-env", "s3cret", "--token-file", "gone"], 2),
        (["--token", "s3cret"], 2),
    ],
)
def test_tokens_that_are_not_there(folder, words, code):
    """A token that was named and is missing does not mean no token, or is repeated."""
    done = typed("serve", "m.npz", *words)
    assert done.exit_code == code
    assert "s3cret" not in done.output


def test_what_is_typed_is_what_is_set(begun):
    """Every way to misbehave can be asked for, and what is left out stays default."""
    options = "--float32 --labels-only --fail-rate 0.5 --latency 0.1 --max-rows 7"
    assert begun(*options.split()) == Settings(
        float32=True, labels_only=True, fail_rate=0.5, latency=0.1, max_rows=7
    )
