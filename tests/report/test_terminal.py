"""An explanation as text says what was found, how surely, and what it cost."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facetwise as fw
import problems as zoo
from facetwise import Status
from facetwise.report import render, summary
from facetwise.report.terminal import BAR, WIDTH
from records import explanation, without

FEATURES = ("income", "debt", "age")
CLASSES = ("deny", "review", "approve")
NUMBER = r"[-+]?(?:nan|\d[\d.]*(?:e[-+]?\d+)?)"


def told(text, name):
    """The numbers of a feature's line: value, weight, bound, effect; then its bar."""
    line = next(
        line for line in text.splitlines() if line.strip().startswith(f"{name} ")
    )
    *numbers, bar = re.fullmatch(
        rf" +{name} +({NUMBER}) +({NUMBER}) +({NUMBER}) +({NUMBER}) *(\+*|-*)", line
    ).groups()
    return [float(number) for number in numbers], bar


def order(text, names):
    """The names in the order in which lines begin with them."""
    firsts = [line.split()[0] for line in text.splitlines() if line.split()]
    return [first for first in firsts if first in names]


def unwrapped(text):
    """Text without its line breaks and indents."""
    return " ".join(text.split())


# --- A row --------------------------------------------------------------------------


def test_each_feature_has_its_numbers():
    """A line tells a feature's value, its weight, that one's bound, and its effect."""
    text = render(
        explanation([[0.25, -3.0, 0.0]], [[8.0, 0.5, 40.0]], feature_names=FEATURES)
    )
    assert told(text, "income") == ([8.0, 0.25, 2e-9, 2.0], "+" * BAR)
    assert told(text, "debt") == ([0.5, -3.0, 2e-9, -1.5], "-" * (BAR * 3 // 4))
    assert told(text, "age") == ([40.0, 0.0, 2e-9, 0.0], "")


def test_what_is_not_told_from_zero_is_zero():
    """A weight within its bound of 0 is shown as 0, without an effect."""
    text = render(explanation([[1e-9, 3e-9, -2e-9]], feature_names=FEATURES))
    assert told(text, "income") == ([1.0, 0.0, 2e-9, 0.0], "")
    assert told(text, "debt")[0] == [1.0, 3e-9, 2e-9, 3e-9]
    assert told(text, "age") == ([1.0, 0.0, 2e-9, 0.0], "")


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 12))
def test_what_matters_most_comes_first(seed, d):
    """Features are in the order of their effects, whichever way these go."""
    rng = np.random.default_rng(seed)
    values, data = rng.standard_normal((2, 1, d))
    names = [f"f{j}" for j in range(d)]
    text = render(explanation(values, data, feature_names=names), max_display=d)
    effects = np.abs(values * data)[0]
    assert order(text, names) == [names[j] for j in np.argsort(-effects)]
    bars = [len(told(text, name)[1]) for name in order(text, names)]
    assert bars[0] == BAR
    assert bars == sorted(bars, reverse=True)


def test_a_row_adds_up():
    """Effects and the intercept add up to the log-odds that are shown."""
    text = render(explanation([[0.25, -3.0, 0.125]], [[8.0, 0.5, 40.0]]))
    assert "intercept +0.5 " in unwrapped(text)
    assert "log-odds +6 " in unwrapped(text)


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_only_so_many_features_are_shown(most):
    """Features beyond the number asked for are counted, and their effects added up."""
    text = render(explanation([[4.0, -2.0, 1.0]], feature_names=FEATURES), most)
    assert order(text, FEATURES) == list(FEATURES[:most])
    rest = {1: "2 further features: -1", 2: "1 further feature: +1"}
    assert rest.get(most, "") in text
    assert ("further" in text) == (most < 3)
    assert "log-odds +3.5" in text


def test_zero_has_no_sign():
    """An effect of -0 is written like any other 0."""
    text = render(explanation([[-1.0, 0.0, 0.0]], [[0.0, -1.0, 1.0]]))
    effects = [told(text, f"feature {j}")[0][-1] for j in range(3)]
    assert np.array_equal(effects, [0.0] * 3)
    assert not np.signbit(effects).any()


def test_no_bound_is_told():
    """Weights without a bound say so where the bound would be."""
    text = render(
        explanation(
            [[1.0, 2.0, 3.0]],
            error_bound=np.full((1, 3), np.nan),
            status=[Status.UNVERIFIED],
        )
    )
    assert np.isnan(told(text, "feature 1")[0][2])
    assert "Unverified." in text


def test_frozen_features_have_no_effect():
    """A feature that was frozen has no weight, comes last, and adds nothing."""
    text = render(explanation([[np.nan, 0.25, 1.0]], feature_names=FEATURES))
    assert order(text, FEATURES) == ["age", "debt", "income"]
    assert np.isnan(told(text, "income")[0][1])
    assert "log-odds +1.75" in text


def test_what_is_not_known_is_not_added_up():
    """Weights of zero without an intercept are shown, and no sum is made up."""
    text = render(
        explanation(
            [[0.0] * 3],
            base_values=np.array([np.nan]),
            status=[Status.PIECEWISE_CONSTANT],
        )
    )
    assert order(text, ["feature"]) == ["feature"] * 3
    assert "intercept" not in text
    assert "log-odds" not in text


@pytest.mark.parametrize("response", [None, "probabilities", "sigmoid", "binary"])
def test_classes_have_log_odds(response):
    """What decides about a class is its log-odds."""
    text = render(explanation([[1.0] * 3], meta={"response": response}))
    assert text.startswith("Row 0: why class 2. Certified.\n")
    assert "\n  log-odds +3.5\n" in text


def test_a_regression_has_outputs():
    """What a regression answers is an output: it has no classes and no log-odds."""
    text = render(explanation([[1.0] * 3], meta={"response": "regression"}))
    assert text.startswith("Row 0: why output 2. Certified.\n")
    assert "\n  output +3.5\n" in text


# --- What is asked ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "rival", "title"),
    [
        (None, -1, "why class 2."),
        (None, 0, "why class 2 and not class 0."),
        (CLASSES, -1, "why approve."),
        (CLASSES, 1, "why approve and not review."),
    ],
)
def test_the_question_is_named(names, rival, title):
    """A row is headed by the class explained and, if there is one, its one rival."""
    contrast = np.array([rival])
    text = render(explanation([[1.0] * 3], contrast=contrast, class_names=names))
    assert text.startswith(f"Row 0: {title} Certified.\n")


@pytest.mark.parametrize("names", [None, CLASSES])
def test_no_class_is_made_up(names):
    """A row that was never asked has no predicted class, and none is named."""
    status, target = Status.OUT_OF_BUDGET, np.array([-1])
    text = render(without(status, target=target, class_names=names))
    assert text.startswith("Row 0: Out of budget.\n")
    assert "why" not in text


@pytest.mark.parametrize("status", Status, ids=[s.name for s in Status])
def test_a_row_without_weights_has_its_reason(status):
    """Where nothing was recovered, the whole sentence of the status stands instead."""
    row, _ = render(without(status)).split("\n\n")
    title, sentence = row.split("\n", maxsplit=1)
    assert title == f"Row 0: why class 2. {str(status).split(':')[0]}."
    assert unwrapped(sentence) == str(status)


# --- All rows -----------------------------------------------------------------------


def test_rows_are_numbered_in_order():
    """Every row has its block, and the summary comes last."""
    several = explanation([[1.0, 2.0, 3.0]] * 3)
    *rows, last = render(several).split("\n\n")
    assert [row.split(":")[0] for row in rows] == ["Row 0", "Row 1", "Row 2"]
    assert last == summary(several)


def test_the_summary_counts():
    """The summary counts certified rows, questions, and rows of each outcome."""
    status = [Status.CERTIFIED, Status.REFUSED, Status.PARTLY_CERTIFIED, Status.REFUSED]
    text = summary(
        explanation([[1.0] * 3] * 4, status=status, queries=np.array([900, 1, 400, 0]))
    )
    assert text.startswith("2 of 4 rows certified, 1,301 questions asked.\n")
    told = unwrapped(text)
    assert f"1 x {Status.CERTIFIED}" in told
    assert f"1 x {Status.PARTLY_CERTIFIED}" in told
    assert f"2 x {Status.REFUSED}" in told
    assert told.count(" x ") == 3


def test_one_question_is_one_question():
    """A single question is not several."""
    one = explanation([[1.0] * 3], queries=np.array([1]))
    assert summary(one).startswith("1 of 1 rows certified, 1 question asked.")


@pytest.mark.parametrize("status", Status, ids=[s.name for s in Status])
def test_sentences_fit_a_terminal(status):
    """No sentence is wider than a terminal, in a row or in the summary."""
    lines = render(without(status)).splitlines()
    assert max(map(len, lines)) <= WIDTH


def test_no_line_ends_in_blanks():
    """Text can be pasted and compared: nothing invisible is at the end of a line."""
    text = render(explanation([[0.0, 1.0, -1.0]]), max_display=2)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_nothing_explained_is_nothing_told():
    """An explanation of no rows is a summary of none."""
    none = explanation([[1.0] * 3])[:0]
    assert unwrapped(render(none)) == "0 of 0 rows certified, 0 questions asked."


@pytest.mark.parametrize("versus", [None, 1])
def test_what_is_shown_is_what_the_model_says(versus):
    """The sums that are shown are the log-odds that the model itself has."""
    rng = np.random.default_rng(0)
    model = zoo.random_network(rng, 4, 3, 1, 8)
    X = rng.standard_normal((5, 4))
    found = fw.Explainer(
        zoo.probabilities(model),
        seed=0,
        target=0,
        versus=versus,
        domain=fw.Domain(frozen=[2]),
    )(X)
    assert found.certified.all()
    z = model.logits(X)
    rivals = [1, 2] if versus is None else [versus]
    expected = z[:, 0] - z[:, rivals].mean(axis=1)
    shown = re.findall(rf"log-odds ({NUMBER})", render(found))
    assert np.allclose(np.array(shown, dtype=float), expected, rtol=1e-5, atol=0.0)
