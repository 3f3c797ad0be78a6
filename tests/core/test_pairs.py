"""A pair and its centre lie on one line where the answers do, and only there."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import problems as zoo
from facetwise.core.domain import Domain
from facetwise.core.fit import solve
from facetwise.core.messages import Purpose
from facetwise.core.response import Response
from interview import Interview, linear

SEEDS = st.integers(0, 2**32 - 1)
KINDS = [
    (Response.PROBABILITIES, zoo.probabilities),
    (Response.LOG_PROBABILITIES, zoo.log_probabilities),
    (Response.LOGITS, zoo.logits),
    (Response.SIGMOID, zoo.sigmoid),
    (Response.REGRESSION, zoo.regression),
]
LATTICE = 2.0**-6
"""A radius at which boxes share their centre with smaller ones."""

NO_BINARY = 1.1
"""A value that no lattice of 32-bit numbers holds."""


def hinge(x, normal, distance, jump=1.0):
    """An affine service that bends where a plane at that distance of x is crossed."""
    w = np.linspace(-1.0, 1.0, len(x))

    def service(X):
        beyond = (X - x) @ normal - distance
        return 1.0 + (X - x) @ w + jump * np.maximum(beyond, 0.0)

    return service


def affine(seed, d, **settings):
    """An interview about an affine service at a point of a lattice, and its weights."""
    rng = np.random.default_rng(seed)
    D, B = linear(rng, d)
    x = rng.integers(1, 64, d) / 32.0
    return Interview(lambda X: X @ D + B, x, **settings), D


# --- What a pair shows --------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "service"), KINDS, ids=lambda p: getattr(p, "name", "")
)
@settings(max_examples=30)
@given(seed=SEEDS, d=st.integers(1, 20), power=st.floats(-30, 0))
def test_an_affine_piece_agrees(kind, service, seed, d, power):
    """On one piece a pair agrees whatever radius, direction and kind of scores."""
    rng = np.random.default_rng(seed)
    model, x = zoo.random_linear(rng, d, 3), rng.standard_normal(d)
    rivals = (1, 2) if kind.softmax else ()
    talk = Interview(service(model), x, kind, rivals=rivals)
    pairs = talk.pairs()
    assert talk.run(pairs.along(2.0**power)).agrees
    assert talk.run(pairs.anywhere(2.0**power)).agrees


@settings(max_examples=60)
@given(
    seed=SEEDS, d=st.integers(1, 12), row=st.integers(0, 11), t=st.floats(0.01, 0.99)
)
def test_a_boundary_between_the_points_does_not_agree(seed, d, row, t):
    """A bend that one point of the pair is beyond shows, by many tolerances."""
    rng = np.random.default_rng(seed)
    x, row = rng.uniform(1, 2, d), row % d
    talk = Interview(hinge(x, np.zeros(d), 0.0), x, domain=Domain(scale=1.0))
    p = LATTICE * talk.design.rows(row, row + 1)[0] / talk.design.reach
    talk.service = hinge(x, p / np.linalg.norm(p), t * np.linalg.norm(p))
    look = talk.run(talk.pairs().along(LATTICE, row))
    assert look.excess > 1e3
    assert not look.agrees
    assert look.row == row


@settings(max_examples=40)
@given(seed=SEEDS, d=st.integers(1, 12), t=st.floats(1.01, 10.0))
def test_a_boundary_beyond_the_points_agrees(seed, d, t):
    """A bend that neither point reaches is not seen."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(1, 2, d)
    talk = Interview(hinge(x, np.zeros(d), 0.0), x, domain=Domain(scale=1.0))
    p = LATTICE * talk.design.rows(0, 1)[0] / talk.design.reach
    talk.service = hinge(x, p / np.linalg.norm(p), t * np.linalg.norm(p))
    assert talk.run(talk.pairs().along(LATTICE, 0)).agrees


def test_a_pair_is_as_long_as_the_box_allows():
    """A pair's points lie opposite each other, within the box and close to its edge."""
    talk, _ = affine(0, 40)
    talk.run(talk.pairs().along(LATTICE))
    u = talk.around.box(LATTICE).steps(talk.points)
    assert len(u) == 2
    assert u.sum(axis=0) == pytest.approx(np.zeros(40), abs=1e-6)
    assert np.abs(u).max() <= 1.0
    assert np.linalg.norm(u[0]) > 0.95 * np.sqrt(40 / 2)


@pytest.mark.parametrize("times", [0.5, 2.0, 10.0])
def test_the_excess_is_counted_in_tolerances(times):
    """Answers off by so many tolerances are said to be, and agree up to one of them."""
    talk, _ = affine(1, 5)
    talk.run(talk.pairs().along(LATTICE))  # the grid is 64-bit from here on
    honest, origin = talk.service, talk.origin
    answers = talk.run(talk.inquiry.ask(talk.points, Purpose.PAIR))
    off = times * (answers.slack.sum() + 2.0 * origin.slack.sum())
    talk.service = lambda X: honest(X) + off * np.array([[1.0], [0.0]])
    look = talk.run(talk.pairs().along(LATTICE))
    assert abs(look.excess - times) < 0.3
    assert look.agrees is (times < 1.0)


def test_scatter_makes_pairs_agree():
    """What misses by a few tolerances agrees once answers are known to scatter."""
    talk, _ = affine(2, 5)
    honest = talk.service
    talk.service = lambda X: honest(X) + 1e-13 * np.arange(len(X))[:, None]
    assert talk.run(talk.pairs().along(LATTICE)).excess > 1.0
    talk.inquiry.scatter = 1e3
    assert talk.run(talk.pairs().along(LATTICE)).agrees


def test_equal_answers_are_flat():
    """A pair is flat where no score moved, and not where one moved at all."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal(4)
    still = Interview(lambda X: np.tile([0.2, 0.3], (len(X), 1)), x)
    look = still.run(still.pairs().along(LATTICE))
    assert look.flat
    assert look.agrees
    moving, _ = affine(3, 4)
    assert not moving.run(moving.pairs().along(LATTICE)).flat


def test_a_change_in_one_log_odds_alone_is_not_flat():
    """A pair is flat only if the target stands still against each of its rivals."""

    def service(X):
        return np.column_stack([0 * X[:, 0], 0 * X[:, 0] + 1.0, X.sum(axis=1)])

    x = np.array([0.3, 0.4])
    for rivals, flat in [((1,), True), ((1, 2), False)]:
        talk = Interview(service, x, Response.LOGITS, rivals=rivals)
        assert talk.run(talk.pairs().along(LATTICE)).flat is flat


def test_the_worst_log_odds_counts():
    """A bend in one of several log-odds is a bend of the pair."""
    x = np.array([0.3, 0.4])

    def service(X):
        bent = np.abs(X[:, 0] - x[0])
        return np.column_stack([X[:, 0], X[:, 1], bent])

    for rivals, agrees in [((1,), True), ((1, 2), False), ((2, 1), False)]:
        talk = Interview(service, x, Response.LOGITS, rivals=rivals)
        assert talk.run(talk.pairs().along(LATTICE)).agrees is agrees


@pytest.mark.parametrize("which", [0, 1])
def test_a_refused_point_fails(which):
    """Where one of the two gets no answer the pair fails by infinity, and moves."""
    talk, _ = affine(4, 3)
    honest, pairs = talk.service, talk.pairs()
    talk.service = lambda X: np.where(
        np.arange(len(X))[:, None] == which, np.nan, honest(X)
    )
    look = talk.run(pairs.along(LATTICE))
    assert (look.excess, look.flat) == (np.inf, False)
    assert pairs.agreeing == []
    assert pairs.changes == []


def clipped(seed=5):
    """An interview of a service that clips one of three classes near the instance."""
    rng = np.random.default_rng(seed)
    model = zoo.random_linear(rng, 4, 3)
    model.b[2] -= 30.0
    return Interview(
        zoo.clip(zoo.probabilities(model), 1e-6),
        rng.standard_normal(4),
        Response.PROBABILITIES,
        rivals=(1, 2),
    )


def test_a_clipped_class_is_not_judged():
    """Nothing is on one line against a clipped rival, and that is no failure."""
    talk = clipped()
    look = talk.run(talk.pairs().along(0.5))
    assert look.agrees
    assert not look.flat


# --- What is kept -------------------------------------------------------------------


def test_each_row_has_its_turn():
    """Pairs go along every row of the design before one is asked a second time."""
    talk, _ = affine(6, 7)
    pairs = talk.pairs()
    rows = [talk.run(pairs.along(LATTICE)).row for _ in range(14)]
    assert sorted(rows[:7]) == sorted(rows[7:]) == list(range(7))
    assert rows[:7] != rows[7:]  # in no order that repeats


def test_a_row_can_be_asked_again():
    """The row named is the one asked, and its turn is not taken."""
    talk, _ = affine(7, 5)
    pairs = talk.pairs()
    for _ in range(2):
        assert talk.run(pairs.along(LATTICE, 3)).row == 3
    first, again = talk.calls(Purpose.PAIR)
    assert np.array_equal(first, again)


def test_a_pair_in_any_direction_is_no_part_of_the_design():
    """It has no row, serves no design, and goes another way each time."""
    talk, _ = affine(8, 5)
    pairs = talk.pairs()
    looks = [talk.run(pairs.anywhere(LATTICE)) for _ in range(2)]
    assert [look.row for look in looks] == [None, None]
    assert pairs.place(LATTICE).kept == {}
    assert len(pairs.changes) == 2
    first, other = talk.calls(Purpose.PAIR)
    assert np.abs(first - other).max() > 0.01 * LATTICE


def test_what_agreed_shows_the_weights():
    """Changes along agreeing pairs are those of the service, with their radii."""
    talk, D = affine(9, 5)
    pairs = talk.pairs()
    for r in (0.5, LATTICE):
        talk.run(pairs.along(r))
    assert [r for r, _ in pairs.changes] == [0.5, LATTICE]
    for (_, change), points in zip(
        pairs.changes, talk.calls(Purpose.PAIR), strict=True
    ):
        assert change == pytest.approx((points[0] - talk.around.x) @ D, rel=1e-6)


@pytest.mark.parametrize("longer", [1.0, 2.0, 64.0])
@pytest.mark.parametrize("r", [LATTICE, 1e-7])
def test_rows_that_agreed_farther_out_are_used(r, longer):
    """The design in a smaller box takes them over, and solves to the same weights."""
    talk, D = affine(10, 8, domain=Domain(scale=1.0))
    pairs = talk.pairs()
    for row in (2, 5):
        talk.run(pairs.along(min(longer * r, 2**-4), row))
    placed = pairs.place(r)
    shared = np.array_equal(
        placed.box.centre, talk.around.box(min(longer * r, 2**-4)).centre
    )
    assert set(placed.kept) == ({2, 5} if shared else set())
    fit = talk.run(solve(talk.inquiry, placed))
    assert fit.V / placed.box.half[:, None] == pytest.approx(D, rel=1e-6)


def test_rows_that_agreed_closer_in_are_not_used():
    """A short step has fewer digits than the design's, and is asked anew."""
    talk, _ = affine(11, 8)
    pairs = talk.pairs()
    talk.run(pairs.along(LATTICE / 2))
    assert pairs.place(LATTICE).kept == {}


def test_rows_that_failed_are_not_used():
    """A probe on the far side of a boundary is no part of a design."""
    x = np.full(4, 1.5)
    talk = Interview(hinge(x, np.ones(4), 0.0), x)
    pairs = talk.pairs()
    assert not talk.run(pairs.along(LATTICE)).agrees
    assert pairs.place(LATTICE).kept == {}
    assert pairs.changes == []


def test_rows_about_another_centre_are_not_used():
    """Where limits cut the box, boxes of two radii have two centres."""
    x = np.zeros(4)
    talk, D = Interview(lambda X: X.sum(axis=1), x, domain=Domain(lower=0.0)), 1.0
    pairs = talk.pairs()
    talk.run(pairs.along(2 * LATTICE, 1))
    talk.run(pairs.along(LATTICE, 2))
    placed = pairs.place(LATTICE)
    assert set(placed.kept) == {2}
    fit = talk.run(solve(talk.inquiry, placed))
    assert fit.V[:, 0] == pytest.approx(D * placed.box.half, rel=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_rows_of_another_shape_are_not_used(unit):
    """Where limits on both sides leave one feature less room, whatever its unit."""
    x = unit * np.array([1.0, 1.0, 1.0])
    room = unit * np.array([np.inf, LATTICE, np.inf])
    talk = Interview(
        lambda X: X.sum(axis=1) / unit, x, domain=Domain(x - room, x + room, scale=unit)
    )
    pairs = talk.pairs()
    assert np.array_equal(
        talk.around.box(4 * LATTICE).centre, talk.around.box(LATTICE).centre
    )
    talk.run(pairs.along(4 * LATTICE, 1))
    assert pairs.place(LATTICE).kept == {}
    assert set(pairs.place(4 * LATTICE).kept) == {1}


# --- At limits ----------------------------------------------------------------------


def corner(service, d=4, lower=0.0):
    """An interview in the corner of the domain."""
    return Interview(service, np.zeros(d), domain=Domain(lower=lower, scale=1.0))


def test_a_corner_asks_its_middle_once():
    """One-sided boxes need a centre and a second line; both are asked but once."""
    talk = corner(lambda X: X @ np.arange(1.0, 5.0))
    pairs = talk.pairs()
    for _ in range(3):
        assert talk.run(pairs.along(LATTICE)).agrees
    assert talk.run(pairs.anywhere(LATTICE)).agrees
    assert [len(points) for points in talk.calls(Purpose.PAIR)] == [4, 2, 2, 2]
    assert talk.points.min() >= 0.0
    talk.run(pairs.along(LATTICE / 2))
    assert len(talk.calls(Purpose.PAIR)[-1]) == 4


def test_a_second_line_that_bends_counts_for_every_pair():
    """What the middle of a box showed once is held against all pairs about it."""

    def apart(X):
        return X @ np.arange(1.0, 5.0) + 1e-6 * (X == 0.0).all(axis=1)

    pairs = (talk := corner(apart)).pairs()
    looks = [talk.run(pairs.along(LATTICE)) for _ in range(3)]
    assert len(talk.calls(Purpose.PAIR)[-1]) == 2
    assert min(look.excess for look in looks) > 1e3
    assert pairs.agreeing == []


def test_an_instance_off_the_lattice_has_no_second_line():
    """A centre that is the instance but for rounding is asked alone, and once."""
    x = np.full(4, NO_BINARY)
    talk = Interview(lambda X: X @ np.arange(1.0, 5.0), x, domain=Domain(scale=1.0))
    pairs = talk.pairs()
    assert 0.0 < np.abs(talk.around.box(LATTICE).centre - x).max() < 1e-6
    for _ in range(2):
        assert talk.run(pairs.along(LATTICE)).agrees
    assert [len(points) for points in talk.calls(Purpose.PAIR)] == [3, 2]


def test_the_second_line_goes_through_the_instance():
    """The last point is the instance, mirrored at the centre of the box."""
    talk = corner(lambda X: X @ np.arange(1.0, 5.0))
    talk.run(talk.pairs().along(LATTICE))
    _, _, centre, mirrored = talk.calls(Purpose.PAIR)[0]
    assert (mirrored + talk.around.x) / 2 == pytest.approx(centre)


def test_an_instance_apart_from_its_box_does_not_agree():
    """Points beside an instance may agree with one another and not with it."""

    def apart(X):
        return X @ np.arange(1.0, 5.0) + 1e-6 * (X == 0.0).all(axis=1)

    talk = corner(apart)
    look = talk.run(talk.pairs().along(LATTICE))
    assert look.excess > 1e3


@settings(max_examples=60)
@given(seed=SEEDS, d=st.integers(1, 8), power=st.floats(-30, 0))
def test_no_limit_is_crossed_and_affine_pieces_agree(seed, d, power):
    """Pairs stay in the domain, and agree there, wherever the instance lies in it.

    Few instances are on the lattice of their box, which has to do no harm.
    """
    rng = np.random.default_rng(seed)
    x, w = rng.uniform(-1, 1, d), rng.standard_normal(d)
    room = 2.0 * 2.0**power * rng.random((2, d))
    low, high = np.where(rng.random((2, d)) < 0.5, 0.0, room)
    assume(np.any(low + high > 0))
    talk = Interview(
        lambda X: 1.0 + (X - x) @ w, x, domain=Domain(x - low, x + high, scale=1.0)
    )
    assume(talk.around.resolves(2.0**power))
    pairs = talk.pairs()
    for look in (pairs.along, pairs.anywhere):
        assert talk.run(look(2.0**power)).agrees
    assert (talk.points >= x - low).all()
    assert (talk.points <= x + high).all()


@pytest.mark.parametrize(("p", "excess"), [(0.0, np.inf), (0.25, 0.0)])
def test_a_log_odds_without_a_second_line_is_not_judged(p, excess):
    """One that has no score at the mirrored instance is left out, or fails the pair."""

    def service(X):
        y = np.full((len(X), 3), 0.25)
        if len(X) > 1:
            y[:2, 2] = p  # the pair itself
            y[2, 1] = 0.0
        return y

    talk = Interview(
        service,
        np.zeros(3),
        Response.PROBABILITIES,
        rivals=(1, 2),
        domain=Domain(lower=0.0, scale=1.0),
    )
    talk.inquiry.hear(np.array([[0.5, 0.1, 0.4]]))  # no score stands still
    look = talk.run(talk.pairs().along(LATTICE))
    assert look.excess == excess
