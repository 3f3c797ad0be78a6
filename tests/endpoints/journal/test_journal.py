"""The layer asks only what it has no answer to, and never mixes two models."""

import numpy as np
import pytest

from facetwise.endpoints.journal.identity import Identity
from facetwise.endpoints.journal.journal import RECOGNISED, Journal
from facetwise.endpoints.journal.session import Session
from facetwise.errors import EndpointError, JournalError
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((12, 4))
ANSWER = network(0)


class Told(list):
    """What was said to be recalled: rows and calls."""

    def __call__(self, rows, calls):
        """Note it."""
        self.append((rows, calls))


@pytest.fixture
def keep(tmp_path):
    """A service behind a journal: a new session at each call."""
    sessions = []

    def kept(answer=ANSWER, recognise=False, recalled=lambda rows, calls: None):
        session = Session(tmp_path / "journal", Identity("fake", {}, X), 0)
        sessions.append(session)
        fake = Fake(answer)
        return fake, Journal(fake, session, recalled, recognise)

    yield kept
    for session in sessions:
        session.close()


def test_answers_come_back_to_the_last_bit(keep):
    """What was answered once is not asked again, and is the same in every bit."""
    keep()[1].scores(X)
    fake, journal = keep()
    assert journal.scores(X).tobytes() == ANSWER(X).tobytes()
    assert fake.calls == 0


def test_only_what_is_missing_is_asked(keep):
    """Rows known and unknown come back in their places."""
    keep()[1].scores(X[::2])
    fake, journal = keep()
    assert journal.scores(X).tobytes() == ANSWER(X).tobytes()
    assert np.array_equal(fake.batches[0], X[1::2])


def test_a_row_asked_twice_in_a_batch_is_two_questions(keep):
    """Repeats reach the service, and come back one by one."""
    noise = np.random.default_rng(1)
    X2 = np.repeat(X[:3], 2, axis=0)
    fake, journal = keep(lambda X: noise.random((len(X), 2)))
    first = journal.scores(X2)
    again = journal.scores(X2)
    assert fake.rows == 12
    _, later = keep(lambda X: 1 / 0)
    assert np.array_equal(later.scores(X2), first)
    assert np.array_equal(later.scores(X2), again)


def test_refused_rows_are_kept(keep):
    """A row without an answer has none when it is given again."""
    refusing = np.where(np.arange(12)[:, None] == 5, np.nan, ANSWER(X))
    keep(lambda X: refusing)[1].scores(X)
    fake, journal = keep()
    assert np.array_equal(journal.scores(X), refusing, equal_nan=True)
    assert fake.calls == 0


def test_what_fails_is_not_kept(keep):
    """A call that fails leaves nothing, and is asked again."""

    def gone(X):
        raise EndpointError("gone")

    with pytest.raises(EndpointError):
        keep(gone)[1].scores(X)
    fake, journal = keep()
    journal.scores(X)
    assert fake.rows == 12


def test_a_model_is_recognised_by_a_few_rows(keep):
    """Before answers are given again a few rows are asked anew, once a session."""
    keep()[1].scores(X)
    fake, journal = keep(recognise=True)
    journal.scores(X[:6])
    journal.scores(X[6:])
    assert (fake.calls, fake.rows) == (1, RECOGNISED)


def test_another_model_of_the_same_name_is_caught(keep):
    """Answers of one model are never given for those of another."""
    keep()[1].scores(X)
    _, journal = keep(network(1), recognise=True)
    with pytest.raises(JournalError, match=r"other answers.*Take another journal"):
        journal.scores(X)


def test_noise_does_not_make_another_model(keep):
    """A 32-bit service that answers a little differently in a batch is the same."""
    keep()[1].scores(X)
    rng = np.random.default_rng(2)

    def noisy(X):
        return ANSWER(X) * (1.0 + rng.uniform(-4e-7, 4e-7, (len(X), 3)))

    _, journal = keep(noisy, recognise=True)
    assert journal.scores(X).tobytes() == ANSWER(X).tobytes()


@pytest.mark.parametrize("recognise", [True, False])
def test_another_number_of_scores_is_another_model(keep, recognise):
    """Answers of another width are not mixed with those that are kept."""
    keep()[1].scores(X[:6])
    _, journal = keep(network(0, classes=5), recognise)
    with pytest.raises(JournalError, match="another"):
        journal.scores(X)


def test_what_is_recalled_is_told(keep):
    """Rows given again and asked again add up to what was asked first."""
    told = Told()
    keep(recalled=told)[1].scores(X)
    assert told == [(0, 0)]
    told.clear()
    keep(recalled=told)[1].scores(X)
    keep(recalled=told, recognise=True)[1].scores(X)
    assert told == [(12, 1), (12 - RECOGNISED, 0)]
