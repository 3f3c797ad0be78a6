"""What is explained follows from what was named, and else from the first answers.

`tests/test_run.py` has the same from outside, and the errors.
"""

import numpy as np
import pytest

from facetwise import InputError, Response
from facetwise.wanted import NOT_KNOWN, Wanted

SCORES = np.array([[0.2, 0.7, 0.1], [np.nan, 0.3, 0.2], [0.6, 0.3, 0.1]])


def wanted(target=None, versus=None, response="auto", class_names=None):
    """What the user named."""
    target = None if target is None else np.asarray(target, dtype=np.intp)
    return Wanted(target, versus, response, class_names)


@pytest.mark.parametrize(
    ("target", "before", "after"),
    [
        (None, [NOT_KNOWN] * 4, [1, 1, 0]),
        (2, [2] * 4, [2] * 3),
        ([2, 1, 0, 1], [2, 1, 0, 1], [2, 1, 0]),
    ],
)
def test_targets_before_and_after_the_first_answers(target, before, after):
    """Of four rows three were answered: what was named holds for those as well."""
    assert wanted(target).named(4).tolist() == before
    kind = Response.PROBABILITIES
    assert wanted(target).targets(kind, SCORES).tolist() == after


def test_what_is_named_goes_before_what_is_implied():
    """And what the model implies goes before what scores look like."""
    assert wanted(response="logits").kind(SCORES, Response.SIGMOID) is Response.LOGITS
    assert wanted().kind(SCORES, Response.SIGMOID) is Response.SIGMOID
    assert wanted().kind(SCORES, None) is Response.PROBABILITIES


def test_rivals():
    """A softmax has all other classes for rivals, or the one named; others none."""
    softmax, single = Response.LOGITS, Response.SIGMOID
    assert wanted().log_odds(softmax, 1, 3).rivals == (0, 2)
    assert wanted(versus=2).log_odds(softmax, 1, 3).rivals == (2,)
    assert wanted(versus=2).log_odds(softmax, 1, 3).contrast == 2
    assert wanted().log_odds(single, 1, 3).rivals == ()
    with pytest.raises(InputError, match="no rivals"):
        wanted(versus=2).log_odds(single, 1, 3)
