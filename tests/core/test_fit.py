"""A fit asks what is not known yet, and is exact where the answers are affine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facetwise.core.solve as design_in_a_box
import problems as zoo
from facetwise.core.domain import Domain
from facetwise.core.fit import complete, recollect, solve
from facetwise.core.messages import Purpose
from facetwise.core.recovered import Asked
from facetwise.core.response import Response
from facetwise.core.span import Directions
from interview import Interview, linear, some_directions

RADII = st.sampled_from([0.5, 2**-7, 1e-5, 1e-9])


def affine(seed, d, K=1, **settings):
    """Weights of an affine service, and an interview of one of its instances."""
    rng = np.random.default_rng(seed)
    D, B = linear(rng, d, K)
    x = rng.standard_normal(d)
    return D, Interview(lambda X: X @ D + B, x, **settings)


def off(fit, D):
    """Largest error of the weights, relative to the largest of them."""
    V = D * fit.box.half[:, None]
    return np.abs(fit.V - V).max() / np.abs(V).max()


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 30), r=RADII)
def test_an_affine_service_is_read_off(seed, d, r):
    """Weights per half-width are those of the service, whatever the box."""
    D, talk = affine(seed, d)
    fit = talk.fit(r)
    assert off(fit, D) < 1e-13 / r + 1e-12
    assert fit.judged.tolist() == [True]


def test_a_design_costs_a_probe_a_feature_and_the_centre():
    """d + 1 questions are asked, the box's centre first, and counted as one design."""
    _, talk = affine(1, 7)
    fit = talk.fit(0.01)
    (points,) = talk.calls(Purpose.DESIGN)
    assert len(talk.asked) == 1
    assert len(points) == 7 + 1
    assert np.array_equal(points[0], fit.box.centre)
    assert len(np.unique(points, axis=0)) == 8
    assert (talk.inquiry.designs, talk.inquiry.queries) == (1, 1 + 8)


def test_one_probe_for_each_log_odds_at_once():
    """All columns are solved from the same answers, and none is taken for another."""
    rng = np.random.default_rng(2)
    model = zoo.random_linear(rng, 6, 4)
    x = rng.standard_normal(6)
    talk = Interview(
        zoo.probabilities(model), x, Response.PROBABILITIES, target=1, rivals=(3, 0, 2)
    )
    fit = talk.fit(0.01)
    D = np.column_stack([model.W[1] - model.W[c] for c in (3, 0, 2)])
    assert fit.V.shape == (6, 3)
    assert off(fit, D) < 1e-11


def test_residuals_are_what_answers_miss_the_fit_by():
    """Points on the line miss nothing, others by as much as they are off, signed."""
    _, talk = affine(3, 5)
    fit = talk.fit(0.1)
    points = fit.box.place(talk.rng.uniform(-1, 1, (9, 5)))
    answers = talk.run(talk.inquiry.ask(points, Purpose.CHECK))
    assert np.abs(fit.residuals(points, answers)).max() < 1e-13
    honest = talk.service
    talk.service = lambda X: honest(X) + np.arange(9.0)[:, None]
    answers = talk.run(talk.inquiry.ask(points, Purpose.CHECK))
    residuals = fit.residuals(points, answers)
    assert residuals.shape == (9, 1)
    assert residuals[:, 0] == pytest.approx(np.arange(9.0), abs=1e-12)


def test_known_rows_are_not_asked_again():
    """Rows that pairs have asked farther out are used, and the weights are the same."""
    D, talk = affine(4, 12)
    pairs = talk.pairs()
    for r in (2**-4, 2**-5, 2**-6):
        talk.run(pairs.along(r))
    fit = talk.run(solve(talk.inquiry, pairs.place(2**-6)))
    assert len(fit.solved.placed.kept) == 3
    (points,) = talk.calls(Purpose.DESIGN)
    assert len(points) == 12 - 3 + 1
    assert off(fit, D) < 1e-12


@pytest.mark.parametrize("chunk", [12, 36, 60])
def test_chunks_change_nothing(chunk, monkeypatch):
    """A design asked in several calls is solved as one, and its centre asked once."""
    monkeypatch.setattr(design_in_a_box, "CHUNK", chunk)
    D, talk = affine(5, 12)
    pairs = talk.pairs()
    for _ in range(4):
        talk.run(pairs.along(0.1))
    fit = talk.run(solve(talk.inquiry, pairs.place(0.1)))
    calls = talk.calls(Purpose.DESIGN)
    assert len(calls) > 1
    assert sum(map(len, calls)) == 12 - 4 + 1
    assert off(fit, D) < 1e-12
    assert talk.inquiry.designs == 1


def test_no_question_is_empty(monkeypatch):
    """A chunk of which every row is known costs no call."""
    monkeypatch.setattr(design_in_a_box, "CHUNK", 4)
    D, talk = affine(6, 4)
    pairs = talk.pairs()
    for row in (1, 3):
        talk.run(pairs.along(0.1, row))
    fit = talk.run(solve(talk.inquiry, pairs.place(0.1)))
    assert [len(points) for points in talk.calls(Purpose.DESIGN)] == [2, 1]
    assert off(fit, D) < 1e-12


def test_a_model_replaced_meanwhile_is_fitted_as_it_is_now():
    """The centre is asked again, and weights are changes from that new answer."""
    D, talk = affine(7, 6)
    before = talk.service
    talk.service = lambda X: 2.0 * before(X) + 5.0
    fit = talk.fit(0.1)
    assert off(fit, 2.0 * D) < 1e-12
    assert fit.centre.l[0, 0] == talk.service(fit.box.centre[None])[0, 0]


def test_a_column_with_a_gap_is_not_judged():
    """A log-odds that one probe has no answer for is left out, and no other is."""
    rng = np.random.default_rng(8)
    model = zoo.random_linear(rng, 5, 3)

    def losing(X):
        p = zoo.probabilities(model)(X)
        if len(X) > 3:
            p[3, 2] = 0.0  # its logarithm is infinite
        return p

    talk = Interview(
        losing, rng.standard_normal(5), Response.PROBABILITIES, 0, rivals=(1, 2)
    )
    fit = talk.fit(0.01)
    assert fit.judged.tolist() == [True, False]
    V = (model.W[0] - model.W[1]) * fit.box.half
    assert fit.V[:, 0] == pytest.approx(V, rel=1e-9)
    assert np.isfinite(fit.V).all()


def test_a_clipped_column_is_not_judged():
    """A probability that never moved while others did carries no weights."""
    rng = np.random.default_rng(9)
    model = zoo.random_linear(rng, 5, 3)
    model.b[2] -= 30.0
    talk = Interview(
        zoo.clip(zoo.probabilities(model), 1e-6),
        rng.standard_normal(5),
        Response.PROBABILITIES,
        rivals=(1, 2),
    )
    assert talk.fit(0.01).judged.tolist() == [True, False]


def test_a_refused_probe_leaves_nothing_to_judge():
    """Without an answer for one probe no column can be solved, and none is claimed."""
    _, talk = affine(10, 5, 2)
    honest = talk.service
    talk.service = lambda X: np.where(
        np.arange(len(X))[:, None] == 2, np.nan, honest(X)
    )
    assert not talk.fit(0.1).judged.any()


def test_frozen_features_are_not_moved():
    """Probes hold a frozen feature at its value, and the others' weights are right."""
    D, talk = affine(11, 6, domain=Domain(frozen=[2]))
    fit = talk.fit(0.1)
    assert (talk.points[:, 2] == talk.inquiry.x[2]).all()
    assert len(talk.points) == 5 + 1
    assert off(fit, np.delete(D, 2, axis=0)) < 1e-12


# --- Weights from memory ------------------------------------------------------------


def test_remembered_weights_cost_one_question():
    """The centre is asked, and slopes of scores become weights of its box."""
    rng = np.random.default_rng(12)
    model, x = zoo.random_linear(rng, 5, 3), rng.standard_normal(5)
    talk = Interview(zoo.logits(model), x, Response.LOGITS, target=1, rivals=(2, 0))
    box = talk.around.box(0.1)
    fit = talk.run(recollect(talk.inquiry, box, model.W + rng.standard_normal(5)))
    (points,) = talk.calls(Purpose.ORIGIN)
    assert np.array_equal(points, box.centre[None])
    D = np.column_stack([model.W[1] - model.W[c] for c in (2, 0)])
    assert off(fit, D) < 1e-12
    assert fit.judged.tolist() == [True, True]
    assert (fit.asked, talk.inquiry.designs) == (Asked.NOTHING, 0)


def test_what_is_not_remembered_is_not_judged():
    """A rival whose slopes are not known, or that has no answer now, does not count."""
    rng = np.random.default_rng(13)
    model, x = zoo.random_linear(rng, 5, 4), rng.standard_normal(5)
    model.W[2], T = 0.0, model.W.copy()
    T[1] = np.nan

    def losing(X):
        p = zoo.probabilities(model)(X)
        p[:, 2] = 0.0
        return p

    talk = Interview(losing, x, Response.PROBABILITIES, 0, rivals=(1, 2, 3))
    fit = talk.run(recollect(talk.inquiry, talk.around.box(0.1), T))
    assert fit.judged.tolist() == [False, False, True]
    assert np.isfinite(fit.V).all()


# --- A part of the directions -------------------------------------------------------


def check_lengths(fit):
    """Assert that rows count at the design's length, wherever they were asked."""
    placed = fit.solved.placed
    G = placed.design.rows(0, placed.design.size) * placed.length
    assert np.abs(placed.steps(0, len(G)) - G).max() < 1e-4


@pytest.mark.parametrize("k", [1, 4, 11])
def test_missing_directions_alone_are_asked(k):
    """What a part of a design has asked is kept, and all weights are right with it."""
    D, talk = affine(14, 12)
    talk.design = some_directions(talk.rng, 12, k)
    part = talk.fit(0.1)
    assert (part.asked, len(talk.points)) == (Asked.INSIDE, k + 1)
    assert off(part, D) > 1e-3
    whole = talk.run(complete(talk.inquiry, part.solved, talk.rng))
    assert (whole.asked, len(talk.points)) == (Asked.REST, 12 + 2)
    assert off(whole, D) < 1e-12
    assert whole.box == part.box
    check_lengths(whole)
    assert np.abs(talk.points - talk.around.x).max() <= 0.1 * talk.around.scale.max()


def test_pairs_from_farther_out_are_kept_for_the_whole():
    """Rows that pairs have asked serve the part, and then the whole design."""
    D, talk = affine(15, 12)
    talk.design = some_directions(talk.rng, 12, 5)
    pairs = talk.pairs()
    for r in (2**-4, 2**-5):
        talk.run(pairs.along(r))
    part = talk.run(solve(talk.inquiry, pairs.place(2**-6)))
    whole = talk.run(complete(talk.inquiry, part.solved, talk.rng))
    calls = talk.calls(Purpose.DESIGN)
    assert [len(points) for points in calls] == [5 - 2 + 1, 12 - 5 + 1]
    check_lengths(whole)
    assert off(whole, D) < 1e-12


def test_weights_inside_a_subspace_are_read_off():
    """Where weights lie in the directions asked, none of the others is needed."""
    rng = np.random.default_rng(16)
    x, G = rng.standard_normal(12), np.linalg.qr(rng.standard_normal((12, 4)))[0].T
    D = rng.standard_normal(4) @ G
    talk = Interview(lambda X: X @ D, x, domain=Domain(scale=1.0))
    talk.design = Directions(G)
    fit = talk.fit(0.1)
    assert len(talk.points) == 4 + 1
    assert off(fit, D[:, None]) < 1e-12
