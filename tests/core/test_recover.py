"""A recovery asks, hears, and never says more than what it heard allows.

The generator is driven by hand, and fed lies as well.
"""

from dataclasses import replace

import numpy as np
import pytest

import problems as zoo
from facetwise.core.domain import Domain
from facetwise.core.memory import Memory
from facetwise.core.messages import Answers, Probes, Purpose
from facetwise.core.radius import FINE, UTMOST
from facetwise.core.recover import NARROW, recover
from facetwise.core.recovered import Asked
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status
from facetwise.core.task import Task

SURE = (Status.CERTIFIED, Status.PARTLY_CERTIFIED)


def task(
    x,
    C,
    target=0,
    seed=0,
    domain=None,
    kind=Response.PROBABILITIES,
    rivals=None,
    memory=None,
):
    """A recovery's task, against all rivals where nothing else is said."""
    if rivals is None:
        rivals = tuple(c for c in range(C) if c != target) if kind.softmax else ()
    return Task(
        x,
        LogOdds(kind, target, rivals, contrast=rivals[0] if len(rivals) == 1 else -1),
        (domain or Domain()).resolve(x[None]),
        1e-6,
        np.random.SeedSequence(seed),
        memory=memory,
    )


def drive(service, x, C=3, **settings):
    """What a recovery of x returns, and all that it asked on the way."""
    recovery, asked = recover(task(x, C, **settings), scores(service, x[None])[0]), []
    try:
        probes = next(recovery)
        while True:
            asked.append(probes)
            y = scores(service, probes.points)
            probes = recovery.send(Answers(y, np.full(len(y), len(asked))))
    except StopIteration as end:
        return end.value, asked


def scores(service, X):
    """Scores as rows, like an endpoint's."""
    return np.asarray(service(X), dtype=float).reshape(len(X), -1)


def network(seed=0, d=10, C=3):
    """A network and an instance of it."""
    rng = np.random.default_rng(seed)
    model = zoo.random_network(rng, d, C, 2, 16)
    return model, zoo.random_instance(model, rng)


def of(purpose, asked):
    """All points asked for that purpose."""
    points = [p.points for p in asked if p.purpose is purpose]
    return np.vstack(points) if points else np.empty((0, 0))


def check_error(found, model, x, scale=None):
    """Assert that what is reported, in all and pair by pair, is within its bounds."""
    scale = np.where(x == 0, 1.0, np.abs(x)) if scale is None else scale
    truths = zoo.truths(
        model, x, found.floor, found.radius * scale, np.random.default_rng(0)
    )
    rival = None if found.contrast < 0 else found.contrast
    error = zoo.error(found.local.D, truths, found.target, rival, scale)
    assert error <= found.local.bound
    for rival, pair in found.pairs.items():
        if np.isfinite(pair.bound):
            error = zoo.error(pair.D, truths, found.target, rival, scale)
            assert error <= pair.bound
            off = [
                np.abs(pair.D - zoo.contrast(W, found.target, rival)) for W, _ in truths
            ]
            assert any((o <= pair.weight_bound).all() for o in off)


# --- What an honest model gets ------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 13, 100])
@pytest.mark.parametrize("C", [2, 5])
def test_recovers_a_network(d, C):
    """A random instance of a network is certified, and all its bounds hold."""
    for seed in range(3):
        model, x = network(seed, d, C)
        target = seed % C
        found, _ = drive(zoo.probabilities(model), x, C, target=target)
        assert found.status is Status.CERTIFIED
        assert found.target == target
        assert set(found.pairs) == set(range(C)) - {target}
        check_error(found, model, x)


@pytest.mark.parametrize(
    ("kind", "service"),
    [
        (Response.PROBABILITIES, zoo.probabilities),
        (Response.LOG_PROBABILITIES, zoo.log_probabilities),
        (Response.LOGITS, zoo.logits),
    ],
)
def test_kinds_with_rivals(kind, service):
    """Whatever form the scores of competing classes have, the weights are the same."""
    model, x = network(1)
    found, _ = drive(service(model), x, kind=kind)
    assert found.status is Status.CERTIFIED
    check_error(found, model, x)


@pytest.mark.parametrize(
    ("kind", "service"),
    [(Response.SIGMOID, zoo.sigmoid), (Response.REGRESSION, zoo.regression)],
)
def test_kinds_without_rivals(kind, service):
    """An output that stands by itself has its own gradient."""
    model, x = network(2)
    found, _ = drive(service(model), x, kind=kind, target=1)
    W, b = model.local(x)
    assert found.status is Status.CERTIFIED
    assert found.contrast == -1
    assert (np.abs(found.local.D - W[1]) <= found.local.weight_bound).all()
    assert abs(found.local.base - b[1]) <= found.local.base_bound


def test_one_number():
    """One probability has the weights of the one contrast there is."""
    model, x = network(3, C=2)
    found, _ = drive(zoo.binary(model), x, kind=Response.BINARY)
    W, _ = model.local(x)
    assert found.status is Status.CERTIFIED
    assert (np.abs(found.local.D - (W[1] - W[0])) <= found.local.weight_bound).all()


def test_one_rival():
    """Asked about one rival, a recovery compares with that one and says so."""
    model, x = network(4, C=4)
    found, _ = drive(zoo.probabilities(model), x, rivals=(2,))
    assert (found.status, found.contrast) == (Status.CERTIFIED, 2)
    W, _ = model.local(x)
    assert (np.abs(found.local.D - (W[0] - W[2])) <= found.local.weight_bound).all()


def test_base_is_the_intercept():
    """Weights and base together give the log-odds at the instance."""
    model, x = network(5)
    found, _ = drive(zoo.probabilities(model), x)
    z = model.logits(x[None])[0]
    expected = z[0] - z[1:].mean()
    assert abs(found.local.D @ x + found.local.base - expected) <= found.floor
    b = zoo.contrast(model.local(x)[1][:, None], 0)[0]
    assert abs(found.local.base - b) <= found.local.base_bound


# --- What is asked ------------------------------------------------------------------


@pytest.mark.parametrize("make", zoo.COUNTEREXAMPLES, ids=lambda make: make.__name__)
def test_questions_are_counted(make):
    """A record's questions are the points that were asked, and the instance itself."""
    service, x, model, _ = make(1)
    found, asked = drive(service, x, model.C)
    assert found.queries == 1 + sum(len(p.points) for p in asked)


def test_questions_have_their_purpose():
    """Pairs come first, then d points and the centre, and check points at the end."""
    model, x = network(6)
    found, asked = drive(zoo.probabilities(model), x)
    assert all(isinstance(p, Probes) and p.points.shape[1] == 10 for p in asked)
    assert asked[0].purpose is Purpose.PAIR
    assert found.designs == 1
    order = [p.purpose for p in asked if p.purpose is not Purpose.NOISE]
    first_check = order.index(Purpose.CHECK)
    assert set(order[:first_check]) == {Purpose.PAIR, Purpose.DESIGN}
    assert set(order[first_check:]) == {Purpose.CHECK}
    assert len(of(Purpose.CHECK, asked)) % FINE.checks == 0


def test_the_instance_is_asked_again_with_the_design():
    """Every design brings the instance's own box centre along."""
    model, x = network(7)
    _, asked = drive(zoo.probabilities(model), x)
    near = np.abs(of(Purpose.DESIGN, asked) - x).max(axis=1)
    assert near.min() <= 2.0**-20 * np.abs(x).max()


@pytest.mark.parametrize("make", zoo.COUNTEREXAMPLES, ids=lambda make: make.__name__)
def test_no_point_outside_the_domain(make):
    """Whatever a service does, no probe crosses a limit or moves a frozen feature."""
    service, x, model, _ = make(2)
    rng = np.random.default_rng(0)
    lower, upper = x - rng.choice([0.0, 0.3], len(x)), x + 0.3
    domain = Domain(lower, upper, scale=1.0, frozen=[0])
    _, asked = drive(service, x, model.C, domain=domain)
    for probes in asked:
        assert (probes.points >= lower).all()
        assert (probes.points <= upper).all()
        assert (probes.points[:, 0] == x[0]).all()


def test_no_point_far_away():
    """Without limits, probes stay within the widest box that is looked at."""
    for seed in range(5):
        model, x = network(seed)
        _, asked = drive(zoo.probabilities(model), x)
        scale = Domain().resolve(x[None]).scale
        for probes in asked:
            assert (np.abs(probes.points - x) <= 1.01 * UTMOST * scale).all()


def test_check_points_fill_the_box_that_is_reported():
    """The radius is that of the check points, not of points asked before."""
    model, x = network(8)
    found, asked = drive(zoo.probabilities(model), x)
    last = of(Purpose.CHECK, asked)[-FINE.checks :]
    u = (last - x) / (found.radius * Domain().resolve(x[None]).scale)
    assert np.abs(u).max() <= 1.01
    assert np.abs(u).max() > 0.9


# --- Randomness ---------------------------------------------------------------------


def test_repeats_under_a_seed():
    """One seed asks the same questions and gives the same record, bit for bit."""
    model, x = network(9)
    (first, asked), (again, repeated) = (
        drive(zoo.probabilities(model), x, seed=3) for _ in range(2)
    )
    assert len(asked) == len(repeated)
    for p, q in zip(asked, repeated, strict=True):
        assert np.array_equal(p.points, q.points)
    assert np.array_equal(first.local.D, again.local.D)
    assert first.local.bound == again.local.bound


def test_another_seed_checks_elsewhere():
    """Check points of two seeds have nothing in common."""
    model, x = network(10)
    checks = [
        of(Purpose.CHECK, drive(zoo.probabilities(model), x, seed=s)[1]) for s in (1, 2)
    ]
    gap = np.abs(checks[0][:, None] - checks[1][None]).max(axis=2)
    assert gap.min() > 1e-6 * np.abs(x).max()


def first_checks(service, x):
    """The first check points, in half-widths of the box that they fill."""
    _, asked = drive(service, x)
    steps = of(Purpose.CHECK, asked)[: FINE.checks] - x
    return steps / np.abs(steps).max(axis=0), asked


def test_check_points_have_a_stream_of_their_own():
    """However long the search before them was, check points are the same in the box."""
    rng = np.random.default_rng(11)
    x = rng.uniform(1, 2, 10)
    base = zoo.random_network(rng, 10, 3, 1, 16)
    far, near = (
        zoo.probabilities(zoo.with_boundary(base, x, distance))
        for distance in (1e-2, 1e-5)
    )
    (u, asked), (v, longer) = first_checks(far, x), first_checks(near, x)
    assert len(of(Purpose.PAIR, asked)) < len(of(Purpose.PAIR, longer))
    assert np.allclose(u, v, atol=5e-3)


def test_check_points_are_no_probes():
    """No check point was asked before, as a pair or as a part of the design."""
    model, x = network(12)
    _, asked = drive(zoo.probabilities(model), x)
    checks = of(Purpose.CHECK, asked)
    for purpose in [Purpose.PAIR, Purpose.DESIGN]:
        gap = np.abs(checks[:, None] - of(purpose, asked)[None]).max(axis=2)
        assert gap.min() > 1e-6 * np.abs(x).max()


# --- Lies ---------------------------------------------------------------------------


def test_an_instance_without_an_answer_is_refused():
    """NaN for the instance itself ends it before another question is asked."""
    model, x = network(13)
    found, asked = drive(zoo.nan_near(zoo.probabilities(model), x, 0.0), x)
    assert found.status is Status.REFUSED
    assert asked == []
    assert np.isnan(found.local.D).all()


@pytest.mark.parametrize("distance", [1e-3, 1e-9])
def test_answers_beyond_a_distance_alone(distance):
    """NaN farther away than some distance only makes the box smaller."""
    model, x = network(14)
    service = zoo.probabilities(model)

    def near_alone(X):
        y = service(X)
        y[np.linalg.norm(X - x, axis=1) > distance] = np.nan
        return y

    found, _ = drive(near_alone, x)
    assert found.status is not Status.PIECEWISE_CONSTANT
    if found.status in SURE:
        check_error(found, model, x)
    if distance == 1e-3:
        assert found.status in (*SURE, Status.SMOOTH)


def test_nothing_but_the_instance_is_answered():
    """A service that answers the instance and refuses all around it has refused."""
    model, x = network(15)
    service = zoo.probabilities(model)

    def alone(X):
        return np.where(np.isin(X, x).all(axis=1)[:, None], service(X), np.nan)

    found, _ = drive(alone, x)
    assert found.status is Status.REFUSED


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_some_rows_are_nan(share):
    """Rows lost at random never make an answer wrong, whatever it is called."""
    for seed in range(5):
        model, x = network(seed)
        rng = np.random.default_rng(seed)

        def losing(X, model=model, x=x, rng=rng):
            y = zoo.probabilities(model)(X)
            y[(rng.random(len(X)) < share) & ~np.isin(X, x).all(axis=1)] = np.nan
            return y

        found, _ = drive(losing, x)
        assert found.status in (*SURE, Status.REFUSED, Status.SMOOTH)
        if found.status in SURE:
            check_error(found, model, x)


def test_impossible_scores_are_refused():
    """Negative probabilities are no answers."""
    model, x = network(16)
    found, asked = drive(lambda X: -zoo.probabilities(model)(X), x)
    assert found.status is Status.REFUSED
    assert asked == []


def total(model, x):
    """Questions of an undisturbed recovery."""
    return drive(zoo.probabilities(model), x)[0].queries


def test_a_model_replaced_halfway():
    """Wherever another model takes over, nothing is certified that neither gives."""
    for seed in range(3):
        (first, x), (second, _) = network(seed), network(seed + 100)
        last = total(first, x)
        for after in [1, 2, 4, last // 2, last - FINE.checks]:
            service = zoo.changing(
                zoo.probabilities(first), zoo.probabilities(second), after
            )
            found, _ = drive(service, x)
            assert found.status is Status.CHANGED
            assert np.isnan(found.local.D).all()


def test_a_model_replaced_by_a_close_one():
    """A model that is retrained a little is noticed as well."""
    first, x = network(17)
    V, *others = first.weights
    second = zoo.Dense((V * (1 + 1e-9), *others), first.biases)
    for after in [1, 3, 10]:
        service = zoo.changing(
            zoo.probabilities(first), zoo.probabilities(second), after
        )
        found, _ = drive(service, x)
        if found.status in SURE:
            truths = [first.local(x), second.local(x)]
            assert zoo.error(found.local.D, truths, 0, None, x) <= found.local.bound
        else:
            assert found.status in (Status.CHANGED, Status.SMOOTH, Status.TOO_COARSE)


def test_random_answers_are_unstable():
    """Scores that are drawn anew for every question are called unstable."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(6)
        found, _ = drive(lambda X, rng=rng: rng.dirichlet(np.ones(3), len(X)), x)
        assert found.status is Status.UNSTABLE
        assert np.isnan(found.local.D).all()


@pytest.mark.parametrize("scale", [1e-14, 1e-12, 1e-9, 1e-6, 1e-3])
def test_noise_is_paid_for(scale):
    """Under noise of any size an answer is within its bound, or there is none."""
    for seed in range(5):
        model, x = network(seed)
        noise = np.random.default_rng(seed)
        found, _ = drive(zoo.noisy(zoo.probabilities(model), noise, scale), x)
        assert found.status in (
            *SURE,
            Status.SMOOTH,
            Status.TOO_COARSE,
            Status.UNSTABLE,
        )
        if np.isfinite(found.local.bound):
            check_error(found, model, x)


# --- What is no piecewise linear neighbourhood --------------------------------------


def test_a_boundary_is_named():
    """On a jump slopes change however close one comes, and that is said."""
    service, x, _, _ = zoo.exactly_on_boundary()
    found, _ = drive(service, x)
    assert found.status is Status.ON_BOUNDARY


@pytest.mark.parametrize("activation", zoo.ACTIVATIONS)
def test_smooth_models_are_not_certified(activation):
    """A network with smooth layers gets its gradient, with a bound, and a flag."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = zoo.random_smooth(rng, 8, 3, 2, 12, activation)
        x = rng.standard_normal(8)
        found, _ = drive(zoo.probabilities(model), x)
        assert found.status is Status.SMOOTH
        miss = np.linalg.norm(x * (found.local.D - zoo.contrast(model.gradient(x), 0)))
        assert miss <= found.local.bound
        assert found.local.bound < np.linalg.norm(x * found.local.D)


def test_constant_answers_have_no_bound():
    """Stumps are called piecewise constant: weights of zero, and nothing is sworn."""
    rng = np.random.default_rng(18)
    model = zoo.random_stumps(rng, 5, 3, stumps=3)
    x = rng.standard_normal(5)
    found, _ = drive(lambda X: np.tile([0.2, 0.3, 0.5], (len(X), 1)), x)
    assert found.status is Status.PIECEWISE_CONSTANT
    assert (found.local.D == 0).all()
    assert np.isnan(found.local.bound)
    stumps, _ = drive(zoo.probabilities(model), x)
    assert stumps.status in (Status.PIECEWISE_CONSTANT, Status.TOO_COARSE)


def test_frozen_features_have_no_weight_at_all():
    """A frozen feature is NaN, and the others are certified all the same."""
    model, x = network(19)
    found, _ = drive(zoo.probabilities(model), x, domain=Domain(frozen=[2, 5]))
    truth = zoo.contrast(model.local(x)[0], 0)
    assert found.status is Status.CERTIFIED
    assert np.flatnonzero(np.isnan(found.local.D)).tolist() == [2, 5]
    moving = np.delete(np.arange(10), [2, 5])
    off = np.abs(found.local.D - truth)[moving]
    assert (off <= found.local.weight_bound[moving]).all()


def test_an_instance_in_a_corner():
    """At the lower limit of every feature, weights come from probes on one side."""
    model, _ = network(20)
    x = np.zeros(10)
    found, asked = drive(zoo.probabilities(model), x, domain=Domain(lower=0.0))
    assert min(p.points.min() for p in asked) >= 0
    assert found.status in (*SURE, Status.SMOOTH)
    check_error(found, model, x)


def test_a_saturated_instance():
    """Scores of exactly 0 and 1 carry nothing to recover from."""
    service, x, _, _ = zoo.one_hot_scores()
    found, asked = drive(service, x)
    assert found.status is Status.SATURATED
    assert len(asked) <= 1


def test_a_steep_model_saturates_on_both_sides():
    """Where points on opposite sides score 0 in turn, the search goes on inwards."""
    model = zoo.Linear(np.array([[2e4, 1.0], [-2e4, 0.5]]), np.zeros(2))
    x = np.array([0.0, 1.0])
    found, _ = drive(zoo.probabilities(model), x, C=2)
    assert found.status in (*SURE, Status.SMOOTH)
    check_error(found, model, x)


# --- What other instances taught ----------------------------------------------------

SCALED = Domain(scale=1.0)


def taught(service, X, C=3, domain=SCALED, memory=None, **settings):
    """A memory that has learnt rows of a service, one after another."""
    resolved = domain.resolve(X)
    memory = memory or Memory(C, resolved.moving, resolved.scale)
    for x in X:
        found, _ = drive(service, x, C, domain=domain, **settings)
        memory.learn([(task(x, C, **settings).read, x, found)])
    return memory


def nearly(model, off):
    """The linear model with one weight a little off."""
    W = model.W.copy()
    W[1, 0] += off
    return zoo.Linear(W, model.b)


def test_a_known_region_costs_its_check_points():
    """Where memory is right the instance, the box's centre and a round are asked."""
    rng = np.random.default_rng(20)
    model, (x, other) = zoo.random_linear(rng, 30, 3), rng.standard_normal((2, 30))
    memory = taught(zoo.probabilities(model), x[None])
    found, asked = drive(
        zoo.probabilities(model), other, memory=memory, domain=SCALED, target=1
    )
    assert (found.status, found.target) == (Status.CERTIFIED, 1)
    assert found.queries == 1 + 1 + FINE.checks
    assert (found.recalled, found.tried, found.designs) == (0, 1, 0)
    assert {p.purpose for p in asked} == {Purpose.ORIGIN, Purpose.CHECK}
    check_error(found, model, other, np.ones(30))


@pytest.mark.parametrize("off", [1e-17, 1e-15, 1e-13, 1e-11, 1e-9, 1e-3])
@pytest.mark.parametrize("decimals", [17, 9])
def test_no_certificate_rests_on_what_memory_says(off, decimals):
    """Whatever is remembered, weights are within bounds that answers now have set."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        model, x = zoo.random_linear(rng, 6, 3), rng.standard_normal(6)
        true = zoo.round_answers(zoo.probabilities(model), decimals)
        other = zoo.through(nearly(model, off).W, x, model.logits(x[None])[0])
        memory = taught(zoo.probabilities(other), x[None])
        found, _ = drive(true, x, memory=memory, domain=SCALED)
        assert found.status is Status.CERTIFIED
        check_error(found, model, x, np.ones(6))


def test_what_memory_has_wrong_is_asked_as_if_it_were_not_there():
    """A region that explains the instance, and nothing around it, costs 3 questions."""
    rng = np.random.default_rng(21)
    model, x = zoo.random_linear(rng, 30, 3), rng.standard_normal(30)
    other = zoo.through(model.W[::-1].copy(), x, model.logits(x[None])[0])
    memory = taught(zoo.probabilities(other), x[None])
    found, asked = drive(zoo.probabilities(model), x, memory=memory, domain=SCALED)
    without, _ = drive(zoo.probabilities(model), x, domain=SCALED)
    assert (found.recalled, found.tried, found.asked) == (None, 1, Asked.ALL)
    assert [len(p.points) for p in asked[:2]] == [1, 2]
    assert found.status is Status.CERTIFIED
    assert found.queries <= without.queries + 3 + FINE.checks
    check_error(found, model, x, np.ones(30))


def test_a_region_is_left_where_a_design_says_more():
    """A region known in a tiny box is no reason to call a coarse answer too coarse."""
    rng = np.random.default_rng(22)
    model, (x, near) = zoo.random_linear(rng, 4, 3), rng.standard_normal((2, 4))
    settings = {"kind": Response.LOGITS, "domain": SCALED}
    known, _ = drive(zoo.logits(model), near, **settings)
    memory = Memory(3, np.ones(4, dtype=bool), np.ones(4))
    read = task(near, 3, kind=Response.LOGITS).read
    memory.learn([(read, near, replace(known, radius=1e-4))])
    coarse = zoo.round_answers(zoo.logits(model), 5)
    found, _ = drive(coarse, x, memory=memory, **settings)
    assert (found.status, found.tried) == (Status.CERTIFIED, 1)
    assert found.recalled is None
    assert found.radius > 1e-3
    check_error(found, model, x, np.ones(4))


def small_network(d=30, seed=23):
    """A network of few hidden units, and a memory of a score of its instances."""
    rng = np.random.default_rng(seed)
    model = zoo.random_network(rng, d, 3, 1, 5)
    X = rng.standard_normal((24, d))
    return model, taught(zoo.probabilities(model), X), rng


def test_weights_in_a_known_subspace_take_few_probes():
    """A network's instance is asked along as many directions as it has hidden units."""
    model, memory, rng = small_network()
    for _ in range(5):
        x = rng.standard_normal(30)
        found, asked = drive(zoo.probabilities(model), x, memory=memory, domain=SCALED)
        assert found.status is Status.CERTIFIED
        assert found.recalled is not None or found.asked is Asked.INSIDE
        assert len(of(Purpose.DESIGN, asked)) <= 5 + 1
        check_error(found, model, x, np.ones(30))


def test_a_feature_that_can_hardly_move_does_not_hold_the_others_back():
    """Where even boxes would be next to nothing, all directions are asked."""
    model, memory, rng = small_network()
    for width, asked in [(1e-9, Asked.ALL), (2.0 / NARROW, Asked.INSIDE)]:
        x = rng.standard_normal(30) + 100.0  # in no region that is known
        upper = np.full(30, np.inf)
        upper[0] = x[0] + width
        lower = np.full(30, -np.inf)
        lower[0] = x[0]
        domain = Domain(lower, upper, scale=1.0)
        found, _ = drive(zoo.probabilities(model), x, memory=memory, domain=domain)
        assert found.asked is asked
        truth = model.local(x)[0]
        assert (
            np.abs(found.local.D - zoo.contrast(truth, 0)) <= found.local.weight_bound
        ).all()
