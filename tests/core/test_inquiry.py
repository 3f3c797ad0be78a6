"""An inquiry says no more of the answers than all of them together allow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems as zoo
from facetwise.core.certificate import error_bound
from facetwise.core.floor import ARITHMETIC, ROUNDING
from facetwise.core.inquiry import USEFUL, Inquiry
from facetwise.core.messages import Purpose
from facetwise.core.radius import COARSE
from facetwise.core.response import LogOdds, Response
from interview import Interview

ALPHA = 0.05


def inquiry(kind=Response.REGRESSION, rivals=(), d=3, frozen=()):
    """An inquiry that has heard nothing yet."""
    moving = np.ones(d, dtype=bool)
    moving[list(frozen)] = False
    return Inquiry(LogOdds(kind, 0, tuple(rivals)), np.arange(1.0, d + 1), moving)


def softmax_inquiry():
    """An inquiry about probabilities of three classes."""
    return inquiry(Response.PROBABILITIES, (1, 2))


# --- Asking -------------------------------------------------------------------------


def test_frozen_features_are_added_to_the_question():
    """Points in the moving features are asked with the others at their values."""
    questions = inquiry(d=4, frozen=[0, 2]).ask(np.array([[8.0, 9.0]]), Purpose.CHECK)
    probes = next(questions)
    assert probes.points.tolist() == [[1.0, 8.0, 3.0, 9.0]]
    assert probes.purpose is Purpose.CHECK


def test_questions_are_counted_whether_answered_or_not():
    """Each row that was asked counts, also one that came back as NaN."""
    asking = inquiry()
    asking.hear(np.array([[1.0], [np.nan]]))
    asking.hear(np.array([[2.0]]))
    assert asking.queries == 3


# --- Hearing ------------------------------------------------------------------------


def test_log_odds_are_read_row_by_row():
    """Each rival has its column, and each answer its row."""
    reading = softmax_inquiry().hear(np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]))
    expected = np.log([[0.5 / 0.3, 0.5 / 0.2], [0.1 / 0.8, 1.0]])
    assert reading.l == pytest.approx(expected)
    assert not reading.refused


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.1, 1.5])
def test_a_row_without_scores_is_refused(bad):
    """A row that cannot be scores has no log-odds; the rows beside it have theirs."""
    asking = softmax_inquiry()
    reading = asking.hear(np.array([[bad, 0.3, 0.2], [0.5, 0.3, 0.2]]))
    assert np.isnan(reading.l[0]).all()
    assert np.isnan(reading.noise[0]).all()
    assert np.isfinite(reading.l[1]).all()
    assert np.isfinite(reading.noise[1]).all()
    assert reading.refused
    assert asking.refused_last
    asking.hear(np.array([[0.5, 0.3, 0.2]]))
    assert not asking.refused_last


def test_a_refused_row_says_nothing_of_the_scores():
    """Neither the grid nor the range of scores is read off an answer that is none."""
    asking = inquiry()
    asking.hear(np.array([[0.5], [0.25]]))
    asking.hear(np.array([[np.inf], [np.nan]]))
    assert (asking.least.tolist(), asking.most.tolist()) == ([0.25], [0.5])
    assert asking.grid.decimals == 2


def test_a_score_of_zero_is_missing_from_its_column_alone():
    """Saturated log-odds are NaN, not infinite, and the row is not refused for it."""
    reading = softmax_inquiry().hear(np.array([[0.6, 0.4, 0.0]]))
    assert np.isnan(reading.l).tolist() == [[False, True]]
    assert not reading.refused


def test_a_part_of_a_reading_is_its_rows():
    """Rows cut from a reading keep log-odds, scores and noise together."""
    reading = softmax_inquiry().hear(np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]))
    part = reading[1:]
    assert np.array_equal(part.l, reading.l[1:])
    assert np.array_equal(part.noise, reading.noise[1:])


# --- Grid ---------------------------------------------------------------------------


@given(places=st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_the_grid_only_becomes_finer(places):
    """After any answers noise is half of the finest step that one of them needed."""
    asking, finest = inquiry(), 0
    for i, decimals in enumerate(places):
        asking.hear(np.array([[3.0 + i + 10.0**-decimals]]))
        finest = max(finest, decimals)
        first = asking.noise(np.array([[3.0]]))[0, 0]
        assert first == pytest.approx(0.5 * 10.0**-finest, rel=1e-3)


def test_earlier_readings_learn_of_the_grid():
    """A reading's noise is that of the grid as it is known now, not as it was then."""
    asking = inquiry()
    first = asking.hear(np.array([[0.5]]))
    before = first.noise[0, 0]
    asking.hear(np.array([[0.513]]))
    assert before == pytest.approx(0.05)
    assert first.noise[0, 0] == pytest.approx(0.0005)


def test_coarse_answers_after_fine_ones_change_nothing():
    """Once answers had all digits, round numbers do not make the noise larger."""
    asking, rng = inquiry(), np.random.default_rng(0)
    reading = asking.hear(rng.standard_normal((9, 1)))
    fine = reading.noise
    assert asking.grid.finest
    asking.hear(np.array([[0.5], [-0.25]]))
    assert np.array_equal(reading.noise, fine)


def test_noise_is_no_less_than_large_answers_leave():
    """A logit near 0 is only as exact as the largest one that it may be left of."""
    asking = inquiry()
    asking.hear(np.array([[np.pi], [np.e]]))
    before = asking.noise(np.array([[1e-9]]))[0, 0]
    asking.hear(np.array([[-1e6 * np.pi]]))
    after = asking.noise(np.array([[1e-9]]))[0, 0]
    assert before < 1e-15
    assert after >= 1e6 * np.pi * 2.0**-53


@given(scatter=st.floats(1.0, 1e6), scale=st.floats(1e-6, 1e6))
def test_what_scatters_more_is_tolerated_more(scatter, scale):
    """Slack is more than what the grid hides, in proportion to the scatter seen."""
    asking = inquiry()
    reading = asking.hear(scale * np.array([[np.pi], [np.e], [np.sqrt(2.0)]]))
    plain = reading.slack
    assert (plain > reading.noise).all()
    asking.scatter = scatter
    assert reading.slack == pytest.approx(scatter * plain, abs=0.0)


@pytest.mark.parametrize("decimals", [1, 3, 6])
def test_rounding_is_exact_and_has_little_slack(decimals):
    """Answers on a grid of decimals may miss by `ROUNDING` half steps, and no more."""
    scores = np.round([[1.0 + np.pi], [1.0 + np.e], [np.sqrt(2.0)]], decimals)
    reading = inquiry().hear(scores)
    half_step = 0.5 * 10.0**-decimals
    slack = np.full((3, 1), ROUNDING * half_step)
    assert reading.slack == pytest.approx(slack, rel=1e-6, abs=0.0)


@pytest.mark.parametrize(("digits", "eps"), [(np.float64, 2.0**-52), ("f4", 2.0**-23)])
def test_arithmetic_has_slack_in_its_own_numbers(digits, eps):
    """Answers in 64 or 32 bits may miss by `ARITHMETIC` half steps of those as well."""
    scores = np.array([[np.pi / 2], [np.e / 2], [np.sqrt(2.0)]], digits).astype(float)
    reading = inquiry().hear(scores)
    # A score may be what is left of the largest one, inside a model of 64 bits.
    number = eps / 2.0 + 2.0**-53 * scores.max()
    slack = (ARITHMETIC + ROUNDING) * number
    # Decimals of the size of 32-bit steps are never refuted, and count once more.
    assert (reading.slack >= slack).all()
    assert (reading.slack <= 1.1 * slack).all()


def test_decimals_of_32_bits_have_the_slack_of_both():
    """Decimals that went through 32 bits are rounded, and have arithmetic as well."""
    scores = np.round([[1.5 + 0.037], [1.25 + 0.011], [1.778]], 3)
    reading = inquiry().hear(scores.astype(np.float32).astype(float))
    half = 2.0**-24
    slack = np.full((3, 1), ROUNDING * (0.5e-3 + half) + ARITHMETIC * half)
    assert reading.slack == pytest.approx(slack, rel=1e-6, abs=0.0)


def test_refused_rows_have_no_slack():
    """Where there is no answer there is nothing that it may be off by."""
    reading = inquiry().hear(np.array([[np.pi], [np.nan]]))
    assert np.isnan(reading.slack).tolist() == [[False], [True]]


# --- Scores that stand still --------------------------------------------------------


def heard(kind, rivals, *scores):
    """An inquiry that has heard these scores, one row after the other."""
    asking = inquiry(kind, rivals)
    for row in scores:
        asking.hear(np.array([row]))
    return asking


def test_a_clipped_rival_is_found():
    """A probability that never moved while others did is clipped, and alone that."""
    rows = [0.5, 0.499, 0.001], [0.4, 0.599, 0.001], [0.3, 0.699, 0.001]
    asking = heard(Response.PROBABILITIES, (1, 2), *rows)
    assert asking.clipped().tolist() == [False, True]


def test_a_clipped_target_spoils_all_columns():
    """Nothing is compared with a target that stands still."""
    rows = [0.001, 0.499, 0.5], [0.001, 0.4, 0.599]
    asking = heard(Response.PROBABILITIES, (1, 2), *rows)
    assert asking.clipped().tolist() == [True, True]


def test_a_score_that_moved_long_ago_is_not_clipped():
    """One answer in which a score was another one is enough, whenever it came."""
    rows = [0.5, 0.48, 0.02], [0.4, 0.599, 0.001], [0.3, 0.699, 0.001]
    asking = heard(Response.PROBABILITIES, (1, 2), *rows)
    assert not asking.clipped().any()


def test_where_nothing_moves_nothing_is_clipped():
    """All scores standing still is a constant model, and none of them stands out."""
    asking = heard(Response.PROBABILITIES, (1, 2), *[[0.5, 0.3, 0.2]] * 3)
    assert not asking.clipped().any()


def test_a_logit_may_stand_still():
    """Services clip probabilities, and not logits: one that is constant may be."""
    rows = [1.0, 2.0, 3.0], [1.5, 2.5, 3.0]
    assert not heard(Response.LOGITS, (1, 2), *rows).clipped().any()
    assert heard(Response.LOGITS, (1, 2), *rows).frozen(
        np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.0])
    ).tolist() == [False, True]


@pytest.mark.parametrize(("p", "leads"), [(0.99, True), (0.5, False), (0.2, False)])
def test_the_leading_class_may_stand_still(p, leads):
    """A constant score above one half hides nothing: the rest adds up without it."""
    asking = softmax_inquiry()
    low, high = np.array([p, 0.001, 0.001]), np.array([p, 0.002, 0.002])
    assert asking.frozen(low, high).tolist() == [not leads] * 2


def test_a_column_that_moved_anywhere_is_told_from_a_constant_one():
    """Of columns frozen in the box those stay frozen whose scores moved elsewhere."""
    asking = heard(Response.LOGITS, (1, 2), [1.0, 2.0, 3.0], [1.5, 2.5, 3.0])
    both = np.array([True, True])
    assert asking.moved(both).tolist() == [True, False]
    assert asking.moved(np.array([False, False])).tolist() == [False, False]


# --- What rounding hides ------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), decimals=st.integers(1, 6))
def test_dither_hides_no_more_than_rounding(seed, decimals):
    """What is counted lies between a tenth of what the grid hides and all of it."""
    rng = np.random.default_rng(seed)
    model = zoo.random_linear(rng, 3, 3)
    X = rng.standard_normal((20, 3))
    asking = softmax_inquiry()
    scores = zoo.round_answers(zoo.probabilities(model), decimals)(X)
    scores = np.maximum(scores, 10.0**-decimals)
    asking.hear(scores)
    hidden, noise = asking.hidden(scores), asking.noise(scores)
    assert (hidden <= noise * (1 + 1e-12)).all()
    tenth = USEFUL * 0.5 * 10.0**-decimals / scores[:, 1:]
    assert (hidden >= tenth).all()


def test_a_trend_over_many_steps_is_dithered():
    """A score that moves over many steps hides a tenth, one over two steps all."""
    asking = inquiry()
    steep = np.linspace(0.0, 9.9, 20)[:, None].round(2)
    asking.hear(steep)
    share = asking.hidden(steep) / asking.noise(steep)
    assert share.max() < 1.1 * USEFUL
    flat = np.repeat([0.0, 0.02], 10)[:, None]
    assert asking.hidden(flat) == pytest.approx(asking.noise(flat))


def test_a_score_that_stands_still_is_counted_in_full():
    """Beside one that moves far, a rival that stands still hides half of its step."""
    asking = inquiry(Response.LOGITS, (1,))
    moving = np.linspace(0.0, 10.0, 20).round(2)
    scores = np.column_stack([moving, np.full(20, 1.0)])
    asking.hear(scores)
    asking.hear(np.array([[0.0, 1.01]]))
    assert asking.hidden(scores).min() >= 0.005


def test_a_clipped_leader_hides_what_is_missing_from_one():
    """Where the largest score is clipped, what the row misses of a sum of 1 counts."""
    asking = softmax_inquiry()
    small = np.linspace(0.001, 0.01, 20)
    full = np.column_stack([np.full(20, 0.9), small, 0.05 - small])
    asking.hear(full)
    hidden = asking.hidden(full)
    missing = 1.0 - full.sum(axis=1)
    assert (hidden >= missing[:, None] / 0.9).all()
    whole = np.column_stack([1.0 - small - 0.05, small, np.full(20, 0.05)])
    asking.hear(whole)
    assert asking.hidden(whole)[:, 0].max() < missing.min() / 10


def failures(steps, aim, d, runs=1500):
    """How often a bound fails for a fit that is wrong by a tenth of the trend.

    The score moves over about so many steps of its grid, and the error lies along the
    trend (`aim` 1), against it (-1) or elsewhere (0).
    """
    rng, failed = np.random.default_rng([steps, aim + 1, d]), 0
    talk = Interview(lambda X: np.round(X[:, :1], 2), np.zeros(1))
    asking = talk.inquiry
    asking.hear(np.array([[0.01]]))
    for _ in range(runs):
        b = rng.standard_normal(d)
        b *= 0.01 * steps / 2.0 / np.linalg.norm(b)
        a = rng.standard_normal(d) if aim == 0 else aim * b
        a *= USEFUL * np.linalg.norm(b) / np.linalg.norm(a)
        v, base = rng.uniform(-1, 1, (COARSE.checks, d)), rng.uniform(0.0, 0.01)
        scores = np.round(v @ b[:, None] + base, 2)
        fitted = v @ (b - a)[:, None] + base
        hidden = asking.hidden(scores)
        bound = error_bound(scores - fitted, hidden, ALPHA)[0]
        failed += bound < np.linalg.norm(a)
    return failed / runs


@pytest.mark.parametrize("aim", [-1, 0, 1])
@pytest.mark.parametrize("steps", [1, 3, 8, 30])
@pytest.mark.parametrize("d", [1, 8])
def test_dither_is_not_overrated(d, steps, aim):
    """Counting only what dither leaves, a bound fails no more often than it may."""
    assert failures(steps, aim, d) <= ALPHA
