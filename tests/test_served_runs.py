"""The client and all its layers together, against a real server that misbehaves."""

import logging
import os
import re
import signal
import subprocess
import sys
import traceback
from pathlib import Path

import httpx
import numpy as np
import pytest

import facetwise as fw
import served_run
from facetwise.core.status import Status
from facetwise.endpoints.retry import Patience
from facetwise.serve import Settings, serve
from fake_endpoints import network
from faulty_server import FaultyServer
from served_run import X

ANSWER = network(0)
TOKEN = "tell-nobody-1234"
HASTE = Patience(first_wait=0.001, longest_wait=0.01)


class Model:
    """A network that knows its number of features."""

    n_features_in_ = 4
    predict_proba = staticmethod(ANSWER)


def connected(url, **settings):
    """A connection with the token, which wastes no time on waiting."""
    settings = {"token": lambda: TOKEN, "patience": HASTE, **settings}
    return fw.connect(url, **settings)


def test_everything_together(tmp_path, caplog):
    """With failures, a token, a journal and limits, rows are certified and counted."""
    caplog.set_level(logging.DEBUG)
    journal = tmp_path / "journal"
    settings = Settings(port=0, token=TOKEN, fail_rate=0.2, latency=0.001, seed=0)
    with serve(Model(), settings) as server:
        endpoint = connected(server.url)
        explainer = fw.Explainer(
            endpoint,
            journal=journal,
            rows_per_second=1e6,
            calls_per_second=1e4,
            batch_size=16,
            seed=0,
        )
        explanation = explainer(X)
        origin = server.url.removesuffix("/v2/models/model")
        counted = httpx.get(
            f"{origin}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}
        ).text
    assert explanation.certified.all()
    meta = explanation.meta
    assert meta["sent_queries"] > meta["queries"]
    # What the budget counts is what arrived, those that failed included.
    arrived = re.findall(r'requests_total{status="\d+"} (\d+)', counted)
    described = 1  # the model was asked about itself, once
    assert sum(map(int, arrived)) == meta["sent_calls"] + described
    shown = [repr(endpoint), repr(explainer), str(meta), caplog.text, server.url]
    assert not any(TOKEN in text for text in shown)
    assert not any(TOKEN.encode() in f.read_bytes() for f in tmp_path.iterdir())
    fw.report.write(explanation, tmp_path / "report.html")
    assert TOKEN not in (tmp_path / "report.html").read_text("utf-8")


def test_failures_do_not_change_the_answer():
    """What was asked again is answered as it would have been the first time."""
    explained = []
    for share in [0.0, 0.3]:
        with serve(Model(), Settings(port=0, fail_rate=share, seed=1)) as server:
            endpoint = connected(server.url, token=None)
            explained.append(fw.Explainer(endpoint, seed=5, batch_size=16)(X))
    smooth, rough = explained
    assert smooth.values.tobytes() == rough.values.tobytes()
    assert rough.meta["sent_calls"] > smooth.meta["sent_calls"]


def test_a_service_with_few_places():
    """Where most calls are sent away, fewer are made, and all rows are explained."""
    with FaultyServer(ANSWER, at_a_time=2) as server:
        endpoint = connected(server.url, token=None)
        explanation = fw.Explainer(endpoint, seed=0, batch_size=8)(X)
        assert explanation.certified.all()
        assert explanation.meta["sent_calls"] == len(server.asked)


def test_a_server_is_enough():
    """With one model on it, a server is found a model by itself."""
    with serve(Model(), Settings(port=0, token=TOKEN)) as server:
        endpoint = connected(server.url.removesuffix("/v2/models/model"))
        np.testing.assert_array_equal(endpoint.scores(X), ANSWER(X))
        assert endpoint.name == f"v2 {server.url}"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"token": lambda: "wrong-5678"}, r"^The service answered 401 .*credential"),
        ({"token": None}, r"^The service answered 401 .*token='env:NAME'"),
        ({"path": "/v2/models/other"}, r"^There is no model at .*/v2/models/other"),
        ({"path": "/nothing"}, "protocol"),
    ],
)
def test_what_a_new_user_gets_wrong(change, says):
    """One line says what happened and what to try, and shows no credential."""
    path = change.pop("path", "/v2/models/model")
    with serve(Model(), Settings(port=0, token=TOKEN)) as server:
        origin = server.url.removesuffix("/v2/models/model")
        with pytest.raises(fw.EndpointError, match=says) as caught:
            connected(origin + path, **change).scores(X)
    told = "".join(traceback.format_exception(caught.value))
    assert "\n" not in str(caught.value)
    assert TOKEN not in told
    assert "wrong-5678" not in told


def test_labels_are_explained_first():
    """Where a service answers labels, the sentence begins with what helps."""
    with (
        serve(Model(), Settings(port=0, labels_only=True)) as server,
        pytest.raises(fw.EndpointError, match=r"^The model answered INT64.*no score"),
    ):
        fw.Explainer(connected(server.url, token=None))(X)


def test_a_row_without_a_number():
    """A missing value is told by its place, before anything is sent."""
    rows = X.copy()
    rows[3, 1] = np.nan
    with serve(Model(), Settings(port=0)) as server:
        explainer = fw.Explainer(connected(server.url, token=None))
        with pytest.raises(fw.InputError, match="nan at row 3"):
            explainer(rows)


@pytest.mark.parametrize("decimals", [3, 4, 6])
@pytest.mark.parametrize("rows", [1, 12])
def test_coarse_services_stay_within_the_default_budget(decimals, rows):
    """No row is cut short where nobody named a limit, however few the digits."""
    with serve(Model(), Settings(port=0, decimals=decimals)) as server:
        endpoint = connected(server.url, token=None)
        explainer = fw.Explainer(endpoint, response="probabilities", seed=0)
        explanation = explainer(X[:rows])
    assert Status.OUT_OF_BUDGET not in set(explanation.status)


@pytest.mark.parametrize("answered", [2, 9])
def test_a_run_that_is_killed_is_taken_up(tmp_path, answered):
    """After kill -9, what was answered over HTTP is not asked again."""
    journal = tmp_path / "journal"
    rows = []
    kill = {"after": answered}

    class Watched(Model):
        def predict_proba(self, Z):
            rows.append(len(Z))
            if len(rows) == kill["after"]:
                os.kill(process.pid, signal.SIGKILL)
            return ANSWER(Z)

    with serve(Watched(), Settings(port=0, token=TOKEN, threads=1)) as server:
        command = [sys.executable, str(Path(served_run.__file__)), server.url]
        process = subprocess.Popen(
            [*command, str(journal)],
            env=os.environ | {"SERVED_RUN_TOKEN": TOKEN},
            stdout=subprocess.DEVNULL,
        )
        assert process.wait(120) == -signal.SIGKILL
        kill["after"] = None
        lost = 2 * 3 * 8  # in flight: asked, and not yet kept
        paid = sum(rows)
        settings = {"journal": journal, "batch_size": 8, "concurrency": 3}
        resumed = fw.Explainer(connected(server.url), **settings)(X)
        again = sum(rows) - paid
    assert resumed.certified.all()
    assert again <= resumed.meta["sent_queries"] - paid + lost
    undisturbed = fw.Explainer(
        ANSWER, response="probabilities", seed=resumed.meta["seed"]
    )
    assert resumed.values.tobytes() == undisturbed(X).values.tobytes()
