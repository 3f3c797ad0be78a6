"""Questions go out in batches, are numbered, and come back in order."""

import numpy as np

from question_book import Book, questions


def test_large_questions_are_cut():
    """No batch is larger than its size, however much is asked at once."""
    book = Book()
    answers = questions(book).ask(np.arange(40.0).reshape(20, 2))
    assert [len(batch) for batch in book.batches] == [8, 8, 4]
    assert answers.scores.ravel().tolist() == list(range(0, 40, 2))
    assert answers.batch.tolist() == [0] * 8 + [1] * 8 + [2] * 4


def test_calls_are_numbered_throughout():
    """The number of a call goes on from one question to the next."""
    asked = questions(Book())
    first, second = (asked.ask(np.zeros((9, 2))).batch for _ in range(2))
    assert first.max() == 1
    assert second.tolist() == [2] * 8 + [3]
    assert (asked.calls, asked.asked) == (4, 18)


def test_threads_keep_the_order():
    """With calls under way at a time, answers come back in the order of the rows."""
    answers = questions(Book(), concurrency=4).ask(np.arange(200.0).reshape(100, 2))
    assert answers.scores.ravel().tolist() == list(range(0, 200, 2))
