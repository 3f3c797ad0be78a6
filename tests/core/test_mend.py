"""A fit that points miss is mended if it can be, and given up in time if not."""

from dataclasses import replace

import numpy as np
import pytest

import problems as zoo
from facetwise.core.check import Checked
from facetwise.core.domain import Domain
from facetwise.core.mend import FURTHER, INSIDE, WORTH
from facetwise.core.messages import Purpose
from facetwise.core.radius import FINE, Failure
from facetwise.core.recovered import Asked
from facetwise.core.response import Response
from facetwise.core.solve import PlacedDesign
from facetwise.core.span import Directions
from interview import STAKES, Interview, affine, miss

# --- Strays of the design -----------------------------------------------------------


def with_strays(d, strays, r=2.0**-6, seed=0):
    """A fit of an affine service that lies about some probes of the design alone."""
    talk, D = affine(d, seed)
    honest, x = talk.service, talk.around.x
    rows = np.random.default_rng(seed).choice(d, strays, replace=False)
    probes = talk.pairs().place(r).points(0, d)[rows]

    def lying(X):
        known = (X[:, None] == probes).all(axis=2)
        return honest(X) + known @ np.linspace(0.1, 0.2, strays)[:, None]

    talk.service = lying
    fit = talk.fit(r)
    assert np.abs(fit.V[:, 0] - D * fit.box.half).max() > 1e-4
    assert (np.abs(probes - x).max(axis=1) > 0).all()
    return talk, fit, D, r


@pytest.mark.parametrize(("d", "strays"), [(40, 1), (40, 2), (120, 3)])
def test_few_strays_are_repaired_at_once(d, strays):
    """One round names them, and the next one checks the mended weights."""
    talk, fit, D, r = with_strays(d, strays)
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    assert (checked.radius, checked.alpha) == (r, STAKES[1])
    assert len(talk.calls(Purpose.CHECK)) == 2
    assert talk.inquiry.designs == 1


@pytest.mark.parametrize("strays", [7, 9])
def test_more_strays_take_several_rounds(strays):
    """Rounds closer in are added up until all of them can be named."""
    talk, fit, D, r = with_strays(400, strays)
    checked = talk.check(fit, r, stakes=STAKES)
    rounds = len(talk.calls(Purpose.CHECK))
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    assert rounds > 3
    assert checked.radius == r / FINE.shrink
    assert checked.alpha == STAKES[rounds - 1]
    reach = [np.abs(p - talk.around.x).max() for p in talk.calls(Purpose.CHECK)]
    assert np.array(reach[1:]) == pytest.approx(reach[0] / FINE.shrink, rel=0.02)


def test_many_strays_cost_less_than_half_of_another_design():
    """A tenth of all probes is named from rounds that grow, by ever more points."""
    talk, fit, D, r = with_strays(600, 60)
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    rounds = [len(points) for points in talk.calls(Purpose.CHECK)]
    assert rounds[:4] == [FINE.checks] * 4
    assert rounds[:-1] == sorted(rounds[:-1])
    assert rounds[-1] == FINE.checks < rounds[-2]
    assert sum(rounds) < 300


def test_a_column_that_does_not_count_does_not_keep_strays_from_being_named():
    """Strays are named by the rivals that are judged, whatever the others answer."""
    rng = np.random.default_rng(3)
    model, x = zoo.random_linear(rng, 40, 3), rng.standard_normal(40)
    answer = zoo.logits(model)
    talk = Interview(answer, x, Response.LOGITS, rivals=(1, 2))
    r = 2.0**-6
    probe = talk.pairs().place(r).points(5, 6)

    def lying(X):
        scores = answer(X) + 0.1 * (probe == X).all(axis=1)[:, None] * [1.0, 0.0, 0.0]
        scores[:, 2] *= np.cos(1e6 * X[:, 0])  # nothing that a line follows
        return scores

    talk.service = lying
    fit = replace(talk.fit(r), judged=np.array([True, False]))
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    D = model.local(x)[0][0] - model.local(x)[0][1]
    error = np.linalg.norm(checked.V[:, 0] - D * checked.box.half)
    assert error <= checked.bound[0] < 1e-11


def test_a_refused_point_does_not_keep_strays_from_being_named():
    """The points that were answered name the strays, and new ones check that."""
    talk, fit, D, r = with_strays(60, 1)
    lying, calls = talk.service, []

    def refusing(X):
        calls.append(len(X))
        refused = (np.arange(len(X)) == 0) & (len(calls) == 1)
        return np.where(refused[:, None], np.nan, lying(X))

    talk.service = refusing
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert calls == [FINE.checks, FINE.checks]
    assert miss(checked, D) <= checked.bound[0] < 1e-12


@pytest.mark.parametrize("d", [8, 47, 49, 200])
def test_a_hopeless_fit_is_given_up_in_time(d):
    """It is dropped once check points have cost half of what a design does."""
    talk, D = affine(d)
    fit = talk.fit(0.1)
    V = D[:, None] * fit.box.half[:, None] + talk.rng.standard_normal((d, 1))
    assert isinstance(talk.check(replace(fit, V=V), 0.1, stakes=STAKES), Failure)
    # A first miss begins again closer in, where points are less likely to stray.
    spent = sum(len(points) for points in talk.calls(Purpose.CHECK))
    first = FINE.checks if WORTH * d > FINE.checks else 0
    last = max(FINE.checks, WORTH * d / FURTHER)
    assert WORTH * d < spent - first <= WORTH * d + last


def test_strays_that_were_misnamed_are_mended_later(monkeypatch):
    """Points that a mended fit misses are held against it with those before them."""
    talk, fit, D, r = with_strays(60, 3)
    mend, seen = PlacedDesign.without_strays, []

    def misnaming(placed, V, u, residuals, floor):
        seen.append(len(u))
        if len(seen) > 1:
            return mend(placed, V, u, residuals, floor)
        blunder = np.zeros_like(V)
        blunder[7] = 0.1  # as if one more probe had strayed
        return V + placed.weights(blunder)

    monkeypatch.setattr(PlacedDesign, "without_strays", misnaming)
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert seen == [FINE.checks, 2 * FINE.checks]
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    assert (checked.radius, checked.alpha) == (r, STAKES[2])
    assert talk.inquiry.designs == 1


def test_the_points_that_named_strays_do_not_check_them():
    """Residuals of a mended fit are those of the last round alone."""
    talk, fit, _, r = with_strays(120, 2)
    checked = talk.check(fit, r)
    last = talk.calls(Purpose.CHECK)[-1]
    answers = talk.run(talk.inquiry.ask(last, Purpose.CHECK))
    assert np.array_equal(checked.residuals, checked.fit.residuals(last, answers))
    assert len(checked.residuals) == FINE.checks


# --- A fit from a part of the directions --------------------------------------------


def inside(d=60, k=6, outside=0.0, r=2.0**-6, seed=0):
    """A fit of an affine service from few directions, that misses this much outside."""
    rng = np.random.default_rng(seed)
    x, G = rng.uniform(1.0, 2.0, d), np.linalg.qr(rng.standard_normal((d, k + 1)))[0].T
    D = rng.standard_normal(k) @ G[:k] + outside * G[k]
    talk = Interview(lambda X: (X - x) @ D, x, domain=Domain(scale=1.0))
    talk.design = Directions(G[:k])
    return talk, talk.fit(r), D, r


def test_weights_inside_are_checked_outside():
    """Check points move all features, and bound the error of all weights."""
    talk, fit, D, r = inside()
    checked = talk.check(fit, r)
    assert isinstance(checked, Checked)
    assert checked.fit.asked is Asked.INSIDE
    assert miss(checked, D) <= checked.bound[0] < 1e-12
    u = fit.box.steps(np.vstack(talk.calls(Purpose.CHECK)))
    assert np.linalg.matrix_rank(u) == FINE.checks


@pytest.mark.parametrize("outside", [1e-6, 1.0, 1e6])
def test_directions_that_are_missing_are_asked(outside):
    """Where check points see weights outside, the rest is asked, and nothing twice."""
    talk, fit, D, r = inside(outside=outside)
    checked = talk.check(fit, r, stakes=STAKES)
    assert isinstance(checked, Checked)
    assert checked.fit.asked is Asked.REST
    assert miss(checked, D) <= checked.bound[0] < 1e-12 * max(1.0, outside)
    assert (checked.radius, checked.alpha) == (r, STAKES[1])
    sizes = [len(points) for points in talk.calls(Purpose.DESIGN)]
    assert sizes == [6 + 1, INSIDE, 60 - 6 + 1]


def test_probes_astray_are_told_from_missing_directions():
    """Where the fit is wrong inside the subspace too, the rest is not paid for."""
    talk, fit, _, r = inside()
    wrong = replace(
        fit, V=fit.V + 1e-3 * fit.solved.placed.design.rows(0, 6).T.sum(1)[:, None]
    )
    assert isinstance(talk.check(wrong, r), Failure)
    sizes = [len(points) for points in talk.calls(Purpose.DESIGN)]
    assert sizes == [6 + 1, INSIDE]


def test_a_subspace_that_is_all_but_exact_shrinks_the_box():
    """What is missing by a few floors is not worth a design: closer by it is less."""
    talk, fit, D, r = inside(outside=1e-12)
    checked = talk.check(fit, r)
    assert isinstance(checked, Checked)
    assert checked.radius < r
    assert checked.fit.asked is Asked.INSIDE
    assert miss(checked, D) <= checked.bound[0]
