"""The command serves until it is asked to end, and never takes a token as it stands."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from facetwise import InputError
from facetwise.models import PLNN
from facetwise.serve.__main__ import FAILED, parsed


@pytest.fixture
def saved(tmp_path):
    """The file of a small network."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    PLNN((4,), epochs=1, seed=0).fit(X, X[:, 0] > 0).save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def command(*arguments, **variables):
    """A process that serves."""
    return subprocess.Popen(
        [sys.executable, "-m", "facetwise.serve", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended(saved, how):
    """It tells its address, answers there, and ends cleanly when it is asked to."""
    with command(saved, "--port", 0, "--name", "net", "--decimals", 2) as process:
        try:
            url = process.stdout.readline().split()[1].rstrip(";")
            rows = json.dumps({"instances": [[1.0, 2.0, 3.0]]}).encode()
            predict = url.replace("/v2/", "/v1/") + ":predict"
            with urllib.request.urlopen(predict, rows, timeout=60) as reply:
                (scores,) = json.load(reply)["predictions"]
        finally:
            process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert scores == [round(score, 2) for score in scores]
    assert url.endswith("/v2/models/net")
    assert (process.returncode, out, err) == (0, "ended\n", "")


def test_what_cannot_be_served(tmp_path):
    """A file that is not there is one line, and an exit code."""
    with command(tmp_path / "gone.npz") as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == FAILED
    assert len(err.splitlines()) == 1
    assert "no file" in err


def test_tokens_come_from_elsewhere(tmp_path, monkeypatch):
    """From a variable or a file; blanks around it are not part of it."""
    monkeypatch.setenv("TOKEN", "from env")
    (tmp_path / "token").write_text("from file\n")
    assert parsed(["m.npz", "--token-env", "TOKEN"])[1].token == "from env"
    file = str(tmp_path / "token")
    assert parsed(["m.npz", "--token-file", file])[1].token == "from file"
    assert parsed(["m.npz"])[1].token is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--token-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE is not set"),
        (["--token-file", "/gone/token"], "token's file"),
    ],
)
def test_tokens_that_are_not_there(arguments, says):
    """A token that was named and is missing does not mean no token."""
    with pytest.raises(InputError, match=says):
        parsed(["m.npz", *arguments])


def test_a_token_cannot_be_typed():
    """There is no option that takes the token itself."""
    with pytest.raises(SystemExit):
        parsed(["m.npz", "--token", "s3cret"])


def test_what_is_typed_is_what_is_set():
    """Every way to misbehave can be asked for, and what is left out stays default."""
    options = "--float32 --labels-only --fail-rate 0.5 --latency 0.1 --max-rows 7"
    _, settings = parsed(["m.npz", *options.split()])
    assert (settings.float32, settings.labels_only) == (True, True)
    assert (settings.fail_rate, settings.latency, settings.max_rows) == (0.5, 0.1, 7)
    assert (settings.port, settings.host) == (8080, "127.0.0.1")
