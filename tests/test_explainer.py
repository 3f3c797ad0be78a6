"""The front door: what is accepted, what comes out, and what is said when it cannot."""

import numpy as np
import pytest

import facetwise as fw
import problems as zoo
from facetwise import InputError, ModelError, ResponseError, Status

D, C, N = 4, 3, 6
MODEL = zoo.random_network(np.random.default_rng(0), D, C, 1, 8)
PAIR = zoo.random_network(np.random.default_rng(1), D, 2, 1, 8)
SERVICE = zoo.probabilities(MODEL)
X = np.random.default_rng(2).standard_normal((N, D))


def explain(service=SERVICE, rows=X, **settings):
    """The explanation of some rows, under a seed."""
    return fw.Explainer(service, **{"seed": 0, **settings})(rows)


def gradient(i, target, rival=None, model=MODEL):
    """True weights of row i."""
    return zoo.contrast(model.local(X[i])[0], target, rival)


def within(explanation, truth):
    """Whether every weight of every row is within its bound."""
    return (np.abs(explanation.values - truth) <= explanation.error_bound).all()


# --- What comes in ------------------------------------------------------------------


def test_several_rows():
    """Rows (n, d) are explained in their order, each for the class that it is in."""
    explanation = explain()
    assert explanation.certified.all()
    assert explanation.target.tolist() == MODEL.logits(X).argmax(axis=1).tolist()
    truth = [gradient(i, explanation.target[i]) for i in range(N)]
    assert within(explanation, truth)
    assert np.array_equal(explanation.data, X)
    assert (explanation.contrast == -1).all()


def test_one_row():
    """A single instance (d,) is an explanation of one row."""
    explanation = explain(rows=X[2])
    assert explanation.values.shape == (1, D)
    assert within(explanation, [gradient(2, explanation.target[0])])


def test_lists_and_whole_numbers():
    """Lists, 32-bit and whole numbers are taken as the numbers that they are."""
    rows = [[1, 0, -2, 3], [0, 1, 1, 1]]
    expected = explain(rows=np.array(rows, dtype=float))
    for same in [rows, np.array(rows), np.array(rows, dtype=np.float32)]:
        assert np.array_equal(explain(rows=same).values, expected.values)


def test_data_is_a_copy():
    """Neither a model that writes into its input nor the caller can change the data."""
    rows = X.copy()

    def writing(X):
        scores = SERVICE(X)
        X[:] = 0.0
        return scores

    explanation = explain(writing, rows)
    assert np.array_equal(rows, X)
    assert np.array_equal(explanation.data, X)
    rows[:] = 7.0
    assert np.array_equal(explanation.data, X)


class Model:
    """A model as libraries make them: rows in, scores of one method out."""

    def __init__(self, method, service):
        """Answer under that name."""
        setattr(self, method, service)


@pytest.mark.parametrize(
    ("method", "service", "model", "response"),
    [
        ("predict_proba", zoo.probabilities(MODEL), MODEL, "probabilities"),
        ("decision_function", zoo.logits(MODEL), MODEL, "logits"),
        ("scores", zoo.log_probabilities(MODEL), MODEL, "log_probabilities"),
    ],
)
def test_objects(method, service, model, response):
    """Objects are asked by their methods, and `meta` says what the scores were."""
    explanation = explain(Model(method, service))
    assert explanation.meta["response"] == response
    assert explanation.certified.all()
    truth = [gradient(i, explanation.target[i], model=model) for i in range(N)]
    assert within(explanation, truth)


@pytest.mark.parametrize("method", ["decision_function", "predict"])
def test_objects_with_one_output(method):
    """One margin or one prediction is explained by its own gradient."""
    one = zoo.random_network(np.random.default_rng(3), D, 1, 1, 8)
    explanation = explain(Model(method, zoo.regression(one)))
    assert explanation.meta["response"] == "regression"
    assert within(explanation, [one.local(x)[0][0] for x in X])


def test_a_predict_that_answers_probabilities():
    """Networks whose `predict` gives probabilities are not taken for regressions."""
    explanation = explain(Model("predict", SERVICE), target=0)
    assert explanation.meta["response"] == "probabilities"
    assert within(explanation, [gradient(i, 0) for i in range(N)])


# --- What is asked for --------------------------------------------------------------


@pytest.mark.parametrize("target", [1, np.int64(1), [0, 1, 2, 0, 1, 2]])
def test_target(target):
    """A class, or one for each row, is explained whether it is predicted or not."""
    explanation = explain(target=target)
    targets = np.broadcast_to(target, N)
    assert np.array_equal(explanation.target, targets)
    assert within(explanation, [gradient(i, targets[i]) for i in range(N)])


def test_versus():
    """A single rival is compared with, and named."""
    explanation = explain(target=0, versus=2)
    assert (explanation.contrast == 2).all()
    assert within(explanation, [gradient(i, 0, 2) for i in range(N)])
    assert np.isfinite(explanation.pairwise_bound[:, 2]).all()
    assert np.isnan(explanation.pairwise_bound[:, 1]).all()


@pytest.mark.parametrize(
    ("response", "service", "truth"),
    [
        ("probabilities", zoo.probabilities(MODEL), lambda W: W[1] - (W[0] + W[2]) / 2),
        ("logits", zoo.logits(MODEL), lambda W: W[1] - (W[0] + W[2]) / 2),
        ("log_probabilities", zoo.log_probabilities(MODEL), None),
        ("sigmoid", zoo.sigmoid(MODEL), lambda W: W[1]),
        ("regression", zoo.regression(MODEL), lambda W: W[1]),
        (fw.Response.SIGMOID, zoo.sigmoid(MODEL), lambda W: W[1]),
    ],
)
def test_responses(response, service, truth):
    """Each kind of scores is read as it is named, and its weights are those of it."""
    explanation = explain(service, response=response, target=1)
    assert explanation.meta["response"] == response
    assert explanation.certified.all()
    truth = truth or (lambda W: W[1] - (W[0] + W[2]) / 2)
    assert within(explanation, [truth(MODEL.local(x)[0]) for x in X])


def test_binary():
    """One probability a row is explained for the class that it is the chance of."""
    explanation = explain(zoo.binary(PAIR), response="binary")
    assert (explanation.target == 0).all()
    assert within(explanation, [gradient(i, 1, 0, PAIR) for i in range(N)])


def test_auto_says_what_it_took():
    """What needs no argument is inferred, and recorded."""
    for service, response in [
        (SERVICE, "probabilities"),
        (zoo.log_probabilities(MODEL), "log_probabilities"),
        (lambda X: 10 * X[:, :1], "regression"),
    ]:
        assert explain(service).meta["response"] == response


@pytest.mark.parametrize(
    ("service", "kinds"),
    [
        (zoo.binary(PAIR), ["'binary'", "'regression'"]),
        (zoo.sigmoid(MODEL), ["'probabilities'", "'sigmoid'"]),
        (lambda X: 0.9 * SERVICE(X), ["'probabilities'", "'sigmoid'"]),
        (zoo.logits(MODEL), ["'logits'", "'regression'"]),
        (lambda X: SERVICE(X) - 0.2, ["'logits'", "'regression'"]),
    ],
    ids=["one number", "labels", "sums below 1", "logits", "negative"],
)
def test_ambiguous_scores_name_the_argument(service, kinds):
    """Scores that can be two things are an error that names each way to settle it."""
    with pytest.raises(ResponseError) as caught:
        explain(service)
    assert all(f"response={kind}" in str(caught.value) for kind in kinds[:1])
    assert all(kind in str(caught.value) for kind in kinds)


def test_domain():
    """Limits and frozen features of the domain hold for every probe."""
    asked = []

    def service(X):
        asked.append(X.copy())
        return SERVICE(X)

    domain = fw.Domain(lower=X.min(axis=0), upper=X.max(axis=0), frozen=[1])
    explanation = explain(service, domain=domain)
    points = np.vstack(asked)
    assert (points >= X.min(axis=0)).all()
    assert (points <= X.max(axis=0)).all()
    assert set(points[:, 1]) == set(X[:, 1])
    assert np.isnan(explanation.values[:, 1]).all()


def test_algorithm1():
    """The paper's method gives the weights without a certificate."""
    explanation = explain(method="algorithm1")
    assert (explanation.status == Status.UNVERIFIED).all()
    assert not explanation.certified.any()
    truth = [gradient(i, explanation.target[i]) for i in range(N)]
    assert np.allclose(explanation.values, truth, rtol=0, atol=1e-5)
    assert (explanation.queries == 1 + explanation.designs * (D + 1)).all()


def test_names_are_handed_on():
    """Names of features and classes come back with the explanation."""
    explanation = explain(feature_names=list("abcd"), class_names=list("xyz"))
    assert explanation.feature_names == ("a", "b", "c", "d")
    assert explanation.class_names == ("x", "y", "z")


def test_confidence_widens_the_bound():
    """More confidence costs a wider bound, and is recorded."""
    sure, surer = explain(confidence=0.99), explain(confidence=1 - 1e-12)
    assert (sure.scaled_bound < surer.scaled_bound).all()
    assert sure.meta["confidence"] == pytest.approx(0.99)


PRECISIONS = [0.3, 0.03, 1e-3, 1e-9]


@pytest.mark.parametrize("decimals", [3, 5, 7])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_no_precision_breaks_a_bound(decimals, precision):
    """Whatever bound is striven for, all that is certified is within its own."""
    service = zoo.round_answers(SERVICE, decimals)
    explanation = explain(service, precision=precision)
    for i in np.flatnonzero(np.isfinite(explanation.scaled_bound)):
        rival = explanation.contrast[i]
        truth = gradient(i, explanation.target[i], None if rival < 0 else rival)
        off = np.abs(explanation.values[i] - truth)
        assert (off <= explanation.error_bound[i]).all()


def test_precision_is_bought_with_questions():
    """Rounded answers have narrower bounds, by and large, for more questions."""
    service = zoo.round_answers(SERVICE, 6)
    rough, fine = (explain(service, precision=p) for p in (0.3, 1e-3))
    both = rough.certified & fine.certified
    assert both.sum() >= 3
    assert np.median(fine.scaled_bound[both] / rough.scaled_bound[both]) < 0.8
    assert fine.queries.sum() > rough.queries.sum()


def test_precision_costs_nothing_where_digits_are_to_spare():
    """In 64 bits the bound is far below what anyone would ask for, and stays as it is.

    What comes out is the same bit for bit.
    """
    rough, fine = explain(precision=0.3), explain(precision=1e-3)
    assert same(rough, fine)


# --- Randomness and batches ---------------------------------------------------------


def same(one, other):
    """Whether two explanations agree bit for bit."""
    names = ["values", "error_bound", "radius", "queries", "pairwise", "base_values"]
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in names
    )


def by_rows(X):
    """Scores that do not depend on what else is in a batch."""
    W, b = X[:, :, None] * 0 + np.arange(1, 4) / 7, np.arange(3) / 3
    W = W * (1 + (X[:, :1, None] > 0)) * (1 + np.arange(D)[:, None])
    z = (X[:, :, None] * W).sum(axis=1) + b
    y = np.exp(z - z.max(axis=1, keepdims=True))
    return y / y.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("batch_size", [1, 3, 16, 1000])
def test_answers_do_not_depend_on_batches(batch_size):
    """The same seed gives the same bits for every batch size."""
    assert same(explain(by_rows), explain(by_rows, batch_size=batch_size))


def test_answers_do_not_depend_on_threads():
    """Calls under way at a time change nothing."""
    one = explain(by_rows, batch_size=5)
    assert same(one, explain(by_rows, batch_size=5, concurrency=4))


@pytest.mark.parametrize("batch_size", [1, 7])
def test_batches_keep_to_their_size(batch_size):
    """The model never gets more rows in a call than allowed."""
    sizes = []
    explain(lambda X: (sizes.append(len(X)), SERVICE(X))[1], batch_size=batch_size)
    assert max(sizes) == batch_size


def test_a_seed_repeats():
    """One seed gives one explanation, another seed another set of check points."""
    assert same(explain(seed=5), explain(seed=5))
    assert not same(explain(seed=5), explain(seed=6))


def test_fresh_entropy_is_recorded():
    """Without a seed every run is another, and can be repeated from `meta`."""
    one, other = explain(seed=None), explain(seed=None)
    assert one.meta["seed"] != other.meta["seed"]
    assert same(one, explain(seed=one.meta["seed"]))


def test_the_global_random_state_is_left_alone():
    """Explaining draws nothing from NumPy's own global generator."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002  what is tested
    explain()
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


# --- Cost ---------------------------------------------------------------------------


def test_questions_are_counted():
    """What `meta` and the rows say was asked is what the model was asked."""
    service = zoo.Counting(SERVICE)
    explanation = explain(service, batch_size=10)
    assert explanation.meta["queries"] == service.rows == explanation.queries.sum()
    assert explanation.meta["calls"] == service.calls


@pytest.mark.parametrize("limit", [1, 5, 6, 7, 20, 60, 100, 150, 10_000])
def test_the_limit_is_hard(limit):
    """No more rows than `max_queries` are asked, and every row has its outcome."""
    service = zoo.Counting(SERVICE)
    explanation = explain(service, max_queries=limit)
    assert service.rows <= limit
    assert explanation.meta["queries"] == service.rows
    whole = explain()
    for i, status in enumerate(explanation.status):
        if status in (Status.OUT_OF_BUDGET, Status.NOT_ASKED):
            assert np.isnan(explanation.values[i]).all()
            assert not explanation.certified[i]
        else:
            assert np.array_equal(explanation.values[i], whole.values[i])


def test_the_limit_is_put_to_use():
    """Questions that would do for half of the rows finish some of them."""
    whole = explain()
    limit = int(whole.queries.sum()) // 2
    explanation = explain(max_queries=limit)
    assert explanation.certified.sum() >= 2
    cut = explanation.status[~explanation.certified]
    assert set(cut) <= {Status.OUT_OF_BUDGET, Status.NOT_ASKED}


def test_many_rows_do_not_use_up_the_limit():
    """Questions that would do for a row are not all spent on looking at every row."""
    rows = np.random.default_rng(4).standard_normal((100, D))
    explanation = explain(rows=rows, max_queries=100)
    assert explanation.certified.any()


@pytest.mark.parametrize("limit", [None, 3, 60])
def test_progress_reaches_the_end(limit):
    """The last report counts all rows as done, cut short or not."""
    calls = []
    explanation = explain(progress=lambda *told: calls.append(told), max_queries=limit)
    done, rows, asked, _ = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert set(rows) == {N}
    assert (done[-1], asked[-1]) == (N, explanation.meta["queries"])


def test_nothing_is_printed(capsys):
    """Where no terminal watches, nothing is written."""
    explain()
    assert capsys.readouterr() == ("", "")


# --- Bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (np.zeros((2, 2, 4)), r"\(d,\).*\(n, d\).*\(2, 2, 4\).*Flatten"),
        (np.zeros((0, 4)), r"not empty.*\(0, 4\)"),
        (np.zeros((3, 0)), r"not empty.*\(3, 0\)"),
        ([], r"not empty.*\(0,\)"),
        (3.0, r"\(d,\).*got shape \(\)"),
        ([[1.0, np.nan, 0.0, 0.0]], "nan at row 0, feature 1.*Fill in or leave out"),
        ([[0.0] * 4, [0.0, 0.0, np.inf, 0.0]], "inf at row 1, feature 2"),
        ([["a", "b", "c", "d"]], "numbers alone.*Encode"),
        ([[1.0, 2.0], [3.0]], "numbers alone"),
        ([[1.0, None, 2.0, 3.0]], "row 0, feature 1"),
        (X + 1j, "numbers alone|real"),
    ],
)
def test_rows_that_cannot_be_explained(rows, says):
    """Rows of the wrong shape or content are refused before a question is asked."""
    service = zoo.Counting(SERVICE)
    with pytest.raises(InputError, match=f"(?s){says}"):
        explain(service, rows)
    assert service.rows == 0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"response": "softmax"}, "response must be one of auto.*'softmax'"),
        ({"response": None}, "response must be one of"),
        ({"method": "magic"}, "method must be one of facetwise, algorithm1.*'magic'"),
        ({"seed": -1}, "seed must be at least 0; got -1"),
        ({"seed": "lucky"}, "seed must be a whole number"),
        ({"confidence": 1.0}, "confidence must be a number between 0 and 1; got 1.0"),
        ({"confidence": 0}, "confidence must be a number between 0 and 1; got 0"),
        ({"confidence": np.nan}, "confidence must be a number.*got nan"),
        ({"confidence": "high"}, "confidence must be a number.*got 'high'"),
        ({"precision": 0.0}, "precision must be a number between 0 and 1; got 0.0"),
        ({"precision": 1.0}, "precision must be a number between 0 and 1; got 1.0"),
        ({"precision": -0.1}, "precision must be a number between 0 and 1; got -0.1"),
        ({"precision": 1}, "precision must be a number between 0 and 1; got 1"),
        ({"precision": np.nan}, "precision must be a number.*got nan"),
        ({"precision": None}, "precision must be a number.*got None"),
        ({"precision": "high"}, "precision must be a number.*got 'high'"),
        ({"max_queries": 0}, "max_queries must be at least 1; got 0"),
        ({"max_queries": 10.5}, "max_queries must be a whole number; got 10.5"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"batch_size": "large"}, "batch_size"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"concurrency": True}, "concurrency must be a whole number"),
        ({"domain": {"lower": 0.0}}, "domain"),
        ({"domain": fw.Domain(upper=-9.0)}, "Row 0.*limits"),
        ({"domain": fw.Domain(frozen=[9])}, "frozen"),
        ({"feature_names": ["a"]}, "feature_names needs 4 names; got 1"),
        ({"feature_names": 4}, "feature_names"),
        ({"versus": "cat"}, "versus"),
        ({"versus": 0.5}, "versus"),
        ({"target": "cat"}, "target.*'cat'"),
        ({"target": 1.5}, "target.*1.5"),
    ],
)
def test_settings_that_cannot_be_used(settings, says):
    """A wrong setting is named, with what it should be, before the model is asked."""
    service = zoo.Counting(SERVICE)
    with pytest.raises(InputError, match=f"(?s){says}"):
        explain(service, **settings)
    assert service.rows == 0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"target": 3}, "class 3.*0 to 2"),
        ({"target": [0, 1, 2, 0, 1, -1]}, "class -1.*0 to 2"),
        ({"target": [0, 1]}, "6 rows"),
        ({"target": 0, "versus": 0}, "versus=0.*another class"),
        ({"target": 0, "versus": 3}, "versus=3.*0 and 2"),
        ({"class_names": ["a"]}, "class_names needs 3 names; got 1"),
        ({"response": "regression"}, "3 outputs.*target="),
        ({"response": "regression", "target": 0, "versus": 1}, "versus= compares"),
        ({"response": "sigmoid", "target": 0, "versus": 1}, "versus= compares"),
        ({"response": "binary"}, "one score a row; the model answers 3"),
    ],
)
def test_settings_that_the_model_does_not_fit(settings, says):
    """What only the model can contradict is an error once it has answered."""
    with pytest.raises((InputError, ResponseError), match=f"(?s){says}"):
        explain(**settings)


def test_classes_need_two_scores():
    """One score a row is no softmax, and the message says what it may be."""
    with pytest.raises(ResponseError, match="'binary' or 'regression'"):
        explain(zoo.binary(PAIR), response="probabilities")


def test_one_class():
    """A model that knows one class has nothing to tell apart, and that is said."""
    with pytest.raises(ResponseError, match=r"one class.*two classes"):
        explain(lambda X: np.ones((len(X), 1)))


@pytest.mark.parametrize("thing", [3, None, "model.pkl", object()])
def test_what_is_no_model(thing):
    """A thing that cannot be asked is refused at once."""
    with pytest.raises(InputError, match="callable"):
        fw.Explainer(thing)


@pytest.mark.parametrize(
    ("service", "says"),
    [
        (lambda X: SERVICE(X)[:-1], r"\(5, 3\) to 6 rows"),
        (lambda X: SERVICE(X)[:, :0], r"\(6, 0\) to 6 rows"),
        (lambda X: SERVICE(X)[None], r"\(1, 6, 3\)"),
        (lambda X: [["cat"]] * len(X), "labels.*cat.*predict_proba"),
        (lambda X: MODEL.logits(X).argmax(axis=1), "labels|whole numbers"),
        (lambda X: np.full((len(X), 3), np.nan), "NaN.*every row"),
        (lambda X: None, "None"),
    ],
    ids=["rows", "no columns", "dimensions", "names", "labels", "NaN", "None"],
)
def test_answers_that_cannot_be_used(service, says):
    """Answers of the wrong shape or kind say what came and what to pass."""
    with pytest.raises(ResponseError, match=f"(?s){says}"):
        explain(service)


def test_labels_as_columns():
    """Scores of 0 and 1 alone carry no weights: saturated, and what would help."""
    explanation = explain(lambda X: np.eye(3)[MODEL.logits(X).argmax(axis=1)])
    assert (explanation.status == Status.SATURATED).all()


def test_negative_probabilities_are_refused():
    """Scores that were said to be probabilities and are negative are no answers."""
    explanation = explain(lambda X: SERVICE(X) - 0.9, response="probabilities")
    assert (explanation.status == Status.REFUSED).all()
    assert "response" in str(Status.REFUSED)


def test_a_row_without_an_answer():
    """A row that the model cannot answer is refused, and the others are explained."""
    explanation = explain(zoo.nan_near(SERVICE, X[2], 1e-9))
    assert explanation.status[2] is Status.REFUSED
    assert np.delete(explanation.certified, 2).all()


def test_a_random_model():
    """A model that answers at random is unstable, row by row."""
    rng = np.random.default_rng(0)
    explanation = explain(lambda X: rng.dirichlet(np.ones(3), len(X)))
    assert (explanation.status == Status.UNSTABLE).all()
    assert np.isnan(explanation.values).all()


def test_a_model_that_changes_halfway():
    """When another model takes over, rows are its, the old one's, or not certified."""
    other = zoo.random_network(np.random.default_rng(9), D, C, 1, 8)
    total = int(explain().queries.sum())
    for after in [N, 2 * N, total // 4, total // 2, total - 20]:
        service = zoo.changing(SERVICE, zoo.probabilities(other), after)
        found = explain(service, target=0, batch_size=8)
        assert set(found.status) <= {Status.CERTIFIED, Status.CHANGED}
        for i in np.flatnonzero(found.certified):
            truths = [model.local(X[i]) for model in (MODEL, other)]
            scale = np.array(found.meta["scale"])
            error = zoo.error(found.values[i], truths, 0, None, scale)
            assert error <= found.scaled_bound[i]


# --- Faults halfway -----------------------------------------------------------------


def enough_for(rows):
    """Questions after which that many rows are finished, and others are not."""
    service = zoo.Counting(SERVICE)
    when = []
    explain(
        service, batch_size=1, progress=lambda done, n, asked, _: when.append(asked)
    )
    return when[rows - 1]


FAULTS = {
    "raises": (zoo.raising, ModelError, "RuntimeError.*broke down.*explanation"),
    "width": (
        lambda f, after: zoo.changing(f, lambda X: f(X)[:, :2], after),
        ResponseError,
        "2 scores a row after 3",
    ),
    "rows": (
        lambda f, after: zoo.changing(f, lambda X: f(X)[1:], after),
        ResponseError,
        "expected",
    ),
    "labels": (
        lambda f, after: zoo.changing(f, lambda X: ["cat"] * len(X), after),
        ResponseError,
        "labels",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_finished_rows_survive_a_fault(fault):
    """What was finished before a fault is in the error, and saves like any other."""
    breaking, kind, says = FAULTS[fault]
    whole = explain(batch_size=1)
    with pytest.raises(kind, match=f"(?s){says}") as caught:
        explain(breaking(SERVICE, enough_for(2)), batch_size=1)
    kept = caught.value.explanation
    assert len(kept) == N
    finished = kept.certified
    assert 2 <= finished.sum() < N
    assert np.array_equal(kept.values[finished], whole.values[finished])
    assert (kept.status[~finished] == Status.NOT_ASKED).all()
    assert kept.meta["seed"] == 0


def test_finished_rows_survive_an_interruption():
    """What was finished when Ctrl-C was pressed is in the exception that it raises."""
    total, asked = enough_for(2), []

    def service(X):
        if len(asked) > total:
            raise KeyboardInterrupt
        asked.extend(X)
        return SERVICE(X)

    with pytest.raises(KeyboardInterrupt) as caught:
        explain(service, batch_size=1)
    kept, whole = caught.value.explanation, explain(batch_size=1)
    assert 2 <= kept.certified.sum() < N
    assert np.array_equal(kept.values[kept.certified], whole.values[kept.certified])
    assert (kept.status[~kept.certified] == Status.NOT_ASKED).all()


def test_a_fault_at_once():
    """A model that never answers leaves nothing behind, and its error is chained."""
    with pytest.raises(ModelError, match="on 6 rows") as caught:
        explain(zoo.raising(SERVICE, 0))
    assert caught.value.explanation is None
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_faults_in_threads():
    """A model that breaks in one of several threads is one error like any other."""
    with pytest.raises(ModelError, match="broke down") as caught:
        explain(zoo.raising(SERVICE, 50), batch_size=4, concurrency=3)
    assert len(caught.value.explanation) == N


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("name", ["network", "constant"])
def test_rows_of_any_size(name, size):
    """Rows as small or large as numbers go are explained or refused, without a fuss."""
    weak = zoo.Dense((MODEL.weights[0] / size, MODEL.weights[1]), MODEL.biases)
    service = {
        "network": zoo.probabilities(weak),
        "constant": lambda X: np.tile([0.2, 0.3, 0.5], (len(X), 1)),
    }[name]
    explanation = explain(service, size * X)
    assert len(explanation) == N
    if name == "constant":
        assert set(explanation.status) <= {Status.PIECEWISE_CONSTANT, Status.TOO_COARSE}
