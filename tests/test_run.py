"""One run keeps to its budget, works in waves, and reads scores as it was told to."""

import itertools
import threading
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import facetwise as fw
import problems as zoo
from facetwise import Domain, InputError, Response, ResponseError, Status
from facetwise.run import AMBITION, LARGEST_WAVE, METHODS, WAVE, _unasked, in_waves

D, C, N = 4, 3, 6
MODEL = zoo.random_network(np.random.default_rng(0), D, C, 1, 8)
ONE = zoo.random_network(np.random.default_rng(1), D, 1, 1, 8)
SERVICE = zoo.probabilities(MODEL)
X = np.random.default_rng(2).standard_normal((N, D))


def explain(service=SERVICE, rows=X, **changes):
    """What a run ends with, under a seed."""
    return fw.Explainer(service, **{"seed": 0, **changes})(rows)


class Tracker:
    """A method that asks nothing, and notes the tasks that it was given."""

    def __init__(self, reaches):
        """Say of each row in turn that it reached so far."""
        self.reaches = iter(reaches)
        self.tasks = []

    def __call__(self, task, scores):
        """Note the task, and end at once."""
        self.tasks.append(task)
        record = _unasked(len(task.x), Status.TOO_COARSE, task.read.target)
        return replace(record, reach=next(self.reaches))
        yield  # which makes it a generator


@pytest.fixture
def tracked(monkeypatch):
    """Tasks that a run hands to its method, given how far rows reach."""

    def track(reaches, rows, **changes):
        method = Tracker(reaches)
        monkeypatch.setitem(METHODS, "tracked", method)
        explain(rows=rows, method="tracked", **changes)
        return method.tasks

    return track


# --- What is recorded ---------------------------------------------------------------


def test_what_is_recorded():
    """The record tells what was asked of whom, how surely, and what it cost."""
    service = zoo.Counting(SERVICE)
    domain = Domain(scale=[1.0, 2.0, 3.0, 4.0], lower=-9.0)
    before = datetime.now(UTC).replace(microsecond=0)
    meta = explain(
        service, confidence=0.75, max_queries=10_000, batch_size=7, domain=domain
    ).meta
    assert meta["queries"] == service.rows
    assert meta["calls"] == service.calls
    assert meta["confidence"] == 0.75
    assert meta["max_queries"] == 10_000
    assert meta["scale"] == [1.0, 2.0, 3.0, 4.0]
    assert (meta["lower"], meta["upper"]) == ([-9.0] * D, [np.inf] * D)
    assert meta["step"] == [0.0] * D
    assert before <= datetime.fromisoformat(meta["started"]) <= datetime.now(UTC)
    assert (meta["model"], meta["method"]) == ("Counting", "facetwise")
    assert meta["versions"]["facetwise"] == fw.__version__
    assert meta["versions"]["numpy"] == np.__version__
    assert meta["seconds"] >= 0


def test_what_is_known_can_be_had_at_any_moment():
    """Rows that ended before an interruption are there, the others were not asked."""
    whole = explain()

    def progress(done, rows, asked, certified):
        if done == 2:
            raise KeyboardInterrupt

    service = zoo.Counting(SERVICE)
    with pytest.raises(KeyboardInterrupt) as caught:
        explain(service, progress=progress)
    kept = caught.value.explanation
    assert kept.certified.sum() == 2
    assert np.array_equal(kept.values[kept.certified], whole.values[kept.certified])
    assert (kept.status[~kept.certified] == Status.NOT_ASKED).all()
    # Their classes are known: that was the first question of the run.
    assert np.array_equal(kept.target, whole.target)
    assert kept.meta["queries"] == service.rows


# --- Budget -------------------------------------------------------------------------


@settings(max_examples=40)
@given(limit=st.integers(1, 200))
def test_the_budget_is_kept_and_accounted_for(limit):
    """No limit is crossed, every question belongs to a row, and what ends is right."""
    service = zoo.Counting(SERVICE)
    explanation = explain(service, max_queries=limit)
    assert service.rows == explanation.queries.sum() <= limit
    out = explanation.status == Status.OUT_OF_BUDGET
    assert (out | explanation.certified).all()
    whole = explain()
    assert np.array_equal(explanation.values[~out], whole.values[~out])
    assert np.isnan(explanation.values[out]).all()
    assert out.any() == (limit < whole.queries.sum())


def test_as_many_rows_are_begun_as_can_be_finished():
    """Rows beyond what the limit can pay for are not asked at all."""
    rows = np.random.default_rng(3).standard_normal((50, D))
    service = zoo.Counting(SERVICE)
    explanation = explain(service, rows, max_queries=10 * (D + 3))
    assert (explanation.queries[10:] == 0).all()
    assert (explanation.status[10:] == Status.OUT_OF_BUDGET).all()
    assert (explanation.queries[:10] > 0).all()
    assert explanation.certified.any()


def test_frozen_features_cost_nothing():
    """A limit that does for the features that move does, however many are frozen."""
    rng = np.random.default_rng(4)
    service = zoo.probabilities(zoo.random_network(rng, 60, C, 1, 8))
    rows = rng.standard_normal((20, 60))
    domain = Domain(frozen=np.arange(60) > 2)
    cost = int(explain(service, rows, domain=domain).queries.sum())
    assert cost < 20 * 60
    explanation = explain(service, rows, domain=domain, max_queries=cost)
    assert explanation.certified.all()


@pytest.mark.parametrize("limit", [1, 2 * (D + 3), None])
def test_progress_counts_every_row(limit):
    """Rows that the limit leaves out count as done from the start."""
    told = []
    explanation = explain(progress=lambda *step: told.append(step), max_queries=limit)
    begun = int((explanation.queries > 0).sum())
    assert [done for done, *_ in told] == list(range(N - begun + 1, N + 1))
    assert {rows for _, rows, *_ in told} == {N}
    assert told[-1][2:] == (explanation.meta["queries"], explanation.certified.sum())


# --- Waves --------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, WAVE, WAVE + 1, 2 * WAVE, 2 * WAVE + 1, 150])
def test_waves_hold_every_row_once(tracked, n):
    """However many rows there are, each is a task, in the order of the rows."""
    rows = np.random.default_rng(6).standard_normal((n, D))
    tasks = tracked(np.ones(n), rows)
    assert np.array_equal([task.x for task in tasks], rows)


@pytest.mark.parametrize(("d", "most"), [(4, LARGEST_WAVE), (784, WAVE), (10**6, WAVE)])
def test_waves_grow_as_far_as_their_rows_are_cheap(d, most):
    """Each has as many rows as all before it, up to a number that sinks with d."""
    sizes = [len(wave) for wave in in_waves(1000, d)]
    assert sum(sizes) == 1000
    assert max(sizes) == most
    before = np.cumsum([0, *sizes[:-1]])
    assert sizes[:-1] == [WAVE, *np.minimum(before[1:-1], most)]


def test_a_wave_begins_where_the_rows_before_it_agreed(tracked):
    """The first wave knows nothing, later ones the mean reach of all rows before."""
    n = 4 * WAVE + 10
    reaches = np.random.default_rng(5).uniform(0.1, 9.0, n)
    reaches[::7] = np.nan
    rows = np.random.default_rng(6).standard_normal((n, D))
    starts = [task.start for task in tracked(reaches, rows)]
    assert starts[:WAVE] == [None] * WAVE
    ends = [WAVE, 2 * WAVE, 4 * WAVE, n]
    for wave in itertools.starmap(slice, itertools.pairwise(ends)):
        known = reaches[: wave.start][np.isfinite(reaches[: wave.start])]
        (start,) = set(starts[wave])
        assert start == pytest.approx(AMBITION * scipy.stats.gmean(known))


def test_a_wave_learns_nothing_from_rows_that_failed(tracked):
    """Where no row reached anything, the next wave knows as little as the first."""
    rows = np.random.default_rng(6).standard_normal((WAVE + 2, D))
    tasks = tracked(np.full(len(rows), np.nan), rows)
    assert [task.start for task in tasks] == [None] * len(rows)


def test_every_row_has_randomness_of_its_own(tracked):
    """Seeds of rows differ, and depend on nothing but the run's seed and the place."""

    def drawn(rows, seed):
        tasks = tracked(np.ones(len(rows)), rows, seed=seed)
        return [np.random.default_rng(task.seed).random() for task in tasks]

    several = drawn(X, 3)
    assert len(set(several)) == N
    assert drawn(X[::-1][:2], 3) == several[:2]
    assert not set(drawn(X, 4)) & set(several)


def test_every_row_gets_the_confidence_asked_for(tracked):
    """The chance that a bound may fail is that of a row, not shared among rows."""
    tasks = tracked(np.ones(N), X, confidence=0.875)
    assert {task.alpha for task in tasks} == {0.125}
    for task, x in zip(tasks, X, strict=True):
        assert np.array_equal(task.x, x)


def in_rows(X):
    """Scores whose every bit depends on the row alone: there is no matrix product."""
    W = np.random.default_rng(10).standard_normal((C, D))
    z = np.stack([(X * w).sum(axis=1) for w in W], axis=1)
    y = np.exp(np.maximum(z, 0.5 * z))
    return y / y.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("changes", [{"batch_size": 5}, {"concurrency": 3}])
def test_waves_do_not_depend_on_batches(changes):
    """More rows than a wave has come out the same in other batches and threads."""
    rows = np.random.default_rng(8).standard_normal((WAVE + 4, D))
    one = explain(in_rows, rows, batch_size=64)
    other = explain(in_rows, rows, **{"batch_size": 64, **changes})
    assert one.certified.all()
    for name in ["values", "error_bound", "radius", "queries"]:
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("d", [3, 20])
@pytest.mark.parametrize("changes", [{"batch_size": 7}, {"concurrency": 3}])
def test_memory_does_not_depend_on_batches(d, changes):
    """Rows of several waves recall the same, whoever else was in their batch."""
    rng = np.random.default_rng(18)
    W, V = rng.standard_normal((4, d)), rng.standard_normal((3, 4))

    def service(X):
        h = np.stack([(X * w).sum(axis=1) for w in W], axis=1)
        h = np.maximum(h, 0.5 * h)
        return np.stack([(h * v).sum(axis=1) for v in V], axis=1)

    rows = rng.standard_normal((7 * WAVE, d))
    settings = {"response": "logits", "batch_size": 500}
    one = explain(service, rows, **settings)
    other = explain(service, rows, **{**settings, **changes})
    alone = explain(service, rows, **settings, memory=False)
    assert one.queries.mean() < 0.8 * alone.queries.mean()
    for name in ["values", "error_bound", "radius", "queries"]:
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)


def test_the_first_wave_has_nothing_to_remember():
    """Rows that nothing was learnt before are explained as without memory."""
    rows = np.random.default_rng(19).standard_normal((WAVE, D))
    one, other = explain(rows=rows), explain(rows=rows, memory=False)
    for name in ["values", "error_bound", "radius", "queries"]:
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_model_that_is_replaced_is_not_taken_for_the_one_remembered():
    """Once another model answers, no weights of the first are certified, nor its own.

    The instances themselves were all answered by the first one.
    """
    rng = np.random.default_rng(20)
    first, second = (zoo.random_linear(rng, 12, 3) for _ in range(2))
    rows = rng.standard_normal((100, 12))
    service = zoo.changing(zoo.logits(first), zoo.logits(second), 100 + 25 * 40)
    told = explain(service, rows, response="logits")
    assert 20 < told.certified.sum() < 80
    assert {Status.CERTIFIED, Status.CHANGED} == set(told.status)
    for i in np.flatnonzero(told.certified):
        off = np.abs(told.values[i] - zoo.contrast(first.W, told.target[i]))
        assert (off <= told.error_bound[i]).all()


def test_calls_may_be_under_way_together():
    """With concurrency a batch is asked before the one in front of it has answered."""
    together = threading.Barrier(2, timeout=60)

    def service(X):
        together.wait()
        return SERVICE(X)

    with pytest.raises(InputError, match="class 9"):
        # Six rows are two calls, and then it ends.
        explain(service, batch_size=3, concurrency=2, target=9)
    assert not together.broken


# --- What the scores are ------------------------------------------------------------


class Margins:
    """Answers by `decision_function`."""

    def __init__(self, model):
        """Margins are the outputs of a model."""
        self.decision_function = zoo.regression(model)


@pytest.mark.parametrize(
    ("service", "taken"),
    [
        (SERVICE, Response.PROBABILITIES),
        (zoo.log_probabilities(MODEL), Response.LOG_PROBABILITIES),
        (lambda X: 10 * zoo.regression(ONE)(X), Response.REGRESSION),
        (Margins(MODEL), Response.LOGITS),
        (Margins(ONE), Response.REGRESSION),
    ],
)
def test_what_scores_look_like(service, taken):
    """Unless it is said, scores are what the method implies, or what they look like."""
    explanation = explain(service)
    assert explanation.meta["response"] == taken
    assert explanation.certified.all()


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (SERVICE, "sigmoid"),
        (SERVICE, Response.LOGITS),
        (SERVICE, "regression"),
        (Margins(MODEL), "regression"),
        (zoo.log_probabilities(MODEL), "logits"),
    ],
)
def test_what_is_said_counts(service, said):
    """A response that the user names is believed, whatever the scores look like."""
    assert explain(service, response=said, target=1).meta["response"] == said


@pytest.mark.parametrize("said", ["binary", "regression"])
def test_what_is_ambiguous_can_be_said(said):
    """One number between 0 and 1 is an error until it is named, and both names do."""
    service = zoo.binary(zoo.random_network(np.random.default_rng(1), D, 2, 1, 8))
    with pytest.raises(ResponseError, match="response='binary' or response='regr"):
        explain(service)
    assert explain(service, response=said).meta["response"] == said


@pytest.mark.parametrize(
    ("service", "said", "told"),
    [
        (SERVICE, "binary", "one score a row; the model answers 3"),
        (zoo.regression(ONE), "probabilities", "'probabilities' compares classes"),
        (zoo.regression(ONE), "logits", "'logits' compares classes"),
        (zoo.regression(ONE), Response.LOG_PROBABILITIES, "'log_probabilities' comp"),
    ],
)
def test_what_cannot_be(service, said, told):
    """A response that the number of scores contradicts is an error that says both."""
    service = zoo.Counting(service)
    with pytest.raises(ResponseError, match=told):
        explain(service, response=said)
    assert service.rows == N


def test_rows_without_an_answer_do_not_tell():
    """What the scores are is told by the rows that have some."""

    def service(rows):
        y = SERVICE(rows)
        y[(rows == X[0]).all(axis=1)] = [np.nan, 5.0, np.inf]
        return y

    explanation = explain(service)
    assert explanation.meta["response"] == "probabilities"
    assert explanation.status[0] is Status.REFUSED
    assert explanation.certified[1:].all()


def test_no_row_has_an_answer():
    """Where no row has scores, nothing is guessed; a response that is named is used."""

    def service(X):
        return np.full((len(X), C), np.nan)

    with pytest.raises(ResponseError, match=r"every row.*response="):
        explain(service)
    explanation = explain(service, response="probabilities")
    assert (explanation.status == Status.REFUSED).all()


def test_another_width_is_another_model():
    """A model that answers more scores than it did is not mixed with itself."""
    wide = zoo.changing(SERVICE, lambda X: np.full((len(X), 5), 0.2), N)
    with pytest.raises(ResponseError, match="5 scores a row after 3 before"):
        explain(wide)


@pytest.mark.parametrize(("what", "names"), [("feature", "ab"), ("class", "abcd")])
def test_names_have_to_fit(what, names):
    """Names are counted, those of features before a question is asked."""
    service = zoo.Counting(SERVICE)
    needed = {"feature": D, "class": C}[what]
    with pytest.raises(InputError, match=f"{what}_names needs {needed} names; got"):
        explain(service, **{f"{what}_names": list(names)})
    assert service.rows == {"feature": 0, "class": N}[what]


# --- Targets and rivals -------------------------------------------------------------


def test_the_highest_score_is_the_target():
    """Unless it is said, a row is explained for its class; NaN is never the highest."""

    def service(rows):
        y = SERVICE(rows)
        y[(rows == X[2]).all(axis=1), 0] = np.nan
        return y

    targets = explain(service).target
    scores = SERVICE(X)
    scores[2, 0] = -1.0
    assert targets.tolist() == scores.argmax(axis=1).tolist()


@pytest.mark.parametrize("target", [2, [0, 1, 2, 2, 1, 0]])
@pytest.mark.parametrize("limit", [1, 30, None])
def test_a_target_that_was_given_is_recorded(target, limit):
    """What was to be explained is on record for rows that were never asked as well."""
    explanation = explain(target=target, max_queries=limit)
    assert explanation.target.tolist() == np.broadcast_to(target, N).tolist()


def test_the_class_of_a_row_that_was_not_asked_is_not_known():
    """Rows that a limit left out have no predicted class, and are given none."""
    explanation = explain(max_queries=2 * (D + 3))
    asked = explanation.queries > 0
    assert asked.tolist() == [True, True] + [False] * (N - 2)
    assert (explanation.target[asked] == SERVICE(X[asked]).argmax(axis=1)).all()
    assert (explanation.target[~asked] == -1).all()


@pytest.mark.parametrize("target", [[0, 1], [0] * (N + 1)])
def test_targets_need_an_entry_for_each_row(target):
    """Targets in another number than rows are refused before a question is asked."""
    service = zoo.Counting(SERVICE)
    with pytest.raises(InputError, match=f"each of the {N} rows"):
        explain(service, target=target)
    assert service.rows == 0


@pytest.mark.parametrize("target", [-1, C, [0, 1, 2, 0, 1, 7]])
def test_targets_have_to_exist(target):
    """A class that the model does not have is named when the model was asked once."""
    service = zoo.Counting(SERVICE)
    unknown = np.ravel(target)[-1]
    with pytest.raises(InputError, match=f"class {unknown}; .* 0 to {C - 1}"):
        explain(service, target=target)
    assert service.rows == N


def test_several_outputs_need_a_target():
    """No output of a regression is predicted over the others, so that one is named."""
    service = zoo.regression(MODEL)
    with pytest.raises(InputError, match=f"{C} outputs.*target="):
        explain(service, response="regression")
    explanation = explain(service, response="regression", target=1)
    truth = [MODEL.local(x)[0][1] for x in X]
    assert (np.abs(explanation.values - truth) <= explanation.error_bound).all()


@pytest.mark.parametrize("kind", ["probabilities", "logits"])
@pytest.mark.parametrize("versus", range(C))
def test_versus_compares_with_one_rival(kind, versus):
    """Why A and not B: the difference of the two, and no other pair, is explained."""
    service = {"probabilities": SERVICE, "logits": zoo.logits(MODEL)}[kind]
    target = [(versus + 1 + i % 2) % C for i in range(N)]
    explanation = explain(service, response=kind, target=target, versus=versus)
    assert (explanation.contrast == versus).all()
    W = np.stack([MODEL.local(x)[0] for x in X])
    truth = W[np.arange(N), target] - W[:, versus]
    assert (np.abs(explanation.values - truth) <= explanation.error_bound).all()
    others = np.delete(explanation.pairwise, versus, axis=1)
    assert np.isnan(others).all()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"versus": 1, "target": [0] * (WAVE + 1) + [1]},
            "versus=1 must be another class",
        ),
        ({"versus": C, "target": 0}, f"versus={C} .* between 0 and {C - 1}"),
        ({"versus": 1, "target": 0, "response": "sigmoid"}, "sigmoid scores have no"),
        ({"versus": 1, "target": 0, "response": "regression"}, "regression scores"),
    ],
)
def test_a_rival_that_cannot_be_is_told_before_it_costs(changes, says):
    """A rival that does not fit any of the rows ends the run at their first scores."""
    rows = np.random.default_rng(9).standard_normal((WAVE + 2, D))
    service = zoo.Counting(SERVICE)
    with pytest.raises(InputError, match=says):
        explain(service, rows, **changes)
    assert service.rows == len(rows)
