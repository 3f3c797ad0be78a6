"""A session gives kept answers again in their order, and keeps new ones for good."""

import multiprocessing
import threading

import numpy as np
import pytest

from facetwise.endpoints.journal.audit import verify
from facetwise.endpoints.journal.identity import Identity
from facetwise.endpoints.journal.session import Session
from facetwise.errors import JournalError

X = np.zeros((2, 3))
RUN = Identity("service", {"method": "facetwise"}, X)
OTHER = Identity("another", {"method": "facetwise"}, X)


@pytest.fixture
def begin(tmp_path):
    """Begin sessions of one journal, which are closed at the end."""
    sessions = []

    def begun(identity=RUN, seed=1, name="journal"):
        session = Session(tmp_path / name, identity, seed, now=lambda: "now")
        sessions.append(session)
        return session

    begun.path = tmp_path / "journal"
    yield begun
    for session in sessions:
        session.close()


def ask(session, *questions):
    """Scores that are recalled, None where there are none."""
    return [a.scores for a in session.recall(questions)]


def answer(session, question, scores):
    """Ask, and keep an answer."""
    (asked,) = session.recall([question])
    return session.keep([(question, asked.occurrence, scores)])


def test_an_answer_is_given_again(begin):
    """What one session kept the next one recalls, once."""
    answer(begin(), b"q", b"scores")
    later = begin()
    assert ask(later, b"q") == [b"scores"]
    assert ask(later, b"q") == [None]


def test_repeats_come_back_in_their_order(begin):
    """Answers to a question asked several times are told apart by their place."""
    first = begin()
    for scores in (b"1", b"2", b"3"):
        answer(first, b"q", scores)
    assert ask(begin(), b"q", b"q", b"q", b"q") == [b"1", b"2", b"3", None]


def test_nothing_is_recalled_within_a_session(begin):
    """A question asked again in the run that asked it first reaches the service."""
    session = begin()
    answer(session, b"q", b"1")
    assert ask(session, b"q") == [None]


def test_runs_are_kept_apart(begin):
    """Answers to one run are none to another."""
    answer(begin(), b"q", b"1")
    assert ask(begin(OTHER), b"q") == [None]
    assert ask(begin(), b"q") == [b"1"]


def test_the_first_seed_counts(begin):
    """A run that is taken up again keeps the seed that it was begun with."""
    large = 2**127 + 1
    assert begin(seed=large).seed == large
    assert begin(seed=5).seed == large
    assert begin(OTHER, seed=5).seed == 5


def test_the_end_is_noted(begin):
    """A run is finished when it said so, and not before."""
    first = begin()
    assert not first.finished
    assert not begin().finished
    first.finish()
    assert begin().finished


def test_the_first_answer_of_two_sessions_counts(begin):
    """Two that ask the same at once agree on the answer that was kept first."""
    one, two = begin(), begin()
    for session in (one, two):
        assert ask(session, b"q", b"r") == [None, None]
    assert one.keep([(b"q", 0, b"1")]) == [b"1"]
    assert two.keep([(b"q", 0, b"2"), (b"r", 0, b"3")]) == [b"1", b"3"]
    assert ask(begin(), b"q", b"r") == [b"1", b"3"]
    assert verify(begin.path) == []


def test_a_full_disk_is_told_and_ends_the_session(begin):
    """When an answer cannot be kept, that is an error, and no question follows it."""
    session = begin()
    answer(session, b"q", b"1")
    (pages,) = session._connection.execute("PRAGMA page_count").fetchone()
    session._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(JournalError, match=r"full.*make room.*kept before are safe"):
        answer(session, b"r", b"x" * 100_000)
    with pytest.raises(JournalError, match="full"):
        session.recall([b"s"])
    later = begin()
    assert ask(later, b"q", b"r") == [b"1", None]
    assert verify(begin.path) == []


def test_threads_share_a_session(begin):
    """Asked from many threads, each answer is kept once, and none is lost."""
    session = begin()
    taken = []

    def work(k):
        for i in range(40):
            (asked,) = session.recall([b"%d" % (i % 10)])
            taken.append((asked.question, asked.occurrence))
            session.keep([(asked.question, asked.occurrence, b"%d" % k)])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted((b"%d" % q, n) for q in range(10) for n in range(24))
    assert verify(begin.path) == []


def work(path, k):
    """Ask a hundred questions of the same run, from a process of its own."""
    session = Session(path, RUN, k)
    for i in range(100):
        (asked,) = session.recall([b"%d" % i])
        if asked.scores is None:
            session.keep([(asked.question, asked.occurrence, b"%d by %d" % (i, k))])
    session.close()


def test_processes_share_a_journal(begin):
    """Two processes at the same run at once lose nothing and break nothing."""
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=work, args=(begin.path, k)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0]
    kept = ask(begin(), *(b"%d" % i for i in range(100)))
    assert [scores.split()[0] for scores in kept] == [b"%d" % i for i in range(100)]
    assert verify(begin.path) == []


def test_memory_does_not_hold_what_was_asked(begin):
    """What a session counts lies in a temporary table, and goes with the session."""
    session = begin()
    ask(session, b"q")
    tables = "SELECT name FROM {}sqlite_master WHERE name = 'asked'"
    assert session._connection.execute(tables.format("temp.")).fetchall()
    assert not session._connection.execute(tables.format("main.")).fetchall()


def test_only_a_known_run_is_resumed(tmp_path, begin):
    """To resume needs a journal, and the run in it; nothing is made or noted."""
    with pytest.raises(JournalError, match="no journal"):
        Session(tmp_path / "gone", RUN, 1, resume=True)
    assert not (tmp_path / "gone").exists()
    answer(begin(seed=5), b"q", b"scores")
    for _ in range(2):  # what was refused once is not known the next time
        with pytest.raises(JournalError, match="does not hold this run"):
            Session(begin.path, OTHER, 1, resume=True)
    resumed = Session(begin.path, RUN, 1, resume=True)
    assert (resumed.seed, ask(resumed, b"q")) == (5, [b"scores"])
    resumed.close()
