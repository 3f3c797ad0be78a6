"""What fails is asked again while that may help, and bad rows are found."""

import itertools

import numpy as np
import pytest

from facetwise.endpoints.faults import (
    Busy,
    Lost,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from facetwise.endpoints.retry import BRIEFLY, TRIALS, Patience, Retry
from facetwise.errors import InputError


class Time:
    """A clock that moves while somebody sleeps."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def sleep(self, seconds):
        """Move on."""
        self.slept.append(seconds)
        self.now += seconds


class Played:
    """A service that fails by plan, on rows that it dislikes, or on too many rows."""

    def __init__(self, plan=(), dislikes=lambda X: False, fault=None, fits=None):
        self.plan, self.dislikes = iter(plan), dislikes
        self.fault = fault or (lambda: Refused("500", passing=True))
        self.most, self.asked, self.name = fits, [], "played"

    def implies(self, classes):
        """Nothing."""
        return

    def fits(self, X):
        """As many as it was made for."""
        return min(len(X), self.most or len(X))

    def keep_to(self, rows):
        """Take fewer from now on."""
        self.most = min(rows, self.most or rows)

    def scores(self, X):
        """Two scores a row, from which the row can be told."""
        self.asked.append(X[:, 0].tolist())
        if (fault := next(self.plan, None)) is not None:
            raise fault
        if self.dislikes(X):
            raise self.fault()
        return np.column_stack([X[:, 0], -X[:, 0]])


def rows(n):
    """Rows that tell their number."""
    return np.arange(n, dtype=float)[:, None]


def made(service, **settings):
    """A retry without waiting, and its clock."""
    time = Time()
    settings = {"clock": lambda: time.now, "sleep": time.sleep, **settings}
    return Retry(service, chance=lambda: 0.5, **settings), time


def expected(n, refused=()):
    """What comes back for n rows of which some are refused."""
    scores = np.column_stack([np.arange(n), -np.arange(n)]).astype(float)
    scores[list(refused)] = np.nan
    return scores


@pytest.mark.parametrize(
    "fault",
    [
        lambda: Busy("429"),
        lambda: Unavailable("503"),
        lambda: Lost("reset"),
        lambda: Refused("500", passing=True),
    ],
)
def test_what_passes_is_asked_again(fault):
    """A fault that passes costs an attempt and a wait, and nothing else."""
    service = Played([fault()])
    retry, time = made(service)
    np.testing.assert_array_equal(retry.scores(rows(3)), expected(3))
    assert len(service.asked) == 2
    assert len(time.slept) == 1


def test_waits_grow_and_end():
    """Waits double up to a longest, and attempts are counted."""
    service = Played(itertools.repeat(Busy("429")))
    patience = Patience(attempts=6, first_wait=1.0, longest_wait=5.0)
    retry, time = made(service, patience=patience)
    with pytest.raises(Busy, match=r"429 Asked 6 times in 13 s"):
        retry.scores(rows(3))
    assert time.slept == [0.75, 1.5, 3.0, 3.75, 3.75]
    assert len(service.asked) == 6


@pytest.mark.parametrize("chance", [0.0, 0.999])
def test_waits_are_spread(chance):
    """A wait lies between half and all of its length, by chance."""
    assert 0.5 <= Patience(first_wait=1.0).wait(1, chance) < 1.0


def test_a_wait_that_is_asked_for_is_kept():
    """The service's own wait counts if it is the longer one."""
    retry, time = made(Played([Busy("429", wait=17.0), Busy("429", wait=0.0)]))
    retry.scores(rows(1))
    assert time.slept[0] == 17.0
    assert 0.0 < time.slept[1] < 1.0


def test_a_wait_beyond_the_limit_is_not_begun():
    """When the time would run out, the fault is told at once."""
    retry, time = made(Played([Busy("429", wait=3600.0)]))
    with pytest.raises(Busy):
        retry.scores(rows(1))
    assert time.slept == []


def test_every_attempt_is_spent():
    """Whoever counts hears of each attempt, its rows, and of each busy answer."""
    spent, busy = [], []
    service = Played([Busy("429"), Lost("reset"), Unavailable("503")])
    retry, _ = made(service, spend=spent.append, busy=lambda: busy.append(1))
    retry.scores(rows(5))
    assert spent == [5, 5, 5, 5]
    assert len(busy) == 2


def test_a_spent_budget_ends_it():
    """What `spend` raises goes through, and nothing is asked."""

    def spend(rows):
        raise InputError("spent")

    service = Played()
    with pytest.raises(InputError, match="spent"):
        made(service, spend=spend)[0].scores(rows(2))
    assert service.asked == []


@pytest.mark.parametrize("fault", [Unusable("no"), ValueError("bug")])
def test_what_cannot_pass_is_raised(fault):
    """Faults for good, and errors of other kinds, are not tried again."""
    service = Played([fault])
    with pytest.raises(type(fault)):
        made(service)[0].scores(rows(4))
    assert len(service.asked) == 1


@pytest.mark.parametrize("n", [2, 3, 64, 1000])
@pytest.mark.parametrize("where", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    "fault",
    [
        lambda: Refused("400", passing=False),
        lambda: Refused("500", passing=True),
        lambda: Unavailable("503"),
        lambda: Lost("reset"),
    ],
)
def test_one_bad_row_costs_that_row(n, where, fault):
    """Whatever a service says to a bad row, all others are answered."""
    bad = round(where * (n - 1))
    service = Played(dislikes=lambda X: bad in X[:, 0], fault=fault)
    retry, time = made(service)
    np.testing.assert_array_equal(retry.scores(rows(n)), expected(n, [bad]))
    assert len(service.asked) <= 6 * (4 + np.log2(n)) + TRIALS
    assert time.now < 60


def test_several_bad_rows():
    """Each bad row is found by itself."""
    bad = {3.0, 4.0, 17.0, 31.0}
    service = Played(dislikes=lambda X: bool(bad & set(X[:, 0])))
    scores = made(service)[0].scores(rows(32))
    np.testing.assert_array_equal(scores, expected(32, [3, 4, 17, 31]))


def test_a_bad_row_alone():
    """A row that comes alone is bad if one that was answered before is answered now."""
    service = Played(dislikes=lambda X: 7.0 in X)
    retry, _ = made(service)
    retry.scores(rows(3))
    assert np.isnan(retry.scores(np.array([[7.0]]))).tolist() == [[True, True]]


def test_without_a_good_row_the_fault_is_raised():
    """Where nothing was ever answered, rows are not blamed, and few are asked."""
    service = Played(dislikes=lambda X: True)
    with pytest.raises(Refused):
        made(service)[0].scores(rows(1000))
    assert len(service.asked) <= BRIEFLY * (1 + TRIALS)
    with pytest.raises(Refused):
        made(Played(dislikes=lambda X: True))[0].scores(rows(1))


def test_a_service_that_goes_down_is_no_bad_row():
    """When a row that was answered fails too, the fault is raised, and no row lost."""
    down = []
    service = Played(dislikes=lambda X: bool(down))
    retry, _ = made(service)
    retry.scores(rows(10))
    down.append(True)
    for n in [10, 1]:
        with pytest.raises(Refused):
            retry.scores(rows(n))


def test_overload_is_no_bad_row():
    """A service that says 429 for long is not asked row by row."""
    service = Played(itertools.chain([None], itertools.repeat(Busy("429"))))
    retry, _ = made(service)
    retry.scores(rows(4))
    with pytest.raises(Busy):
        retry.scores(rows(4))
    assert all(len(asked) == 4 for asked in service.asked)


def test_a_service_that_takes_one_row():
    """The first row may be bad where every row is a call of its own."""
    service = Played(fits=1, dislikes=lambda X: X[0, 0] in (0.0, 2.0))
    scores = made(service)[0].scores(rows(5))
    np.testing.assert_array_equal(scores, expected(5, [0, 2]))


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_a_search_with_little_patience(attempts):
    """A bad row among the first ones is found with any number of attempts."""
    service = Played(dislikes=lambda X: 0.0 in X)
    retry, _ = made(service, patience=Patience(attempts=attempts))
    np.testing.assert_array_equal(retry.scores(rows(9)), expected(9, [0]))


def test_overload_during_a_search():
    """Busy answers while a bad row is searched for cost time, and no rows."""

    class Overloaded(Played):
        def scores(self, X):
            if len(self.asked) > 4 and len(self.asked) % 4:
                self.asked.append([])
                raise Busy("429")
            return super().scores(X)

    service = Overloaded(dislikes=lambda X: 7.0 in X)
    np.testing.assert_array_equal(made(service)[0].scores(rows(16)), expected(16, [7]))


def test_too_large_is_halved():
    """Batches that are too large are halved until they fit."""
    service = Played(dislikes=lambda X: len(X) > 7, fault=lambda: TooLarge("413"))
    retry, time = made(service)
    np.testing.assert_array_equal(retry.scores(rows(40)), expected(40))
    assert time.slept == []


@pytest.mark.parametrize(
    "fault", [lambda: TimedOut("late"), lambda: Refused("400", passing=False)]
)
def test_a_batch_that_is_too_large_is_learnt(fault):
    """Where fewer rows go well, as few are sent from then on, and nobody waits."""
    service = Played(dislikes=lambda X: len(X) > 7, fault=fault)
    retry, _ = made(service)
    np.testing.assert_array_equal(retry.scores(rows(40)), expected(40))
    service.asked.clear()
    np.testing.assert_array_equal(retry.scores(rows(40)), expected(40))
    assert [len(asked) for asked in service.asked] == [5] * 8


def test_chance_is_no_limit():
    """A service that fails now and then is not sent fewer rows for it."""
    service = Played([None, *[Refused("500", passing=True)] * 2])
    retry, _ = made(service)
    for _ in range(2):
        np.testing.assert_array_equal(retry.scores(rows(40)), expected(40))
    assert len(service.asked) > 3
    assert service.most is None


def test_a_service_that_stalls_is_left():
    """Where not even one row is answered in time, no others are tried."""
    service = Played(dislikes=lambda X: True, fault=lambda: TimedOut("late"))
    retry, _ = made(service)
    with pytest.raises(TimedOut, match="late"):
        retry.scores(rows(1000))
    assert len(service.asked) == 1 + BRIEFLY


def test_a_pause_is_no_limit():
    """A batch that is answered once the service is back was not too large."""
    service = Played([None, *[TimedOut("late")] * 4])
    retry, _ = made(service)
    for _ in range(2):
        np.testing.assert_array_equal(retry.scores(rows(40)), expected(40))
    assert service.most is None


def test_timeouts_ask_for_less():
    """A call that took too long is a sign that the service has too much to do."""
    busy = []
    retry, _ = made(Played([TimedOut("late")]), busy=lambda: busy.append(1))
    retry.scores(rows(3))
    assert busy == [1]


def test_one_row_too_large():
    """When not even one row fits, there is nothing to halve."""
    service = Played(dislikes=lambda X: True, fault=lambda: TooLarge("413"))
    with pytest.raises(Unusable, match="Not even one row"):
        made(service)[0].scores(rows(8))


def test_what_fits_is_respected():
    """No call has more rows than the service is known to take."""
    service = Played(fits=3)
    np.testing.assert_array_equal(made(service)[0].scores(rows(8)), expected(8))
    assert [len(asked) for asked in service.asked] == [3, 3, 2]


def test_no_rows():
    """Nothing is sent for no rows."""
    with pytest.raises(InputError, match="no rows"):
        made(Played())[0].scores(rows(0))


def test_two_models_behind_one_address():
    """Answers of different widths within one question are no answer."""

    class Wider(Played):
        def scores(self, X):
            return super().scores(X)[:, : 1 + len(self.asked) % 2]

    with pytest.raises(Unusable, match="more than one model"):
        made(Wider(fits=2))[0].scores(rows(4))
