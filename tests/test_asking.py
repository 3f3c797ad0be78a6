"""A service is asked within its limits, and a run that broke off is taken up again."""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import facetwise as fw
from facetwise import InputError, JournalError, Status
from facetwise.endpoints.estimate import allowance
from facetwise.endpoints.journal.audit import verify
from facetwise.endpoints.journal.session import Session
from facetwise.errors import EndpointError
from fake_endpoints import Fake, Retrying, network
from killed_run import SERVICE, SETTINGS, X

D = X.shape[1]


def same(one, other):
    """Whether two explanations agree in every bit of every number."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name == "meta":
            continue
        if isinstance(a, np.ndarray) and a.dtype != object:
            a, b = a.tobytes(), b.tobytes()  # NaN is NaN, and -0 is not 0
        assert np.all(a == b), field.name
    return True


# --- Limits ---------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 7, 40, 200, 500])
@pytest.mark.parametrize("kind", [Fake, Retrying])
def test_no_row_is_sent_beyond_the_limit(limit, kind):
    """Whatever is tried again, watched or cut, what is sent stays within the limit."""
    fake = kind(SERVICE)
    explanation = fw.Explainer(fake, max_queries=limit, batch_size=8)(X)
    attempts = 2 if kind is Retrying else 1
    assert attempts * fake.rows <= limit
    assert explanation.meta["sent_queries"] <= limit
    ended = {Status.CERTIFIED, Status.OUT_OF_BUDGET}
    assert set(explanation.status) <= ended
    assert explanation.certified.sum() <= limit / (attempts * D)


@pytest.mark.parametrize("limit", [1, 5, 30])
def test_no_call_is_sent_beyond_the_limit(limit):
    """Calls are limited as rows are."""
    fake = Fake(SERVICE)
    explanation = fw.Explainer(fake, max_calls=limit, batch_size=8)(X)
    assert fake.calls <= limit
    assert set(explanation.status) <= {Status.CERTIFIED, Status.OUT_OF_BUDGET}


def test_a_callable_may_have_limits_of_its_own():
    """Calls of a plain function can be limited too, and it has no limit by default."""
    fake = Fake(SERVICE)
    fw.Explainer(fake.scores, max_calls=3, batch_size=8)(X)
    assert fake.calls <= 3
    meta = fw.Explainer(fake.scores)(X).meta
    assert (meta["max_queries"], meta["max_calls"]) == (None, None)
    assert meta["sent_queries"] == meta["queries"]


def test_a_service_has_a_budget_by_default():
    """Nobody has to name one: it follows from what the run is estimated to take."""
    meta = fw.Explainer(Fake(SERVICE), batch_size=8)(X).meta
    assert (meta["max_queries"], meta["max_calls"]) == allowance(len(X), D, 8, waves=1)


def test_the_published_method_has_a_budget_that_it_can_keep():
    """Algorithm 1 asks many times more, and is given it."""
    explanation = fw.Explainer(Fake(SERVICE), method="algorithm1", seed=0)(X)
    assert (explanation.status == Status.UNVERIFIED).all()


def test_what_was_finished_is_kept():
    """Rows that were finished before the budget was spent are as without a limit."""
    whole = fw.Explainer(Fake(SERVICE), seed=3)(X)
    part = fw.Explainer(Fake(SERVICE), seed=3, max_queries=250)(X)
    kept = part.certified
    assert 3 <= kept.sum() < len(X)
    assert part.values[kept].tobytes() == whole.values[kept].tobytes()
    assert (part.status[~kept] == Status.OUT_OF_BUDGET).all()


def test_rates_are_kept_to():
    """No more calls a second are sent than allowed."""
    fake = Fake(SERVICE)
    explanation = fw.Explainer(fake, calls_per_second=400.0, batch_size=8)(X[:2])
    assert explanation.meta["seconds"] >= (fake.calls - 1) / 400.0


@pytest.mark.parametrize("name", ["rows_per_second", "calls_per_second"])
@pytest.mark.parametrize("given", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_rates_have_to_be_rates(name, given):
    """A rate that is none is named before anything is asked."""
    with pytest.raises(InputError, match=name):
        fw.Explainer(Fake(SERVICE), **{name: given})


@pytest.mark.parametrize("settings", [{"batch_size": 5}, {"concurrency": 1}])
def test_a_service_is_explained_as_a_callable_is(settings):
    """Layers, batches and threads change nothing in what comes out."""
    one = fw.Explainer(Fake(SERVICE), seed=1, **settings)(X)
    assert same(one, fw.Explainer(SERVICE, seed=1)(X))


def test_no_thread_is_left():
    """Threads end with the run, whether it came to its end or not."""
    before = threading.active_count()
    fw.Explainer(Fake(SERVICE), batch_size=4)(X)
    assert threading.active_count() == before
    with pytest.raises(EndpointError):
        fw.Explainer(Fake(failing_after(5)), batch_size=4)(X)
    assert threading.active_count() == before


# --- Faults ---------------------------------------------------------------------------


def failing_after(calls):
    """A service that is gone after so many calls."""
    lock, left = threading.Lock(), calls

    def answer(rows):
        nonlocal left
        with lock:
            left -= 1
        if left < 0:
            raise EndpointError("the service is gone")
        return SERVICE(rows)

    return answer


def test_a_fault_goes_through_with_what_was_finished():
    """The error is the endpoint's own, and holds the rows that were finished."""
    fake = Fake(failing_after(60))
    with pytest.raises(EndpointError, match="the service is gone") as caught:
        fw.Explainer(fake, batch_size=4, concurrency=1)(np.tile(X, (4, 1)))
    explanation = caught.value.explanation
    assert 0 < explanation.certified.sum() < 4 * len(X)
    left = explanation.status[~explanation.certified]
    assert (left == Status.NOT_ASKED).all()


def test_nothing_is_sent_after_a_fault():
    """Of many calls that wait, none follows the one that failed."""
    fake = Fake(failing_after(3))
    with pytest.raises(EndpointError, match="the service is gone"):
        fw.Explainer(fake, batch_size=1, concurrency=2)(np.tile(X, (10, 1)))
    assert fake.calls <= 3 + 2


def test_answers_of_two_widths_at_once():
    """Two versions that answer the first calls together are told, by their widths."""
    wide, together = network(0, classes=5), threading.Barrier(2, timeout=60)

    def answer(rows):
        together.wait()
        return (wide if (rows[0] == X[0]).all() else SERVICE)(rows)

    with pytest.raises(fw.ResponseError, match="more than one model"):
        fw.Explainer(Fake(answer), batch_size=6, concurrency=2)(X)


# --- Journals -------------------------------------------------------------------------


def test_the_same_call_takes_up_the_same_run(tmp_path):
    """Without a seed the run's own is taken, and all answers are given again."""
    journal = tmp_path / "j"
    first = fw.Explainer(Fake(SERVICE), journal=journal)(X)
    fake = Fake(SERVICE)
    again = fw.Explainer(fake, journal=journal)(X)
    assert again.meta["seed"] == first.meta["seed"]
    assert same(first, again)
    assert fake.rows <= 3
    assert again.meta["sent_queries"] == first.meta["sent_queries"]


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 5},
        {"target": 1},
        {"versus": 1, "target": 0},
        {"response": "probabilities"},
        {"confidence": 0.99},
        {"precision": 0.5},
        {"domain": fw.Domain(scale=2.0)},
        {"domain": fw.Domain(frozen=[0])},
        {"feature_names": list("abcd")},
    ],
)
def test_other_settings_are_another_run(tmp_path, changes):
    """Whatever changes the questions is part of what a run is."""
    journal = tmp_path / "j"
    fw.Explainer(Fake(SERVICE), journal=journal)(X)
    fake = Fake(SERVICE)
    fw.Explainer(fake, journal=journal, **changes)(X)
    assert fake.rows > len(X) * D


def test_other_rows_or_names_are_another_run(tmp_path):
    """Other instances, and another endpoint, are asked anew."""
    journal = tmp_path / "j"
    fw.Explainer(Fake(SERVICE), journal=journal)(X)
    for fake, rows in [(Fake(SERVICE), X[:6]), (Fake(SERVICE, "other"), X)]:
        fw.Explainer(fake, journal=journal)(rows)
        assert fake.rows > len(rows) * D


@pytest.mark.parametrize("kind", ["endpoint", "callable"])
def test_another_model_of_the_same_name_is_not_explained_by_the_first(tmp_path, kind):
    """A model that took the place of one that was finished is not given its answers."""
    one, other = Fake(SERVICE), Fake(network(2))
    if kind == "callable":
        one, other = one.scores, other.scores
    fw.Explainer(one, journal=tmp_path / "j")(X)
    with pytest.raises(JournalError, match="other answers"):
        fw.Explainer(other, journal=tmp_path / "j")(X)


def test_a_larger_budget_goes_on_where_a_smaller_one_ended(tmp_path):
    """Limits are no part of a run: with a higher one it is finished."""
    journal = tmp_path / "j"
    settings = {"journal": journal, "seed": 2}
    first, second = Fake(SERVICE), Fake(SERVICE)
    part = fw.Explainer(first, max_queries=250, **settings)(X)
    assert not part.certified.all()
    whole = fw.Explainer(second, **settings)(X)
    assert same(whole, fw.Explainer(SERVICE, seed=2)(X))
    assert second.rows < whole.meta["sent_queries"] - 150


def test_a_budget_counts_what_was_paid_before(tmp_path):
    """A run that spent its budget sends nothing more when it is taken up again."""
    settings = {"journal": tmp_path / "j", "max_queries": 250, "seed": 2}
    first = fw.Explainer(Fake(SERVICE), **settings)(X)
    fake = Fake(SERVICE)
    again = fw.Explainer(fake, **settings)(X)
    assert fake.rows <= 3
    assert same(first, again)


def test_a_run_that_broke_off_is_taken_up_again(tmp_path):
    """After a fault nothing that was answered is asked again."""
    journal = tmp_path / "j"
    broken = Fake(failing_after(30))
    with pytest.raises(EndpointError):
        fw.Explainer(broken, journal=journal, batch_size=4)(X)
    fake = Fake(SERVICE)
    resumed = fw.Explainer(fake, journal=journal, batch_size=4)(X)
    whole = Fake(SERVICE)
    seed = resumed.meta["seed"]
    assert same(resumed, fw.Explainer(whole, seed=seed, batch_size=4)(X))
    in_flight = 8 * 4
    assert broken.rows + fake.rows <= whole.rows + in_flight


@pytest.mark.parametrize("given", [3, True, b"j", X])
def test_a_journal_is_a_path(given):
    """Anything else is named before a question is asked."""
    with pytest.raises(InputError, match="journal must be the path"):
        fw.Explainer(Fake(SERVICE), journal=given)


def test_frames_are_kept_and_given_again(tmp_path):
    """Rows of a table, with a column of text, are known by what they hold."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X[:, :3], columns=list("abc"))
    table["kind"] = ["x", "y"] * (len(X) // 2)

    def answer(frame):
        shift = (frame["kind"] == "x").to_numpy(dtype=float)
        return SERVICE(np.column_stack([frame[["a", "b", "c"]].to_numpy(), shift]))

    def explain(rows):
        fake = Fake(answer)
        domain = fw.Domain(frozen=["kind"])
        found = fw.Explainer(fake, journal=tmp_path / "j", domain=domain)(rows)
        return fake.rows, found

    paid, first = explain(table)
    paid_again, again = explain(table)
    assert same(first, again)
    assert (paid > 100, paid_again <= 3) == (True, True)
    paid_for_others, _ = explain(table.assign(kind=table["kind"].str.upper()))
    assert paid_for_others > 100


@pytest.mark.parametrize(
    ("what", "which"),
    [
        *(("call", k) for k in (0, 1, 6, 20)),
        *(("statement", k) for k in (1, 9, 14, 60, 150, 400, 900)),
    ],
)
def test_a_run_that_was_killed_is_taken_up_again(tmp_path, what, which):
    """Killed at any moment, it resumes, pays again only what was in flight, and ends
    as if nothing had been.
    """
    journal, log = tmp_path / "j", tmp_path / "log"
    script = Path(__file__).parent / "killed_run.py"
    ran = subprocess.run(
        [sys.executable, script, journal, log, what, str(which)],
        env={**os.environ, "PYTHONPATH": str(script.parent)},
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL
    fake, whole = Fake(SERVICE), Fake(SERVICE)
    resumed = fw.Explainer(fake, journal=journal, **SETTINGS)(X)
    assert same(resumed, fw.Explainer(whole, seed=resumed.meta["seed"], **SETTINGS)(X))
    paid = sum(map(int, log.read_text().split())) if log.exists() else 0
    in_flight = SETTINGS["batch_size"] * SETTINGS["concurrency"]
    assert paid + fake.rows <= whole.rows + in_flight
    assert verify(journal) == []


def test_a_full_disk_ends_a_run_before_more_is_paid(tmp_path, monkeypatch):
    """When answers can no longer be kept, nothing is asked, and finished rows stay."""
    begin = Session._begin

    def limited(self, *given):
        begun = begin(self, *given)
        self._connection.execute("PRAGMA max_page_count = 9")
        return begun

    monkeypatch.setattr(Session, "_begin", limited)
    fake = Fake(SERVICE)
    rows = np.tile(X, (20, 1))
    settings = {"journal": tmp_path / "j", "batch_size": 64, "concurrency": 1}
    with pytest.raises(JournalError, match="full"):
        fw.Explainer(fake, **settings)(rows)
    asked = fake.rows
    monkeypatch.undo()
    again = Fake(SERVICE)
    whole = fw.Explainer(again, **settings)(rows)
    assert again.rows + asked <= whole.meta["sent_queries"] + 64


def test_no_credential_is_in_a_journal(tmp_path):
    """What an endpoint keeps to itself is nowhere in the file."""

    class Secretive(Fake):
        token = "s3cr3t-t0ken"

    fw.Explainer(Secretive(SERVICE), journal=tmp_path / "j")(X)
    for file in tmp_path.iterdir():
        assert b"s3cr3t-t0ken" not in file.read_bytes()
