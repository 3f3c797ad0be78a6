"""The logistic model tree is what scikit-learn's users expect, and exact."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from facetwise.models import LogisticModelTree


@parametrize_with_checks([LogisticModelTree(), LogisticModelTree(min_samples_split=10)])
def test_scikit_learn_checks(estimator, check):
    """Each check that scikit-learn has for classifiers passes."""
    check(estimator)
