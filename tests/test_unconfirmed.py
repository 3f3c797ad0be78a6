"""Rows are in doubt from their first question to the first good check after them."""

from facetwise.unconfirmed import Unconfirmed


def recovery(rounds):
    """Asks so often, and returns what it heard."""
    heard = []
    for _ in range(rounds):
        heard.append((yield "question"))
    return heard


def finish(noted):
    """Answer all that is asked; the result."""
    try:
        next(noted)
        while True:
            noted.send("answer")
    except StopIteration as end:
        return end.value


def test_rows_are_noted_with_their_first_question():
    """A row that was not begun is in no doubt."""
    unconfirmed = Unconfirmed()
    noted = unconfirmed.noted(3, recovery(1))
    assert unconfirmed.rows == set()
    next(noted)
    assert unconfirmed.rows == {3}


def test_nothing_is_changed():
    """A noted recovery hears and returns what it did before."""
    assert finish(Unconfirmed().noted(0, recovery(2))) == ["answer", "answer"]


def test_rows_that_ended_are_confirmed():
    """A good check confirms those that ended, and not those under way."""
    unconfirmed = Unconfirmed()
    finish(unconfirmed.noted(0, recovery(2)))
    under_way = unconfirmed.noted(1, recovery(2))
    next(under_way)
    assert unconfirmed.rows == {0, 1}
    unconfirmed.confirm()
    assert unconfirmed.rows == {1}
    finish(under_way)
    assert unconfirmed.rows == {1}
    unconfirmed.confirm()
    assert unconfirmed.rows == set()
