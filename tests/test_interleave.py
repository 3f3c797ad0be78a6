"""Recoveries share batches, and a limit on questions is never crossed."""

import threading

import numpy as np
import pytest

from facetwise.core.messages import Probes, Purpose
from facetwise.errors import ModelError
from facetwise.interleave import LEAST_TOGETHER, Ended, interleave
from question_book import Book, questions


def recovery(index, rounds, rows=1):
    """Asks that many rounds of rows that hold its index, and returns what it heard."""
    answers = []
    for _ in range(rounds):
        got = yield Probes(np.full((rows, 2), float(index)), Purpose.PAIR)
        assert got.scores.shape == (rows, 1)
        answers.append(got)
    return index, answers


def numbered(rows):
    """Asks as many rows at once, each with its number, and returns the answers."""
    points = np.column_stack([np.arange(rows), np.zeros(rows)]).astype(float)
    return (yield Probes(points, Purpose.DESIGN))


def by_index(run):
    """How each recovery ended; none of them ends twice."""
    ends = list(run)
    ended = {end.index: end for end in ends}
    assert len(ended) == len(ends)
    return ended


def test_each_hears_its_own_answers():
    """However batches are mixed, every recovery is sent the answers to its points."""
    asked = questions(Book())
    recoveries = [recovery(i, 1 + i % 4, rows=1 + i % 3) for i in range(20)]
    ended = by_index(interleave(recoveries, asked, 2))
    assert sorted(ended) == list(range(20))
    for i, end in ended.items():
        index, answers = end.result
        assert index == i
        assert len(answers) == 1 + i % 4
        assert all((got.scores == i).all() for got in answers)


def test_batches_are_filled():
    """Single questions of many recoveries go out in full batches."""
    book = Book()
    list(interleave([recovery(i, 3) for i in range(64)], questions(book), 1))
    assert max(len(batch) for batch in book.batches) == 8
    assert len(book.batches) == 64 * 3 / 8


def test_nobody_waits_for_the_answers_of_others():
    """A recovery goes on while a call of others is still out."""
    gone_on = threading.Event()

    def answer(X):
        if X[0, 0] == 0.0:
            assert gone_on.wait(60)  # held until the other one has ended
        return X[:, :1]

    with questions(answer, batch_size=2, concurrency=2) as asked:
        recoveries = [recovery(0, 1, rows=2), recovery(1, 3, rows=2)]
        run = interleave(recoveries, asked, 2)
        assert next(run).index == 1
        gone_on.set()
        assert [end.index for end in run] == [0]


def test_answers_from_many_calls_come_back_in_order():
    """What one recovery asks in many batches is put together, whichever is first."""
    book = Book()
    with questions(book, batch_size=3, concurrency=4) as asked:
        (end,) = interleave([numbered(100)], asked, 2)
    assert end.result.scores.ravel().tolist() == list(range(100))
    assert (np.diff(end.result.batch) >= 0).all()
    assert book.rows == end.asked == 100


def test_a_fault_is_raised_when_all_calls_have_ended():
    """Of many calls out, those under way are waited for, and no other is sent."""
    book = Book()

    def breaking(X):
        if X[0, 0] == 0.0:
            raise ModelError("gone")
        return book(X)

    recoveries = [recovery(i, 50) for i in range(40)]
    with (
        questions(breaking, batch_size=1, concurrency=3) as asked,
        pytest.raises(ModelError, match="gone"),
    ):
        list(interleave(recoveries, asked, 1))
    assert book.rows < 40 * 50


@pytest.mark.parametrize("limit", [0, 1, 5, 17, 60, 119, 120])
def test_the_limit_is_hard_for_threads(limit):
    """With calls out at a time, too, no question is asked beyond the limit."""
    book = Book()
    with questions(book, batch_size=4, limit=limit, concurrency=3) as asked:
        recoveries = [recovery(i, 4, rows=3) for i in range(10)]
        ended = by_index(interleave(recoveries, asked, 2))
    assert book.rows == sum(end.asked for end in ended.values()) <= limit
    assert sum(end.result is not None for end in ended.values()) >= limit // 12 - 1


@pytest.mark.parametrize("most", [0, 1, 5, 12, 25])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_calls_are_planned_too(most, concurrency):
    """A limit on calls ends recoveries, and is not run into by half-full batches."""
    book = Book()
    with questions(book, calls=most, concurrency=concurrency) as asked:
        recoveries = [recovery(i, 1 + i % 5, rows=3) for i in range(20)]
        ended = by_index(interleave(recoveries, asked, 2))
    assert len(ended) == 20
    assert len(book.batches) <= most


@pytest.mark.parametrize("limit", [0, 1, 5, 17, 60, 119, 120])
def test_the_limit_is_hard(limit):
    """No question is asked beyond the limit, and who is cut short has no result."""
    book = Book()
    asked = questions(book, limit=limit)
    recoveries = [recovery(i, 4, rows=3) for i in range(10)]
    ended = by_index(interleave(recoveries, asked, 2))
    assert book.rows == asked.asked <= limit
    assert sorted(ended) == list(range(10))
    finished = [end for end in ended.values() if end.result is not None]
    # Under a limit few are begun at a time, so that no more than one is cut.
    assert len(finished) == limit // 12
    assert all(end.asked == 12 for end in finished)


@pytest.mark.parametrize("limit", [None, 0, 7, 60])
def test_everyone_is_told_what_it_asked(limit):
    """What each recovery asked adds up to what was asked, cut short or not."""
    book = Book()
    recoveries = [recovery(i, 1 + i % 3, rows=1 + i % 4) for i in range(12)]
    ended = by_index(interleave(recoveries, questions(book, limit=limit), 2))
    assert sum(end.asked for end in ended.values()) == book.rows
    for i, end in ended.items():
        if end.result is not None:
            assert end.asked == (1 + i % 3) * (1 + i % 4)
            assert end.asked == (book.everything == i).sum()


def test_the_first_are_finished_first():
    """When questions run out, those that are cut come after those that are kept."""
    asked = questions(Book(), limit=30)
    recoveries = [recovery(i, 4, rows=3) for i in range(4)]
    ended = by_index(interleave(recoveries, asked, 2))
    kept = [ended[i].result is not None for i in range(4)]
    assert kept == [True, True, False, False]


def test_the_last_one_begun_is_cut():
    """When two that are under way prove too dear, it is the first that is finished."""
    asked = questions(Book(), limit=100)
    ended = by_index(interleave([recovery(i, 1, rows=60) for i in range(2)], asked, 2))
    assert [ended[i].result is not None for i in range(2)] == [True, False]
    assert [ended[i].asked for i in range(2)] == [60, 0]


def test_few_are_under_way_at_a_time():
    """A recovery is started when there is room in the batches, and no earlier."""
    started = []

    def watched(index):
        started.append(index)
        return (yield from recovery(index, 10, rows=5))

    run = interleave([watched(i) for i in range(100)], questions(Book()), 1000)
    next(run)
    assert len(started) <= 2 * LEAST_TOGETHER


def test_recoveries_without_questions():
    """One that returns before its first question is handed on without any."""
    book = Book()
    run = interleave([recovery(0, 0), recovery(1, 1)], questions(book), 2)
    assert next(run) == Ended(0, (0, []), 0)
    assert book.rows == 0
    assert [(end.index, end.asked) for end in run] == [(1, 1)]


def test_what_ended_before_a_fault_was_handed_on():
    """When the model raises, results that were ready had been yielded already."""
    book = Book()

    def breaking(X):
        if book.rows >= 8:
            raise ModelError("gone")
        return book(X)

    run = interleave(
        [recovery(i, 1 + 9 * (i > 1)) for i in range(4)], questions(breaking), 2
    )
    assert [next(run).index, next(run).index] == [0, 1]
    with pytest.raises(ModelError):
        next(run)
