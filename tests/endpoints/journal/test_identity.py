"""Runs and questions go by their content, to the last bit."""

import hashlib

import numpy as np
import pytest

from facetwise.endpoints.journal.identity import (
    Identity,
    call_digest,
    packed,
    questions,
    run_hash,
    unpacked,
)

X = np.random.default_rng(0).standard_normal((5, 3))


def test_numbers_keep_every_bit():
    """Tiny numbers, infinities, NaN and the sign of zero come back as they were."""
    y = np.array([5e-324, -0.0, np.inf, np.nan, 0.1, np.nextafter(1.0, 2.0)])
    back = unpacked(packed(y))
    assert back.tobytes() == y.tobytes()


def test_bytes_are_those_of_any_machine():
    """Numbers are packed in little-endian order, wherever they lie in memory."""
    assert packed(np.array([1.0])) == bytes.fromhex("000000000000f03f")
    assert packed(X.T.astype(">f8")) == packed(np.ascontiguousarray(X.T))


def test_a_question_is_its_row():
    """Each row has the hash of its own bytes, whatever batch it comes in."""
    expected = [hashlib.blake2b(x.tobytes(), digest_size=16).digest() for x in X]
    assert questions(X) == expected
    assert questions(np.asfortranarray(X[::-1])) == expected[::-1]
    assert questions(X[:0]) == []


def test_the_last_digit_makes_another_question():
    """Rows that differ in one bit are two questions."""
    near = X.copy()
    near[0, 2] = np.nextafter(near[0, 2], np.inf)
    assert questions(near)[0] != questions(X)[0]
    assert questions(near)[1:] == questions(X)[1:]


@pytest.mark.parametrize(
    "other",
    [
        Identity("b", {"k": 1, "l": 2}, X),
        Identity("a", {"k": 1, "l": 3}, X),
        Identity("a", {"k": 1, "l": 2}, X[::-1]),
        Identity("a", {"k": 1, "l": 2}, X.reshape(3, 5)),
        Identity("", {"k": 1, "l": 2}, X),
    ],
)
def test_everything_counts_in_a_run(other):
    """Endpoint, settings, instances and their shape make a run what it is."""
    assert Identity("a", {"k": 1, "l": 2}, X).hash != other.hash


def test_the_order_of_settings_does_not_count():
    """The same settings in another order are the same run."""
    one, other = ({"k": 1, "l": 2}, {"l": 2, "k": 1})
    assert Identity("a", one, X).hash == Identity("a", other, X).hash


def test_parts_are_not_run_together():
    """Where one part ends and the next begins is part of the hash."""
    assert run_hash("ab", "c", "", b"") != run_hash("a", "bc", "", b"")


def test_a_digest_does_not_depend_on_order():
    """Answers of a call are hashed in the order of their questions."""
    answers = [(b"q", 0, b"1"), (b"q", 1, b"2"), (b"a", 0, b"3")]
    assert call_digest(answers) == call_digest(answers[::-1])
    assert call_digest(answers) != call_digest([*answers[:2], (b"a", 0, b"4")])
    assert call_digest(answers) != call_digest([*answers[:2], (b"a", 1, b"3")])
