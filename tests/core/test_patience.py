"""What memory tries is judged by what a certified row costs with it and without."""

import numpy as np
import pytest

from facetwise.core.patience import Patience
from facetwise.core.recovered import Recovered, nothing
from facetwise.core.status import Status


def rows(*queries, status=Status.CERTIFIED):
    """Records of rows that have cost so many questions."""
    local = nothing(1, status)
    numbers = np.nan, np.nan, np.nan
    return [Recovered(status, 0, -1, local, {}, *numbers, q, 1) for q in queries]


def resting(*waves):
    """After which of some waves, (tried, others), there is a rest."""
    patience, seen = Patience(), []
    for tried, others in waves:
        patience.judge(tried, others)
        seen.append(patience.is_resting)
    return seen


@pytest.mark.parametrize(("price", "rests"), [(39, False), (40, False), (41, True)])
def test_trying_pays_where_a_row_is_no_dearer(price, rests):
    """Rows that were tried may cost what others do, and not a question more."""
    others = rows(30, 50)
    assert resting(([], others), (rows(price, price), []))[-1] is rests
    assert resting((rows(price, price), others)) == [rests]


def test_a_lost_certificate_is_dear():
    """Rows that cost less and end without weights have not paid."""
    lost = rows(25, 25) + rows(25, 25, status=Status.TOO_COARSE)
    assert resting((lost, rows(40))) == [True]
    assert resting((lost, rows(40, 40) + rows(40, status=Status.TOO_COARSE))) == [False]
    partly = rows(25, status=Status.PARTLY_CERTIFIED)
    assert resting((partly, rows(40))) == [False]


def test_rests_grow_and_end_with_what_pays():
    """One wave, then three, then seven; after a try that pays it begins anew."""
    patience, lengths = Patience(), []
    for price in (99, 99, 99, 10, 99):
        patience.judge(rows(price), rows(40))
        lengths.append(0)
        while patience.is_resting:
            patience.judge([], rows(40))
            lengths[-1] += 1
    assert lengths == [1, 3, 7, 0, 1]


def test_rows_of_late_are_compared_with():
    """Where all rows have become cheaper, what paid once may pay no more."""
    once = rows(*[100] * 10)
    assert resting(([], once), (rows(50), [])) == [False, False]
    later = [([], rows(*[20] * 10))] * 5
    assert resting(([], once), *later, (rows(50), []))[-1]


def test_without_anything_to_compare_with_it_goes_on():
    """As long as all rows were tried, or none is certified, nothing speaks against."""
    assert resting((rows(50), [])) == [False]
    hopeless = rows(20, status=Status.TOO_COARSE)
    assert resting((hopeless, hopeless)) == [False]
    assert resting(([], []), ([], [])) == [False, False]
