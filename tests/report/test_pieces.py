"""Rows share a piece where their weights may be the same, and nowhere else."""

import numpy as np

import facetwise as fw
import problems as zoo
from facetwise import Status
from facetwise.report.pieces import NO_PIECE, pieces
from records import explanation


def test_rows_of_one_region_share_a_piece():
    """Pieces are the regions of a network, as its pattern of active units has them."""
    rng = np.random.default_rng(0)
    model = zoo.random_network(rng, 2, 3, 1, 4)
    X = rng.standard_normal((80, 2))
    given = fw.Explainer(zoo.probabilities(model), seed=0)(X)
    sure = np.flatnonzero(given.certified)
    truth = [(*(np.round(model.local(x)[0], 9)).ravel(),) for x in X[sure]]
    found = pieces(given)[sure]
    same = np.array([[a == b for b in truth] for a in truth])
    same &= given.target[sure][:, None] == given.target[sure]
    assert np.array_equal(found[:, None] == found, same)
    assert len(set(found)) < len(sure)


def test_other_targets_are_other_pieces():
    """Equal weights of another class, or against another rival, are not the same."""
    given = explanation(np.ones((4, 2)), target=np.array([0, 0, 1, 0]))
    assert pieces(given).tolist() == [0, 0, 1, 0]
    given = explanation(np.ones((2, 2)), contrast=np.array([-1, 1]))
    assert pieces(given).tolist() == [0, 1]


def test_rows_without_a_certificate_have_none():
    """Nothing is said of rows that are not certified."""
    status = [Status.CERTIFIED, Status.SMOOTH, Status.PARTLY_CERTIFIED]
    given = explanation(np.ones((3, 2)), status=status)
    assert pieces(given).tolist() == [0, NO_PIECE, 0]


def test_no_chain_joins_what_lies_apart():
    """Each row is within its bound of the first of its piece, not of the last."""
    values = np.array([[0.0], [0.9], [1.8]])
    given = explanation(values, error_bound=np.full((3, 1), 0.5))
    assert pieces(given).tolist() == [0, 0, 1]


def test_frozen_features_are_compared_with_frozen_ones():
    """A feature without a weight is no feature of weight 0."""
    values = np.array([[1.0, np.nan], [1.0, 0.0], [1.0, np.nan]])
    bound = np.where(np.isnan(values), np.nan, 1e-9)
    given = explanation(values, error_bound=bound)
    assert pieces(given).tolist() == [0, 1, 0]
